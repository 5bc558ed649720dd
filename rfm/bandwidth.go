package rfm

import (
	"context"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// medianRows is the largest number of training examples used for the median distance of an adaptive bandwidth.
const medianRows = 1000

// WithBandwidth returns a kernel with another bandwidth. Kernels without a bandwidth are returned unchanged.
func WithBandwidth(k Kernel, l float64) (Kernel, error) { return ParseKernel(k.String(), l) }

// distances stands in for a kernel: its values are the distances (Σₖ |uₖ − vₖ|^p)^(1/p) that the kernel divides by its
// bandwidth.
type distances struct {
	Kernel
	p float64
}

// distancesOf returns the distances that a kernel measures; a homogeneous kernel measures those between unit vectors. It
// reports false for kernels without a bandwidth.
func distancesOf(k Kernel) (distances, bool) {
	switch k := k.(type) {
	case Laplace, Gaussian, Exponential, HomogeneousExponential:
		return distances{k, 2}, true
	case L1:
		return distances{k, 1}, true
	case Product:
		return distances{k, k.exponent()}, true
	case Lpq:
		p, _ := k.exponents()
		return distances{k, p}, true
	}
	return distances{}, false
}

// Matrix returns the distances between the rows of u and of v.
func (d distances) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	if _, homogeneous := d.Kernel.(HomogeneousExponential); homogeneous {
		u, v = unitRows(g, u), unitRows(g, v)
	}
	return g.Power(1/d.p, powerDistances(g, d.p, u, v))
}

// kernelAt returns the kernel for points, the training examples transformed by the lens. If the bandwidth is adaptive, it
// is the machine's bandwidth times the median distance between different points, among at most medianRows points drawn by
// the seed; if all points are the same, the median counts as 1.
func (f *fit) kernelAt(ctx context.Context, points *mat.Dense) (Kernel, error) {
	if !f.Adaptive {
		return f.Kernel, nil
	}
	of, _ := distancesOf(f.Kernel)
	all, err := f.gram(ctx, of, sampleRows(points, medianRows, stream(f.Seed, "median distance", 0)))
	if err != nil {
		return nil, err
	}
	if err := checkFinite(f.Kernel, all); err != nil {
		return nil, err
	}
	median := 1.
	var positive []float64
	for i, n := 0, all.SymmetricDim(); i < n; i++ {
		for j := i + 1; j < n; j++ {
			if v := all.At(i, j); v > 0 {
				positive = append(positive, v)
			}
		}
	}
	if len(positive) > 0 {
		slices.Sort(positive)
		median = (positive[(len(positive)-1)/2] + positive[len(positive)/2]) / 2
	}
	return WithBandwidth(f.Kernel, f.Kernel.bandwidth()*median)
}
