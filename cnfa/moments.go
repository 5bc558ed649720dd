package cnfa

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"gonum.org/v1/gonum/mat"
)

// layerMoments collects the moments of a layer, block by block: one block per group, or a single one.
type layerMoments []*moments

// newLayerMoments returns empty moments for the given blocks of filters, of cotangents in a precision.
func newLayerMoments(blocks []*mat.Dense, p graph.Precision) layerMoments {
	var all layerMoments
	for _, w := range blocks {
		c, d := w.Dims()
		all = append(all, newMoments(c, d, p, func() *mat.Dense { return w }))
	}
	return all
}

// add adds the next group of images, whose moment has as many blocks.
func (m layerMoments) add(g Group) {
	for i, b := range g.Moment.Blocks() {
		m[i].add(m[i].fold(Group{g.Images, b}))
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

// moments collects the second moments of the cotangents of a block of a layer, for each group of images, in little memory.
// It keeps the moment S of a group in the smaller of the spaces of filters and patches, as S or WᵀSW, or as the vectors
// themselves if there are few. It keeps the sum in full, because the null needs its spectrum.
type moments struct {
	c, d   int        // of W
	w      *mat.Dense // W where d < c, else nil
	images int
	groups []group
	folded bool          // not all groups are kept as vectors
	total  *mat.SymDense // of the groups that are not; nil if all are
	// whole, if not nil, holds the same moments for all columns of the layer, of which W has some. It keeps the sum.
	whole    *moments
	rounding float64  // eigenvalues of S up to this fraction of the largest count as rounding errors
	basis    *reduced // the result of reduce, once computed
}

// doubleRounding is the relative rounding error of matrices computed in float64 from float32 numbers, singleRounding that
// of sums in float32: their errors reach 6e-8 of the largest eigenvalue of S, and small powers of these would be large.
const (
	doubleRounding = 1e-13
	singleRounding = 0x1p-23
)

// group holds what is kept of the moment of one group of images.
type group struct {
	images int
	core   *mat.SymDense // S or WᵀSW; nil if there are few vectors
	rows   moment.Moment // the vectors, if there are few
	full   *mat.SymDense // the whole moment, until it is added to the sum
}

// newMoments returns empty moments for a block of c filters on patches of d elements, of cotangents in precision p. It calls
// filters, which returns W, only if d < c.
func newMoments(c, d int, p graph.Precision, filters func() *mat.Dense) *moments {
	m := &moments{c: c, d: d, rounding: doubleRounding}
	if p == graph.Single {
		m.rounding = singleRounding
	}
	if d < c {
		m.w = filters()
	}
	return m
}

// fold returns what is kept of a group. It may be called for several groups at once.
func (m *moments) fold(g Group) group {
	if _, few := g.Moment.Factor(); few {
		return group{images: g.Images, rows: g.Moment}
	}
	return group{images: g.Images, core: m.core(g.Moment), full: g.Moment.Sym()}
}

// core returns S or, where d < c, WᵀSW.
func (m *moments) core(s moment.Moment) *mat.SymDense {
	if m.w == nil {
		return s.Sym()
	}
	return s.Sandwich(m.w)
}

// add adds the next group.
func (m *moments) add(g group) {
	m.images += g.images
	if g.full != nil {
		m.addTotal(g.full)
		g.full = nil
	}
	m.groups = append(m.groups, g)
}

// addTotal adds a moment to the sum.
func (m *moments) addTotal(s *mat.SymDense) {
	m.folded = true
	if m.whole != nil {
		return
	}
	if m.total == nil {
		m.total = mat.NewSymDense(s.SymmetricDim(), nil)
	}
	m.total.AddSym(m.total, s)
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

// reduced holds what the measures need: the moments of the groups and their sum, each reduced to its core, and the positive
// eigenvalues of S in ascending order.
type reduced struct {
	patches  bool            // the core of S is WᵀSW,
	q        *mat.Dense      // or else QᵀSQ, with Q a basis of filters; nil is the identity
	cores    []*mat.SymDense // of the groups, until they become the parts of an agopBlock
	total    *mat.SymDense
	spectrum []float64
	rounding float64 // of the cores
}

// reduce returns the moments in the smallest space. That is the range of S if all groups are held as vectors and there are
// fewer of these than filters or elements of a patch.
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
			m.groups[i].core = m.core(g.rows)
			m.addTotal(g.rows.Sym())
		}
	}
	r := &reduced{patches: m.w != nil, rounding: m.rounding}
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
	return above(m.rounding, values), nil
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
	out := &reduced{spectrum: positive(values), rounding: doubleRounding}
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

// positive returns those of the ascending eigenvalues of a matrix in float64 that are larger than rounding.
func positive(values []float64) []float64 { return above(doubleRounding, values) }

// above returns those of the values, in ascending order, that are larger than share times the largest.
func above(share float64, values []float64) []float64 {
	floor := share * values[len(values)-1]
	for len(values) > 0 && !(values[0] > floor) {
		values = values[1:]
	}
	return values
}
