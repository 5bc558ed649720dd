package scaling

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// convSweep holds the points along which examples, depth or size grow.
type convSweep = sweep[ConvCostPoint, ConvCostExponent]

// sweeps returns the sweeps of examples, of depths and of sizes.
func (r *ConvCostRecord) sweeps() []convSweep {
	all := []convSweep{
		{"examples", "n", nil, func(p ConvCostPoint) float64 { return float64(p.Examples) },
			func(e *ConvCostExponent) *float64 { return &e.Examples }},
		{"depth", "L", nil, func(p ConvCostPoint) float64 { return float64(p.Depth) },
			func(e *ConvCostExponent) *float64 { return &e.Depth }},
		{"size", "s", nil, func(p ConvCostPoint) float64 { return float64(p.Size) },
			func(e *ConvCostExponent) *float64 { return &e.Size }},
	}
	m := r.Spec.middle()
	for _, p := range r.Points {
		n, depth, size := p.Examples == m.n, p.Depth == m.depth, p.Size == m.size
		for i, inSweep := range []bool{depth && size, n && size, n && depth} {
			if inSweep {
				all[i].points = append(all[i].points, p)
			}
		}
	}
	for _, s := range all { // the middle was measured first
		slices.SortFunc(s.points, func(a, b ConvCostPoint) int { return cmp.Compare(s.size(a), s.size(b)) })
	}
	return all
}

// Tables returns the seconds and bytes of every size, and a table that compares the CNTK with the
// CNTK averaged over positions.
func (r *ConvCostRecord) Tables() []*report.Table {
	seconds := fmt.Sprintf("Seconds of the parts of an iteration, the shortest of %d, microseconds for a pair of "+
		"images, and peak memory in bytes.", r.Spec.Repeats)
	tables := []*report.Table{convCostTable("cost", seconds, r.Points)}
	if len(r.Pooled) > 0 {
		tables = append(tables, convCostTable("pooled", "The CNTK flattened, and averaged over positions "+
			"(cntk-gap), which compares every position with every other, on small images. "+seconds, r.Pooled))
	}
	return tables
}

// convCostTable returns the seconds and bytes of points, a row for each.
func convCostTable(name, caption string, points []ConvCostPoint) *report.Table {
	fields := []record.Field[ConvCostPoint]{
		record.TextField("kernel", func(p ConvCostPoint) string { return p.Kernel }),
		record.CountField("n", func(p ConvCostPoint) int { return p.Examples }),
		record.CountField("depth", func(p ConvCostPoint) int { return p.Depth }),
		record.CountField("size", func(p ConvCostPoint) int { return p.Size }),
	}
	fields = append(fields, partFields(" s", func(p ConvCostPoint) PartSeconds { return p.PartSeconds },
		[4]string{"kernel matrix, its symmetric half once", "regression, scores of the training images included",
			"patch-AGOP over all images and outputs", "predictions for n images"})...)
	megabytes := func(name string, bytes func(ConvCostPoint) int64) record.Field[ConvCostPoint] {
		return record.NumberField(name, "%.0f", func(p ConvCostPoint) float64 {
			if b := bytes(p); b != 0 {
				return float64(b) / 1e6
			}
			return math.NaN()
		})
	}
	fields = append(fields,
		record.NumberField("kernel µs/pair", "%.3g", func(p ConvCostPoint) float64 { return 1e6 * p.MatrixPair }),
		record.NumberField("agop µs/pair", "%.3g",
			func(p ConvCostPoint) float64 { return 1e6 * p.AGOPPair }).WithHelp("all outputs together"),
		record.NumberField("predict µs/pair", "%.3g", func(p ConvCostPoint) float64 { return 1e6 * p.PredictPair }),
		megabytes("fit MB", func(p ConvCostPoint) int64 { return p.FitBytes }),
		megabytes("agop MB", func(p ConvCostPoint) int64 { return p.AGOPBytes }))
	t := record.TableOf(name, caption, points, fields...)
	return &t
}

// Summary says in sentences how the cost grows.
func (r *ConvCostRecord) Summary() string {
	var grow []string
	for _, e := range r.Exponents {
		powers := e.Part
		for _, s := range r.sweeps() {
			if len(s.points) > 1 {
				powers += fmt.Sprintf(" %s^%.1f", s.symbol, *s.exponent(&e))
			}
		}
		grow = append(grow, powers)
	}
	text := fmt.Sprintf("Between the two largest of each, the seconds grow with images n, depth L and side s as %s.",
		strings.Join(grow, ", "))
	if len(r.Points) == 1 {
		text = "With a single size, nothing is known of how the seconds grow."
	}
	if k := len(r.Pooled); k > 1 {
		flat, pooled := r.Pooled[k-2], r.Pooled[k-1]
		text += fmt.Sprintf(" Averaged over positions, an entry of the kernel of %d×%d images takes %.3g times "+
			"as long as flattened.", flat.Size, flat.Size, pooled.MatrixPair/flat.MatrixPair)
	}
	return text
}

// Page returns the cost as a report.
func (r *ConvCostRecord) Page() (*report.Page, error) {
	m := r.Spec.middle()
	s := report.Section{
		Heading: "Seconds and bytes as images, depth and size grow",
		Text: []string{fmt.Sprintf("Both axes are logarithms to the base of ten, so that a power is a straight "+
			"line with its exponent as slope. Kernel %s, Gaussian images of %d channels, patches %d×%d, %d "+
			"outputs. Sizes that do not grow are %d images of %d×%d and %d convolutions.", r.Spec.Kernel,
			r.Spec.Channels, r.Spec.Patch, r.Spec.Patch, r.Spec.Outputs, m.n, m.size, m.size, m.depth)},
	}
	for _, t := range r.Tables() {
		s.Tables = append(s.Tables, *t)
	}
	draws := []func() (report.Figure, error){}
	for _, sweep := range r.sweeps() {
		draws = append(draws, func() (report.Figure, error) { return drawSeconds(sweep) },
			func() (report.Figure, error) { return drawBytes(sweep) })
	}
	if len(r.Pooled) > 0 {
		draws = append(draws, r.drawPooled)
	}
	for _, draw := range draws {
		f, err := draw()
		if err != nil {
			return nil, err
		}
		s.Figures = append(s.Figures, f)
	}
	return &report.Page{
		Title: "Cost of a convolutional kernel machine", Lead: r.Summary(), Sections: []report.Section{s},
		Provenance: provenance(r.Spec.Backend, r.Spec.Threads, r.Spec.Seed, r.Kernels, r.Version),
	}, nil
}

// drawSeconds draws the seconds of the parts along a sweep.
func drawSeconds(s convSweep) (report.Figure, error) {
	var series []report.Series
	for _, part := range parts {
		series = append(series,
			s.curve(part.name, func(p ConvCostPoint) float64 { return part.seconds(p.PartSeconds) }))
	}
	f, err := report.LineChart("seconds-"+s.name, "Seconds against "+s.name, "log10 "+s.name+" "+s.symbol,
		"log10 seconds", series)
	f.Caption = fmt.Sprintf("Seconds of the parts of an iteration against %s.", s.name)
	return f, err
}

// drawBytes draws the bytes at the peaks along a sweep.
func drawBytes(s convSweep) (report.Figure, error) {
	f, err := report.LineChart("bytes-"+s.name, "Peak memory in bytes against "+s.name,
		"log10 "+s.name+" "+s.symbol, "log10 bytes",
		[]report.Series{
			s.curve("fit", func(p ConvCostPoint) float64 { return float64(p.FitBytes) }),
			s.curve("agop", func(p ConvCostPoint) float64 { return float64(p.AGOPBytes) }),
		})
	f.Caption = fmt.Sprintf("Peak memory of the process in bytes, beyond that before, against %s.", s.name)
	return f, err
}

// drawPooled draws the seconds of a pair of images, flattened and averaged over positions.
func (r *ConvCostRecord) drawPooled() (report.Figure, error) {
	var series []report.Series
	for _, kernel := range []string{"cntk", "cntk-gap"} {
		s := r.sweeps()[2]
		s.points = slices.DeleteFunc(slices.Clone(r.Pooled), func(p ConvCostPoint) bool { return p.Kernel != kernel })
		series = append(series, s.curve(kernel+", entry", func(p ConvCostPoint) float64 { return p.MatrixPair }),
			s.curve(kernel+", AGOP", func(p ConvCostPoint) float64 { return p.AGOPPair }))
	}
	f, err := report.LineChart("pooled", "Seconds of a pair: flattened, and averaged over positions", "log10 size s",
		"log10 seconds", series)
	f.Caption = "Seconds of an entry of the kernel, and of a pair of images in the patch-AGOP, against the " +
		"size of small images."
	return f, err
}

// Save writes the report into a folder: report.html, its figures and tables, and record.json. It
// returns the path of the report.
func (r *ConvCostRecord) Save(dir string) (string, error) { return record.SaveRecord(dir, r) }

// PageData returns the page data, which hold the command that made the record.
func (r *ConvCostRecord) PageData() *record.PageData { return &r.page }

// RecordKind implements [record.Record].
func (r *ConvCostRecord) RecordKind() string { return "cost-convrfm" }
