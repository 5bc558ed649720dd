package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// ConvModel is a fitted convolutional kernel machine,
// f(x) = Σⱼ αⱼ K_M(φ(x), φ(zⱼ)), φ being the features of its earlier layers. Its
// methods may be used from several goroutines at once.
type ConvModel struct {
	layers        []ConvLayer // the last has no filters
	images        Images      // those it was fitted to
	centres       Images      // and as the last layer reads them
	alpha         *mat.Dense  // n×outputs
	sight         sight       // of the last layer
	task          Task
	patch         int
	pad           bool
	whole, linear bool
	precision     graph.Precision
	backend       string
	threads       int
}

// ConvLayer is a layer of a model.
type ConvLayer struct {
	// Kernel is the kernel of the layer's regressions, without its metric.
	Kernel ConvKernel
	// Metric is the M that was selected, of patches of the layer's input in the
	// order (channel, row, column).
	Metric *Metric
	// Filters are those that make the input of the next layer, one a row in the
	// order of the metric; nil of the last layer.
	Filters *mat.Dense
}

// Layers are the layers that learned features, from the first.
func (m *ConvModel) Layers() []ConvLayer { return m.layers }

func (m *ConvModel) last() ConvLayer { return m.layers[len(m.layers)-1] }

// Coefficients are the α of the training images, n×outputs, not to be changed.
func (m *ConvModel) Coefficients() *mat.Dense { return m.alpha }

// Patch is q, of patches of q×q pixels.
func (m *ConvModel) Patch() int { return m.patch }

// Task is what the model is for.
func (m *ConvModel) Task() Task { return m.task }

// Predict returns the outputs for images, n×outputs.
func (m *ConvModel) Predict(ctx context.Context, x Images) (*mat.Dense, error) {
	var out *mat.Dense
	return out, m.with(x, func(t *team) error {
		x, err := m.featuresOn(ctx, t, x, len(m.layers)-1)
		if err != nil {
			return err
		}
		out, err = t.across(ctx, m.last().Kernel, m.sight, x, m.centres, m.alpha, silent)
		return err
	})
}

// Score compares the predictions for images with the targets y, n×outputs.
func (m *ConvModel) Score(ctx context.Context, x Images, y *mat.Dense) (Scores, error) {
	p, err := m.Predict(ctx, x)
	if err != nil {
		return Scores{}, err
	}
	return m.task.Score(p, y)
}

// Features returns the images as a layer reads them, 0 being the images
// themselves.
func (m *ConvModel) Features(ctx context.Context, x Images, layer int) (Images, error) {
	if layer < 0 || layer >= len(m.layers) {
		return Images{}, badInput("features for layer %d of %d", layer, len(m.layers))
	}
	var out Images
	return out, m.with(x, func(t *team) error {
		var err error
		out, err = m.featuresOn(ctx, t, x, layer)
		return err
	})
}

// KernelMatrix returns the kernel of the last layer of all pairs of images, n×n,
// not divided by anything.
func (m *ConvModel) KernelMatrix(ctx context.Context, x Images) (*mat.SymDense, error) {
	var out *mat.SymDense
	return out, m.with(x, func(t *team) error {
		x, err := m.featuresOn(ctx, t, x, len(m.layers)-1)
		if err != nil {
			return err
		}
		out, err = t.gram(ctx, m.last().Kernel, m.sight, x, nil, silent)
		return err
	})
}

// AGOP is the patch-AGOP of the model over images, in the patches that the last
// layer reads: (1/n) Σ over images, positions and outputs of ∇f∇fᵀ.
func (m *ConvModel) AGOP(ctx context.Context, x Images) (*Metric, error) {
	var out *Metric
	return out, m.with(x, func(t *team) error {
		x, err := m.featuresOn(ctx, t, x, len(m.layers)-1)
		if err != nil {
			return err
		}
		out, err = t.patchAGOP(ctx, m.last().Kernel, m.sight, x, m.centres, m.alpha, silent)
		return err
	})
}

// On returns the model on a backend, native, go or "" for the best, with a
// number of threads, 0 for all.
func (m *ConvModel) On(backend string, threads int) *ConvModel {
	on := *m
	on.backend, on.threads = backend, threads
	return &on
}

// with checks images and opens devices for what is done with them.
func (m *ConvModel) with(x Images, do func(t *team) error) error {
	if err := x.check("such"); err != nil {
		return err
	}
	if x.shape() != m.images.shape() {
		return badInput("the model was fitted to images of %s, these are of %s", m.images.shape(), x.shape())
	}
	t, err := newTeam(m.backend, m.threads, m.precision)
	if err != nil {
		return err
	}
	defer t.close()
	return do(t)
}

// featuresOn takes images through the layers before one.
func (m *ConvModel) featuresOn(ctx context.Context, t *team, x Images, layer int) (Images, error) {
	for _, l := range m.layers[:layer] {
		var err error
		if x, err = t.features(ctx, gridOf(x, m.patch, m.pad), l.Filters, m.linear, x, silent); err != nil {
			return Images{}, err
		}
	}
	return x, nil
}

// silent is for what is not reported.
func silent(done, total int) {}
