package cnfa

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"gonum.org/v1/gonum/mat"
)

// layerMoments collects the moments of a layer, block by block: one a group, or one for all.
type layerMoments []*moments

// newLayerMoments returns empty moments for the given blocks of filters.
func newLayerMoments(blocks []*mat.Dense) (layerMoments, error) {
	var all layerMoments
	for _, w := range blocks {
		c, d := w.Dims()
		m, err := newMoments(c, d, func() *mat.Dense { return w })
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// add adds the next group of images, whose moment has as many blocks.
func (m layerMoments) add(g Group) {
	for i, b := range g.Moment.Blocks() {
		m[i].add(Group{g.Images, b})
	}
}

// mean returns Σδδᵀ/n over all images.
func (m layerMoments) mean() moment.Moment {
	blocks := make([]moment.Moment, len(m))
	for i, b := range m {
		blocks[i] = b.mean()
	}
	return moment.OfBlocks(blocks)
}

// moments collects the second moments of the cotangents of a block of a layer, group by group of the images, in little
// memory. It keeps the moment of a group as its core, on the smaller of the space of the filters and the range of W, or
// as the vectors themselves where there are few. It keeps the sum in full, because the null needs its spectrum.
type moments struct {
	c, d   int        // of W
	q      *mat.Dense // basis of the range of W where d < c, else nil
	images int
	groups []group
	folded bool          // not all groups are kept as vectors
	total  *mat.SymDense // of the groups that are not; nil if all are
	// whole, if not nil, are the same moments for all columns of the layer, of which W are some. They keep the sum.
	whole *moments
	basis *reduced // what reduce returned
}

// group holds the core of one group of images, or its vectors.
type group struct {
	core *mat.SymDense
	rows moment.Moment
}

// newMoments returns empty moments for a block of c filters on patches of d elements. It calls filters, which
// returns W, only where d < c.
func newMoments(c, d int, filters func() *mat.Dense) (*moments, error) {
	m := &moments{c: c, d: d}
	if d < c {
		var err error
		if m.q, err = rangeOf(filters()); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// add adds the next group.
func (m *moments) add(g Group) {
	m.images += g.Images
	if _, few := g.Moment.Factor(); few {
		m.groups = append(m.groups, group{rows: g.Moment})
		return
	}
	m.groups = append(m.groups, group{core: m.fold(g.Moment)})
}

// fold adds a moment to the total and returns its core.
func (m *moments) fold(g moment.Moment) *mat.SymDense {
	m.folded = true
	s := g.Sym()
	if m.whole == nil {
		if m.total == nil {
			m.total = mat.NewSymDense(g.N(), nil)
		}
		m.total.AddSym(m.total, s)
	}
	if m.q == nil {
		return s
	}
	return g.Sandwich(m.q)
}

// mean returns Σδδᵀ/n over all images.
func (m *moments) mean() moment.Moment {
	all := make([]moment.Moment, 0, len(m.groups)+1)
	for _, g := range m.groups {
		if g.core == nil {
			all = append(all, g.rows)
		}
	}
	if m.total != nil {
		all = append(all, moment.Of(m.total))
	}
	return moment.Sum(all, 1/float64(m.images))
}

// reduced holds what the measures need: the cores of the groups and their sum on a basis (nil for the
// identity), and the positive eigenvalues of S in ascending order.
type reduced struct {
	q        *mat.Dense
	cores    []*mat.SymDense
	total    *mat.SymDense
	spectrum []float64
}

// reduce returns the moments on the smallest basis. It is that of the range of S where all groups are vectors,
// and fewer than the other bases have dimensions.
func (m *moments) reduce() (*reduced, error) {
	if m.basis == nil {
		var err error
		if m.basis, err = m.onSmallest(); err != nil {
			return nil, err
		}
	}
	return m.basis, nil
}

func (m *moments) onSmallest() (*reduced, error) {
	if !m.folded {
		all := moment.Sum(m.rowMoments(), 1)
		if r, few := all.Factor(); few {
			if n, _ := r.Dims(); n < min(m.c, m.d) {
				return m.onRows(r)
			}
		}
	}
	for i, g := range m.groups {
		if g.core == nil {
			m.groups[i].core = m.fold(g.rows)
		}
	}
	r := &reduced{q: m.q}
	var err error
	if r.spectrum, err = m.spectrum(); err != nil {
		return nil, err
	}
	for _, g := range m.groups {
		r.add(g.core)
	}
	return r, nil
}

// spectrum returns the positive eigenvalues of S, once all groups are in the total.
func (m *moments) spectrum() ([]float64, error) {
	if m.whole != nil {
		r, err := m.whole.reduce()
		if err != nil {
			return nil, err
		}
		return r.spectrum, nil
	}
	values, _, err := backend.EigenSym(m.total, false)
	if err != nil {
		return nil, err
	}
	return positive(values), nil
}

func (m *moments) rowMoments() []moment.Moment {
	var all []moment.Moment
	for _, g := range m.groups {
		all = append(all, g.rows)
	}
	return all
}

// onRows returns the moments on the range of RᵀR, for an R of few rows. With RRᵀ = UΛUᵀ its basis is RᵀUΛ^{−½}.
func (m *moments) onRows(r *mat.Dense) (*reduced, error) {
	n, _ := r.Dims()
	rr := mat.NewSymDense(n, nil)
	rr.SymOuterK(1, r)
	values, u, err := backend.EigenSym(rr, true)
	if err != nil {
		return nil, err
	}
	out := &reduced{spectrum: positive(values)}
	if len(out.spectrum) == 0 {
		return nil, ErrZero
	}
	first := n - len(out.spectrum)
	out.q = new(mat.Dense)
	out.q.Mul(r.T(), u.Slice(0, n, first, n))
	scaleColumns(out.q, values[first:], func(v float64) float64 { return 1 / math.Sqrt(v) })
	for _, g := range m.groups {
		out.add(g.rows.Sandwich(out.q))
	}
	return out, nil
}

func (r *reduced) add(core *mat.SymDense) {
	if r.total == nil {
		r.total = mat.NewSymDense(core.SymmetricDim(), nil)
	}
	r.total.AddSym(r.total, core)
	r.cores = append(r.cores, core)
}

// rangeOf returns an orthonormal basis, c×d, of the range of W, c×d with d ≤ c.
func rangeOf(w *mat.Dense) (*mat.Dense, error) {
	_, d := w.Dims()
	m := mat.NewSymDense(d, nil)
	m.SymOuterK(1, w.T())
	values, v, err := backend.EigenSym(m, true)
	if err != nil {
		return nil, err
	}
	var q mat.Dense
	q.Mul(w, v)
	scaleColumns(&q, values, func(x float64) float64 { return 1 / math.Sqrt(x) })
	return &q, nil
}

// positive returns those of the ascending eigenvalues that are larger than rounding.
func positive(values []float64) []float64 {
	floor := 1e-13 * values[len(values)-1]
	for len(values) > 0 && !(values[0] > floor) {
		values = values[1:]
	}
	return values
}
