package rfm

import (
	"context"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// medianRows is the most training examples whose distances set an adaptive bandwidth.
const medianRows = 1000

// WithBandwidth returns a kernel with another bandwidth. Kernels that have none are returned as they are.
func WithBandwidth(k Kernel, l float64) (Kernel, error) { return ParseKernel(k.String(), l) }

// distances is the power Σₖ |uₖ − vₖ|^p of the distances in which a kernel measures its bandwidth, in the place of the
// kernel.
type distances struct {
	Kernel
	p float64
}

// distancesOf returns the distances of a kernel, of unit vectors for one that is homogeneous. It reports false for
// kernels without a bandwidth.
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

// Matrix returns the powers of the distances of the rows of u and v: p-th roots are taken of the median alone.
func (d distances) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	if _, homogeneous := d.Kernel.(HomogeneousExponential); homogeneous {
		u, v = unitRows(g, u), unitRows(g, v)
	}
	return g.Power(1/d.p, powerDistances(g, d.p, u, v))
}

// kernelAt returns the kernel for points, which are training examples through the lens. An adaptive one has the
// machine's bandwidth times the median distance of different points, of at most medianRows that the seed draws; where
// all are the same, the distance counts as 1.
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
