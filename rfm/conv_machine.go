package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// ImageExamples holds images and their targets, n×outputs.
type ImageExamples struct {
	X Images
	Y *mat.Dense
}

// Rows returns copies of some of the examples, in the order of rows.
func (e ImageExamples) Rows(rows []int) ImageExamples {
	return ImageExamples{e.X.Pick(rows), tensors.PickRows(e.Y, rows)}
}

// ConvMachine says what convolutional kernel machine to fit, and how it learns its features: ConvRFM (paper cnfa,
// Algorithm 1), and with more than one layer Deep ConvRFM (Algorithm 2). Its zero value is kernel ridge regression with
// the CNTK of one convolution, no ridge and no feature learning.
type ConvMachine struct {
	// Kernel is nil for CNTK{Layers: 1}. In a Deep ConvRFM the kernel of every layer has one convolution less than
	// that of the layer before.
	Kernel ConvKernel
	// Patch is q for patches of q×q pixels; 0 is 3.
	Patch int
	// Pad surrounds images by zeros, in the layers of the kernel too, so that there is a patch at every pixel; q must
	// be odd.
	Pad bool
	// Ridges are the λ to try in (K + λI)α = Y; none means λ = 0. Every iteration keeps the best.
	Ridges []float64
	// Iterations is T, the number of times that M is set to the patch-AGOP and the regression is solved again; 0 is a
	// plain kernel machine.
	Iterations int
	Task       Task

	// Layers is the number of layers that learn features; 0 is 1.
	Layers int
	// Filters is the number of filters, drawn from N(0, M) or, where Whole is set, from N(0, M²), for the features of
	// every layer but the last; 0 is 64.
	Filters int
	// Linear omits the ReLU of the features, as the published code does.
	Linear bool

	// Whole multiplies patches by M instead of M^½, as the published code does by default.
	Whole bool
	// Scale says what the patch-AGOP is divided by before it becomes M.
	Scale Scale
	// Keep is the share of the eigenvalues of M, the largest ones, that are kept; the others are set to 0. 0 keeps all.
	Keep float64
	// KernelScale divides the kernel by its largest value on the training examples.
	KernelScale bool
	// Sample is the number of training images, drawn by Seed, in the average of the patch-AGOP; 0 is all.
	Sample int

	// Validation, if not nil, selects the ridge of every iteration and the iteration of every layer. If it is nil, Fit
	// uses the first ridge and the last iteration.
	Validation *ImageExamples

	// Known, if not nil, is the kernel matrix of the training images with M = I, not scaled, as [KernelParts] computes it.
	// The first iteration uses it instead of computing its own, and does not change it.
	Known *mat.SymDense
	// KnownValidation, if not nil, is the kernel matrix of the validation images, its rows, with the training images, with
	// M = I and not scaled. The first iteration uses it too.
	KnownValidation *mat.Dense

	Seed      uint64
	Precision graph.Precision
	Backend   string // native, go, or "" for native where it is built in
	Threads   int    // 0 is all cores
	// Memory, if not 0, bounds the memory in bytes. A fit that would take more returns a [*MemoryError] before it
	// begins.
	Memory int64

	// Each, if not nil, is called after every iteration's regression. Its error ends the fit.
	Each func(*ConvIteration) error
	// Remember, if not nil, returns the iteration of a layer that find computes, or the
	// one that find returned in an earlier fit, as [Machine.Remember] does.
	Remember func(layer, iteration int, find func() (*ConvIteration, error)) (*ConvIteration, error)
	// Progress, if not nil, is called with the progress, from one goroutine at a time.
	Progress func(ConvProgress)
}

// DefaultFilters is the default number of filters of a layer of a Deep ConvRFM, and DefaultPatch the default size of
// patches.
const (
	DefaultFilters = 64
	DefaultPatch   = 3
)

// ConvProgress says how far a stage of a fit is.
type ConvProgress struct {
	Layer, Iteration int // from 0
	Stage            string
	Done, Total      int
}

// ConvIteration holds the result of one iteration of a layer.
type ConvIteration struct {
	Layer, Index int // from 0
	// Metric is the M of the kernel, for patches of channels·q·q elements in the order (channel, row, column).
	Metric *Metric
	// Alpha are the coefficients of the training images, one column per output. The caller must not change them.
	Alpha *mat.Dense
	// Ridge is the selected λ.
	Ridge float64
	// Train and Validation are scores; Validation is nil without validation examples.
	Train      Scores
	Validation *Scores
	Solution   Solution
	// Seconds is the time of the iteration, including that for its metric.
	Seconds float64

	model *ConvModel // nil if gob has read the iteration
}

// Model returns the predictor of the iteration, which the caller may keep; nil if i is nil.
func (i *ConvIteration) Model() *ConvModel {
	if i == nil {
		return nil
	}
	return i.model
}

// Fit learns from examples. The model keeps the images, which the caller must not change. Fit returns the errors of
// [Machine.Fit].
func (m *ConvMachine) Fit(ctx context.Context, e ImageExamples) (*ConvModel, error) {
	f, err := m.newFit(e)
	if err != nil {
		return nil, err
	}
	defer f.team.Close()
	return f.run(ctx)
}
