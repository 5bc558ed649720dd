package backend

import "github.com/ansatz-lab/ansatz/graph/backend/kernel"

// ConvolveWeights is a matrix product that sums over the positions: the
// patches, transposed, times the gradients. The patches are read in place, the
// gradients are packed.
func (e *single) ConvolveWeights(s ConvShape, x, dy, dw []float32) error {
	if s.Groups > 1 {
		return e.convolveWeightsGroups(e, s, x, dy, dw)
	}
	g := e.correlation(s)
	parts := 1
	if g.patch() >= longPatch*e.threads {
		e.sumPatch(g, x, dy)
	} else {
		parts = e.sumPieces(g, x, dy)
	}
	e.parallel(s.Filters, weightFilters, func(part, lo, hi int) {
		for ; lo < hi; lo += weightFilters {
			e.writeWeights(s, parts, lo, min(lo+weightFilters, hi), dw, &e.lanes[part].b)
		}
	})
	return nil
}

// longPatch is the number of elements of a patch per thread from which packing the gradients in every thread costs hardly
// any time in comparison.
const longPatch = 512

// sumPatch divides the patch among the threads, each of which packs all the
// gradients. All write to the sums of lane 0.
func (e *single) sumPatch(g *correlation, x, dy []float32) {
	e.lanes[0].sums = grown(e.lanes[0].sums, g.patch()*g.out)
	e.parallel(g.patch(), e.kernels.Rows(), func(part, lo, hi int) {
		for i := range g.count() {
			g.addWeights(&e.lanes[part], g.piece(i), x, dy, lo, hi, e.lanes[0].sums, i > 0)
		}
	})
}

// sumPieces divides the pieces among the threads, each of which has its own sums.
// It returns the number of threads used.
func (e *single) sumPieces(g *correlation, x, dy []float32) int {
	return e.parallel(g.count(), 1, func(part, lo, hi int) {
		l := &e.lanes[part]
		l.sums = grown(l.sums, g.patch()*g.out)
		for i := lo; i < hi; i++ {
			g.addWeights(l, g.piece(i), x, dy, 0, g.patch(), l.sums, i > lo)
		}
	})
}

// addWeights computes the products of a piece for the elements lo to hi of the
// patches, and adds them to sums or, without add, overwrites sums, (row, column,
// channel, filter).
func (g *correlation) addWeights(l *lane, p piece, x, dy []float32, lo, hi int, sums []float32, add bool) {
	a, size := g.read(p, x, &l.images), g.size(p)
	l.b = grown(l.b, size*l.kernels.Padded(g.out))
	packRows(l.kernels, size, g.out, dy[(p.image*g.outH+p.line)*g.outW*g.out:], g.out, l.b)
	l.out = grown(l.out, hi-lo)
	for i := range l.out {
		l.out[i] = (lo + i) * g.out
	}
	l.tile = kernel.Tile{
		A: a, Taps: g.lefts[:p.images*p.lines], Step: g.cols.step * g.in, K: g.cols.count,
		B: l.b, C: sums, Add: add,
	}
	l.sweep(g.elements[lo:hi], l.out, g.out)
	l.tile = kernel.Tile{}
}

const (
	// weightFilters is the number of filters whose gradients are written at a
	// time, and weightElements about how many elements of each: they fit in
	// the cache.
	weightFilters  = 64
	weightElements = 128
)

// writeWeights adds up the sums of the first lanes and writes the filters lo to
// hi in PyTorch's order.
func (e *single) writeWeights(s ConvShape, lanes, lo, hi int, dw []float32, room *[]float32) {
	taps := s.KH * s.KW
	channels := max(1, weightElements/taps)
	for c := 0; c < s.C; c += channels {
		width := min(channels, s.C-c) * taps
		// With an odd stride, filters do not compete for the same cache sets.
		ld := width | 1
		block := grown(*room, (hi-lo)*ld)
		for i := range lanes {
			addTransposed(s, e.lanes[i].sums, c, width/taps, lo, hi, block, ld, i > 0)
		}
		for f := lo; f < hi; f++ {
			copy(dw[(f*s.C+c)*taps:][:width], block[(f-lo)*ld:])
		}
		*room = block
	}
}

// addTransposed adds the sums of some channels and of the filters lo to hi to block
// or, without add, overwrites it. The block is (filter, channel, row, column).
func addTransposed(s ConvShape, sums []float32, channel, channels, lo, hi int, block []float32, ld int, add bool) {
	taps := s.KH * s.KW
	for t := range taps {
		for c := range channels {
			at := c*taps + t
			for _, v := range sums[(t*s.C+channel+c)*s.Filters:][lo:hi] {
				if add {
					v += block[at]
				}
				block[at] = v
				at += ld
			}
		}
	}
}
