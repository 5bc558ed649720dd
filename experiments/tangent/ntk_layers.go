package tangent

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// LayerKernelRecord is the part of a layer in the trace kernel Θ of a network; the parts of all layers add up to Θ.
type LayerKernelRecord struct {
	Layer      string `json:"layer"`
	Parameters int    `json:"parameters"`
	// TraceShare is tr Θ_l / tr Θ.
	TraceShare float64 `json:"trace_share"`
	// LabelAlignment is Pearson's correlation, over all pairs of images, of Θ_l with the matrix that is 1 for two images of
	// one class and else 0. Its null permutes the labels. Both are absent where Θ_l is the same number throughout.
	LabelAlignment *float64 `json:"label_alignment,omitempty"`
	Null           *float64 `json:"label_alignment_null,omitempty"`
	NullSD         *float64 `json:"label_alignment_null_sd,omitempty"`
	// PredictionShare is ⟨f_l, f⟩/‖f‖², where f is the ridge regression with Θ from one half of the images to the other and
	// f_l the part of it that Θ_l contributes. The shares of all layers add up to 1; one may be negative.
	PredictionShare float64 `json:"prediction_share"`
	// Accuracy is the accuracy of ridge regression with Θ_l alone, on the same half; absent where LabelAlignment is, and where
	// Θ_l is 0 on the half that predicts.
	Accuracy *float64 `json:"accuracy_alone,omitempty"`
}

// layerRidge is the ridge of the regressions, as a share of the mean of the kernel's diagonal.
const layerRidge = 1e-3

// layersConvention says what the measures of a layer depend on.
var layersConvention = fmt.Sprintf("of the trace kernel of the layer's parameters; the alignment with the labels is Pearson's "+
	"correlation, over all pairs of images, with the matrix of equal classes, its null permutes the labels (%d draws); "+
	"predictions are those of kernel ridge regression on centred one-hot labels, from a random half of the images to the "+
	"other, with a ridge of %g of the mean of the kernel's diagonal", similarity.NullDraws, layerRidge)

// halves are images of which one half predicts the labels of the other.
type halves struct {
	from, to []int      // indices of images
	targets  *mat.Dense // of those in from, centred
	labels   []int      // of all images
}

// newHalves divides images at random, by the seed.
func newHalves(labels []int, classes int, seed uint64) *halves {
	order := models.Stream(seed, "halves of the images").Perm(len(labels))
	middle := (len(order) + 1) / 2
	h := &halves{from: order[:middle], to: order[middle:], labels: labels, targets: mat.NewDense(middle, classes, nil)}
	for i, image := range h.from {
		h.targets.Set(i, labels[image], 1)
	}
	mean := mat.NewVecDense(classes, nil)
	for i := range middle {
		mean.AddScaledVec(mean, 1/float64(middle), h.targets.RowView(i))
	}
	for i := range middle {
		floats.Sub(h.targets.RawRowView(i), mean.RawVector().Data)
	}
	return h
}

// oneClass reports whether the images that predict are all of one class.
func (h *halves) oneClass() bool {
	return !slices.ContainsFunc(h.from, func(i int) bool { return h.labels[i] != h.labels[h.from[0]] })
}

// blind reports whether a kernel is 0 at the images that predict, as that of a layer behind dead units.
func (h *halves) blind(k *mat.SymDense) bool {
	return !slices.ContainsFunc(h.from, func(i int) bool { return k.At(i, i) > 0 })
}

// solve returns the coefficients, from × classes, of the ridge regression with a kernel of all images.
func (h *halves) solve(k *mat.SymDense) (*mat.Dense, error) {
	n := len(h.from)
	own := mat.NewSymDense(n, nil)
	mean := 0.
	for i, a := range h.from {
		mean += k.At(a, a) / float64(n)
		for j := i; j < n; j++ {
			own.SetSym(i, j, k.At(a, h.from[j]))
		}
	}
	for i := range n {
		own.SetSym(i, i, own.At(i, i)+layerRidge*mean)
	}
	var c mat.Cholesky
	if !c.Factorize(own) {
		return nil, fmt.Errorf("the kernel is not positive definite with a ridge of %g of its diagonal's mean", layerRidge)
	}
	var alpha mat.Dense
	return &alpha, c.SolveTo(&alpha, h.targets)
}

// predict returns the outputs, to × classes, for the other half.
func (h *halves) predict(k *mat.SymDense, alpha *mat.Dense) *mat.Dense {
	cross := mat.NewDense(len(h.to), len(h.from), nil)
	for i, a := range h.to {
		for j, b := range h.from {
			cross.Set(i, j, k.At(a, b))
		}
	}
	var f mat.Dense
	f.Mul(cross, alpha)
	return &f
}

// accuracy returns the share of the other half whose largest output is that of the label.
func (h *halves) accuracy(f *mat.Dense) float64 {
	right := 0
	for i, image := range h.to {
		if floats.MaxIdx(f.RawRowView(i)) == h.labels[image] {
			right++
		}
	}
	return float64(right) / float64(len(h.to))
}

// openHalves divides the images for the measures by layer, where they are asked for. It returns an input error if the
// labels cannot be predicted.
func (m *NTKMeasurement) openHalves() error {
	if !m.spec.ByLayer {
		return nil
	}
	if m.spec.Images < 4 {
		return input.Errorf("--by-layer predicts one half of the images from the other: want at least 4 images, found %d",
			m.spec.Images)
	}
	classes := m.Source.Dataset.Classes()
	if err := data.CheckLabels(m.Source.Dataset, len(classes)); err != nil {
		return input.Errorf("--by-layer compares kernels with labels: %w", err)
	}
	labels, err := data.Labels(m.Source.Dataset)
	if err != nil {
		return err
	}
	if m.halves = newHalves(labels, len(classes), m.spec.Seed); m.halves.oneClass() {
		return input.Errorf("--by-layer predicts one half of the images from the other, whose %d images are all of class %s: "+
			"give more --images, or another --seed", len(m.halves.from), classes[labels[m.halves.from[0]]])
	}
	return m.checkMemory(m.net.Size(), m.net.Classes) // with the kernels of the layers
}

// errBlind says that Θ predicts nothing for the other half of the images.
var errBlind = input.Errorf("--by-layer predicts one half of the images from the other, between which the kernel is 0: most " +
	"units of the network are dead; take other weights, more --images, or another --seed")

// measureLayers measures the trace kernels of all layers, which add up to the network's trace kernel.
func (m *NTKMeasurement) measureLayers(layers []*mat.SymDense) ([]LayerKernelRecord, error) {
	whole, h := mat.NewSymDense(m.Source.Dataset.Len(), nil), m.halves
	for _, k := range layers {
		whole.AddSym(whole, k)
	}
	if h.blind(whole) {
		return nil, errBlind
	}
	alpha, err := h.solve(whole)
	if err != nil {
		return nil, err
	}
	f := h.predict(whole, alpha)
	if mat.Norm(f, 2) == 0 {
		return nil, errBlind
	}
	var all []LayerKernelRecord
	for i, l := range m.net.ParametersByLayer() {
		r := LayerKernelRecord{Layer: l.Layer, Parameters: l.Size, TraceShare: mat.Trace(layers[i]) / mat.Trace(whole)}
		if err := r.compare(layers[i], h, m.spec.Seed); err != nil {
			return nil, fmt.Errorf("layer %s: %w", l.Layer, err)
		}
		part := h.predict(layers[i], alpha)
		r.PredictionShare = floats.Dot(part.RawMatrix().Data, f.RawMatrix().Data) /
			floats.Dot(f.RawMatrix().Data, f.RawMatrix().Data)
		all = append(all, r)
	}
	return all, nil
}

// compare sets the alignment of a layer's kernel with the labels, and what it predicts alone.
func (r *LayerKernelRecord) compare(k *mat.SymDense, h *halves, seed uint64) error {
	n := len(h.labels)
	values := make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			values = append(values, k.At(i, j))
		}
	}
	draws := models.Stream(seed, "labels permuted, "+r.Layer)
	alike := make([]float64, n*n)
	a, err := similarity.AlignValues(values, sameClass(h.labels, nil, make([]float64, n*n)), similarity.NullDraws,
		func() []float64 { return sameClass(h.labels, draws.Perm(n), alike) })
	if errors.Is(err, cnfa.ErrZero) {
		return nil
	}
	if err != nil {
		return err
	}
	r.LabelAlignment, r.Null, r.NullSD = &a.Pearson, &a.NullMean, &a.NullSD
	if h.blind(k) {
		return nil
	}
	alpha, err := h.solve(k)
	if err != nil {
		return err
	}
	accuracy := h.accuracy(h.predict(k, alpha))
	r.Accuracy = &accuracy
	return nil
}

// sameClass sets out, n×n, to 1 for two images of one class and else 0, with the labels permuted unless order is nil.
func sameClass(labels, order []int, out []float64) []float64 {
	label := func(i int) int {
		if order == nil {
			return labels[i]
		}
		return labels[order[i]]
	}
	for i := range labels {
		for j := range labels {
			out[i*len(labels)+j] = 0
			if label(i) == label(j) {
				out[i*len(labels)+j] = 1
			}
		}
	}
	return out
}

// layersTable returns a row for each layer.
func (r *NTKRecord) layersTable() report.Table {
	type row = LayerKernelRecord
	return record.TableOf("layers", "The kernel layer by layer. An alignment is marked where it lies more than two standard "+
		"deviations above its null, the labels permuted.", r.Layers,
		record.TextField("layer", func(r row) string { return r.Layer }),
		record.CountField("parameters", func(r row) int { return r.Parameters }),
		record.NumberField("share of trace", "%.3f", func(r row) float64 { return r.TraceShare }).
			WithHelp("the layer's share of the trace of Θ"),
		alignmentField(),
		record.NumberField("null", "%.3f", func(r row) float64 { return record.ValueOrNaN(r.Null) }),
		record.NumberField("± null", "%.3f", func(r row) float64 { return record.ValueOrNaN(r.NullSD) }),
		record.NumberField("share of prediction", "%+.3f", func(r row) float64 { return r.PredictionShare }).
			WithHelp("what the layer contributes to the predictions of Θ for the other half of the images"),
		record.NumberField("accuracy alone", "%.3f", func(r row) float64 { return record.ValueOrNaN(r.Accuracy) }).
			WithHelp("of a kernel machine with the layer's kernel only"))
}

// alignmentField is the column of the alignments with the labels.
func alignmentField() record.Field[LayerKernelRecord] {
	f := record.NumberField("alignment with labels", "%.3f",
		func(r LayerKernelRecord) float64 { return record.ValueOrNaN(r.LabelAlignment) })
	plain := f.Cell
	f.Cell = func(r LayerKernelRecord) report.Cell {
		if r.LabelAlignment == nil {
			return plain(r)
		}
		if *r.LabelAlignment-*r.Null > similarity.NullDeviations**r.NullSD {
			return record.MarkedCell(plain(r), report.Good)
		}
		return record.MarkedCell(plain(r), report.Muted)
	}
	return f
}

// layersFigure draws the alignments with the labels, against their null.
func (r *NTKRecord) layersFigure() (report.Figure, error) {
	s := report.LayerSeries{Label: "alignment with labels"}
	var names []string
	for _, l := range r.Layers {
		names = append(names, l.Layer)
		s.Value = append(s.Value, record.ValueOrNaN(l.LabelAlignment))
		s.NullMean = append(s.NullMean, record.ValueOrNaN(l.Null))
		s.NullSD = append(s.NullSD, record.ValueOrNaN(l.NullSD))
	}
	f, err := report.LayerChart("layers", "Alignment of each layer's kernel with the labels", "Pearson correlation",
		[]report.LayerSeries{s}, names)
	f.Caption = "Correlation of each layer's kernel with the matrix of equal classes. Grey: the null, with the labels permuted."
	f.Alt = "For each layer a dot at the alignment of its kernel with the labels, beside its null"
	return f, err
}
