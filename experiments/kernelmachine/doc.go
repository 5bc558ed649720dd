// Package kernelmachine implements the commands rfm, convrfm, hyperbf and predict. The first three fit
// recursive feature machines on images, tables and polynomials, convolutional ones on images, and
// networks of hyper basis functions, which learn M by gradient descent. The last applies saved models.
//
// Begin with [NewRFM], [NewConvRFM] and [NewHyperBF]. The machines are those of package rfm.
package kernelmachine
