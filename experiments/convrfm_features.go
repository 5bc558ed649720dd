package experiments

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
)

// featuresSection draws the features of the first layer, and how many directions
// those of deeper ones have.
func (r *ConvRFMRecord) featuresSection(ctx context.Context) (report.Section, error) {
	first := r.Layers[0]
	m, iteration := first.learned()
	s := report.Section{Heading: "The features", Text: []string{
		fmt.Sprintf("M is the average gradient outer product of the predictor of the iteration before, with respect to the patches that it reads. Below is that of iteration %d of the first layer.", iteration),
	}}
	if m.Trace() == 0 {
		s.Text = append(s.Text, "It is 0: the predictor does not depend on the images.")
		return s, nil
	}
	var err error
	if s.Figures, err = patchFigures(ctx, "features", m, first.Channels, r.Patch, r.examples.train.X); err != nil || len(r.Layers) == 1 {
		return s, err
	}
	f, err := r.spectrumFigure()
	s.Figures = append(s.Figures, f)
	return s, err
}

// learned is the M of a layer that was selected or, where that is I, the last.
func (l ConvLayerRecord) learned() (m *rfm.Metric, iteration int) {
	iteration = l.Selected
	if iteration == 0 {
		iteration = len(l.Iterations) - 1
	}
	return l.Iterations[iteration].metric, iteration
}

// shownEigenvalues is how many eigenvalues of a metric a chart shows.
const shownEigenvalues = 64

// spectrumFigure is what share of their traces the metrics of the layers have in
// their first eigenvectors.
func (r *ConvRFMRecord) spectrumFigure() (report.Figure, error) {
	var series []report.Series
	for _, layer := range r.Layers {
		m, _ := layer.learned()
		values, _, err := backend.EigenSym(m.Dense(), false)
		if err != nil {
			return report.Figure{}, err
		}
		slices.Reverse(values)
		s, sum := report.Series{Label: fmt.Sprintf("layer %d, of %d", layer.Layer, len(values))}, 0.
		for k, v := range values[:min(len(values), shownEigenvalues)] {
			sum += max(v, 0)
			s.X, s.Y = append(s.X, float64(k+1)), append(s.Y, sum/m.Trace())
		}
		series = append(series, s)
	}
	f, err := report.LineChart("spectrum", "Directions of M", "eigenvectors, from the first", "share of the trace", series)
	f.Caption = "The share of the trace of M that lies in its first eigenvectors, of as many as patches have elements: the sooner a curve is at 1, the fewer directions of patches the layer sees. Of every layer, the iteration that was selected, or where that has M = I the last."
	return f, err
}
