package rfm

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// ConvModel is a fitted convolutional kernel machine. Its methods may be used
// from several goroutines at once.
type ConvModel struct {
	layers []ConvLayer // the last has no filters
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

// Coefficients are the α of the training images, n×outputs, not to be changed.
func (m *ConvModel) Coefficients() *mat.Dense { return nil }

// Predict returns the outputs for images, n×outputs.
func (m *ConvModel) Predict(ctx context.Context, x Images) (*mat.Dense, error) {
	return nil, badInput("not yet")
}

// Score compares the predictions for images with the targets y, n×outputs.
func (m *ConvModel) Score(ctx context.Context, x Images, y *mat.Dense) (Scores, error) {
	return Scores{}, badInput("not yet")
}

// Features returns the images as a layer reads them, 0 being the images
// themselves.
func (m *ConvModel) Features(ctx context.Context, x Images, layer int) (Images, error) {
	return Images{}, badInput("not yet")
}

// KernelMatrix returns the kernel of the last layer of all pairs of images, n×n,
// not divided by anything.
func (m *ConvModel) KernelMatrix(ctx context.Context, x Images) (*mat.SymDense, error) {
	return nil, badInput("not yet")
}

// AGOP is the patch-AGOP of the model over images, in the patches that the last
// layer reads: (1/n) Σ over images, positions and outputs of ∇f∇fᵀ.
func (m *ConvModel) AGOP(ctx context.Context, x Images) (*Metric, error) {
	return nil, badInput("not yet")
}

// On returns the model on a backend, native, go or "" for the best, with a
// number of threads, 0 for all.
func (m *ConvModel) On(backend string, threads int) *ConvModel { return m }

// Save writes the model into a folder, which it makes: the arrays as
// safetensors, and a description as JSON, with what the caller wants to be
// remembered.
func (m *ConvModel) Save(dir string, metadata map[string]string) error { return badInput("not yet") }

// LoadConvModel reads a folder that [ConvModel.Save] wrote, and returns what was
// to be remembered with it.
func LoadConvModel(dir string) (*ConvModel, map[string]string, error) {
	return nil, nil, badInput("not yet")
}
