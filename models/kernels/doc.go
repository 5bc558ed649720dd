// Package kernels represents symmetric kernels of images and outputs by their blocks. It has the forms of kernels, computes
// blocks as products of the rows of a Jacobian, and computes and compares spectra and kernels.
package kernels
