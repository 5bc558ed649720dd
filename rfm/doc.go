// Package rfm holds kernel machines that learn features: recursive feature
// machines (paper rfm, Algorithm 1), which alternate between solving kernel
// regression and setting the metric M of the kernel to the average gradient
// outer product (AGOP) of the predictor that was found.
//
// # Where to begin
//
// [Machine] says what to fit, and [Machine.Fit] fits it to examples. It returns a
// [Model], which predicts, scores and can be saved; [Model.Metric] is the M that
// was learned. [Laplace] is the kernel of paper rfm; [ParseKernel] lists others.
// For images, [ConvMachine] is ConvRFM, and Deep ConvRFM with more than one layer
// (paper cnfa, Algorithms 1 and 2), with kernels of patches such as [CNTK].
// [HyperBF] is a Machine that can learn M by gradient descent too (paper hyperbf).
//
// # How it works
//
// A predictor f(x) = Σⱼ αⱼ K(M^½x, M^½zⱼ) is an expression of package graph. Its
// first layer has the weights W = M^½, so that M is its CNFM WᵀW, and its AGOP is
// computed like that of a network's layer. No derivative is written here.
//
// # Errors
//
// A fit returns an [*InputError] for options and examples that cannot be used, and a
// [*MemoryError], before it begins, if it would need too much memory. If
// K + λI is singular it uses the pseudo-inverse, and the [Solution] says so.
package rfm
