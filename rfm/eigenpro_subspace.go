package rfm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// subspace is the directions in which K is large, as the kernel matrix K_s of a
// subsample shows them. With K_s = QΣQᵀ they are the functions K(·, X_s)V,
// V = QΣ^-½, of norm 1 in the kernel's space, and Φ is their values at the
// points, so that K ≈ ΦΦᵀ (Nyström).
type subspace struct {
	sample []int      // rows of the points, in their order
	values []float64  // σ of K_s, falling
	v      *mat.Dense // s×q
	phi    *mat.Dense // n×q
	diag   []float64  // K(xᵢ, xᵢ)
	least  float64    // λ, or what rounding leaves of K where that is more
}

func (e EigenPro) newSubspace(ctx context.Context, p *problem) (*subspace, error) {
	n, _ := p.points.Dims()
	s := &subspace{sample: stream(p.seed, "eigenpro", 0).Perm(n)[:e.Subsample]}
	slices.Sort(s.sample)
	_, r := p.points.Dims()
	some := pickRows(p.points, s.sample)
	k, err := p.gram(ctx, p.kernel, some)
	if err != nil {
		return nil, err
	}
	if err := checkFinite(p.kernel, k); err != nil {
		return nil, err
	}
	values, q, err := backend.EigenSym(k, true)
	if err != nil {
		return nil, fmt.Errorf("rfm: the %v kernel: %w", p.kernel, err)
	}
	s.take(values, q, p.lost(), e.directions(n))
	on, err := p.newPredictor(p.kernel, &lens{d: r, r: r}, some, s.v, n)
	if err != nil {
		return nil, err
	}
	if s.phi, err = on.forward(ctx, "subspace", on.Output, p.points); err != nil {
		return nil, err
	}
	if s.diag, err = p.diagonal(ctx, p.kernel, p.points); err != nil {
		return nil, err
	}
	s.least = max(p.ridge, p.lost()*slices.Max(s.diag))
	return s, nil
}

// take keeps the largest of the eigenvalues, which rise, up to most of them and
// down to a share of the first, and V.
func (s *subspace) take(values []float64, q *mat.Dense, share float64, most int) {
	n := len(values)
	count := 1
	for count < min(n, most) && values[n-1-count] > share*values[n-1] {
		count++
	}
	s.values, s.v = make([]float64, count), mat.NewDense(n, count, nil)
	for k := range count {
		s.values[k] = values[n-1-k]
		over := 1 / math.Sqrt(max(s.values[k], math.SmallestNonzeroFloat32))
		for i := range n {
			s.v.Set(i, k, over*q.At(i, n-1-k))
		}
	}
}
