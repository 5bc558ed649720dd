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
// [Machine] says what to fit and [Machine.Fit] fits it; a [Model] predicts,
// scores, and is saved.
package rfm
