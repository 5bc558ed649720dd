// Package kernels has symmetric kernels of images and outputs in blocks: their forms, the products of rows of a Jacobian that
// they are made of, their spectra, and comparisons of them.
package kernels
