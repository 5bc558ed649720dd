// Package tangent implements the commands ntk and linearize: empirical neural tangent kernels of
// networks, and networks that are linearized at their initial weights.
//
// Begin with [NewNTK], [NewLinearization] and [NewLinearTraining].
package tangent
