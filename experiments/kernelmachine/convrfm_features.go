package kernelmachine

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
)

// featuresSection shows the features of the first layer, and how many directions
// those of deeper ones have.
func (r *ConvRFMRecord) featuresSection() report.Section {
	iteration := r.Layers[0].learned()
	s := report.Section{Heading: "The features", Figures: r.page.Figures, Text: []string{
		fmt.Sprintf("M is the average gradient outer product of the predictor of the iteration before, with respect to the patches that it reads. Below is that of iteration %d of the first layer.", iteration),
	}}
	if r.Layers[0].Iterations[iteration].Trace == 0 {
		s.Text = append(s.Text, "It is 0: the predictor does not depend on the images.")
	}
	return s
}

// addPictures adds the figures of the features.
func (r *ConvRFMFit) addPictures(ctx context.Context) (err error) {
	m := r.learned(0)
	if len(r.Iterations) == 1 || m.Trace() == 0 {
		return nil
	}
	r.page.Figures, err = patchFigures(ctx, "features", m, r.Layers[0].Channels, r.Patch, r.examples.Train.X)
	if err != nil || len(r.Layers) == 1 {
		return err
	}
	f, err := r.spectrumFigure()
	r.page.Figures = append(r.page.Figures, f)
	return err
}

// learned is the iteration of a layer that was selected or, where its M is I, the last.
func (l ConvLayerRecord) learned() int {
	if l.Selected == 0 {
		return len(l.Iterations) - 1
	}
	return l.Selected
}

// learned is the M of that iteration of a layer, from 0.
func (r *ConvRFMFit) learned(layer int) *rfm.Metric {
	return r.metrics[layer][r.Layers[layer].learned()]
}

// shownEigenvalues is how many eigenvalues of a metric a chart shows.
const shownEigenvalues = 64

// spectrumFigure is what share of their traces the metrics of the layers have in
// their first eigenvectors.
func (r *ConvRFMFit) spectrumFigure() (report.Figure, error) {
	var series []report.Series
	for l, layer := range r.Layers {
		m := r.learned(l)
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
