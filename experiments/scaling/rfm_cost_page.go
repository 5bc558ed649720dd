package scaling

import (
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Table is the seconds and bytes of every size.
func (r *RFMCostRecord) Table() *report.Table {
	t := &report.Table{
		Name:    "cost",
		Caption: fmt.Sprintf("Seconds of the parts of an iteration, the least of %d, and bytes that a fit is estimated to take.", r.Spec.Repeats),
		Columns: []report.Column{
			{Name: "n", Numeric: true, Help: "examples"}, {Name: "d", Numeric: true, Help: "features"},
			{Name: "kernel", Numeric: true, Help: "kernel matrix, its symmetric half once"}, {Name: "solve", Numeric: true, Help: "Cholesky, in float64"},
			{Name: "agop", Numeric: true, Help: "AGOP over all examples and outputs"}, {Name: "predict", Numeric: true, Help: "predictions for n points"},
			{Name: "bytes", Numeric: true},
		},
	}
	for _, p := range r.Points {
		row := []report.Cell{{Value: float64(p.Examples), Text: fmt.Sprint(p.Examples)}, {Value: float64(p.Features), Text: fmt.Sprint(p.Features)}}
		for _, part := range rfmParts {
			row = append(row, report.Cell{Value: part.of(p), Text: fmt.Sprintf("%.3g", part.of(p))})
		}
		t.Rows = append(t.Rows, append(row, report.Cell{Value: float64(p.Bytes), Text: fmt.Sprintf("%.0f MB", float64(p.Bytes)/1e6)}))
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
		Text: []string{"Both axes are logarithms to the base of ten, so that a power of n or d is a straight line of that slope. " +
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
		Provenance: []report.Fact{
			{Name: "backend", Value: r.Spec.Backend}, {Name: "threads", Value: fmt.Sprint(r.Spec.Threads)}, {Name: "kernels", Value: r.Kernels},
			{Name: "seed", Value: fmt.Sprint(r.Spec.Seed)}, {Name: "version", Value: r.Version},
		},
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
	f, err := report.LineChart(fmt.Sprintf("%s-%s", name, symbol), fmt.Sprintf("%s: seconds against %s", name, against), "log10 "+symbol, "log10 seconds", series)
	f.Caption = fmt.Sprintf("Seconds of the %s as the number of %s grows.", name, against)
	return f, err
}

// Save writes the report into a folder: report.html, its figures and tables, and
// record.json. It returns the path of the report.
func (r *RFMCostRecord) Save(dir string) (string, error) { return record.SaveRecord(dir, r) }

// RecordKind implements [record.Record].
func (r *RFMCostRecord) RecordKind() string { return "cost-rfm" }
