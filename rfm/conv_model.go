package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// ConvModel is a fitted convolutional kernel machine, f(x) = Σⱼ αⱼ K_M(φ(x), φ(zⱼ)), where φ(x) are the features of its
// earlier layers. Several goroutines may use it at once.
type ConvModel struct {
	layers        []ConvLayer // the last has no filters
	images        Images      // the training images
	centres       Images      // the training images as the last layer reads them
	alpha         *mat.Dense  // n×outputs
	patchView     patchView   // of the last layer
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
	// Metric is the selected M, for patches of the layer's input in the order (channel, row, column).
	Metric *Metric
	// Filters are the filters whose features the next layer reads, one a row in the order of the metric; nil in the
	// last layer.
	Filters *mat.Dense
}

// Layers returns the layers in their order.
func (m *ConvModel) Layers() []ConvLayer { return m.layers }

func (m *ConvModel) last() ConvLayer { return m.layers[len(m.layers)-1] }

// Coefficients returns the α of the training images, n×outputs. The caller must not change them.
func (m *ConvModel) Coefficients() *mat.Dense { return m.alpha }

// Patch returns q for patches of q×q pixels.
func (m *ConvModel) Patch() int { return m.patch }

// Task returns the machine's task.
func (m *ConvModel) Task() Task { return m.task }

// Predict returns the outputs for images, n×outputs.
func (m *ConvModel) Predict(ctx context.Context, x Images) (*mat.Dense, error) {
	var out *mat.Dense
	return out, m.with(x, func(t *team) error {
		x, err := m.featuresOn(ctx, t, x, len(m.layers)-1)
		if err != nil {
			return err
		}
		out, err = t.across(ctx, m.last().Kernel, m.patchView, x, m.centres, m.alpha, silent)
		return err
	})
}

// PredictFrom returns the outputs for images from their kernel matrix, images × training images, without the division of
// KernelScale. For a model that learned no features, [ConvMachine.CrossKernelParts] computes this matrix. Given the matrix
// that Predict computes, PredictFrom returns the same bits as Predict.
func (m *ConvModel) PredictFrom(k *mat.Dense) (*mat.Dense, error) {
	if _, columns := k.Dims(); columns != m.centres.Len() {
		return nil, badInput("a kernel matrix of images with %d training images: the model has %d", columns,
			m.centres.Len())
	}
	return multiply(k, m.alpha), nil
}

// Score compares the predictions for images with the targets y, n×outputs.
func (m *ConvModel) Score(ctx context.Context, x Images, y *mat.Dense) (Scores, error) {
	p, err := m.Predict(ctx, x)
	if err != nil {
		return Scores{}, err
	}
	return m.task.Score(p, y)
}

// Features returns the images as a layer reads them; layer 0 reads the images themselves.
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

// KernelMatrix returns the kernel of the last layer for all pairs of images, n×n, without the division of KernelScale.
func (m *ConvModel) KernelMatrix(ctx context.Context, x Images) (*mat.SymDense, error) {
	var out *mat.SymDense
	return out, m.with(x, func(t *team) error {
		x, err := m.featuresOn(ctx, t, x, len(m.layers)-1)
		if err != nil {
			return err
		}
		out, err = t.gram(ctx, m.last().Kernel, m.patchView, x, nil, silent)
		return err
	})
}

// AGOP returns the patch-AGOP of the model over images, in the patches that the last layer reads: (1/n) Σ over images,
// positions and outputs of ∇f∇fᵀ.
func (m *ConvModel) AGOP(ctx context.Context, x Images) (*Metric, error) {
	var out *Metric
	return out, m.with(x, func(t *team) error {
		x, err := m.featuresOn(ctx, t, x, len(m.layers)-1)
		if err != nil {
			return err
		}
		out, err = t.patchAGOP(ctx, m.last().Kernel, m.patchView, x, m.centres, m.alpha, silent)
		return err
	})
}

// On returns the model on a backend with a number of threads. The backend is native, go, or "" for the best; 0 threads
// is all cores.
func (m *ConvModel) On(backend string, threads int) *ConvModel {
	on := *m
	on.backend, on.threads = backend, threads
	return &on
}

// with checks the images, opens a team, calls do with it, and closes it.
func (m *ConvModel) with(x Images, do func(t *team) error) error {
	if err := x.Check("given"); err != nil {
		return err
	}
	if x.shape() != m.images.shape() {
		return badInput("the model was fitted to images of %s, these are of %s", m.images.shape(), x.shape())
	}
	t, err := newTeam(m.backend, m.threads, m.precision)
	if err != nil {
		return err
	}
	defer t.Close()
	return do(t)
}

// featuresOn returns the features of images after all layers before the given one.
func (m *ConvModel) featuresOn(ctx context.Context, t *team, x Images, layer int) (Images, error) {
	for _, l := range m.layers[:layer] {
		var err error
		if x, err = t.features(ctx, gridOf(x, m.patch, m.pad), l.Filters, m.linear, x, silent); err != nil {
			return Images{}, err
		}
	}
	return x, nil
}

func silent(done, total int) {}
