package cnfa

import (
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// HeadResult holds the ansatz at one head of an attention. It compares W_hᵀW_h and W_hᵀS_hW_h, where W_h holds the head's
// rows of W, and S_h is the block of S for these rows. In a projection that reads the outputs of the heads, W_h holds the
// head's columns, and the diagonal blocks W_hᵀW_h of the CNFM and W_hᵀSW_h of the AGOP are compared.
type HeadResult struct {
	Ansatz
	// PearsonInit is the similarity of the CNFMs of the head before and after training.
	PearsonInit *float64
}

// measuredLayer collects the moments of a layer and of its heads.
type measuredLayer struct {
	whole   layerMoments
	heads   []*moments
	columns bool           // the heads divide the columns of W
	others  *statementSums // further sums that statements need; nil if they need none
}

// newMeasuredLayer returns empty moments for a layer with filters W and, if heads is set, for its heads. It calls filters,
// which returns W, only if it needs W.
func newMeasuredLayer(l models.LayerInfo, heads bool, p graph.Precision, filters func() *mat.Dense) *measuredLayer {
	m := &measuredLayer{columns: l.HeadColumns}
	var blocks []*mat.Dense
	block := func(i int) func() *mat.Dense {
		return func() *mat.Dense {
			if blocks == nil {
				blocks = rowBlocks(filters(), l.Blocks())
			}
			return blocks[i]
		}
	}
	for i := range l.Blocks() {
		m.whole = append(m.whole, newMoments(l.BlockFilters(), l.PatchSize(), p, block(i)))
	}
	if !heads || l.Heads == 0 {
		return m
	}
	for _, w := range headFilters(l, filters()) {
		c, d := w.Dims()
		h := newMoments(c, d, p, func() *mat.Dense { return w })
		if m.columns {
			h.whole = m.whole[0]
		}
		m.heads = append(m.heads, h)
	}
	return m
}

// headFilters returns the filters of every head; nil for nil.
func headFilters(l models.LayerInfo, w *mat.Dense) []*mat.Dense {
	if l.HeadColumns {
		return columnBlocks(w, l.Heads)
	}
	return rowBlocks(w, l.Heads)
}

// folded holds what is kept of one group of images: the moments of every block, then of every head, and further sums.
type folded struct {
	moments []group
	others  *foldedSums
}

// fold returns what is kept of a group of images; x holds the sums of the [lossPass], if there is one. Several goroutines
// may call fold at a time.
func (m *measuredLayer) fold(g Group, x LossMoments) (f folded) {
	for i, b := range g.Moment.Blocks() {
		f.moments = append(f.moments, m.whole[i].fold(Group{g.Images, b}))
	}
	for i, h := range m.heads {
		f.moments = append(f.moments, h.fold(Group{g.Images, m.headMoment(g.Moment, i)}))
	}
	if m.others != nil {
		f.others = m.others.fold(g, x)
	}
	return f
}

// add adds the next group of images, as returned by fold.
func (m *measuredLayer) add(f folded, shared sharedInputs) {
	for i, b := range m.whole {
		b.add(f.moments[i])
	}
	for i, h := range m.heads {
		h.add(f.moments[len(m.whole)+i])
	}
	if m.others != nil {
		m.others.add(f.others, shared)
	}
}

// headMoment returns the moment of a head from that of the layer.
func (m *measuredLayer) headMoment(s moment.Moment, head int) moment.Moment {
	if m.columns {
		return s
	}
	n := s.N() / len(m.heads)
	return s.Part(head*n, (head+1)*n)
}
