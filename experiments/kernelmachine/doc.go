// Package kernelmachine is the commands rfm, convrfm, hyperbf and predict: recursive feature
// machines on images, tables and polynomials, their convolutional and their gradient-trained
// siblings, and predictions of saved models.
//
// Begin with [NewRFM], [NewConvRFM] and [NewHyperBF]. The machines are those of package rfm.
package kernelmachine
