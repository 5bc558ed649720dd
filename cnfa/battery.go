package cnfa

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// Errors of statements that are not defined at a layer, or need something that is not known.
var (
	ErrNoLabels  = errors.New("no image has a label of the network's outputs")
	ErrNoInitial = errors.New("the weights before training are not known")
	ErrUnchanged = errors.New("the weights are those before training")
	ErrOneFilter = errors.New("a group has one filter: its matrices have rank 1 and always commute")
)

// battery measures the statements at one layer.
type battery struct {
	g      *gatherer
	info   models.LayerInfo
	m      *measuredLayer
	w, w0  *mat.Dense
	labels bool // some image has a label
	blocks []*crossedBlock
}

// powerAlignments returns the alignments of the statements about the AGOP, from s, and about its powers, by name. powers
// has the order of [exponents].
func powerAlignments(statements []Statement, s Ansatz, powers []PowerSimilarity) map[string]Alignment {
	all := map[string]Alignment{}
	for _, st := range statements {
		switch _, ok := st.exponent(); {
		case st.Name == NFA:
			all[st.Name] = alignmentOf(st.Name, s)
		case ok && s.Err != nil:
			all[st.Name] = Alignment{Name: st.Name, Err: s.Err}
		case ok:
			p := powers[0]
			powers = powers[1:]
			all[st.Name] = Alignment{Name: st.Name, Value: p.Pearson, StdErr: p.PearsonStdErr, Null: p.PearsonNull,
				NullSD: p.PearsonNullSD, Draws: p.Draws, Exponent: p.Exponent}
		}
	}
	return all
}

// alignmentOf returns an ansatz as the alignment of a statement.
func alignmentOf(name string, s Ansatz) Alignment {
	return Alignment{Name: name, Value: s.Pearson, StdErr: s.PearsonStdErr, Null: s.PearsonNull, NullSD: s.PearsonNullSD,
		Draws: s.PearsonDraws, Exponent: 1, Err: s.Err}
}

// exponents returns the exponents of the statements about powers of the AGOP other than 1.
func exponents(statements []Statement) (all []float64) {
	for _, s := range statements {
		if alpha, ok := s.exponent(); ok {
			all = append(all, alpha)
		}
	}
	return all
}

// measure returns the alignments of all statements, in their order. known has those about the AGOP and its powers.
func (b *battery) measure(statements []Statement, known map[string]Alignment) ([]Alignment, error) {
	var crossed []Statement
	for _, s := range statements {
		s.Name = cmp.Or(s.SameAs, s.Name)
		if _, ok := known[s.Name]; ok || slices.ContainsFunc(crossed, func(t Statement) bool { return t.Name == s.Name }) {
			continue
		}
		a, done, err := b.similarity(s)
		if isUndefined(err) {
			a, done, err = Alignment{Name: s.Name, Err: err}, true, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if done {
			known[s.Name] = a
		} else {
			crossed = append(crossed, s)
		}
	}
	others, err := b.crossedStatements(crossed)
	if err != nil {
		return nil, err
	}
	all := make([]Alignment, len(statements))
	for i, s := range statements {
		name := cmp.Or(s.SameAs, s.Name)
		a, ok := known[name]
		if !ok {
			a = others[name]
		}
		a.Name = s.Name
		a.CannotHold = b.cannotHold(s)
		all[i] = a
	}
	return all, nil
}

// isUndefined reports whether an error says that a statement is not defined at a layer.
func isUndefined(err error) bool {
	return slices.ContainsFunc([]error{ErrZero, ErrNoLabels, ErrNoInitial, ErrUnchanged, ErrOneFilter},
		func(undefined error) bool { return errors.Is(err, undefined) })
}

// similarity measures CentredNFA and LossAGOP, which are the ansatz with W − W₀ or with the loss's gradients. It returns
// an error for a statement that is not defined at the layer. done is false for statements measured elsewhere.
func (b *battery) similarity(s Statement) (a Alignment, done bool, err error) {
	switch {
	case (s.needs.loss || s.needs.gradient) && !b.labels:
		return a, true, ErrNoLabels
	case s.needs.initial && (b.w0 == nil || b.g.o.FreshInitial):
		return a, true, ErrNoInitial
	case s.Name == Commutator && b.info.BlockFilters() == 1:
		return a, true, ErrOneFilter
	case s.Name == CentredNFA && mat.Equal(b.w, b.w0):
		return a, true, ErrUnchanged
	case s.Name == CentredNFA:
		var change mat.Dense
		change.Sub(b.w, b.w0)
		a, err = b.ansatz(s, &change, b.m.others.change)
		return a, true, err
	case s.Name == LossAGOP:
		a, err = b.ansatz(s, b.w, b.m.others.loss)
		return a, true, err
	}
	return a, false, nil
}

// rng returns the random stream of a statement's null, the same one in every comparison.
func (b *battery) rng(s Statement) *rand.Rand {
	return models.Stream(b.g.o.Seed, "null/"+s.Name+"/"+b.info.Name)
}

// ansatz returns the alignment of the CNFM of w, which is W or its change, with the AGOP from moments of gradients.
func (b *battery) ansatz(s Statement, w *mat.Dense, m layerMoments) (Alignment, error) {
	l := newLayer(rowBlocks(w, b.info.Blocks()))
	all, err := m.compare(l, []*cnfm{l.cnfm(nil)}, nullSpec{draws: b.g.draws(b.info), threads: b.g.o.Threads, drawing: b.g.drawing}, b.rng(s))
	if err != nil {
		return Alignment{}, err
	}
	return alignmentOf(s.Name, all[0]), all[0].Err
}

// crossedStatements measures the statements about the layer's input, its loss and the commutator: all for the same sets
// of images, and with the same draws.
func (b *battery) crossedStatements(statements []Statement) (map[string]Alignment, error) {
	all := map[string]Alignment{}
	if len(statements) == 0 {
		return all, nil
	}
	b.blocks = b.m.others.crossedBlocks(rowBlocks(b.w, b.info.Blocks()))
	totals := make([]*crossed, len(b.blocks))
	for i, block := range b.blocks {
		totals[i] = block.total()
	}
	for _, s := range statements {
		a, err := b.withoutStdErr(s, totals)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		all[s.Name] = a
	}
	if err := b.jackknife(statements, all, totals); err != nil {
		return nil, err
	}
	for _, left := range []bool{true, false} {
		if err := b.nullDraws(statements, all, totals, left); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// withoutStdErr returns the alignment of a statement with its value. It has neither a standard error nor a null yet.
func (b *battery) withoutStdErr(s Statement, totals []*crossed) (Alignment, error) {
	v, err := b.valueFrom(s, totals)
	if isUndefined(err) {
		return Alignment{Name: s.Name, Err: err}, nil
	}
	return Alignment{Name: s.Name, Value: v, StdErr: math.NaN()}, err
}

// jackknife sets the standard errors, from the values without one set of images at a time. A statement that is not
// defined without some set gets none.
func (b *battery) jackknife(statements []Statement, all map[string]Alignment, totals []*crossed) error {
	sets := len(b.blocks[0].sets)
	if sets < 2 {
		return nil
	}
	without := map[string][]float64{}
	sums := make([]*crossed, len(b.blocks))
	for i := range sums {
		sums[i] = new(crossed)
	}
	for k := range sets {
		for i, block := range b.blocks {
			sums[i].setSum(totals[i], -1, block.sets[k])
		}
		for _, s := range statements {
			if all[s.Name].Err != nil {
				continue
			}
			switch v, err := b.valueFrom(s, sums); {
			case err == nil:
				without[s.Name] = append(without[s.Name], v)
			case !isUndefined(err):
				return fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	for name, values := range without {
		if a := all[name]; len(values) == sets {
			a.StdErr = jackknifeError(values)
			all[name] = a
		}
	}
	return nil
}

// valueFrom returns the value of a statement from the sums of all blocks.
func (b *battery) valueFrom(s Statement, sums []*crossed) (float64, error) {
	v := valueSum{statement: s.Name}
	for i, block := range b.blocks {
		if err := block.addTo(&v, sums[i]); err != nil {
			return 0, err
		}
	}
	return v.value()
}

// cannotHold returns why a statement cannot be expected to hold at the layer, "" if nothing speaks against it.
func (b *battery) cannotHold(s Statement) string {
	if s.Name != FACT && s.Name != BackFACT {
		return ""
	}
	switch decay := b.g.o.WeightDecay; {
	case b.info.Normed:
		return "a batch norm follows: the training loss does not depend on the scale of W, so that ⟨W, G⟩ is 0 and " +
			"cannot balance weight decay"
	case decay != nil && *decay == 0:
		return "the network was trained without weight decay, which this statement is about"
	}
	return ""
}
