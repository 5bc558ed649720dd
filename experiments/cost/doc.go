// Package cost models what jobs take: their time on one thread of a machine that does nothing else,
// and the largest size of the process. Begin with [Job] and [Of].
//
// A job is of a kind: the training of a network, a verification of the ansatz, a recursive feature
// machine, a convolutional one, a tangent kernel, a table of a benchmark. Each kind has terms that
// its time and memory grow with, such as n³ of a regression on n examples. What a unit of a term
// takes is fitted to measured jobs, those in points.csv. Some points are held back: they were
// measured after the models were made, and check them.
//
// Estimates for jobs much larger than those measured extrapolate the leading terms. They hold for
// the machine and the backend that points.csv was measured on.
package cost
