package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// ImageExamples are images and their targets, n×outputs.
type ImageExamples struct {
	X Images
	Y *mat.Dense
}

// Rows returns copies of some of the examples, in the order of rows.
func (e ImageExamples) Rows(rows []int) ImageExamples {
	return ImageExamples{e.X.Pick(rows), pickRows(e.Y, rows)}
}

// ConvMachine says what convolutional kernel machine to fit, and how it learns
// its features: ConvRFM (paper cnfa, Algorithm 1), and with more than one layer
// Deep ConvRFM (Algorithm 2). Its zero value is kernel ridge regression with the
// CNTK of one convolution, no ridge and no feature learning.
type ConvMachine struct {
	// Kernel is nil for CNTK{Layers: 1}. Every layer of a Deep ConvRFM has a kernel
	// with a convolution less than the layer before.
	Kernel ConvKernel
	// Patch is q, of patches of q×q pixels; 0 is 3.
	Patch int
	// Pad surrounds images by zeros so that there is a patch at every pixel, in
	// the layers of the kernel too; q must be odd.
	Pad bool
	// Ridges are the λ to try in (K + λI)α = Y; none is 0 alone. In every iteration
	// the best is kept.
	Ridges []float64
	// Iterations is T, how often M is set to the patch-AGOP and the regression
	// solved again: 0 is a plain kernel machine.
	Iterations int
	Task       Task

	// Layers is how many layers learn features, 0 for 1.
	Layers int
	// Filters is how many filters N(0, M) make the features of a layer that is not
	// the last; 0 is 64.
	Filters int
	// Linear leaves the ReLU out of the features, as the published code does.
	Linear bool

	// Whole multiplies patches by M, as the published code does unless told, in
	// place of M^½.
	Whole bool
	// Scale is what the patch-AGOP is divided by before it becomes M.
	Scale Scale
	// Keep is the share of the eigenvalues of M that are kept, the largest; the
	// others are set to 0. 0 is all.
	Keep float64
	// KernelScale divides the kernel by the largest of the training examples.
	KernelScale bool
	// Sample is on how many training images, drawn by Seed, the patch-AGOP is
	// taken; 0 is all.
	Sample int

	// Validation, if not nil, chooses the ridge of every iteration and the
	// iteration of every layer. Where it is nil, the last iteration and the first
	// ridge are taken.
	Validation *ImageExamples

	// Known, if not nil, is the kernel matrix of the training images with M = I,
	// not scaled, which the first iteration takes in place of computing it; see
	// [KernelParts]. It is not changed.
	Known *mat.SymDense

	Seed      uint64
	Precision graph.Precision
	Backend   string // native, go, or "" for native where it is built in
	Threads   int    // 0 is all cores
	// Memory, if not 0, is how many bytes may be taken. More is refused with a
	// [*MemoryError] before any is.
	Memory int64

	// Each, if not nil, is called after every iteration's regression. An error
	// ends the fit.
	Each func(*ConvIteration) error
	// Remember, if not nil, returns the iteration of a layer that find computes, or the
	// one that find returned in an earlier fit, as [Machine.Remember] does.
	Remember func(layer, iteration int, find func() (*ConvIteration, error)) (*ConvIteration, error)
	// Progress, if not nil, is told what is going on, by one goroutine at a time.
	Progress func(ConvProgress)
}

// DefaultFilters is the number of filters of a layer of a Deep ConvRFM, and
// DefaultPatch the size of patches.
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

// ConvIteration is what an iteration of a layer found.
type ConvIteration struct {
	Layer, Index int // from 0
	// Metric is the M that the kernel had, of patches of channels·q·q elements in
	// the order (channel, row, column).
	Metric *Metric
	// Alpha are the coefficients of the training images, one column an output, not to be
	// changed.
	Alpha *mat.Dense
	// Ridge is the λ that was chosen.
	Ridge float64
	// Train and Validation are scores; Validation is nil where there are no such
	// examples.
	Train      Scores
	Validation *Scores
	Solution   Solution
	// Seconds is the time that the iteration took, the finding of its metric
	// included.
	Seconds float64

	model *ConvModel // nil in an iteration that gob has read
}

// Model is the predictor of the iteration, which may be kept; nil of none.
func (i *ConvIteration) Model() *ConvModel {
	if i == nil {
		return nil
	}
	return i.model
}

// Fit learns from examples. The model keeps the images, which must not be changed
// while it is used. Its errors are those of [Machine.Fit].
func (m *ConvMachine) Fit(ctx context.Context, e ImageExamples) (*ConvModel, error) {
	f, err := m.newFit(e)
	if err != nil {
		return nil, err
	}
	defer f.team.close()
	return f.run(ctx)
}
