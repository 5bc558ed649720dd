// Package need models what jobs take: their time on one thread of a machine that does
// nothing else, and the largest that the process becomes.
//
// A job is of a kind: the training of a network, a verification of the ansatz, a
// recursive feature machine, a convolutional one, a tangent kernel, a table of a
// benchmark. Of each kind it is known with which terms time and memory grow, n³ of a
// regression on n examples for one, and how much there is of each term in a job. What
// a unit of a term takes is fitted to jobs that were measured, those in points.csv but
// for some that are held back: they were measured once the models were made, and
// the models are checked on them.
//
// What is said of a job much larger than those measured extrapolates their leading
// terms. It is true for the machine, and the backend, that points.csv was measured on.
package cost
