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
type nulls struct{ pearson, cosine []float64 }

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
func (f *filters) nullDraws(spectrum []float64, cnfms []*cnfm, draws int, rng *rand.Rand) ([]nulls, error) {
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
	draw := f.rotatedS(scales, cnfms)
	if d < c && d < len(scales) {
		var err error
		if draw, err = f.rotatedW(scales, cnfms); err != nil {
			return nil, err
		}
	}
	for range draws {
		inner, a, err := draw(rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())))
		if err != nil {
			return nil, err
		}
		for i, m := range cnfms {
			p, err := m.pearson(inner[i], a)
			if err != nil {
				return nil, err
			}
			c, err := m.cosine(inner[i], a)
			if err != nil {
				return nil, err
			}
			out[i].pearson, out[i].cosine = append(out[i].pearson, p), append(out[i].cosine, c)
		}
	}
	return out, nil
}

// drawFunc draws A = WᵀQSQᵀW: ⟨M, A⟩ for each of the CNFMs.
type drawFunc func(*rand.Rand) (inner []float64, a self, err error)

// rotatedS draws A = (BW)ᵀBW with B = Λ^½F.
func (f *filters) rotatedS(scales []float64, cnfms []*cnfm) drawFunc {
	c, _ := f.w.Dims()
	return func(rng *rand.Rand) ([]float64, self, error) {
		b, err := randomFrame(len(scales), c, rng)
		if err != nil {
			return nil, self{}, err
		}
		for i, x := range scales {
			floats.Scale(x, b.RawRowView(i))
		}
		var bg, bgb mat.Dense
		var bu mat.VecDense
		bg.Mul(b, f.g)
		bgb.Mul(&bg, b.T())
		bu.MulVec(b, f.u)
		inner := make([]float64, len(cnfms))
		for i, m := range cnfms {
			if m.d == f.w { // K is G
				inner[i] = squares(&bg)
				continue
			}
			var bk mat.Dense
			bk.Mul(b, m.k)
			inner[i] = squares(&bk)
		}
		return inner, self{norm2: squares(&bgb), sum: mat.Dot(&bu, &bu)}, nil
	}
}

// rotatedW draws the core EΛEᵀ on the range of W.
func (f *filters) rotatedW(scales []float64, cnfms []*cnfm) (drawFunc, error) {
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
	return func(rng *rand.Rand) ([]float64, self, error) {
		frame, err := randomFrame(d, c, rng)
		if err != nil {
			return nil, self{}, err
		}
		for i := range d {
			row := frame.RawRowView(i)
			floats.Mul(row[:len(scales)], scales)
		}
		core := mat.NewSymDense(d, nil)
		core.SymOuterK(1, frame.Slice(0, d, 0, len(scales)))
		inner := make([]float64, len(kks))
		for i, kk := range kks {
			inner[i] = traceProduct(kk, core)
		}
		return inner, s.selfProducts(core), nil
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
