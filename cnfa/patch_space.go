package cnfa

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// patchSpace is an orthonormal basis, the rows of Z, of the patches that the rows of QᵀW span: QᵀW = LZ, where Q is a basis
// of the filters with r columns and L is r×r. On it A = WᵀQsQᵀW is the matrix LᵀsL, which has the same norm and positive
// eigenvalues, and inner products of powers of A with M need only ZMZᵀ. L is the Cholesky factor of G = QᵀWWᵀQ or, if G is
// close to singular, PΔ^½ with its eigenvectors P and eigenvalues Δ; directions that W lacks are then zero.
type patchSpace struct {
	r          *blas64.Triangular // L = Rᵀ, from Cholesky's factorisation; nil if there is none
	l, inverse *mat.Dense         // else L and its pseudoinverse
	ones       *mat.VecDense      // Z·1
}

// on returns the space of the patches for the basis q, c×r with orthonormal columns; nil is the identity.
func (f *filters) on(q *mat.Dense) (*patchSpace, error) {
	g, u := f.gram(), f.u
	if q != nil {
		g, u = outer(f.onto(q)), new(mat.VecDense)
		u.MulVec(q.T(), f.u)
	}
	factor := mat.NewSymDense(g.SymmetricDim(), nil)
	factor.CopySym(g)
	if r, ok := wellConditioned(factor); ok {
		ones := mat.VecDenseCopyOf(u)
		blas64.Trsv(blas.Trans, r, ones.RawVector())
		return &patchSpace{r: &r, ones: ones}, nil
	}
	values, p, err := backend.EigenSym(g, true)
	if err != nil {
		return nil, err
	}
	s := &patchSpace{l: mat.DenseCopyOf(p), ones: new(mat.VecDense)}
	scaleColumns(s.l, values, math.Sqrt)
	scaleColumns(p, values, func(x float64) float64 { return 1 / math.Sqrt(x) })
	s.inverse = mat.DenseCopyOf(p.T())
	s.ones.MulVec(s.inverse, u)
	return s, nil
}

// agop returns LᵀsL.
func (s *patchSpace) agop(core *mat.SymDense) *mat.SymDense {
	if s.r == nil {
		return congruence(s.l, core)
	}
	x := dense(core)
	blas64.Trmm(blas.Left, blas.NoTrans, 1, *s.r, x.RawMatrix())
	blas64.Trmm(blas.Right, blas.Trans, 1, *s.r, x.RawMatrix())
	return symmetric(x)
}

// cnfm returns ZMZᵀ for M = DᵀD, from QᵀWDᵀ.
func (s *patchSpace) cnfm(k *mat.Dense) *mat.SymDense {
	if s.r == nil {
		var x mat.Dense
		x.Mul(s.inverse, k)
		return outer(&x)
	}
	x := mat.DenseCopyOf(k)
	blas64.Trsm(blas.Left, blas.Trans, 1, *s.r, x.RawMatrix())
	return outer(x)
}

// self returns ⟨A, A⟩ and 1ᵀA1 of a matrix on the basis.
func (s *patchSpace) self(a *mat.SymDense) self {
	return self{frobenius2(a), mat.Inner(s.ones, a, s.ones)}
}

// wellConditioned returns the Cholesky factor R of a = RᵀR, which it overwrites; ok is false where a is close to singular.
func wellConditioned(a *mat.SymDense) (r blas64.Triangular, ok bool) {
	if r, ok = backend.Cholesky(a); !ok {
		return r, false
	}
	least, most := math.Inf(1), 0.
	for i := range r.N {
		least, most = min(least, r.Data[i*r.Stride+i]), max(most, r.Data[i*r.Stride+i])
	}
	return r, least > 1e-5*most
}
