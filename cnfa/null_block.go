package cnfa

import (
	"math"
	"math/rand/v2"
	"slices"

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
		out.spectrum = &spectrum{values: []float64{s * r.spectrum.values[0]}, c: r.spectrum.c, sums: r.spectrum.sums}
		out.products = r.products
	}
	return out
}

// rotations returns draws of A = WᵀQSQᵀW, Q a random rotation, for an S with the given positive eigenvalues.
//
// It needs only the eigenvalues λ of S. Where S has the smaller rank ρ, QSQᵀ = FᵀΛF with F a random frame of
// ρ rows. Where W has (d < c), with W = UΓ^½Vᵀ, the core is UᵀQSQᵀU = EΛEᵀ with E a random frame of d rows.
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
		return r, nil
	}
}

// rotatedW draws the core EΛEᵀ on the range of W.
func (b *nullBlock) rotatedW(scales []float64) (func(*rand.Rand) (*rotation, error), error) {
	c, d := b.f.w.Dims()
	q, err := rangeOf(b.f.w)
	if err != nil {
		return nil, err
	}
	at, err := b.on(q)
	if err != nil {
		return nil, err
	}
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

// on returns the function that returns A = WᵀQsQᵀW for a core s on the basis Q, c×r with orthonormal columns; nil is
// the identity.
func (b *nullBlock) on(q *mat.Dense) (func(core *mat.SymDense) (*rotation, error), error) {
	s, err := b.f.on(q)
	if err != nil {
		return nil, err
	}
	seen := make([]projectedCNFM, len(b.cnfms))
	for i, m := range b.cnfms {
		seen[i] = m.on(q, s)
	}
	return func(core *mat.SymDense) (*rotation, error) {
		a := s.agop(core)
		r := &rotation{a: s.self(a)}
		for _, m := range seen {
			r.inner = append(r.inner, traceProduct(m.kk, core))
		}
		if !b.powers {
			return r, nil
		}
		var err error
		if r.spectrum, err = newSpectrum(a, s.ones, doubleRounding); err != nil {
			return nil, err
		}
		for _, m := range seen {
			r.products = append(r.products, r.spectrum.products(m.m))
		}
		return r, nil
	}, nil
}
