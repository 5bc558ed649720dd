package cnfa

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// patchSpace is an orthonormal basis, the rows of Z, of the patches that the rows of QᵀW span: QᵀW = LZ, where Q is a basis
// of the filters with r columns and L is r×r. On it A = WᵀQsQᵀW is the matrix LᵀsL, and M is ZMZᵀ: they have the inner
// product of A and M, and LᵀsL has the norm and the positive eigenvalues of A.
//
// Where patches have fewer elements than there are filters, Z is the identity and L = QᵀW. Else L is the Cholesky factor of
// G = QᵀWWᵀQ or, if G is close to singular, PΔ^½ with its eigenvectors P and eigenvalues Δ; directions that W lacks are
// then zero.
type patchSpace struct {
	q          *mat.Dense         // nil is the identity
	r          *blas64.Triangular // L = Rᵀ, from Cholesky's factorisation; nil if there is none
	l, inverse *mat.Dense         // else L, nil for the identity, and its pseudoinverse
	patches    bool               // Z is the identity
	ones       *mat.VecDense      // Z·1
}

// space returns the space of the patches for moments that were reduced.
func (f *filters) space(s *reduced) (*patchSpace, error) {
	if s.patches { // the cores are WᵀSW already
		return f.onPatches(nil), nil
	}
	return f.on(s.q)
}

// onPatches returns the space of all patches for a given L.
func (f *filters) onPatches(l *mat.Dense) *patchSpace {
	_, d := f.w.Dims()
	s := &patchSpace{l: l, patches: true, ones: mat.NewVecDense(d, nil)}
	for i := range d {
		s.ones.SetVec(i, 1)
	}
	return s
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
		return &patchSpace{q: q, r: &r, ones: ones}, nil
	}
	values, p, err := backend.EigenSym(g, true)
	if err != nil {
		return nil, err
	}
	s := &patchSpace{q: q, l: mat.DenseCopyOf(p), ones: new(mat.VecDense)}
	scaleColumns(s.l, values, math.Sqrt)
	scaleColumns(p, values, func(x float64) float64 { return 1 / math.Sqrt(x) })
	s.inverse = mat.DenseCopyOf(p.T())
	s.ones.MulVec(s.inverse, u)
	return s, nil
}

// agop returns LᵀsL, which may be s itself.
func (s *patchSpace) agop(core *mat.SymDense) *mat.SymDense {
	switch {
	case s.r != nil:
		x := dense(core)
		blas64.Trmm(blas.Left, blas.NoTrans, 1, *s.r, x.RawMatrix())
		blas64.Trmm(blas.Right, blas.Trans, 1, *s.r, x.RawMatrix())
		return symmetric(x)
	case s.l != nil:
		return congruence(s.l, core)
	}
	return core
}

// cnfm returns ZMZᵀ for M = DᵀD. The caller must not change it.
func (s *patchSpace) cnfm(m *cnfmBlock) *mat.SymDense {
	if s.patches {
		return m.small()
	}
	k := m.project(s.q)
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
