package rfm

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Cholesky solves by the factorisation K + λI = UᵀU in float64, in the memory of K. Where a pivot is as
// small as the rounding errors of K, it solves by the pseudo-inverse, from an eigendecomposition.
type Cholesky struct{}

// String is "cholesky".
func (Cholesky) String() string { return "cholesky" }

func (Cholesky) bytes(n, outputs int) int64 { return 8 * int64(n) * int64(n+2*outputs) }

func (Cholesky) solve(ctx context.Context, p *problem) (*solved, error) {
	return p.direct(p.kernel, func() (*mat.SymDense, error) { return p.gram(ctx, p.kernel, p.points) })
}

// direct solves with the kernel matrix that gram computes, and overwrites it.
func (p *problem) direct(kernel fmt.Stringer, gram func() (*mat.SymDense, error)) (*solved, error) {
	k, err := gram()
	if err != nil {
		return nil, err
	}
	if err := checkFinite(kernel, k); err != nil {
		return nil, err
	}
	p.report("solve", 0, 1)
	defer p.report("solve", 1, 1)
	if s := p.factorise(k); s != nil {
		return s, nil
	}
	n := k.SymmetricDim()
	if need := inverseBytes * int64(n) * int64(n); p.limit > 0 && need > p.limit {
		return nil, &MemoryError{Need: need, Limit: p.limit, Examples: n,
			Solver: "the pseudo-inverse, which a singular kernel matrix needs,"}
	}
	// The factorisation has overwritten K.
	if k, err = gram(); err != nil {
		return nil, err
	}
	return p.invert(kernel, k)
}

// inverseBytes is the memory of an n×n matrix and its eigendecomposition, in bytes per element of the matrix.
const inverseBytes = 40

// checkFinite returns an error if K has a NaN or an infinity.
func checkFinite(kernel fmt.Stringer, k *mat.SymDense) error {
	raw := k.RawSymmetric()
	for i := range raw.N {
		for j := i; j < raw.N; j++ {
			if v := raw.Data[i*raw.N+j]; v-v != 0 {
				return badInput("the %v kernel of examples %d and %d is %v: are their features too large for float32?",
					kernel, i, j, v)
			}
		}
	}
	return nil
}

// factorise solves by a factorisation in the upper half of k. It returns nil if k is singular up to rounding.
func (p *problem) factorise(k *mat.SymDense) *solved {
	raw := k.RawSymmetric()
	n := raw.N
	diagonal := make([]float64, n)
	for i := range n {
		diagonal[i] = raw.Data[i*n+i]
		raw.Data[i*n+i] += p.ridge
	}
	if slices.Max(diagonal) <= 0 {
		return p.zeroSolution()
	}
	factor, ok := backend.Cholesky(k)
	for i := range n {
		if pivot := raw.Data[i*n+i]; !ok || pivot*pivot <= p.negligible()*diagonal[i] {
			return nil
		}
	}
	alpha := mat.DenseCopyOf(p.y)
	lapack64.Potrs(factor, alpha.RawMatrix())
	return &solved{alpha: alpha, fitted: p.fitted(alpha), Solution: Solution{Method: "cholesky"}}
}

// negligible returns the relative size below which a pivot counts as zero, compared with the element on K's diagonal, or an
// eigenvalue, compared with the largest.
func (p *problem) negligible() float64 {
	if p.precision == graph.Double {
		return 1e-14
	}
	return 1e-6
}

// fitted returns Kα = Y − λα for an exact solution α.
func (p *problem) fitted(alpha *mat.Dense) *mat.Dense {
	var f mat.Dense
	f.Scale(-p.ridge, alpha)
	f.Add(&f, p.y)
	return &f
}

// zeroSolution returns the solution where K is 0: every predictor is 0.
func (p *problem) zeroSolution() *solved {
	n, outputs := p.y.Dims()
	return &solved{alpha: mat.NewDense(n, outputs, nil), fitted: mat.NewDense(n, outputs, nil), Solution: Solution{
		Method: "pseudo-inverse", Note: "the kernel matrix is 0: the predictor is 0 everywhere",
	}}
}

// invert solves by the pseudo-inverse of K + λI.
func (p *problem) invert(kernel fmt.Stringer, k *mat.SymDense) (*solved, error) {
	values, q, err := backend.EigenSym(k, true)
	if err != nil {
		return nil, fmt.Errorf("rfm: the %v kernel: %w", kernel, err)
	}
	n := len(values)
	least, first := p.negligible()*values[n-1], 0
	for first < n && values[first] <= least {
		first++
	}
	if first == n {
		return p.zeroSolution(), nil
	}
	kept := q.Slice(0, n, first, n)
	var c, alpha, fitted mat.Dense
	c.Mul(kept.T(), p.y)
	for i, v := range values[first:] {
		blas64.Scal(1/(v+p.ridge), vector(c.RawRowView(i)))
	}
	alpha.Mul(kept, &c)
	for i, v := range values[first:] {
		blas64.Scal(v, vector(c.RawRowView(i)))
	}
	fitted.Mul(kept, &c)
	return &solved{alpha: &alpha, fitted: &fitted, Solution: Solution{
		Method: "pseudo-inverse", Rank: n - first,
		Note: fmt.Sprintf(
			"the kernel matrix of %d examples has rank %d up to rounding: a larger ridge would make the solution "+
				"unique", n, n-first),
	}}, nil
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
