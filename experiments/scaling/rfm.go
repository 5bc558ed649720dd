package scaling

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// RFMCostSpec says on which sizes the parts of a recursive feature machine are timed. Its zero value
// is the whole grid.
type RFMCostSpec struct {
	Examples []int  `json:"examples"` // n; nil is 500 to 8000
	Features []int  `json:"features"` // d; nil is 32 to 2048
	Outputs  int    `json:"outputs"`  // 0 is 10
	Repeats  int    `json:"repeats"`  // times that each part is timed, of which the least counts; 0 is 3
	Backend  string `json:"backend"`  // native, go, or "" for native where it is built in
	Threads  int    `json:"threads"`  // 0 is all cores
	Seed     uint64 `json:"seed"`
}

// RFMCost times the parts of an iteration of a recursive feature machine as the number of examples
// and of features grow: Laplace kernel, Gaussian inputs and targets, Cholesky, and as many
// predictions as examples.
type RFMCost struct{ spec RFMCostSpec }

// RFMCostRecord is what an [RFMCost] measured.
type RFMCostRecord struct {
	Spec   RFMCostSpec    `json:"spec"`
	Points []RFMCostPoint `json:"points"` // by features, then by examples
	// Exponents are the exponents of n and d in the seconds of the parts, from the two largest n at the
	// largest d and the two largest d at the largest n; absent if there is only one n or one d.
	Exponents []RFMCostExponent `json:"exponents,omitempty"`
	Kernels   string            `json:"kernels"` // instruction set
	Version   string            `json:"version"`

	page record.PageData
}

// RFMCostPoint is the seconds of the parts for n examples of d features.
type RFMCostPoint struct {
	Examples int `json:"n"`
	Features int `json:"d"`
	PartSeconds
	// Bytes is the estimated memory of a fit without the examples.
	Bytes int64 `json:"bytes"`
}

// RFMCostExponent says that a part takes nᵃ and dᵇ seconds.
type RFMCostExponent struct {
	Part     string  `json:"part"`
	Examples float64 `json:"n"`
	Features float64 `json:"d"`
}

// NewRFMCost checks the sizes and fills in the fields that are zero.
func NewRFMCost(s RFMCostSpec) (*RFMCost, error) {
	s.Examples = sizesOr(s.Examples, 500, 1000, 2000, 4000, 8000)
	s.Features = sizesOr(s.Features, 32, 128, 512, 2048)
	s.Outputs, s.Repeats = cmp.Or(s.Outputs, 10), cmp.Or(s.Repeats, 3)
	s.Backend = input.BackendName(s.Backend)
	if err := input.CheckBackend(s.Backend); err != nil {
		return nil, err
	}
	if err := checkSizes(s.Examples, s.Features); err != nil {
		return nil, err
	}
	if s.Outputs < 1 || s.Repeats < 1 {
		return nil, input.Errorf("%d outputs, %d repeats: want at least 1 of each", s.Outputs, s.Repeats)
	}
	c := &RFMCost{s}
	n, d := slices.Max(s.Examples), slices.Max(s.Features)
	m := c.machine()
	need := m.Bytes(n, d, s.Outputs) + 16*int64(n)*int64(d+s.Outputs)
	if available := record.AvailableMemory(); available > 0 && need > available {
		return nil, input.Errorf("%d examples of %d features need about %s, but %s are free: leave out "+
			"the largest", n, d, words.Bytes(need), words.Bytes(available))
	}
	return c, nil
}

// machine returns a machine with one iteration, so that its estimate of memory includes an AGOP.
func (c *RFMCost) machine() rfm.Machine {
	return rfm.Machine{Ridge: 1e-3, Iterations: 1, Select: rfm.Last, Backend: c.spec.Backend, Threads: c.spec.Threads}
}

// Run times the parts at every size. It calls progress, if that is not nil, after each.
func (c *RFMCost) Run(ctx context.Context, progress func(done, total int)) (*RFMCostRecord, error) {
	r := &RFMCostRecord{Spec: c.spec, Kernels: backend.Kernels(), Version: record.Version()}
	for _, d := range c.spec.Features {
		for _, n := range c.spec.Examples {
			p, err := c.measure(ctx, n, d)
			if err != nil {
				return nil, fmt.Errorf("%d examples of %d features: %w", n, d, err)
			}
			r.Points = append(r.Points, *p)
			if progress != nil {
				progress(len(r.Points), len(c.spec.Features)*len(c.spec.Examples))
			}
		}
	}
	r.fitExponents()
	return r, nil
}

// measure times n examples of d features.
func (c *RFMCost) measure(ctx context.Context, n, d int) (*RFMCostPoint, error) {
	rng := rand.New(rand.NewPCG(c.spec.Seed, uint64(n)<<32|uint64(d)))
	x, y := drawNormal(rng, n, d), drawNormal(rng, n, c.spec.Outputs)
	m := c.machine()
	p := &RFMCostPoint{Examples: n, Features: d, Bytes: m.Bytes(n, d, c.spec.Outputs)}
	var err error
	p.PartSeconds, err = timeParts(c.spec.Repeats, func() (PartSeconds, error) { return c.timeOnce(ctx, x, y) })
	return p, err
}

// timeOnce times a fit, the AGOP of its examples and predictions for them.
func (c *RFMCost) timeOnce(ctx context.Context, x, y *mat.Dense) (s PartSeconds, err error) {
	m := c.machine()
	m.Iterations = 0
	last := time.Now()
	lap := func() float64 {
		now := time.Now()
		defer func() { last = now }()
		return now.Sub(last).Seconds()
	}
	// The time before a report belongs to its stage.
	m.Progress = func(at rfm.Progress) {
		if at.Stage == "kernel" {
			s.Matrix += lap()
		} else {
			s.Solve += lap()
		}
	}
	model, err := study.Setting{}.Fit(ctx, "", m, rfm.Examples{X: x, Y: y})
	if err != nil {
		return s, err
	}
	lap()
	if _, err := model.AGOP(ctx, x, false); err != nil {
		return s, err
	}
	s.AGOP = lap()
	_, err = model.Predict(ctx, x)
	s.Predict = lap()
	return s, err
}

// rfmSweep holds the points along which examples, or features, grow.
type rfmSweep = sweep[RFMCostPoint, RFMCostExponent]

// sweeps returns the points along which the examples grow at each number of features, and those along
// which the features grow at each number of examples.
func (r *RFMCostRecord) sweeps() (examples, features []rfmSweep) {
	n := func(p RFMCostPoint) float64 { return float64(p.Examples) }
	d := func(p RFMCostPoint) float64 { return float64(p.Features) }
	at := func(size int, of func(RFMCostPoint) float64) []RFMCostPoint {
		return slices.DeleteFunc(slices.Clone(r.Points), func(p RFMCostPoint) bool { return of(p) != float64(size) })
	}
	for _, size := range r.Spec.Features {
		examples = append(examples, rfmSweep{"examples", "n", at(size, d), n,
			func(e *RFMCostExponent) *float64 { return &e.Examples }})
	}
	for _, size := range r.Spec.Examples {
		features = append(features, rfmSweep{"features", "d", at(size, n), d,
			func(e *RFMCostExponent) *float64 { return &e.Features }})
	}
	return examples, features
}

// fitExponents sets the exponents from the two largest numbers of examples and of features.
func (r *RFMCostRecord) fitExponents() {
	examples, features := r.sweeps()
	if len(examples) < 2 || len(features) < 2 {
		return
	}
	largest := []rfmSweep{examples[len(examples)-1], features[len(features)-1]}
	for _, part := range parts {
		e := RFMCostExponent{Part: part.name}
		setExponents(&e, largest, func(p RFMCostPoint) float64 { return part.seconds(p.PartSeconds) })
		r.Exponents = append(r.Exponents, e)
	}
}

// Tables returns one table, of the seconds and bytes at every size.
func (r *RFMCostRecord) Tables() []*report.Table {
	fields := []record.Field[RFMCostPoint]{
		record.CountField("n", func(p RFMCostPoint) int { return p.Examples }).WithHelp("examples"),
		record.CountField("d", func(p RFMCostPoint) int { return p.Features }).WithHelp("features"),
	}
	fields = append(fields, partFields("", func(p RFMCostPoint) PartSeconds { return p.PartSeconds },
		[4]string{"kernel matrix, its symmetric half once", "Cholesky, in float64",
			"AGOP over all examples and outputs", "predictions for n points"})...)
	fields = append(fields, record.Field[RFMCostPoint]{Column: report.Column{Name: "bytes", Numeric: true},
		Cell: func(p RFMCostPoint) report.Cell {
			return report.Cell{Value: float64(p.Bytes), Text: fmt.Sprintf("%.0f MB", float64(p.Bytes)/1e6)}
		}})
	t := record.TableOf("cost", fmt.Sprintf("Seconds of the parts of an iteration, the shortest of %d, and "+
		"estimated memory of a fit in bytes.", r.Spec.Repeats), r.Points, fields...)
	return []*report.Table{&t}
}

// Summary says in a sentence how the cost grows.
func (r *RFMCostRecord) Summary() string {
	if len(r.Exponents) == 0 {
		return fmt.Sprintf("The parts of a recursive feature machine at %d sizes.", len(r.Points))
	}
	var grow []string
	for _, e := range r.Exponents {
		grow = append(grow, fmt.Sprintf("%s n^%.1f d^%.1f", e.Part, e.Examples, e.Features))
	}
	return "At the largest sizes the seconds grow as " + strings.Join(grow, ", ") + "."
}

// Page returns the cost as a report.
func (r *RFMCostRecord) Page() (*report.Page, error) {
	s := report.Section{
		Heading: "Seconds as examples and features grow",
		Text: []string{fmt.Sprintf("Both axes are logarithms to the base of ten, so that a power of n or d is a "+
			"straight line with its exponent as slope. Laplace kernel, Gaussian inputs, %d outputs.", r.Spec.Outputs)},
		Tables: []report.Table{*r.Tables()[0]},
	}
	examples, features := r.sweeps()
	for _, part := range parts {
		for _, sweeps := range [][]rfmSweep{examples, features} {
			f, err := drawPart(part.name, func(p RFMCostPoint) float64 { return part.seconds(p.PartSeconds) }, sweeps)
			if err != nil {
				return nil, err
			}
			s.Figures = append(s.Figures, f)
		}
	}
	return &report.Page{
		Title: "Cost of a recursive feature machine", Lead: r.Summary(), Sections: []report.Section{s},
		Provenance: provenance(r.Spec.Backend, r.Spec.Threads, r.Spec.Seed, r.Kernels, r.Version),
	}, nil
}

// drawPart draws the seconds of a part along sweeps of one size, a curve for each.
func drawPart(part string, seconds func(RFMCostPoint) float64, sweeps []rfmSweep) (report.Figure, error) {
	var series []report.Series
	for _, s := range sweeps {
		label := fmt.Sprintf("d = %d", s.points[0].Features)
		if s.symbol == "d" {
			label = fmt.Sprintf("n = %d", s.points[0].Examples)
		}
		series = append(series, s.curve(label, seconds))
	}
	s := sweeps[0]
	f, err := report.LineChart(part+"-"+s.symbol, fmt.Sprintf("%s: seconds against %s", part, s.name),
		"log10 "+s.name+" "+s.symbol, "log10 seconds", series)
	f.Caption = fmt.Sprintf("Seconds of the %s as the number of %s grows.", part, s.name)
	return f, err
}

// Save writes the report into a folder: report.html, its figures and tables, and record.json. It
// returns the path of the report.
func (r *RFMCostRecord) Save(dir string) (string, error) { return record.SaveRecord(dir, r) }

// PageData returns the page data, which hold the command that made the record.
func (r *RFMCostRecord) PageData() *record.PageData { return &r.page }

// RecordKind implements [record.Record].
func (r *RFMCostRecord) RecordKind() string { return "cost-rfm" }
