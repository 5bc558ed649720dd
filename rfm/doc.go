// Package rfm holds kernel machines that learn features: recursive feature
// machines (paper rfm, Algorithm 1), which alternate between solving kernel
// regression and setting the metric M of the kernel to the average gradient
// outer product (AGOP) of the predictor that was found.
//
// A predictor f(x) = Σⱼ αⱼ K(M^½x, M^½zⱼ) is an expression of package graph
// whose first layer has the weights W = M^½, so that M is its CNFM WᵀW, and its
// AGOP is taken by the same pullback, at the same tap, as that of a network's
// layer. No derivative is written here.
//
// Convolutional kernel machines (paper cnfa, Algorithms 1 and 2) are the same with
// patches of images in the place of rows: [ConvMachine] is ConvRFM, and Deep
// ConvRFM with more than one layer. Their kernels compare patches at equal
// positions, so that a pair of images costs a few maps of its positions.
//
// # Where to begin
//
// [Machine] says what to fit and [Machine.Fit] fits it; a [Model] predicts,
// scores, and is saved. [Model.Metric] is what was learned. [HyperBF] is a Machine
// that learns its metric by gradient descent as well (paper hyperbf), and
// [ConvMachine] is for images. [Laplace] is the kernel of paper rfm; there are
// others, which [ParseKernel] reads, and [CNTK] and its like for images.
//
// # Errors
//
// Options and examples that cannot be used are an [*InputError], what memory does
// not hold a [*MemoryError], before it is taken. Where K + λI is singular the
// pseudo-inverse is found, and a [Solution] says so.
package rfm
