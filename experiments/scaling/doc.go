// Package scaling implements the command cost: how the time and memory of kernel machines grow with
// examples, features, images and depth.
//
// Begin with [NewRFMCost] and [NewConvCost].
package scaling
