package experiments

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Summary says in a sentence what the record shows.
func (r *RFMRecord) Summary() string {
	first, chosen := r.Iterations[0], r.Iterations[r.Selected]
	s := fmt.Sprintf("Iteration 0, the kernel without features learned: %s.", first.say())
	if r.Selected > 0 {
		s += fmt.Sprintf(" Iteration %d, which was selected: %s.", r.Selected, chosen.say())
	} else if len(r.Iterations) > 1 {
		s += " No later iteration did better on the validation examples."
	}
	for _, it := range r.Iterations {
		if it.Solution.Note != "" {
			return fmt.Sprintf("%s Iteration %d: %s.", s, it.Iteration, it.Solution.Note)
		}
	}
	return s
}

func scoreText(accuracy, r2 *float64) string {
	switch {
	case accuracy != nil:
		return fmt.Sprintf("accuracy %.2f %%", 100**accuracy)
	case r2 != nil:
		return fmt.Sprintf("R² %.4f", *r2)
	}
	return "R² not defined"
}

// Table is the record as a table.
func (r *RFMRecord) Table() *report.Table {
	t := iterationsTable("iterations", ConvLayerRecord{Iterations: r.Iterations, Selected: r.Selected})
	t.Caption = "The iterations of the recursive feature machine. Iteration 0 is the kernel with M = I; the one that was selected is marked."
	return t
}

// Metric is the M of the model that was selected.
func (r *RFMRecord) Metric() *rfm.Metric { return r.model.Metric() }

// SaveMetric writes the M of the model that was selected as an NPY file, d×d.
func (r *RFMRecord) SaveMetric(path string) error {
	return array.WriteNPY(path, r.model.Metric().Dense())
}

// SaveModel writes the model that was selected into a folder.
func (r *RFMRecord) SaveModel(dir string) error { return saveModel(r.model, &r.examples.about, dir) }

// Save writes the report into a folder: report.html, its figures and tables,
// record.json, the metric as metric.npy and the model. It returns the path of
// the report.
func (r *RFMRecord) Save(dir string) (string, error) {
	p, err := r.Page(context.Background())
	if err != nil {
		return "", err
	}
	return saveFit(p, dir, r)
}

// Page is the record as a report with its pictures.
func (r *RFMRecord) Page(context.Context) (*report.Page, error) {
	curve, err := scoreFigure("iterations", "Iterations", r.examples.task, r.Iterations)
	if err != nil {
		return nil, err
	}
	p := &report.Page{
		Title:      fmt.Sprintf("A recursive feature machine on %s", r.Data),
		Lead:       r.Summary(),
		Sections:   []report.Section{{Heading: "Iterations", Figures: []report.Figure{curve}, Tables: []report.Table{*r.Table()}, Facts: r.Conventions.facts()}},
		Provenance: r.provenance(),
	}
	if len(r.Iterations) == 1 {
		return p, nil // M is I
	}
	features, err := r.metricSection()
	if err == nil {
		p.Sections = append(p.Sections, features)
	}
	return p, err
}

// The features that a chart shows, and the matrices that have their
// eigenvectors drawn.
const (
	shownFeatures = 20
	largestEigen  = 3200
)

// metricSection draws what the metrics of the first and the last iteration, and
// of the one that was selected, look at.
func (r *RFMRecord) metricSection() (report.Section, error) {
	s := report.Section{Heading: "The features", Text: []string{
		"M is the average gradient outer product of the predictor of the iteration before. Its diagonal says how much that predictor changes with each input.",
	}}
	chosen := []int{1, len(r.Iterations) - 1}
	if r.Selected > 0 {
		chosen = append(chosen, r.Selected)
	}
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	draw := r.featureImages
	if r.examples.shape == nil {
		draw = r.featureBars
	}
	f, err := draw(chosen)
	s.Figures = append(s.Figures, f)
	return s, err
}

// featureImages are the diagonal and the leading eigenvectors of metrics of
// images, a row for each of some iterations.
func (r *RFMRecord) featureImages(iterations []int) (report.Figure, error) {
	shape := *r.examples.shape
	var rows [][]report.Image
	for _, t := range iterations {
		m := r.Iterations[t].metric
		row := []report.Image{pixelsImage(m.Diagonal(), shape, fmt.Sprintf("iteration %d", t))}
		if !m.IsDiagonal() && m.Dim() <= largestEigen {
			values, vectors, err := backend.EigenSym(m.Dense(), true)
			if err != nil {
				return report.Figure{}, err
			}
			for k := range min(shownVectors, len(values)) {
				at := len(values) - 1 - k
				row = append(row, pixelsImage(mat.Col(nil, at, vectors), shape, fmt.Sprintf("λ = %.2g", values[at])))
			}
		}
		rows = append(rows, row)
	}
	columns := []string{"diagonal"}
	for k := range len(rows[0]) - 1 {
		columns = append(columns, fmt.Sprint(k+1))
	}
	f, err := report.ImageGrid("features", columns, rows)
	f.Caption = "The diagonal of M, and its leading eigenvectors, as images; each is scaled to its own range, and mid-grey is 0 in eigenvectors."
	f.Alt = "Diagonal and leading eigenvectors of M drawn as images"
	return f, err
}

// featureBars are the elements of the diagonals of metrics, as shares of the
// trace, of the features that are largest in the last of some iterations.
func (r *RFMRecord) featureBars(iterations []int) (report.Figure, error) {
	last := r.Iterations[iterations[len(iterations)-1]].metric.Diagonal()
	order := make([]int, len(last))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(last[b], last[a]) })
	order = order[:min(shownFeatures, len(order))]
	var labels []string
	for _, i := range order {
		labels = append(labels, r.examples.features[i])
	}
	var groups []report.Bars
	for _, t := range iterations {
		m := r.Iterations[t].metric
		bars := report.Bars{Label: fmt.Sprintf("iteration %d", t)}
		for _, i := range order {
			bars.Values = append(bars.Values, m.Diagonal()[i]/m.Trace())
		}
		groups = append(groups, bars)
	}
	f, err := report.BarChart("features", "What the predictor looks at", "share of the trace of M", labels, groups)
	f.Caption = fmt.Sprintf("The diagonal of M: the %d of %d features that are largest in the last iteration.", len(order), len(last))
	return f, err
}

func (c RFMConventions) facts() []report.Fact {
	return append(report.FactsOf(c), c.ExamplesConventions.facts()...)
}

func (r *RFMRecord) provenance() []report.Fact {
	return r.Conventions.provenance(machineText(), r.Seconds, r.Conventions.digests()...)
}
