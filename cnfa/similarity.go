package cnfa

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Similarity is how alike a layer's CNFM M = WᵀW and its AGOP A = WᵀSW/n are.
// None of the measures depends on the scale of either.
type Similarity struct {
	// Pearson is the correlation of all d² elements.
	Pearson float64
	// PearsonStdErr is its standard error by the jackknife over groups of
	// images; NaN with fewer than two groups.
	PearsonStdErr float64
	// PearsonNull and PearsonNullSD are the mean and the standard deviation of
	// the same with S replaced by QSQᵀ, Q a random rotation, over NullDraws.
	PearsonNull, PearsonNullSD float64
	NullDraws                  int
	// Cosine is Pearson without centring.
	Cosine float64
	// PearsonSqrt is Pearson of M and A^½.
	PearsonSqrt float64
	// CNFMTrace and AGOPTrace are tr M and tr A.
	CNFMTrace, AGOPTrace float64
}

// Excess is what lies above the null.
func (s Similarity) Excess() float64 { return s.Pearson - s.PearsonNull }

// Group is the second moment of a layer's cotangents over some images.
type Group struct {
	Images int
	Moment graph.Moment
}

// Compare measures a layer with filters W, c×d, from the moments of its
// c-vectors δ over groups of images. With w0, the initial filters, the CNFM is
// that of W − W₀. It returns [ErrZero] where a measure is not defined.
func Compare(w, w0 *mat.Dense, groups []Group, draws int, rng *rand.Rand) (Similarity, error) {
	if len(groups) == 0 || draws < 1 {
		return Similarity{}, fmt.Errorf("cnfa: %d groups of images, %d draws of the null: want at least 1 of each", len(groups), draws)
	}
	c, d := w.Dims()
	m, err := newMoments(c, d, func() *mat.Dense { return w })
	if err != nil {
		return Similarity{}, err
	}
	for _, g := range groups {
		m.add(g)
	}
	return m.compare(newFilters(w, w0), draws, rng)
}

// compare measures what was added, for the filters that it was added for.
func (m *moments) compare(f *filters, draws int, rng *rand.Rand) (s Similarity, err error) {
	basis, err := m.reduce()
	if err != nil {
		return s, err
	}
	space := f.on(basis.q)
	p := space.of(basis.total)
	if s.Pearson, err = space.pearson(p); err != nil {
		return s, err
	}
	if s.Cosine, err = space.cosine(p); err != nil {
		return s, err
	}
	if s.PearsonStdErr, err = space.jackknife(basis.cores, basis.total, p); err != nil {
		return s, err
	}
	if s.PearsonSqrt, err = space.pearsonSqrt(basis.total); err != nil {
		return s, err
	}
	null, err := f.nullDraws(basis.spectrum, draws, rng)
	if err != nil {
		return s, err
	}
	s.PearsonNull, s.PearsonNullSD = stat.PopMeanStdDev(null, nil)
	s.NullDraws = draws
	s.CNFMTrace = square(f.d)
	s.AGOPTrace = traceProduct(space.g, basis.total) / float64(m.images)
	return s, nil
}

// square returns ‖a‖².
func square(a mat.Matrix) float64 {
	n := mat.Norm(a, 2)
	return n * n
}

// pearsonSqrt is the similarity of M with (WᵀSW)^½.
func (s *layerSpace) pearsonSqrt(core *mat.SymDense) (float64, error) {
	t, err := s.root(core)
	if err != nil {
		return 0, err
	}
	return s.pearson(products{
		inner: traceProduct(s.kk, t),
		norm2: traceProduct(s.g, core), // ‖A^½‖² = tr A
		sum:   mat.Inner(s.u, t, s.u),
	})
}

// jackknife returns the standard error of Pearson's similarity from leaving out
// one group after another.
func (s *layerSpace) jackknife(cores []*mat.SymDense, total *mat.SymDense, all products) (float64, error) {
	n := float64(len(cores))
	if n < 2 {
		return math.NaN(), nil
	}
	h := congruence(dense(s.g), total) // tr(G·total·G·core) = ⟨h, core⟩
	without := make([]float64, len(cores))
	for i, core := range cores {
		p := s.of(core)
		r, err := s.pearson(products{
			inner: all.inner - p.inner,
			norm2: all.norm2 - 2*traceProduct(h, core) + p.norm2,
			sum:   all.sum - p.sum,
		})
		if err != nil {
			return 0, err
		}
		without[i] = r
	}
	mean := stat.Mean(without, nil)
	ss := 0.
	for _, r := range without {
		ss += (r - mean) * (r - mean)
	}
	return math.Sqrt((n - 1) / n * ss), nil
}

// Alike returns Pearson's similarity of two CNFMs, WᵀW and VᵀV.
func Alike(w, v *mat.Dense) (float64, error) { return newFilters(w, nil).alike(v) }

// alike is Alike for filters that are prepared, by ⟨WᵀW, VᵀV⟩ = ‖WVᵀ‖².
func (f *filters) alike(v *mat.Dense) (float64, error) {
	_, d := v.Dims()
	var wv mat.Dense
	wv.Mul(f.w, v.T())
	g, u := frobenius2(f.g), mat.Dot(f.u, f.u)
	gv, uv := frobenius2(outer(v)), square(rowSums(v))
	d2 := float64(d * d)
	return ratio(square(&wv)-u*uv/d2, g-u*u/d2, gv-uv*uv/d2, g, gv)
}
