package backend

import "github.com/ansatz-lab/ansatz/internal/parallel"

// correlation is what convolutions and their adjoints in the images are: at
// the positions on two axes, a patch of the source is multiplied with filters.
// It follows from shapes alone and is made once for each.
type correlation struct {
	n          int // images
	rows, cols axis
	in, out    int // channels of the source and of the destination
	outH, outW int // of the destination

	pieces
	starts   []int // where the patches of a whole piece start
	targets  []int // where their results go
	lefts    []int // where the first patch of every line starts
	sections []section

	// For every element of a patch:
	elements []int // where it is, from where the patch starts
	weights  []int // where its weight is, among those of an output channel

	apart int // how far the weights of output channels are apart
}

// section is a part of a patch: k elements from every tap on.
type section struct {
	taps  []int // from where the patch starts
	k     int
	first int // the number of elements of the patch that come before
}

// size is the number of elements.
func (s *section) size() int { return len(s.taps) * s.k }

// sectionSize is the largest number of elements of a section: a panel of as
// many rows fits in the first level cache.
const sectionSize = 320

// forward is the correlation that a convolution is.
func forward(s ConvShape, threads int) *correlation {
	g := &correlation{
		n:    s.N,
		rows: forwardAxis(s.H, s.OutH(), s.KH, s.StrideH, s.PadH, s.DilateH),
		cols: forwardAxis(s.W, s.OutW(), s.KW, s.StrideW, s.PadW, s.DilateW),
		in:   s.C, out: s.Filters, outH: s.OutH(), outW: s.OutW(),
		apart: s.PatchSize(),
	}
	g.prepare(threads, s.KW, s.KH*s.KW)
	return g
}

// adjoint are the correlations that its adjoint is.
func adjoint(s ConvShape, threads int) []*correlation {
	var all []*correlation
	for _, rows := range adjointAxes(s.H, s.OutH(), s.KH, s.StrideH, s.PadH, s.DilateH) {
		for _, cols := range adjointAxes(s.W, s.OutW(), s.KW, s.StrideW, s.PadW, s.DilateW) {
			g := &correlation{
				n: s.N, rows: rows, cols: cols,
				in: s.Filters, out: s.C, outH: s.H, outW: s.W,
				apart: s.KH * s.KW,
			}
			g.prepare(threads, s.KW, s.PatchSize())
			all = append(all, g)
		}
	}
	return all
}

// prepare fills in what follows from the axes. In the weights of an output
// channel, rows of the filter are kw apart and channels of the source apart.
func (g *correlation) prepare(threads, kw, apart int) {
	g.pieces = divide(g, threads)
	g.positions()
	g.cut()
	for i, r := range g.rows.filter {
		for j, c := range g.cols.filter {
			for channel := range g.in {
				g.elements = append(g.elements, g.rows.taps[i]*g.line+g.cols.taps[j]*g.in+channel)
				g.weights = append(g.weights, channel*apart+r*kw+c)
			}
		}
	}
}

// positions lists the positions of a whole piece. Those of one with fewer
// lines, or fewer images, come first.
func (g *correlation) positions() {
	for n := range g.images {
		for r := range g.lines {
			left := n*g.image + r*g.rows.step*g.line
			g.lefts = append(g.lefts, left)
			row := n*g.outH + g.rows.target + r*g.rows.stride
			for c := range g.cols.count {
				g.starts = append(g.starts, left+c*g.cols.step*g.in)
				g.targets = append(g.targets, (row*g.outW+g.cols.target+c*g.cols.stride)*g.out)
			}
		}
	}
}

// cut divides the patch into sections.
func (g *correlation) cut() {
	taps, k := g.runs()
	if k <= sectionSize {
		count := parallel.Evenly(len(taps), sectionSize/k)
		for i := 0; i < len(taps); i += count {
			g.sections = append(g.sections, section{taps[i:min(i+count, len(taps))], k, i * k})
		}
		return
	}
	some := parallel.Evenly(k, sectionSize)
	for i, tap := range taps {
		for p := 0; p < k; p += some {
			g.sections = append(g.sections, section{[]int{tap + p}, min(some, k-p), i*k + p})
		}
	}
}

// runs divides the patch into elements that follow one another, k from every
// tap on.
func (g *correlation) runs() (taps []int, k int) {
	for _, r := range g.rows.taps {
		if g.cols.adjacent() {
			taps = append(taps, r*g.line)
			continue
		}
		for _, c := range g.cols.taps {
			taps = append(taps, r*g.line+c*g.in)
		}
	}
	return taps, len(g.rows.taps) * len(g.cols.taps) * g.in / len(taps)
}

// patch is the number of elements of a patch.
func (g *correlation) patch() int { return len(g.elements) }
