package kernelmachine

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Metric is the M of the model that was selected.
func (r *RFMFit) Metric() *rfm.Metric { return r.model.Metric() }

// SaveMetric writes the M of the model that was selected as an NPY file, d×d.
func (r *RFMFit) SaveMetric(path string) error {
	return array.WriteNPY(path, r.model.Metric().Dense())
}

// SaveModel writes the model that was selected into a folder.
func (r *RFMFit) SaveModel(dir string) error { return saveModel(r.model, &r.examples.Description, dir) }

// Save writes the report into a folder: report.html, its figures and tables,
// record.json, the metric as metric.npy and the model. It returns the path of
// the report.
func (r *RFMFit) Save(dir string) (string, error) {
	if len(r.Iterations) > 1 { // else M is I
		f, err := r.featuresFigure()
		if err != nil {
			return "", err
		}
		r.page.Figures = []report.Figure{f}
	}
	return saveFit(dir, r)
}

// saveFit writes a record, its report, the metric of its model as metric.npy and the
// model into a folder. It returns the path of the report.
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

// The features that a chart shows, and the matrices that have their
// eigenvectors drawn.
const (
	shownFeatures = 20
	largestEigen  = 3200
)

// featuresName is the name of the figure of what metrics look at.
const featuresName = "features"

// featuresFigure draws what the metrics of the first and the last iteration, and of the
// one that was selected, look at.
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

// featureImages are the diagonal and the leading eigenvectors of metrics of
// images, a row for each of some iterations.
func (r *RFMFit) featureImages(iterations []int) (report.Figure, error) {
	shape := *r.examples.Shape
	var rows [][]report.Image
	for _, t := range iterations {
		m := r.metrics[t]
		row := []report.Image{record.PixelsImage(m.Diagonal(), shape, fmt.Sprintf("iteration %d", t))}
		if !m.IsDiagonal() && m.Dim() <= largestEigen {
			values, vectors, err := backend.EigenSym(m.Dense(), true)
			if err != nil {
				return report.Figure{}, err
			}
			for k := range min(record.ShownVectors, len(values)) {
				at := len(values) - 1 - k
				row = append(row, record.PixelsImage(mat.Col(nil, at, vectors), shape, fmt.Sprintf("λ = %.2g", values[at])))
			}
		}
		rows = append(rows, row)
	}
	columns := []string{"diagonal"}
	for k := range len(rows[0]) - 1 {
		columns = append(columns, fmt.Sprint(k+1))
	}
	f, err := report.ImageGrid(featuresName, columns, rows)
	f.Caption = "The diagonal of M, and its leading eigenvectors, as images; each is scaled to its own range, and mid-grey is 0 in eigenvectors."
	f.Alt = "Diagonal and leading eigenvectors of M drawn as images"
	return f, err
}

// featureBars are the elements of the diagonals of metrics, as shares of the
// trace, of the features that are largest in the last of some iterations.
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
	f, err := report.BarChart(featuresName, "What the predictor looks at", "share of the trace of M", labels, groups)
	f.Caption = fmt.Sprintf("The diagonal of M: the %d of %d features that are largest in the last iteration.", len(order), len(last))
	return f, err
}
