package cnfa

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// origin says whose CNFM is compared: that of W, or of its change W − W₀.
type origin bool

const (
	fromZero    origin = false // W
	fromInitial origin = true  // W − W₀
)

// comparedLayer holds the ansatz at one layer, for the CNFM of every requested origin.
type comparedLayer struct {
	models.LayerInfo
	comparison
	heads      []comparison
	alignments []Alignment
	s          moment.Moment // Σδδᵀ/n
}

// comparison holds the ansatz of filters.
type comparison struct {
	ansatz      []Ansatz // for every origin
	pearsonInit *float64
}

// compare measures all layers, one at a time on each thread, the largest first. At most as many draws of nulls are made at a
// time as there are threads, whatever their layers, since each needs several matrices. It consumes the moments.
func (g *gatherer) compare(ctx context.Context, sums *gathered, origins ...origin) ([]comparedLayer, error) {
	g.labelled, g.drawing = sums.labelled > 0, make(chan struct{}, g.o.Threads)
	order := make([]int, len(g.layers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cost(g.layers[j]) - cost(g.layers[i]) })
	all := make([]comparedLayer, len(g.layers))
	defer backend.OneBLASThread()() // the sums are the same to the bit for any number of threads
	return all, parallel.Run(ctx, g.o.Threads, len(all),
		func(done int) { g.o.report(Progress{"comparing", done, len(all)}) },
		func(int) (func(context.Context, int) error, error) {
			return func(_ context.Context, task int) (err error) {
				i := order[task]
				if all[i], err = g.compareLayer(g.layers[i], sums.layers[i], origins); err != nil {
					return fmt.Errorf("cnfa: %s: %w", g.layers[i].Name, err)
				}
				sums.layers[i] = nil // frees its memory
				return nil
			}, nil
		})
}

// cost returns a number that grows with the time that a layer takes to compare.
func cost(l models.LayerInfo) int { return l.Filters * l.BlockFilters() }

// compareLayer measures one layer and its heads.
func (g *gatherer) compareLayer(l models.LayerInfo, m *measuredLayer, origins []origin) (comparedLayer, error) {
	r := comparedLayer{LayerInfo: l, s: m.whole.mean()}
	w := g.net.Filters(l.Name)
	w0, err := g.initial(w, l)
	if err != nil {
		return r, err
	}
	whole := comparisonInput{l.Name, rowBlocks(w, l.Blocks()), rowBlocks(w0, l.Blocks()), m.whole, g.draws(l)}
	if r.comparison, r.alignments, err = g.compareWhole(l, m, whole, w, w0, origins); err != nil || m.heads == nil {
		return r, err
	}
	heads, heads0 := headFilters(l, w), headFilters(l, w0)
	for i, h := range m.heads {
		one := comparisonInput{fmt.Sprintf("%s/head %d", l.Name, i), heads[i : i+1], nil, layerMoments{h}, g.draws(l)}
		if heads0 != nil {
			one.w0 = heads0[i : i+1]
		}
		c, err := g.compareBlocks(one, g.o.Powers, origins)
		if err != nil {
			return r, err
		}
		r.heads = append(r.heads, c)
	}
	return r, nil
}

// compareWhole measures a layer and the statements about it.
func (g *gatherer) compareWhole(l models.LayerInfo, m *measuredLayer, whole comparisonInput, w, w0 *mat.Dense,
	origins []origin) (r comparison, all []Alignment, err error) {
	statements, err := g.o.statements()
	if err != nil || len(statements) == 0 {
		r, err = g.compareBlocks(whole, g.o.Powers, origins)
		return r, nil, err
	}
	powers, measured := slices.Concat(g.o.Powers, exponents(statements)), slices.Clone(origins)
	at := slices.Index(measured, fromZero) // the statements are about the CNFM of W
	if at < 0 {
		at, measured = len(measured), append(measured, fromZero)
	}
	if r, err = g.compareBlocks(whole, powers, measured); err != nil {
		return r, nil, err
	}
	own := r.ansatz[at]
	var ofStatements []PowerSimilarity
	if own.Err == nil {
		ofStatements = own.Powers[len(g.o.Powers):]
	}
	r.ansatz = r.ansatz[:len(origins)]
	for i, a := range r.ansatz {
		r.ansatz[i].Powers = a.Powers[:min(len(g.o.Powers), len(a.Powers))]
	}
	b := battery{g: g, info: l, m: m, w: w, w0: w0, labels: g.labelled}
	all, err = b.measure(statements, powerAlignments(statements, own, ofStatements))
	return r, all, err
}

// draws returns the number of draws of the null of a layer.
func (g *gatherer) draws(l models.LayerInfo) int {
	if min(l.BlockFilters(), l.PatchSize()) >= WideLayer {
		return min(g.o.NullDraws, WideDraws)
	}
	return g.o.NullDraws
}

// comparisonInput holds what is compared: blocks of the filters W and W₀ (nil if it is not known), with their moments.
type comparisonInput struct {
	name    string
	w, w0   []*mat.Dense
	moments layerMoments
	draws   int
}

// compareBlocks measures a layer or a head. It draws the null from a random stream with the name of the layer or head,
// which is the same in every comparison.
func (g *gatherer) compareBlocks(c comparisonInput, powers []float64, origins []origin) (r comparison, err error) {
	l := newLayer(c.w)
	if r.pearsonInit, err = l.pearsonInit(c.w0); err != nil {
		return r, err
	}
	var cnfms []*cnfm
	for _, from := range origins {
		if from == fromInitial {
			cnfms = append(cnfms, l.cnfm(c.w0))
		} else {
			cnfms = append(cnfms, l.cnfm(nil))
		}
	}
	spec := nullSpec{c.draws, powers, g.o.Threads, g.drawing}
	r.ansatz, err = c.moments.compare(l, cnfms, spec, models.Stream(g.o.Seed, "null/"+c.name))
	return r, err
}

// pearsonInit returns the similarity of the CNFMs of W and of W₀, nil if w0 is nil or the similarity is not defined.
func (l layer) pearsonInit(w0 []*mat.Dense) (*float64, error) {
	if w0 == nil {
		return nil, nil
	}
	p, err := l.pearsonWith(w0)
	if errors.Is(err, ErrZero) {
		return nil, nil
	}
	return &p, err
}

// initial returns W₀ of a layer with filters W, nil if it is unknown.
func (g *gatherer) initial(w *mat.Dense, l models.LayerInfo) (*mat.Dense, error) {
	if g.o.Initial == nil {
		return nil, nil
	}
	w0 := g.o.Initial.Filters(l.Name)
	if w0 == nil {
		return nil, errors.New("the initial network has no such layer")
	}
	c, d := w.Dims()
	if c0, d0 := w0.Dims(); c0 != c || d0 != d {
		return nil, fmt.Errorf("filters of %d×%d, the initial ones are %d×%d", c, d, c0, d0)
	}
	return w0, nil
}
