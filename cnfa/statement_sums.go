package cnfa

import (
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// CrossedSets is the largest number of sets of images in the jackknife of statements about the loss, the input and the
// commutator, which leaves out one set at a time. WideSets is the same at a layer with at least [WideLayer] filters or
// patch elements. All sets are in memory, each with matrices of that many rows.
//
// CrossedDraws is the largest number of draws of the nulls of these statements. There are fewer than of the ansatz, because
// each needs a product with a matrix with as many rows as a patch has elements: at most [WideDraws] at a layer with at least
// twice [WideLayer] filters or patch elements.
const (
	CrossedDraws = 25

	CrossedSets = 10
	WideSets    = 5
)

// crossedDraws is CrossedDraws; tests change it.
var crossedDraws = CrossedDraws

// statementSums collects the sums at a layer that statements need besides the moments of the ansatz.
type statementSums struct {
	needs  needs
	loss   layerMoments // of the gradients of the loss
	change layerMoments // of the gradients of the outputs, for the change of W
	sets   [][]*crossed // by block
	groups int          // of images, in all
	added  int
}

// newStatementSums returns empty sums for a layer with filters W and, if they are needed and known, W₀.
func newStatementSums(l models.LayerInfo, n needs, o Options, whole layerMoments, w, w0 *mat.Dense) *statementSums {
	s := &statementSums{needs: n, groups: o.Groups}
	for range l.Blocks() {
		s.sets = append(s.sets, make([]*crossed, crossedSets(l, o.Groups)))
	}
	if n.lossPass() {
		s.loss = newLayerMoments(rowBlocks(w, l.Blocks()), o.Precision)
	}
	if !n.initial || w0 == nil || o.FreshInitial {
		return s
	}
	var change mat.Dense
	change.Sub(w, w0)
	s.change = newLayerMoments(rowBlocks(&change, l.Blocks()), o.Precision)
	for i, m := range s.change {
		m.whole = whole[i]
	}
	return s
}

// crossedSets returns the number of sets of images at a layer, for so many groups.
func crossedSets(l models.LayerInfo, groups int) int {
	if max(l.BlockFilters(), l.PatchSize()) >= WideLayer {
		return min(groups, WideSets)
	}
	return min(groups, CrossedSets)
}

// bytes returns the memory of the sums of a layer: those of sets of images, and the moments of all groups of the loss and,
// where they are not those of the ansatz, for the change of W.
func (n needs) bytes(l models.LayerInfo, o Options) int64 {
	b, c, d := int64(l.Blocks()), int64(l.BlockFilters()), int64(l.PatchSize())
	set, all := int64(0), int64(0)
	if n.outputs {
		set += c * c
	}
	if n.lossPass() {
		set += c * c
		all += momentBytes(c, d, int64(o.Groups), int64(o.largestGroup()*l.Positions))
	}
	if n.inputs {
		set += d*d + c*c
	}
	if n.gradient {
		set += c * d
	}
	if n.initial && d < c {
		all += 8 * int64(o.Groups) * d * d
	}
	return b * (8*set*int64(crossedSets(l, o.Groups)+2) + all)
}

// foldedSums is what is kept of one group of images.
type foldedSums struct {
	loss, change []group
	sums         []*crossed // by block
}

// fold returns what is kept of a group of images with the moments g of the ansatz. Several goroutines may call it at a
// time.
func (s *statementSums) fold(g Group, x LossMoments) *foldedSums {
	f := new(foldedSums)
	outputs := g.Moment.Blocks()
	for range outputs {
		f.sums = append(f.sums, new(crossed))
	}
	if s.needs.outputs {
		for i, b := range outputs {
			f.sums[i].outputs = b.Sym()
		}
	}
	if s.change != nil {
		for i, b := range outputs {
			f.change = append(f.change, s.change[i].fold(Group{g.Images, b}))
		}
	}
	if !s.needs.lossPass() {
		return f
	}
	for i, b := range x.Loss.Blocks() {
		f.loss = append(f.loss, s.loss[i].fold(Group{g.Images, b}))
		f.sums[i].loss = b.Sym()
	}
	if s.needs.inputs {
		for i, b := range x.Inputs.Blocks() {
			f.sums[i].inputs = b.Sym()
		}
	}
	for i, b := range rowBlocks(x.Gradient, len(outputs)) {
		f.sums[i].gradient = b
	}
	return f
}

// add adds the next group of images. The sums keep the matrices of f.
func (s *statementSums) add(f *foldedSums, shared sharedInputs) {
	for i, g := range f.loss {
		s.loss[i].add(g)
	}
	for i, g := range f.change {
		s.change[i].add(g)
	}
	for i, sets := range s.sets {
		k := s.added * len(sets) / s.groups
		if sets[k] == nil {
			sets[k] = f.sums[i]
			sets[k].begin(len(sets), shared)
		} else {
			sets[k].add(f.sums[i], len(sets), shared)
		}
	}
	s.added++
}

// crossedBlocks returns the sums, block by block, for blocks of filters W.
func (s *statementSums) crossedBlocks(blocks []*mat.Dense) (all []*crossedBlock) {
	for i, w := range blocks {
		for _, x := range s.sets[i] {
			if x.inputs != nil {
				x.read = congruence(mat.DenseCopyOf(w.T()), x.inputs)
			}
		}
		all = append(all, &crossedBlock{f: newFilters(w), sets: s.sets[i]})
	}
	return all
}
