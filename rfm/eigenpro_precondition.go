package rfm

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// preconditioner is μ(ΦΦᵀ + μI)⁻¹ = I − Φ(ΦᵀΦ + μI)⁻¹Φᵀ, an approximation of the
// inverse of K + λI up to a factor. μ is λ and the mean of what Φ leaves of the
// diagonal of K, so that the directions of Φ become about as large as the rest.
type preconditioner struct {
	phi    blas64.General
	factor blas64.Triangular // of ΦᵀΦ + μI
	inside blas64.General    // q×outputs
}

func (s *subspace) precondition(outputs int) (*preconditioner, error) {
	n, q := s.phi.Dims()
	mu := s.least
	for i, k := range s.diag {
		row := s.phi.RawRowView(i)
		mu += max(0, k-blas64.Dot(vector(row), vector(row))) / float64(n)
	}
	p := &preconditioner{phi: s.phi.RawMatrix(), inside: mat.NewDense(q, outputs, nil).RawMatrix()}
	square := mat.NewSymDense(q, nil).RawSymmetric()
	blas64.Syrk(blas.Trans, 1, p.phi, 0, square)
	for i := range q {
		square.Data[i*q+i] += mu
	}
	var ok bool
	if p.factor, ok = lapack64.Potrf(square); !ok {
		return nil, badInput("the kernel matrix of the examples is not positive semi-definite")
	}
	return p, nil
}

// apply sets z to the preconditioned r, both n×outputs.
func (p *preconditioner) apply(z, r *mat.Dense) {
	z.Copy(r)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, p.phi, r.RawMatrix(), 0, p.inside)
	lapack64.Potrs(p.factor, p.inside)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, p.phi, p.inside, 1, z.RawMatrix())
}
