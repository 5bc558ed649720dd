package cnfa

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// agop holds n·AGOP of a layer, with all that a comparison with any CNFM needs.
type agop struct {
	blocks  []*agopBlock
	all     self
	leftOut []self // all without group k of the images, for every k
	trace   float64
}

// agopBlock holds n·AGOP = WᵀSW of a block.
type agopBlock struct {
	basis    *reduced
	space    *patchSpace
	all      self
	leftOut  []self // of WᵀSW without group k
	trace    float64
	spectrum *spectrum
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
		if a.leftOut == nil {
			a.leftOut = make([]self, len(b.leftOut))
		}
		for k, s := range b.leftOut {
			a.leftOut[k].add(s)
		}
	}
	return a, nil
}

// agop returns the block's part of [layer.agop].
func (f *filters) agop(basis *reduced) (*agopBlock, error) {
	s, err := f.on(basis.q)
	if err != nil {
		return nil, err
	}
	total := s.agop(basis.total)
	a := &agopBlock{basis: basis, space: s, all: s.self(total), trace: mat.Trace(total)}
	if a.spectrum, err = newSpectrum(total, s.ones, basis.rounding); err != nil {
		return nil, err
	}
	if len(basis.cores) < 2 { // the jackknife needs at least two groups of images
		return a, nil
	}
	for _, core := range basis.cores {
		part := s.agop(core)
		p := s.self(part)
		a.leftOut = append(a.leftOut, self{a.all.norm2 - 2*traceProduct(total, part) + p.norm2, a.all.sum - p.sum})
	}
	return a, nil
}

// similarity returns all measures but the nulls.
func (a *agop) similarity(m *cnfm, images int, spec nullSpec) (s Similarity, err error) {
	var on []projectedCNFM
	inner := 0.
	for i, b := range a.blocks {
		on = append(on, m.blocks[i].on(b.basis.q, b.space))
		inner += traceProduct(on[i].kk, b.basis.total)
	}
	if s.Pearson, err = m.pearson(inner, a.all); err != nil {
		return s, err
	}
	if s.Cosine, err = m.cosine(inner, a.all); err != nil {
		return s, err
	}
	if s.PearsonStdErr, err = a.jackknife(m, on, inner); err != nil {
		return s, err
	}
	of := a.spectra(on)
	if s.PearsonSqrt, err = m.pearson(of.power(.5)); err != nil {
		return s, err
	}
	errs := slices.Repeat([]float64{math.NaN()}, len(spec.powers))
	if m.own {
		if errs, err = a.jackknifePowers(m, on, spec.powers, spec.draws); err != nil {
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

// spectra returns the spectra of the blocks with the products of M.
func (a *agop) spectra(on []projectedCNFM) (all spectra) {
	for i, b := range a.blocks {
		all = append(all, blockSpectrum{b.spectrum, b.spectrum.products(on[i].m)})
	}
	return all
}

// jackknife returns the standard error of Pearson's similarity, from the similarities without each group of images.
func (a *agop) jackknife(m *cnfm, on []projectedCNFM, inner float64) (float64, error) {
	if len(a.leftOut) == 0 {
		return math.NaN(), nil
	}
	without := make([]float64, len(a.leftOut))
	for k, left := range a.leftOut {
		rest := inner
		for i, b := range a.blocks {
			rest -= traceProduct(on[i].kk, b.basis.cores[k])
		}
		r, err := m.pearson(rest, left)
		if err != nil {
			return 0, err
		}
		without[k] = r
	}
	return jackknifeError(without), nil
}
