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

// convSweep is the points of a sweep.
type convSweep struct {
	name, symbol string
	points       []ConvCostPoint
	x            func(ConvCostPoint) float64
	into         func(*ConvCostExponent) *float64
}

// sweeps are the three: of examples, of depths and of sizes.
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
		for i, of := range []bool{depth && size, n && size, n && depth} {
			if of {
				all[i].points = append(all[i].points, p)
			}
		}
	}
	for _, s := range all { // the middle was measured first
		slices.SortFunc(s.points, func(a, b ConvCostPoint) int { return cmp.Compare(s.x(a), s.x(b)) })
	}
	return all
}

// Tables are the seconds and bytes of every size, and those of the kernel that is
// averaged over positions beside the CNTK's.
func (r *ConvCostRecord) Tables() []*report.Table {
	seconds := fmt.Sprintf("Seconds of the parts of an iteration, the least of %d, microseconds of a pair of images, "+
		"and bytes at the peak.", r.Spec.Repeats)
	tables := []*report.Table{convCostTable("cost", seconds, r.Points)}
	if len(r.Pooled) > 0 {
		tables = append(tables, convCostTable("pooled", "The CNTK flattened and averaged over positions (cntk-gap), "+
			"on small images: where every position meets every other. "+seconds, r.Pooled))
	}
	return tables
}

func convCostTable(name, caption string, points []ConvCostPoint) *report.Table {
	t := &report.Table{
		Name: name, Caption: caption,
		Columns: append(record.NumericColumns("kernel", "n", "depth", "size"),
			report.Column{Name: "kernel s", Numeric: true, Help: "kernel matrix, its symmetric half once"},
			report.Column{Name: "solve s", Numeric: true, Help: "regression, scores of the training images included"},
			report.Column{Name: "agop s", Numeric: true, Help: "patch-AGOP over all images and outputs"},
			report.Column{Name: "predict s", Numeric: true, Help: "predictions for n images"},
			report.Column{Name: "kernel µs/pair", Numeric: true}, report.Column{Name: "agop µs/pair", Numeric: true,
				Help: "all outputs together"}, report.Column{Name: "predict µs/pair", Numeric: true},
			report.Column{Name: "fit MB", Numeric: true}, report.Column{Name: "agop MB", Numeric: true}),
	}
	for _, p := range points {
		row := []report.Cell{{Text: p.Kernel}}
		for _, v := range []int{p.Examples, p.Depth, p.Size} {
			row = append(row, report.Cell{Value: float64(v), Text: fmt.Sprint(v)})
		}
		for _, v := range []float64{p.Matrix, p.Solve, p.AGOP, p.Predict, 1e6 * p.MatrixPair, 1e6 * p.AGOPPair,
			1e6 * p.PredictPair} {
			row = append(row, record.NumberCell(&v, "%.3g"))
		}
		for _, bytes := range []int64{p.FitBytes, p.AGOPBytes} {
			mb := float64(bytes) / 1e6
			if mb == 0 {
				row = append(row, record.NumberCell(nil, ""))
				continue
			}
			row = append(row, record.NumberCell(&mb, "%.0f"))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Summary says in sentences how the cost grows.
func (r *ConvCostRecord) Summary() string {
	var parts []string
	for _, e := range r.Exponents {
		parts = append(parts, fmt.Sprintf("%s n^%.1f L^%.1f s^%.1f", e.Part, e.Examples, e.Depth, e.Size))
	}
	text := fmt.Sprintf("Between the two largest of each, the seconds grow with images n, depth L and side s as %s.",
		strings.Join(parts, ", "))
	if k := len(r.Pooled); k > 1 {
		flat, pooled := r.Pooled[k-2], r.Pooled[k-1]
		text += fmt.Sprintf(" Averaged over positions, an entry of the kernel of %d×%d images takes %.3g times "+
			"as long as flattened.", flat.Size, flat.Size, pooled.MatrixPair/flat.MatrixPair)
	}
	return text
}

// Page is the cost as a report.
func (r *ConvCostRecord) Page() (*report.Page, error) {
	m := r.Spec.middle()
	s := report.Section{
		Heading: "Seconds and bytes as images, depth and size grow",
		Text: []string{"Both axes are logarithms to the base of ten, so that a power is a straight " +
			"line of that slope. " +
			fmt.Sprintf("Kernel %s, Gaussian images of %d channels, patches %d×%d, %d outputs. Where they do not "+
				"grow there are %d images of %d×%d and %d convolutions.",
				r.Spec.Kernel, r.Spec.Channels, r.Spec.Patch, r.Spec.Patch, r.Spec.Outputs, m.n, m.size, m.size,
				m.depth)},
	}
	for _, t := range r.Tables() {
		s.Tables = append(s.Tables, *t)
	}
	for _, sweep := range r.sweeps() {
		for _, draw := range []func(convSweep) (report.Figure, error){r.seconds, r.bytes} {
			f, err := draw(sweep)
			if err != nil {
				return nil, err
			}
			s.Figures = append(s.Figures, f)
		}
	}
	if len(r.Pooled) > 0 {
		f, err := r.pooled()
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

// seconds draws the seconds of the parts along a sweep.
func (r *ConvCostRecord) seconds(sweep convSweep) (report.Figure, error) {
	var series []report.Series
	for _, part := range convParts {
		series = append(series, along(part.name, sweep, part.of))
	}
	f, err := report.LineChart("seconds-"+sweep.name, "Seconds against "+sweep.name, "log10 "+sweep.symbol,
		"log10 seconds", series)
	f.Caption = fmt.Sprintf("Seconds of the parts of an iteration against %s.", sweep.name)
	return f, err
}

// bytes draws the bytes at the peaks along a sweep.
func (r *ConvCostRecord) bytes(sweep convSweep) (report.Figure, error) {
	series := []report.Series{
		along("fit", sweep, func(p ConvCostPoint) float64 { return float64(p.FitBytes) }),
		along("agop", sweep, func(p ConvCostPoint) float64 { return float64(p.AGOPBytes) }),
	}
	f, err := report.LineChart("bytes-"+sweep.name, "Bytes at the peak against "+sweep.name, "log10 "+sweep.symbol,
		"log10 bytes", series)
	f.Caption = fmt.Sprintf("Bytes that the process held at its peak, beyond those before, against %s.", sweep.name)
	return f, err
}

// pooledSizes draws the seconds of an entry, flattened and averaged over positions.
func (r *ConvCostRecord) pooled() (report.Figure, error) {
	var series []report.Series
	for _, kernel := range []string{"cntk", "cntk-gap"} {
		sweep := r.sweeps()[2]
		sweep.points = nil
		for _, p := range r.Pooled {
			if p.Kernel == kernel {
				sweep.points = append(sweep.points, p)
			}
		}
		series = append(series,
			along(kernel+", entry", sweep, func(p ConvCostPoint) float64 { return p.MatrixPair }),
			along(kernel+", AGOP", sweep, func(p ConvCostPoint) float64 { return p.AGOPPair }))
	}
	f, err := report.LineChart("pooled", "Seconds of a pair: flattened, and averaged over positions", "log10 s",
		"log10 seconds", series)
	f.Caption = "Seconds of an entry of the kernel, and of a pair of images in the patch-AGOP, against the " +
		"size of small images."
	return f, err
}

// along is a curve along a sweep on logarithmic axes.
func along(label string, sweep convSweep, y func(ConvCostPoint) float64) report.Series {
	s := report.Series{Label: label}
	for _, p := range sweep.points {
		s.X, s.Y = append(s.X, math.Log10(sweep.x(p))), append(s.Y, math.Log10(y(p)))
	}
	return s
}

// Save writes the report into a folder: report.html, its figures and tables, and
// record.json. It returns the path of the report.
func (r *ConvCostRecord) Save(dir string) (string, error) { return record.SaveRecord(dir, r) }

// RecordKind implements [record.Record].
func (r *ConvCostRecord) RecordKind() string { return "cost-convrfm" }
