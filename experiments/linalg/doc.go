// Package linalg has what experiments need of small dense matrices in float64: products, Gram
// matrices, relative errors and dissimilarities. Begin with [RelativeError].
package linalg
