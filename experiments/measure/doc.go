// Package measure scores predictions of classes and of numbers: the usual measures with bootstrap intervals, reliability
// curves, and calibrated probabilities.
//
// Begin with [Classes] and [Numbers]. [FitTemperature] calibrates probabilities from the outputs of a regression on
// one-hot targets.
package measure
