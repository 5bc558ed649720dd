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

// agopBlock holds n·AGOP = WᵀSW of a block, as a matrix on a space of patches.
type agopBlock struct {
	space    *patchSpace
	total    *mat.SymDense
	parts    []*mat.SymDense // of the groups of images, which add up to the total
	all      self
	leftOut  []self // of the total without part k
	spectrum *spectrum
	rounding float64 // of the total
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
		a.trace += mat.Trace(b.total)
		if a.leftOut == nil {
			a.leftOut = make([]self, len(b.leftOut))
		}
		for k, s := range b.leftOut {
			a.leftOut[k].add(s)
		}
	}
	return a, nil
}

// agop returns the block's part of [layer.agop]. It consumes the cores of the groups.
func (f *filters) agop(basis *reduced) (*agopBlock, error) {
	s, err := f.space(basis)
	if err != nil {
		return nil, err
	}
	a := &agopBlock{space: s, total: s.agop(basis.total), parts: basis.cores, rounding: basis.rounding}
	basis.cores = nil
	a.all = s.self(a.total)
	if a.spectrum, err = newSpectrum(a.total, s.ones, a.rounding); err != nil {
		return nil, err
	}
	if len(a.parts) < 2 { // the jackknife needs at least two groups of images
		return a, nil
	}
	for k, core := range a.parts {
		part := s.agop(core)
		p := s.self(part)
		rest := self{a.all.norm2 - 2*traceProduct(a.total, part) + p.norm2, a.all.sum - p.sum}
		if !(rest.norm2 > 1e-12*a.all.norm2) { // rounding: the group is all that there is
			rest = self{}
		}
		a.leftOut = append(a.leftOut, rest)
		a.parts[k] = part
	}
	return a, nil
}

// similarity returns all measures but the nulls.
func (a *agop) similarity(m *cnfm, images int, spec nullSpec) (s Similarity, err error) {
	var on []*mat.SymDense // M on the spaces of the blocks
	inner := 0.
	for i, b := range a.blocks {
		on = append(on, b.space.cnfm(m.blocks[i]))
		inner += traceProduct(on[i], b.total)
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
func (a *agop) spectra(on []*mat.SymDense) (all spectra) {
	for i, b := range a.blocks {
		all = append(all, blockSpectrum{b.spectrum, b.spectrum.products(on[i])})
	}
	return all
}

// jackknife returns the standard error of Pearson's similarity, from the similarities without each group of images; NaN
// where one of these is not defined.
func (a *agop) jackknife(m *cnfm, on []*mat.SymDense, inner float64) (float64, error) {
	if len(a.leftOut) == 0 {
		return math.NaN(), nil
	}
	without := make([]float64, len(a.leftOut))
	for k, left := range a.leftOut {
		rest := inner
		for i, b := range a.blocks {
			rest -= traceProduct(on[i], b.parts[k])
		}
		r, err := m.pearson(rest, left)
		if without[k], err = orNaN(r, err); err != nil {
			return 0, err
		}
	}
	return jackknifeError(without), nil
}
