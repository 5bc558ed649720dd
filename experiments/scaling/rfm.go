package scaling

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// RFMCostSpec says on which sizes the parts of a recursive feature machine are
// timed. Its zero value is the whole grid.
type RFMCostSpec struct {
	Examples []int  `json:"examples"` // n; nil is 500 to 8000
	Features []int  `json:"features"` // d; nil is 32 to 2048
	Outputs  int    `json:"outputs"`  // 0 is 10
	Repeats  int    `json:"repeats"`  // the least time of so many counts; 0 is 3
	Backend  string `json:"backend"`  // native, go, or "" for native where it is built in
	Threads  int    `json:"threads"`  // 0 is all cores
	Seed     uint64 `json:"seed"`
}

// RFMCost times the parts of an iteration of a recursive feature machine as the
// number of examples and of features grow: Laplace kernel, Gaussian inputs and
// targets, Cholesky, and as many predictions as examples.
type RFMCost struct{ spec RFMCostSpec }

// RFMCostRecord is what an [RFMCost] measured.
type RFMCostRecord struct {
	Spec   RFMCostSpec    `json:"spec"`
	Points []RFMCostPoint `json:"points"` // by features, then by examples
	// Exponents are those of n and of d in the seconds of the parts, from the two
	// largest sizes of each, the other being the largest; absent where the grid
	// has but one size.
	Exponents []RFMCostExponent `json:"exponents,omitempty"`
	Kernels   string            `json:"kernels"` // instruction set
	Version   string            `json:"version"`
}

// RFMCostPoint is the seconds of the parts for n examples of d features.
type RFMCostPoint struct {
	Examples int     `json:"n"`
	Features int     `json:"d"`
	Kernel   float64 `json:"kernel_seconds"`
	Solve    float64 `json:"solve_seconds"`
	AGOP     float64 `json:"agop_seconds"`
	Predict  float64 `json:"predict_seconds"`
	// Bytes is what a fit is estimated to take, the examples apart.
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
	if s.Examples == nil {
		s.Examples = []int{500, 1000, 2000, 4000, 8000}
	}
	if s.Features == nil {
		s.Features = []int{32, 128, 512, 2048}
	}
	if s.Outputs == 0 {
		s.Outputs = 10
	}
	if s.Repeats == 0 {
		s.Repeats = 3
	}
	if s.Backend == "" {
		s.Backend = "go"
		if backend.Native() {
			s.Backend = "native"
		}
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
	if have := record.AvailableMemory(); have > 0 && need > have {
		return nil, input.Errorf("%d examples of %d features take about %.1f GB, there is room for %.1f GB: "+
			"leave out the largest", n, d, float64(need)/1e9, float64(have)/1e9)
	}
	return c, nil
}

// machine has an iteration, so that its estimate of memory holds an AGOP's.
func (c *RFMCost) machine() rfm.Machine {
	return rfm.Machine{Ridge: 1e-3, Iterations: 1, Select: rfm.Last, Backend: c.spec.Backend, Threads: c.spec.Threads}
}

// Run measures. Progress, if not nil, is told how many of the sizes are done.
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

// measure takes the least times of several fits.
func (c *RFMCost) measure(ctx context.Context, n, d int) (*RFMCostPoint, error) {
	rng := rand.New(rand.NewPCG(c.spec.Seed, uint64(n)<<32|uint64(d)))
	x, y := normal(rng, n, d), normal(rng, n, c.spec.Outputs)
	least := &RFMCostPoint{Kernel: math.Inf(1), Solve: math.Inf(1), AGOP: math.Inf(1), Predict: math.Inf(1)}
	for range c.spec.Repeats {
		p, err := c.once(ctx, x, y)
		if err != nil {
			return nil, err
		}
		least.Kernel, least.Solve = min(least.Kernel, p.Kernel), min(least.Solve, p.Solve)
		least.AGOP, least.Predict = min(least.AGOP, p.AGOP), min(least.Predict, p.Predict)
	}
	least.Examples, least.Features = n, d
	m := c.machine()
	least.Bytes = m.Bytes(n, d, c.spec.Outputs)
	return least, nil
}

// once times a fit, the AGOP of its examples and predictions for them.
func (c *RFMCost) once(ctx context.Context, x, y *mat.Dense) (*RFMCostPoint, error) {
	p, m := &RFMCostPoint{}, c.machine()
	m.Iterations = 0
	last := time.Now()
	since := func() float64 {
		now := time.Now()
		defer func() { last = now }()
		return now.Sub(last).Seconds()
	}
	// What passed before a report belongs to its stage.
	m.Progress = func(at rfm.Progress) {
		if at.Stage == "kernel" {
			p.Kernel += since()
		} else {
			p.Solve += since()
		}
	}
	model, err := study.Setting{}.Fit(ctx, "", m, rfm.Examples{X: x, Y: y})
	if err != nil {
		return nil, err
	}
	since()
	if _, err := model.AGOP(ctx, x, false); err != nil {
		return nil, err
	}
	p.AGOP = since()
	_, err = model.Predict(ctx, x)
	p.Predict = since()
	return p, err
}

// normal draws a matrix of N(0, 1/columns), whose rows have a norm of about 1.
func normal(rng *rand.Rand, rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = rng.NormFloat64() / math.Sqrt(float64(columns))
	}
	return m
}

// rfmParts are the parts that are timed.
var rfmParts = []struct {
	name string
	of   func(RFMCostPoint) float64
}{
	{"kernel", func(p RFMCostPoint) float64 { return p.Kernel }},
	{"solve", func(p RFMCostPoint) float64 { return p.Solve }},
	{"agop", func(p RFMCostPoint) float64 { return p.AGOP }},
	{"predict", func(p RFMCostPoint) float64 { return p.Predict }},
}

// fitExponents takes the exponents from the last two sizes of each.
func (r *RFMCostRecord) fitExponents() {
	rows, columns := len(r.Spec.Features), len(r.Spec.Examples)
	if rows < 2 || columns < 2 {
		return
	}
	last := r.Points[rows*columns-1]
	fewer, narrower := r.Points[rows*columns-2], r.Points[(rows-1)*columns-1]
	for _, part := range rfmParts {
		slope := func(before RFMCostPoint, sizes float64) float64 {
			return math.Log(part.of(last)/part.of(before)) / math.Log(sizes)
		}
		r.Exponents = append(r.Exponents, RFMCostExponent{
			Part:     part.name,
			Examples: slope(fewer, float64(last.Examples)/float64(fewer.Examples)),
			Features: slope(narrower, float64(last.Features)/float64(narrower.Features)),
		})
	}
}

// Table is the seconds and bytes of every size.
func (r *RFMCostRecord) Table() *report.Table {
	t := &report.Table{
		Name: "cost",
		Caption: fmt.Sprintf("Seconds of the parts of an iteration, the least of %d, and bytes that a fit "+
			"is estimated to take.", r.Spec.Repeats),
		Columns: []report.Column{
			{Name: "n", Numeric: true, Help: "examples"}, {Name: "d", Numeric: true, Help: "features"},
			{Name: "kernel", Numeric: true, Help: "kernel matrix, its symmetric half once"},
			{Name: "solve", Numeric: true, Help: "Cholesky, in float64"},
			{Name: "agop", Numeric: true, Help: "AGOP over all examples and outputs"},
			{Name: "predict", Numeric: true, Help: "predictions for n points"},
			{Name: "bytes", Numeric: true},
		},
	}
	for _, p := range r.Points {
		row := []report.Cell{{Value: float64(p.Examples), Text: fmt.Sprint(p.Examples)},
			{Value: float64(p.Features), Text: fmt.Sprint(p.Features)}}
		for _, part := range rfmParts {
			row = append(row, report.Cell{Value: part.of(p), Text: fmt.Sprintf("%.3g", part.of(p))})
		}
		t.Rows = append(t.Rows, append(row,
			report.Cell{Value: float64(p.Bytes), Text: fmt.Sprintf("%.0f MB", float64(p.Bytes)/1e6)}))
	}
	return t
}

// Tables is the table.
func (r *RFMCostRecord) Tables() []*report.Table { return []*report.Table{r.Table()} }

// Summary says in a sentence how the cost grows.
func (r *RFMCostRecord) Summary() string {
	if len(r.Exponents) == 0 {
		return fmt.Sprintf("The parts of a recursive feature machine at %d sizes.", len(r.Points))
	}
	var parts []string
	for _, e := range r.Exponents {
		parts = append(parts, fmt.Sprintf("%s n^%.1f d^%.1f", e.Part, e.Examples, e.Features))
	}
	return "At the largest sizes the seconds grow as " + strings.Join(parts, ", ") + "."
}

// Page is the cost as a report.
func (r *RFMCostRecord) Page() (*report.Page, error) {
	s := report.Section{
		Heading: "Seconds as examples and features grow",
		Text: []string{"Both axes are logarithms to the base of ten, so that a power of n or d is a straight " +
			"line of that slope. " +
			"Laplace kernel, Gaussian inputs, " + fmt.Sprint(r.Spec.Outputs) + " outputs."},
		Tables: []report.Table{*r.Table()},
	}
	for k := range rfmParts {
		for _, byExamples := range []bool{true, false} {
			f, err := r.figure(k, byExamples)
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

// figure draws the seconds of a part against the examples, a curve for every
// number of features, or the other way round.
func (r *RFMCostRecord) figure(part int, byExamples bool) (report.Figure, error) {
	var series []report.Series
	at := map[int]int{} // series of a size
	for _, p := range r.Points {
		x, size, label := p.Examples, p.Features, "d = %d"
		if !byExamples {
			x, size, label = p.Features, p.Examples, "n = %d"
		}
		i, known := at[size]
		if !known {
			i = len(series)
			at[size] = i
			series = append(series, report.Series{Label: fmt.Sprintf(label, size)})
		}
		s := &series[i]
		s.X, s.Y = append(s.X, math.Log10(float64(x))), append(s.Y, math.Log10(rfmParts[part].of(p)))
	}
	against, symbol := "examples", "n"
	if !byExamples {
		against, symbol = "features", "d"
	}
	name := rfmParts[part].name
	f, err := report.LineChart(fmt.Sprintf("%s-%s", name, symbol),
		fmt.Sprintf("%s: seconds against %s", name, against), "log10 "+symbol, "log10 seconds", series)
	f.Caption = fmt.Sprintf("Seconds of the %s as the number of %s grows.", name, against)
	return f, err
}

// Save writes the report into a folder: report.html, its figures and tables, and
// record.json. It returns the path of the report.
func (r *RFMCostRecord) Save(dir string) (string, error) { return record.SaveRecord(dir, r) }

// RecordKind implements [record.Record].
func (r *RFMCostRecord) RecordKind() string { return "cost-rfm" }
