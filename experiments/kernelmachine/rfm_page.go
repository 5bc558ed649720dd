package kernelmachine

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/importance"
	"github.com/ansatz-lab/ansatz/experiments/measure"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// Summary says what the record shows, in a few sentences.
func (r *RFMRecord) Summary() string {
	first, chosen := r.Iterations[0], r.Iterations[r.Selected]
	s := fmt.Sprintf("The plain kernel (iteration 0, M = I): %s.", first.scoreText())
	if r.Selected > 0 {
		s += fmt.Sprintf(" Iteration %d, which was selected: %s.", r.Selected, chosen.scoreText())
	} else if len(r.Iterations) > 1 && (first.ValidationAccuracy != nil || first.ValidationMSE != nil) {
		s += " No later iteration did better on the validation examples."
	}
	s += r.Conventions.TestCopies.Warning()
	for _, it := range r.Iterations {
		if it.Solution.Note != "" {
			return fmt.Sprintf("%s Iteration %d: %s.", s, it.Iteration, it.Solution.Note)
		}
	}
	return s + collapseNote(r.Iterations)
}

// collapsed is the share of its first trace at which M is all but zero.
const collapsed = 1e-6

// collapseNote returns a warning if M shrank to nothing over the iterations, else "". The gradients of a
// Gaussian kernel machine are proportional to M, so that the trace of an unscaled AGOP grows as the square
// of M's trace: below some size, which grows with the ridge, every iteration makes M smaller. The kernel
// becomes constant, all predictions become equal, and rounding, which depends on the number of threads,
// decides which class wins.
func collapseNote(iterations []IterationRecord) string {
	first := iterations[0].Trace
	for _, it := range iterations[1:] {
		// A small M is no collapse where distances are large, as with many columns: the machine then fits its examples.
		fits := it.TrainR2 != nil && *it.TrainR2 > .1 || it.TrainAccuracy != nil && *it.TrainAccuracy > .99
		if it.Trace < collapsed*first && !fits && it.Bandwidth == nil { // an adaptive bandwidth shrinks with M
			return fmt.Sprintf(" Beware: M has collapsed. Its trace fell from %.3g to %.3g by iteration %d: from there "+
				"on the kernel is constant, and scores are those of chance. Give --scale trace, or a smaller --ridge.",
				first, it.Trace, it.Iteration)
		}
	}
	return ""
}

// scoreText returns an accuracy or, without one, R² in words.
func scoreText(accuracy, r2 *float64) string {
	switch {
	case accuracy != nil:
		return fmt.Sprintf("accuracy %.2f %%", 100**accuracy)
	case r2 != nil:
		return fmt.Sprintf("R² %.4f", *r2)
	}
	return "R² not defined"
}

// Table returns the iterations.
func (r *RFMRecord) Table() *report.Table {
	t := iterationsTable("iterations", ConvLayerRecord{Iterations: r.Iterations, Selected: r.Selected})
	t.Caption = "The iterations of the recursive feature machine. Iteration 0 is the kernel with M = I; the one that " +
		"was selected is marked."
	return t
}

// Tables returns the iterations, and the importances and the measures where there are any.
func (r *RFMRecord) Tables() []*report.Table {
	return append([]*report.Table{r.Table()}, detailTables(&r.Result, r.Importances, r.Directions)...)
}

// detailTables returns the tables of importances, directions and measures that have rows.
func detailTables(m *measure.Result, columns []importance.Column, directions []importance.Direction) []*report.Table {
	var all []*report.Table
	for _, t := range []*report.Table{importance.Table(columns), importance.DirectionsTable(directions),
		m.Table()} {
		if len(t.Rows) > 0 {
			all = append(all, t)
		}
	}
	return all
}

// addMeasures adds the measures to a page, after its first section.
func addMeasures(p *report.Page, m *measure.Result) error {
	s, err := m.Section()
	if s != nil {
		p.Sections = slices.Insert(p.Sections, 1, *s)
	}
	return err
}

// RecordKind implements [record.Record].
func (r *RFMRecord) RecordKind() string { return "rfm" }

// PageData returns the machine on which the record was made, and the figure of the features.
func (r *RFMRecord) PageData() *record.PageData { return &r.page }

// Page returns the report.
func (r *RFMRecord) Page() (*report.Page, error) {
	curve, err := scoreFigure("iterations", "Iterations", r.Iterations)
	if err != nil {
		return nil, err
	}
	p := &report.Page{
		Title: fmt.Sprintf("A recursive feature machine on %s", r.Data),
		Lead:  r.Summary(),
		Sections: []report.Section{
			{Heading: "Iterations", Figures: []report.Figure{curve}, Tables: []report.Table{*r.Table()},
				Facts: r.Conventions.facts()},
		},
		Provenance: r.provenance(),
	}
	if r.page.Explorer != nil {
		p.Sections = append(p.Sections, explorerSection(r.page.Explorer))
	}
	if features := r.page.Named(featuresName); len(features) > 0 {
		s := report.Section{Heading: "The features", Figures: features, Text: []string{
			"M comes from the average gradient outer product of the predictor of the iteration before. Its diagonal says how " +
				"much that predictor changes with each input.",
		}}
		for _, t := range detailTables(&measure.Result{}, r.Importances, r.Directions) {
			s.Tables = append(s.Tables, *t)
		}
		if len(r.Importances) > 0 {
			f, err := importance.Figure("importances", r.Importances, "Shares of the trace of the M that was selected, by column "+
				"of the table: a categorical column has the shares of all its categories.")
			if err != nil {
				return nil, err
			}
			s.Figures = append(s.Figures, f)
		}
		p.Sections = append(p.Sections, s)
	}
	return p, addMeasures(p, &r.Result)
}

func (c RFMConventions) facts() []report.Fact {
	return append(report.FactsOf(c), c.Conventions.Facts()...)
}

func (r *RFMRecord) provenance() []report.Fact {
	return r.Conventions.Provenance(r.page.Machine, r.Seconds, r.Conventions.Digests()...)
}

// iterationsTable returns a row for every iteration of the layers. A layer 0 has no number in the table.
func iterationsTable(name string, layers ...ConvLayerRecord) *report.Table {
	t := &report.Table{
		Name: name,
		Columns: []report.Column{
			{Name: "layer", Numeric: true}, {Name: "iteration", Numeric: true},
			{Name: "training accuracy", Numeric: true}, {Name: "validation accuracy", Numeric: true},
			{Name: "test accuracy", Numeric: true},
			{Name: "training R²", Numeric: true}, {Name: "validation R²", Numeric: true}, {Name: "test R²", Numeric: true},
			{Name: "test MSE", Numeric: true}, {Name: "trace", Numeric: true, Help: "the trace of the kernel's M"},
			{Name: "ridge", Numeric: true, Help: "the chosen λ"}, {Name: "bandwidth", Numeric: true, Help: "the adaptive L"},
			{Name: "solved by"}, {Name: "seconds", Numeric: true, Help: "without the test"},
		},
	}
	for _, l := range layers {
		for i, it := range l.Iterations {
			mark := report.Unmarked
			if i == l.Selected && len(l.Iterations) > 1 {
				mark = report.Good
			}
			t.Rows = append(t.Rows, []report.Cell{
				record.CountCell(l.Layer), {Value: float64(it.Iteration), Text: fmt.Sprint(it.Iteration)},
				record.NumberCell(it.TrainAccuracy, "%.4f"), record.NumberCell(it.ValidationAccuracy, "%.4f"),
				record.MarkedCell(record.NumberCell(it.TestAccuracy, "%.4f"), mark),
				record.NumberCell(it.TrainR2, "%.4f"), record.NumberCell(it.ValidationR2, "%.4f"),
				record.MarkedCell(record.NumberCell(it.TestR2, "%.4f"), mark),
				record.NumberCell(it.TestMSE, "%.4g"), record.NumberCell(&it.Trace, "%.4g"),
				record.NumberCell(it.Ridge, "%.3g"), record.NumberCell(it.Bandwidth, "%.4g"),
				{Text: it.Solution.Method}, record.NumberCell(&it.Seconds, "%.2f"),
			})
		}
	}
	return t.WithoutEmpty()
}

// scoreText returns the test score of an iteration in words, or the training score if it was not tested.
func (it IterationRecord) scoreText() string {
	if it.TestR2 != nil || it.TestAccuracy != nil {
		return "test " + scoreText(it.TestAccuracy, it.TestR2)
	}
	return "training " + scoreText(it.TrainAccuracy, it.TrainR2)
}

// scoreFigure draws accuracies, or R² for regressions, over iterations.
func scoreFigure(name, title string, iterations []IterationRecord) (report.Figure, error) {
	label := "accuracy"
	pick := func(accuracy, r2 *float64) *float64 { return accuracy }
	if len(iterations) > 0 && iterations[0].TrainAccuracy == nil {
		label, pick = "R²", func(accuracy, r2 *float64) *float64 { return r2 }
	}
	var series []report.Series
	for _, c := range []struct {
		name  string
		score func(IterationRecord) *float64
	}{
		{"training", func(i IterationRecord) *float64 { return pick(i.TrainAccuracy, i.TrainR2) }},
		{"validation", func(i IterationRecord) *float64 { return pick(i.ValidationAccuracy, i.ValidationR2) }},
		{"test", func(i IterationRecord) *float64 { return pick(i.TestAccuracy, i.TestR2) }},
	} {
		s := report.Series{Label: c.name}
		for _, it := range iterations {
			if v := c.score(it); v != nil {
				s.X, s.Y = append(s.X, float64(it.Iteration)), append(s.Y, *v)
			}
		}
		if len(s.X) > 0 {
			series = append(series, s)
		}
	}
	f, err := report.LineChart(name, title, "iteration, from M = I", label, series)
	f.Caption = "Iteration 0 is the plain kernel, M = I. In every later iteration M comes from the AGOP of the predictor " +
		"before it."
	return f, err
}

// Save writes the report into a folder: report.html with its figures and tables, record.json, the metric
// as metric.npy and the model. It returns the path of the report.
func (r *RFMFit) Save(dir string) (string, error) {
	if len(r.Iterations) > 1 { // else M is I
		f, err := r.featuresFigure()
		if err != nil {
			return "", err
		}
		r.page.Figures = []report.Figure{f}
		if r.page.Explorer, err = exploreMetrics(r.Conventions.Seed, r.explored()); err != nil {
			return "", err
		}
	}
	return saveFit(dir, r)
}

// saveFit writes a record with its report, the metric of its model as metric.npy and the model into a
// folder. It returns the path of the report.
func saveFit(dir string, r interface {
	record.Record
	SaveMetric(path string) error
	SaveModel(dir string) error
}) (string, error) {
	path, err := record.SaveRecord(dir, r)
	if err != nil {
		return "", err
	}
	if err := r.SaveMetric(filepath.Join(dir, "metric.npy")); err != nil {
		return "", err
	}
	return path, r.SaveModel(filepath.Join(dir, "model"))
}

const (
	shownFeatures = 20   // in a chart
	largestEigen  = 3200 // the largest size of an M whose eigenvectors are drawn
)

// featuresName is the name of the figure of the features.
const featuresName = "features"

// featuresFigure draws the M of the first, the last and the selected iteration.
func (r *RFMFit) featuresFigure() (report.Figure, error) {
	chosen := []int{1, len(r.Iterations) - 1}
	if r.Selected > 0 {
		chosen = append(chosen, r.Selected)
	}
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	if r.examples.Shape == nil {
		return r.featureBars(chosen)
	}
	return r.featureImages(chosen)
}

// featureImages draws the diagonal and the leading eigenvectors of M as images, with a row for each of
// the iterations.
func (r *RFMFit) featureImages(iterations []int) (report.Figure, error) {
	shape := *r.examples.Shape
	var rows [][]report.Image
	var names []string
	for _, t := range iterations {
		m := r.metrics[t]
		row := []report.Image{record.PixelsImage(m.Diagonal(), shape, "")}
		names = append(names, fmt.Sprintf("iteration %d", t))
		if !m.IsDiagonal() && m.Dim() <= largestEigen {
			values, vectors, err := backend.EigenSym(m.Dense(), true)
			if err != nil {
				return report.Figure{}, err
			}
			for k := range min(record.ShownVectors, len(values)) {
				at := len(values) - 1 - k
				row = append(row, record.PixelsImage(mat.Col(nil, at, vectors), shape,
					fmt.Sprintf("λ = %.2g", values[at])))
			}
		}
		rows = append(rows, row)
	}
	columns := []string{"diagonal"}
	for k := range len(rows[0]) - 1 {
		columns = append(columns, fmt.Sprint(k+1))
	}
	f, err := report.ImageGrid(featuresName, columns, rows, names...)
	f.Caption = "The diagonal of M, and its leading eigenvectors, as images; each is scaled to its own range, and " +
		"mid-grey is 0 in eigenvectors."
	f.Alt = "Diagonal and leading eigenvectors of M drawn as images"
	return f, err
}

// featureBars draws the diagonal of M, as shares of the trace, for each of the iterations. It shows the
// features that are largest in the last of them.
func (r *RFMFit) featureBars(iterations []int) (report.Figure, error) {
	last := r.metrics[iterations[len(iterations)-1]].Diagonal()
	order := make([]int, len(last))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(last[b], last[a]) })
	order = order[:min(shownFeatures, len(order))]
	var labels []string
	for _, i := range order {
		labels = append(labels, r.examples.Features[i])
	}
	var groups []report.Bars
	for _, t := range iterations {
		m := r.metrics[t]
		bars := report.Bars{Label: fmt.Sprintf("iteration %d", t)}
		for _, i := range order {
			bars.Values = append(bars.Values, m.Diagonal()[i]/m.Trace())
		}
		groups = append(groups, bars)
	}
	f, err := report.BarChart(featuresName, "The features on which the predictor depends", "share of the trace of M",
		labels, groups)
	if f.Caption = "The diagonal of M, feature by feature."; len(order) < len(last) {
		f.Caption = fmt.Sprintf("The diagonal of M: the %d of %d features that are largest in the last iteration.",
			len(order), len(last))
	}
	return f, err
}
