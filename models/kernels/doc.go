// Package kernels has symmetric kernels of images and outputs in their forms, their spectra, and comparisons of them.
package kernels
