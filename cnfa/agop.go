package cnfa

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// agop holds n·AGOP = WᵀSW, with all that a comparison with any CNFM needs.
type agop struct {
	basis    *reduced
	all      self
	less     []self // of WᵀSW without group k, for every k
	trace    float64
	spectrum *spectrum
	l        *mat.Dense // the factor of the core that the spectrum is taken with
}

func (f *filters) agop(basis *reduced) (*agop, error) {
	s := f.on(basis.q)
	a := &agop{basis: basis, all: s.selfProducts(basis.total), trace: traceProduct(s.g, basis.total)}
	var err error
	if a.spectrum, a.l, err = s.spectrum(basis.total); err != nil {
		return nil, err
	}
	a.leaveOut(s)
	return a, nil
}

// leaveOut prepares the jackknife, which needs at least two groups.
func (a *agop) leaveOut(s *layerSpace) {
	if len(a.basis.cores) < 2 {
		return
	}
	h := congruence(dense(s.g), a.basis.total) // tr(G·total·G·core) = ⟨h, core⟩
	for _, core := range a.basis.cores {
		p := s.selfProducts(core)
		a.less = append(a.less, self{
			norm2: a.all.norm2 - 2*traceProduct(h, core) + p.norm2,
			sum:   a.all.sum - p.sum,
		})
	}
}

// similarity returns all measures but the nulls.
func (a *agop) similarity(m *cnfm, images int, powers []float64) (s Similarity, err error) {
	kk := m.on(a.basis.q)
	inner := traceProduct(kk, a.basis.total)
	if s.Pearson, err = m.pearson(inner, a.all); err != nil {
		return s, err
	}
	if s.Cosine, err = m.cosine(inner, a.all); err != nil {
		return s, err
	}
	if s.PearsonStdErr, err = a.jackknife(m, kk, inner); err != nil {
		return s, err
	}
	var xd mat.Dense
	xd.Mul(a.l.T(), m.project(a.basis.q))
	products := a.spectrum.products(&xd)
	if s.PearsonSqrt, err = m.pearson(a.spectrum.power(.5, products)); err != nil {
		return s, err
	}
	for _, alpha := range powers {
		p := PowerSimilarity{Exponent: alpha}
		if p.Pearson, err = m.pearson(a.spectrum.power(alpha, products)); err != nil {
			return s, err
		}
		s.Powers = append(s.Powers, p)
	}
	s.CNFMTrace = square(m.d)
	s.AGOPTrace = a.trace / float64(images)
	return s, nil
}

// jackknife returns the standard error of Pearson's similarity, from the similarities without group k.
func (a *agop) jackknife(m *cnfm, kk *mat.SymDense, inner float64) (float64, error) {
	if a.less == nil {
		return math.NaN(), nil
	}
	without := make([]float64, len(a.less))
	for i, core := range a.basis.cores {
		r, err := m.pearson(inner-traceProduct(kk, core), a.less[i])
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
	n := float64(len(without))
	return math.Sqrt((n - 1) / n * ss), nil
}
