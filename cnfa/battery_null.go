package cnfa

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/stat"
)

// nullDraws draws and stores the nulls of the statements whose null replaces U (left) or V (not left).
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
		if draw, err = b.frameDraws(totals, left); err != nil {
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
			if err != nil && !errors.Is(err, ErrZero) { // a zero or constant draw counts as similarity 0
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

// drawnValue returns the value of a statement in one draw of its null.
type drawnValue func(Statement) (float64, error)

// frameDraws returns a function that draws random directions in place of U, if left, or V, for all blocks.
func (b *battery) frameDraws(totals []*crossed, left bool) (func(*rand.Rand) (drawnValue, error), error) {
	blocks := make([]*blockNull, len(b.blocks))
	for i, block := range b.blocks {
		t, err := newBlockNull(block, totals[i], left)
		if errors.Is(err, ErrZero) {
			t, err = &blockNull{f: block.f, sum: totals[i]}, nil // no weights: nothing to replace
		}
		if err != nil {
			return nil, err
		}
		blocks[i] = t
	}
	return func(rng *rand.Rand) (drawnValue, error) {
		turns := make([]*blockDraw, len(blocks))
		for i, block := range blocks {
			var err error
			if turns[i], err = block.draw(rng); err != nil {
				return nil, err
			}
		}
		return func(s Statement) (float64, error) {
			v := valueSum{statement: s.Name}
			for i, block := range blocks {
				block.addTo(&v, turns[i])
			}
			return v.value()
		}, nil
	}, nil
}

// permuted returns a function that draws the null on the filter side if every group has one filter. No rotation changes
// a single filter, so the null permutes S_ℓ and the gradient among the groups.
func (b *battery) permuted(totals []*crossed) func(*rand.Rand) (drawnValue, error) {
	return func(rng *rand.Rand) (drawnValue, error) {
		sums := make([]*crossed, len(totals))
		for i, k := range rng.Perm(len(totals)) {
			x := *totals[i]
			x.loss, x.gradient = totals[k].loss, totals[k].gradient
			sums[i] = &x
		}
		return func(s Statement) (float64, error) { return b.valueFrom(s, sums) }, nil
	}
}
