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

// nulls holds the similarities of a CNFM under the null, draw by draw.
type nulls struct {
	pearson, cosine []float64
	powers          [][]float64 // Pearson for every power of the AGOP
}

// nullDraws draws the similarities of each CNFM with S replaced by QSQᵀ, Q a
// random rotation of the filters: the same spectrum, no alignment with W. The
// rotations are the same for all CNFMs.
//
// It needs only the eigenvalues λ of S. Where S has the smaller rank ρ, QSQᵀ = FᵀΛF with F a random frame of
// ρ rows. Where W has (d < c), with W = UΓ^½Vᵀ, the core is UᵀQSQᵀU = EΛEᵀ with E a random frame of d rows.
//
// The same rng gives the same rotations for any spectrum. Every draw has random numbers of its own, and the
// largest eigenvalue goes with the first vector, so that a small eigenvalue that may or may not count as
// rounding does not change the vectors of others.
func (f *filters) nullDraws(spectrum []float64, cnfms []*cnfm, spec nullSpec, rng *rand.Rand) ([]nulls, error) {
	out := make([]nulls, len(cnfms))
	if len(cnfms) == 0 {
		return out, nil
	}
	scales := make([]float64, len(spectrum))
	for i, x := range spectrum {
		scales[i] = math.Sqrt(x)
	}
	slices.Reverse(scales)
	c, d := f.w.Dims()
	draw := f.rotatedS(scales, cnfms, spec.powers)
	if d < c && d < len(scales) {
		var err error
		if draw, err = f.rotatedW(scales, cnfms, spec.powers); err != nil {
			return nil, err
		}
	}
	for i := range out {
		out[i].powers = make([][]float64, len(spec.powers))
	}
	for range spec.draws {
		r, err := draw(rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())))
		if err != nil {
			return nil, err
		}
		for i, m := range cnfms {
			if err := out[i].add(m, r, i, spec.powers); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// add adds a draw for the i-th CNFM, which is m.
func (n *nulls) add(m *cnfm, r *rotation, i int, powers []float64) error {
	p, err := m.pearson(r.inner[i], r.a)
	if err != nil {
		return err
	}
	c, err := m.cosine(r.inner[i], r.a)
	if err != nil {
		return err
	}
	n.pearson, n.cosine = append(n.pearson, p), append(n.cosine, c)
	for k, alpha := range powers {
		p, err := m.pearson(r.spectrum.power(alpha, r.products[i]))
		if err != nil {
			return err
		}
		n.powers[k] = append(n.powers[k], p)
	}
	return nil
}

// rotation holds A = WᵀQSQᵀW of one draw: ⟨M, A⟩ for each of the CNFMs and, where powers of A are measured, its
// spectrum with the products of each.
type rotation struct {
	inner    []float64
	a        self
	spectrum *spectrum
	products [][]float64
}

// drawFunc draws a rotation.
type drawFunc func(*rand.Rand) (*rotation, error)

// rotatedS draws A = (BW)ᵀBW with B = Λ^½F.
func (f *filters) rotatedS(scales []float64, cnfms []*cnfm, powers []float64) drawFunc {
	c, _ := f.w.Dims()
	return func(rng *rand.Rand) (*rotation, error) {
		b, err := randomFrame(len(scales), c, rng)
		if err != nil {
			return nil, err
		}
		for i, x := range scales {
			floats.Scale(x, b.RawRowView(i))
		}
		var bg, bgb mat.Dense
		var bu mat.VecDense
		bg.Mul(b, f.g)
		bgb.Mul(&bg, b.T())
		bu.MulVec(b, f.u)
		r := &rotation{a: self{norm2: squares(&bgb), sum: mat.Dot(&bu, &bu)}}
		if len(powers) > 0 {
			if r.spectrum, err = newSpectrum(symmetric(&bgb), &bu); err != nil {
				return nil, err
			}
		}
		for _, m := range cnfms {
			bk := &bg
			if m.d != f.w { // else K is G
				bk = new(mat.Dense)
				bk.Mul(b, m.k)
			}
			r.inner = append(r.inner, squares(bk))
			if r.spectrum != nil {
				r.products = append(r.products, r.spectrum.products(bk))
			}
		}
		return r, nil
	}
}

// rotatedW draws the core EΛEᵀ on the range of W.
func (f *filters) rotatedW(scales []float64, cnfms []*cnfm, powers []float64) (drawFunc, error) {
	c, d := f.w.Dims()
	q, err := rangeOf(f.w)
	if err != nil {
		return nil, err
	}
	s := f.on(q)
	kks := make([]*mat.SymDense, len(cnfms))
	for i, m := range cnfms {
		kks[i] = m.on(q)
	}
	return func(rng *rand.Rand) (*rotation, error) {
		frame, err := randomFrame(d, c, rng)
		if err != nil {
			return nil, err
		}
		for i := range d {
			row := frame.RawRowView(i)
			floats.Mul(row[:len(scales)], scales)
		}
		core := mat.NewSymDense(d, nil)
		core.SymOuterK(1, frame.Slice(0, d, 0, len(scales)))
		r := &rotation{a: s.selfProducts(core)}
		for _, kk := range kks {
			r.inner = append(r.inner, traceProduct(kk, core))
		}
		if len(powers) == 0 {
			return r, nil
		}
		var l *mat.Dense
		if r.spectrum, l, err = s.spectrum(core); err != nil {
			return nil, err
		}
		for _, m := range cnfms {
			var xd mat.Dense
			xd.Mul(l.T(), m.project(q))
			r.products = append(r.products, r.spectrum.products(&xd))
		}
		return r, nil
	}, nil
}

// randomFrame returns r×n, r ≤ n, with orthonormal rows, uniformly distributed: a
// Gaussian matrix X with LLᵀ = XXᵀ gives L⁻¹X, the diagonal of L positive. The
// first rows are those of a smaller frame.
func randomFrame(r, n int, rng *rand.Rand) (*mat.Dense, error) {
	x := mat.NewDense(r, n, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	var chol mat.Cholesky
	if !chol.Factorize(outer(x)) {
		return nil, backend.ErrEigen
	}
	var l mat.TriDense
	chol.LTo(&l)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, l.RawTriangular(), x.RawMatrix())
	return x, nil
}

// squares returns ‖a‖² of a matrix that is not part of another.
func squares(a *mat.Dense) float64 {
	raw := a.RawMatrix().Data
	return floats.Dot(raw, raw)
}
