package cnfa

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// nullBlock draws the null of one block with filters W, c×d, for some CNFMs.
type nullBlock struct {
	f      *filters
	cnfms  []*cnfmBlock
	powers bool // powers of A are measured
}

// rotation holds A = WᵀS′W of one block and draw: ⟨M, A⟩ for each of the CNFMs and, where powers of A are measured, its
// spectrum with the products of each.
type rotation struct {
	inner    []float64
	a        self
	spectrum *spectrum
	products [][]float64
}

// forgetVectors frees the eigenvectors, which only the products need. All draws are kept until the last one is made.
func (r *rotation) forgetVectors() {
	if r.spectrum != nil {
		r.spectrum.c = nil
	}
}

// times returns the rotation of sA for a block of one filter, whose A has one eigenvalue.
func (r *rotation) times(s float64) *rotation {
	out := &rotation{inner: make([]float64, len(r.inner)), a: self{s * s * r.a.norm2, s * r.a.sum}}
	for i, x := range r.inner {
		out.inner[i] = s * x
	}
	if r.spectrum == nil {
		return out
	}
	out.spectrum, out.products = new(spectrum), make([][]float64, len(r.products))
	if s > 0 && len(r.spectrum.values) > 0 {
		out.spectrum = &spectrum{values: []float64{s * r.spectrum.values[0]}, sums: r.spectrum.sums}
		out.products = r.products
	}
	return out
}

// rotations returns draws of A = WᵀQSQᵀW, Q a random rotation, for an S with the given positive eigenvalues.
//
// It needs only the eigenvalues λ of S. Where S has the smaller rank ρ, QSQᵀ = FᵀΛF with F a random frame of
// ρ rows. Where W has (d < c), with an orthonormal basis U of its range, UᵀQSQᵀU = EΛEᵀ with E a random frame of d rows.
func (b *nullBlock) rotations(eigenvalues []float64) (func(*rand.Rand) (*rotation, error), error) {
	scales := make([]float64, len(eigenvalues))
	for i, x := range eigenvalues {
		scales[i] = math.Sqrt(x)
	}
	slices.Reverse(scales)
	switch c, d := b.f.w.Dims(); {
	case len(scales) == 0:
		zero := &rotation{inner: make([]float64, len(b.cnfms)), spectrum: new(spectrum),
			products: make([][]float64, len(b.cnfms))}
		return func(*rand.Rand) (*rotation, error) { return zero, nil }, nil
	case d < c && d < len(scales):
		return b.rotatedW(scales)
	}
	return b.rotatedS(scales), nil
}

// rotatedS draws A = (BW)ᵀBW with B = Λ^½F.
func (b *nullBlock) rotatedS(scales []float64) func(*rand.Rand) (*rotation, error) {
	c, _ := b.f.w.Dims()
	g := dense(b.f.gram()) // faster than dsymm
	products := make([]*mat.Dense, len(b.cnfms))
	for i, m := range b.cnfms {
		if m.d != b.f.w { // else K is G
			products[i] = m.product()
		}
	}
	return func(rng *rand.Rand) (*rotation, error) {
		s, err := RandomFrame(len(scales), c, rng)
		if err != nil {
			return nil, err
		}
		for i, x := range scales {
			floats.Scale(x, s.RawRowView(i))
		}
		var sg, sgs mat.Dense
		var su mat.VecDense
		sg.Mul(s, g)
		sgs.Mul(&sg, s.T())
		su.MulVec(s, b.f.u)
		r := &rotation{a: self{norm2: squares(&sgs), sum: mat.Dot(&su, &su)}}
		if b.powers {
			if r.spectrum, err = spectrumOfRows(symmetric(&sgs), &su); err != nil {
				return nil, err
			}
		}
		for _, k := range products {
			sk := &sg
			if k != nil {
				sk = new(mat.Dense)
				sk.Mul(s, k)
			}
			r.inner = append(r.inner, squares(sk))
			if r.spectrum != nil {
				r.products = append(r.products, r.spectrum.productsWithRows(sk))
			}
		}
		r.forgetVectors()
		return r, nil
	}
}

// rotatedW draws the core EΛEᵀ on the range of W.
func (b *nullBlock) rotatedW(scales []float64) (func(*rand.Rand) (*rotation, error), error) {
	c, d := b.f.w.Dims()
	u, err := rangeOf(b.f.w)
	if err != nil {
		return nil, err
	}
	at := b.on(b.f.onPatches(b.f.onto(u)))
	return func(rng *rand.Rand) (*rotation, error) {
		frame, err := RandomFrame(d, c, rng)
		if err != nil {
			return nil, err
		}
		for i := range d {
			row := frame.RawRowView(i)
			floats.Mul(row[:len(scales)], scales)
		}
		core := mat.NewSymDense(d, nil)
		core.SymOuterK(1, frame.Slice(0, d, 0, len(scales)))
		return at(core)
	}, nil
}

// rangeOf returns an orthonormal basis, c×d, of the range of W, c×d with d ≤ c: WR⁻¹ with the Cholesky factor R of WᵀW,
// twice, or by its eigenvectors where WᵀW is close to singular.
func rangeOf(w *mat.Dense) (*mat.Dense, error) {
	if q, ok := orthonormal(w); ok {
		if q, ok = orthonormal(q); ok {
			return q, nil
		}
	}
	values, v, err := backend.EigenSym(backend.Gram(w), true)
	if err != nil {
		return nil, err
	}
	var q mat.Dense
	q.Mul(w, v)
	scaleColumns(&q, values, func(x float64) float64 { return 1 / math.Sqrt(x) })
	return &q, nil
}

// orthonormal returns WR⁻¹ with WᵀW = RᵀR. Its columns are orthonormal but for an error that grows with the square of
// the condition of W; ok is false where that may be large.
func orthonormal(w *mat.Dense) (q *mat.Dense, ok bool) {
	r, ok := wellConditioned(backend.Gram(w))
	if !ok {
		return nil, false
	}
	q = mat.DenseCopyOf(w)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, r, q.RawMatrix())
	return q, true
}

// on returns the function that returns A for a core, on a space of patches.
func (b *nullBlock) on(s *patchSpace) func(core *mat.SymDense) (*rotation, error) {
	seen := make([]*mat.SymDense, len(b.cnfms))
	for i, m := range b.cnfms {
		seen[i] = s.cnfm(m)
	}
	return func(core *mat.SymDense) (*rotation, error) {
		a := s.agop(core)
		r := &rotation{a: s.self(a)}
		for _, m := range seen {
			r.inner = append(r.inner, traceProduct(m, a))
		}
		if !b.powers {
			return r, nil
		}
		var err error
		if r.spectrum, err = newSpectrum(a, s.ones, doubleRounding); err != nil {
			return nil, err
		}
		for _, m := range seen {
			r.products = append(r.products, r.spectrum.products(m))
		}
		r.forgetVectors()
		return r, nil
	}
}
