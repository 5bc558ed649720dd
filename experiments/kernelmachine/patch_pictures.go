package kernelmachine

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/responses"
)

// patchFigures draws a metric of q×q patches with that many channels. The figure NAME-eigenvectors shows
// the first eigenvectors as patches. If there are images, NAME-responses shows them beside ‖M^½h‖ and
// ‖Mh‖ of their patches h.
func patchFigures(
	ctx context.Context, name string, m *rfm.Metric, channels, q int, x rfm.Images,
) ([]report.Figure, error) {
	vectors, err := EigenpatchFigure(name+"-eigenvectors", []string{""}, []*rfm.Metric{m}, channels, []int{q})
	if err != nil || x.Len() == 0 {
		return []report.Figure{vectors}, err
	}
	responses, err := responseFigure(ctx, name+"-responses", m, q, x)
	return []report.Figure{vectors, responses}, err
}

// EigenpatchFigure draws the first eigenvectors of metrics, with a row for each metric.
func EigenpatchFigure(
	name string, titles []string, metrics []*rfm.Metric, channels int, sides []int,
) (report.Figure, error) {
	var rows [][]report.Image
	if !slices.ContainsFunc(titles, func(s string) bool { return s != "" }) {
		titles = nil
	}
	for k, m := range metrics {
		all, err := Eigenpatches(m.Dense(), sides[k], record.ShownVectors)
		if err != nil {
			return report.Figure{}, err
		}
		var row []report.Image
		for _, e := range all {
			img := record.EigenpatchImage(e.Vector, channels, sides[k])
			img.Caption = fmt.Sprintf("%.1f %%", 100*e.Share)
			row = append(row, img)
		}
		rows = append(rows, row)
	}
	f, err := report.ImageGrid(name, nil, rows, titles...)
	f.Caption = "The first eigenvectors as patches, with their shares of the trace. Each is scaled to its own range; " +
		"mid-grey is 0, and the largest element is positive."
	if channels != 1 && channels != 3 {
		f.Caption = "The first eigenvectors as patches, with their shares of the trace: at every position the " +
			"norm over the channels, scaled to its own range."
	}
	f.Alt = "Eigenvectors of feature matrices, drawn as patches"
	f.Wide = true
	return f, err
}

// responseFigure draws images beside the norms ‖M^½h‖ and ‖Mh‖ of their patches h.
func responseFigure(ctx context.Context, name string, m *rfm.Metric, q int, x rfm.Images) (report.Figure, error) {
	x = x.Slice(0, min(x.Len(), record.ShownImages))
	rows := make([][]report.Image, x.Len())
	for i := range rows {
		rows[i] = []report.Image{record.ExampleImage(x, i)}
	}
	for _, whole := range []bool{false, true} {
		all, err := responses.Of(ctx, m, x, responses.Options{Whole: whole, Pad: q%2 == 1})
		if err != nil {
			return report.Figure{}, err
		}
		for i, r := range all {
			rows[i] = append(rows[i], record.ResponseImage(r))
		}
	}
	f, err := report.ImageGrid(name, []string{"image", "‖M^½h‖", "‖Mh‖"}, rows)
	f.Caption = "Images, and at every position the norms ‖M^½h‖ and ‖Mh‖ of the patch h there (zeros around " +
		"the image); each picture is scaled to its own range."
	f.Alt = "Images beside the responses of a feature matrix to them"
	return f, err
}

// featuresSection returns the section with the figures of [ConvRFMFit.addPictures].
func (r *ConvRFMRecord) featuresSection() report.Section {
	iteration := r.Layers[0].learnedIteration()
	s := report.Section{Heading: "The features", Figures: r.page.Figures, Text: []string{
		fmt.Sprintf("M comes from the average gradient outer product of the predictor of the iteration before, with respect "+
			"to the patches that it reads. Below is that of iteration %d of the first layer.", iteration),
	}}
	if r.Layers[0].Iterations[iteration].Trace == 0 {
		s.Text = append(s.Text, "It is 0: the predictor does not depend on the images.")
	}
	return s
}

// addPictures adds figures of the first layer's M and, if there are deeper layers, of all spectra.
func (r *ConvRFMFit) addPictures(ctx context.Context) (err error) {
	m := r.learnedMetric(0)
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

// learnedIteration returns the selected iteration of a layer or, if its M is I, the last one.
func (l ConvLayerRecord) learnedIteration() int {
	if l.Selected == 0 {
		return len(l.Iterations) - 1
	}
	return l.Selected
}

// learnedMetric returns the M of a layer's learnedIteration. Layers count from 0.
func (r *ConvRFMFit) learnedMetric(layer int) *rfm.Metric {
	return r.metrics[layer][r.Layers[layer].learnedIteration()]
}

// shownEigenvalues is how many eigenvalues of a metric a chart shows.
const shownEigenvalues = 64

// spectrumFigure draws, for every layer, the share of the trace of M in its first eigenvectors.
func (r *ConvRFMFit) spectrumFigure() (report.Figure, error) {
	var series []report.Series
	for l, layer := range r.Layers {
		m := r.learnedMetric(l)
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
	f, err := report.LineChart("spectrum", "Directions of M", "number of eigenvectors", "share of the trace",
		series)
	f.Caption = "The share of the trace of M that lies in its first eigenvectors. The sooner a curve reaches 1, " +
		"the fewer directions of patches the layer responds to. Each layer is shown at its selected iteration, or " +
		"at the last if M = I was selected."
	return f, err
}
