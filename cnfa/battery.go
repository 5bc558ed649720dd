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
	"gonum.org/v1/gonum/stat"
)

// Errors of statements that cannot be measured at a layer or with what is known.
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
	labels bool // some image has one
	blocks []*crossedBlock
}

// powerAlignments returns the alignments of the statements about the AGOP, s, and about powers of it, by name. The powers
// are in the order of [exponents].
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

// measure returns the alignments of all statements in their order. Those about powers are in known.
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

// similarity measures the statements that are the ansatz with other filters or other gradients. It returns false for
// all others, unless they are not defined.
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

// rng returns the random numbers of a statement's null, the same in every comparison.
func (b *battery) rng(s Statement) *rand.Rand {
	return models.Stream(b.g.o.Seed, "null/"+s.Name+"/"+b.info.Name)
}

// ansatz returns the alignment of filters, of W or of its change, with moments of gradients.
func (b *battery) ansatz(s Statement, w *mat.Dense, m layerMoments) (Alignment, error) {
	l := newLayer(rowBlocks(w, b.info.Blocks()))
	all, err := m.compare(l, []*cnfm{l.cnfm(nil)}, nullSpec{draws: b.g.draws(b.info), threads: b.g.o.Threads}, b.rng(s))
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
		a, err := b.valued(s, totals)
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

// valued returns the alignment of a statement with its value only.
func (b *battery) valued(s Statement, totals []*crossed) (Alignment, error) {
	v, err := b.of(s, totals)
	if isUndefined(err) {
		return Alignment{Name: s.Name, Err: err}, nil
	}
	return Alignment{Name: s.Name, Value: v, StdErr: math.NaN()}, err
}

// jackknife sets the standard errors, from the values without one set of images at a time. A statement that is not
// defined without some set has none.
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
			switch v, err := b.of(s, sums); {
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

// of returns the value of a statement from the sums of all blocks.
func (b *battery) of(s Statement, sums []*crossed) (float64, error) {
	var all overlap
	var c commuting
	for i, block := range b.blocks {
		if s.Name != Commutator {
			all.add(block.f.overlapOf(s.Name, sums[i]))
			continue
		}
		u, sigma, _, err := block.singular()
		if err != nil && !errors.Is(err, ErrZero) {
			return 0, err
		}
		if err == nil {
			c.add(sigma, congruence(u, sums[i].outputs))
		}
	}
	if s.Name == Commutator {
		return c.share()
	}
	return all.pearson()
}

// nullDraws draws the nulls of those statements of which it replaces U, if left, or V, and sets theirs.
func (b *battery) nullDraws(statements []Statement, all map[string]Alignment, totals []*crossed, left bool) error {
	statements = slices.DeleteFunc(slices.Clone(statements), func(s Statement) bool {
		return (s.Turns == "U") != left || all[s.Name].Err != nil
	})
	if len(statements) == 0 {
		return nil
	}
	side := "patch"
	if left {
		side = "filters"
	}
	rng := models.Stream(b.g.o.Seed, "null/"+side+"/"+b.info.Name)
	draw := b.permuted(totals)
	if !left || b.info.BlockFilters() > 1 {
		var err error
		if draw, err = b.turning(totals, left); err != nil {
			return err
		}
	}
	draws := min(b.g.draws(b.info), crossedDraws)
	if max(b.info.BlockFilters(), b.info.PatchSize()) >= 2*WideLayer {
		draws = min(draws, WideDraws)
	}
	values := map[string][]float64{}
	for range draws {
		value, err := draw(rng)
		if err != nil {
			return err
		}
		for _, s := range statements {
			v, err := value(s)
			if err != nil && !errors.Is(err, ErrZero) { // where a draw is zero or constant it is not alike
				return err
			}
			values[s.Name] = append(values[s.Name], v)
		}
	}
	for _, s := range statements {
		a := all[s.Name]
		a.Draws = values[s.Name]
		a.Null, a.NullSD = stat.PopMeanStdDev(a.Draws, nil)
		all[s.Name] = a
	}
	return nil
}

// drawn returns the value of a statement in one draw of its null.
type drawn func(Statement) (float64, error)

// turning returns a function that draws random directions in place of U, if left, or V, for all blocks.
func (b *battery) turning(totals []*crossed, left bool) (func(*rand.Rand) (drawn, error), error) {
	blocks := make([]*turned, len(b.blocks))
	for i, block := range b.blocks {
		t, err := newTurned(block, totals[i], left)
		if errors.Is(err, ErrZero) {
			t, err = &turned{f: block.f, sum: totals[i]}, nil // no weights: nothing to replace
		}
		if err != nil {
			return nil, err
		}
		blocks[i] = t
	}
	return func(rng *rand.Rand) (drawn, error) {
		turns := make([]*turn, len(blocks))
		for i, block := range blocks {
			var err error
			if turns[i], err = block.draw(rng); err != nil {
				return nil, err
			}
		}
		return func(s Statement) (float64, error) {
			var all overlap
			var c commuting
			for i, block := range blocks {
				switch {
				case s.Name == Commutator && block.sigma != nil:
					c.add(block.sigma, turns[i].seen(block.sum.outputs))
				case s.Name != Commutator:
					all.add(block.overlap(s.Name, turns[i]))
				}
			}
			if s.Name == Commutator {
				return c.share()
			}
			return all.pearson()
		}, nil
	}, nil
}

// permuted returns a function that draws the null on the side of the filters where every group has one filter, which no
// rotation changes: it permutes what was measured there, S_ℓ and the gradient, among the groups.
func (b *battery) permuted(totals []*crossed) func(*rand.Rand) (drawn, error) {
	return func(rng *rand.Rand) (drawn, error) {
		sums := make([]*crossed, len(totals))
		for i, k := range rng.Perm(len(totals)) {
			x := *totals[i]
			x.loss, x.gradient = totals[k].loss, totals[k].gradient
			sums[i] = &x
		}
		return func(s Statement) (float64, error) { return b.of(s, sums) }, nil
	}
}

// cannotHold returns why a statement is not to be expected at the layer.
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
