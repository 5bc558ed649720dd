package cnfa

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// agop holds n·AGOP of a layer, with all that a comparison with any CNFM needs.
type agop struct {
	blocks []*agopBlock
	all    self
	less   []self // without group k of the images, for every k
	trace  float64
}

// agopBlock holds n·AGOP = WᵀSW of a block.
type agopBlock struct {
	basis    *reduced
	all      self
	less     []self // of WᵀSW without group k
	trace    float64
	spectrum *spectrum
	l        *mat.Dense // the factor of the core that the spectrum is taken with
	space    *layerSpace
}

// agop returns the AGOP from the moments of the blocks.
func (l layer) agop(bases []*reduced) (*agop, error) {
	a := new(agop)
	for i, f := range l {
		b, err := f.agop(bases[i])
		if err != nil {
			return nil, err
		}
		a.blocks = append(a.blocks, b)
		a.all.add(b.all)
		a.trace += b.trace
		if a.less == nil {
			a.less = make([]self, len(b.less))
		}
		for k, s := range b.less {
			a.less[k].add(s)
		}
	}
	return a, nil
}

// agop returns the block's part of [layer.agop].
func (f *filters) agop(basis *reduced) (*agopBlock, error) {
	s := f.on(basis.q)
	a := &agopBlock{basis: basis, all: s.selfProducts(basis.total), trace: traceProduct(s.g, basis.total), space: s}
	var err error
	if a.spectrum, a.l, err = s.spectrum(basis.total, basis.rounding); err != nil {
		return nil, err
	}
	a.leaveOut(s)
	return a, nil
}

// leaveOut prepares the jackknife, which needs at least two groups of images.
func (a *agopBlock) leaveOut(s *layerSpace) {
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
func (a *agop) similarity(m *cnfm, images int, spec nullSpec) (s Similarity, err error) {
	kks, inner := make([]*mat.SymDense, len(a.blocks)), 0.
	for i, b := range a.blocks {
		kks[i] = m.blocks[i].on(b.basis.q)
		inner += traceProduct(kks[i], b.basis.total)
	}
	if s.Pearson, err = m.pearson(inner, a.all); err != nil {
		return s, err
	}
	if s.Cosine, err = m.cosine(inner, a.all); err != nil {
		return s, err
	}
	if s.PearsonStdErr, err = a.jackknife(m, kks, inner); err != nil {
		return s, err
	}
	of := a.spectra(kks)
	if s.PearsonSqrt, err = m.pearson(of.power(.5)); err != nil {
		return s, err
	}
	errs := slices.Repeat([]float64{math.NaN()}, len(spec.powers))
	if m.own {
		if errs, err = a.jackknifePowers(m, kks, spec.powers, spec.draws); err != nil {
			return s, err
		}
	}
	for i, alpha := range spec.powers {
		p := PowerSimilarity{Exponent: of.exponent(alpha, m), PearsonStdErr: errs[i]}
		if p.Pearson, err = m.pearson(of.power(p.Exponent)); err != nil {
			return s, err
		}
		s.Powers = append(s.Powers, p)
	}
	s.CNFMTrace = m.trace
	s.AGOPTrace = a.trace / float64(images)
	return s, nil
}

// spectra returns the spectra of the blocks with the products of M, from its QᵀKKᵀQ.
func (a *agop) spectra(kks []*mat.SymDense) (all spectra) {
	for i, b := range a.blocks {
		all = append(all, blockSpectrum{b.spectrum, b.spectrum.productsOn(b.l, kks[i])})
	}
	return all
}

// jackknife returns the standard error of Pearson's similarity, from the similarities without each group of images.
func (a *agop) jackknife(m *cnfm, kks []*mat.SymDense, inner float64) (float64, error) {
	if len(a.less) == 0 {
		return math.NaN(), nil
	}
	without := make([]float64, len(a.less))
	for k, less := range a.less {
		rest := inner
		for i, b := range a.blocks {
			rest -= traceProduct(kks[i], b.basis.cores[k])
		}
		r, err := m.pearson(rest, less)
		if err != nil {
			return 0, err
		}
		without[k] = r
	}
	return jackknifeError(without), nil
}
