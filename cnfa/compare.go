package cnfa

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
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
	ansatz      []Ansatz
	pearsonInit *float64
	s           graph.Moment // Σδδᵀ/n
}

// compare measures all layers. It consumes their moments.
func (g *gatherer) compare(ctx context.Context, sums *gathered, origins ...origin) ([]comparedLayer, error) {
	var all []comparedLayer
	for i, l := range g.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := g.compareLayer(l, sums.layers[i], origins)
		if err != nil {
			return nil, fmt.Errorf("cnfa: %s: %w", l.Name, err)
		}
		all = append(all, c)
		sums.layers[i] = nil // frees its memory
		g.o.report(Progress{"comparing", i + 1, len(g.layers)})
	}
	return all, nil
}

// compareLayer measures one layer. It draws the null from a random stream of the layer's name, which is the
// same in every comparison.
func (g *gatherer) compareLayer(l models.LayerInfo, m *moments, origins []origin) (comparedLayer, error) {
	r := comparedLayer{LayerInfo: l, s: m.mean()}
	f := newFilters(g.net.Filters(l.Name))
	w0, err := g.initial(f.w, l)
	if err != nil {
		return r, err
	}
	if r.pearsonInit, err = f.pearsonInit(w0); err != nil {
		return r, err
	}
	var cnfms []*cnfm
	for _, from := range origins {
		if from == fromInitial {
			cnfms = append(cnfms, f.cnfm(w0))
		} else {
			cnfms = append(cnfms, f.cnfm(nil))
		}
	}
	draws := g.o.NullDraws
	if min(l.Filters, l.PatchSize()) >= WideLayer {
		draws = min(draws, WideDraws)
	}
	r.ansatz, err = m.compare(f, cnfms, nullSpec{draws, g.o.Powers}, models.Stream(g.o.Seed, "null/"+l.Name))
	return r, err
}

// pearsonInit returns the similarity with the CNFM of W₀, nil where w0 is nil or it is not defined.
func (f *filters) pearsonInit(w0 *mat.Dense) (*float64, error) {
	if w0 == nil {
		return nil, nil
	}
	p, err := f.alike(w0)
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
