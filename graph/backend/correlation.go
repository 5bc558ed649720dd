package backend

import "github.com/ansatz-lab/ansatz/internal/parallel"

// correlation describes a convolution, or a part of its adjoint in the images: at every position on two axes, a patch
// of the source is multiplied with filters. It depends only on shapes and is made once for each.
type correlation struct {
	n          int // images
	rows, cols axis
	in, out    int // channels of the source and of the destination
	outH, outW int // of the destination

	pieces
	starts   []int // offsets of the patches of a whole piece
	targets  []int // offsets of their results
	lefts    []int // offsets of the first patch of every line
	sections []section

	// For every element of a patch:
	elements []int // its offset from the start of the patch
	weights  []int // the offset of its weight among those of an output channel

	weightStride int // between the weights of successive output channels
}

// section is a part of a patch: k consecutive elements from every tap on.
type section struct {
	taps  []int // offsets from the start of the patch
	k     int
	first int // the number of elements of the patch in earlier sections
}

// size returns the number of elements.
func (s *section) size() int { return len(s.taps) * s.k }

// sectionSize is the largest number of elements of a section: a panel with that
// many rows fits in the first level cache.
const sectionSize = 320

// forward returns the correlation of a convolution.
func forward(s ConvShape, threads int) *correlation {
	g := &correlation{
		n:    s.N,
		rows: forwardAxis(s.H, s.OutH(), s.KH, s.StrideH, s.PadH, s.DilateH),
		cols: forwardAxis(s.W, s.OutW(), s.KW, s.StrideW, s.PadW, s.DilateW),
		in:   s.C, out: s.Filters, outH: s.OutH(), outW: s.OutW(),
		weightStride: s.PatchSize(),
	}
	g.prepare(threads, s.KW, s.KH*s.KW)
	return g
}

// adjoint returns the correlations that together are the adjoint of a convolution in the images.
func adjoint(s ConvShape, threads int) []*correlation {
	var all []*correlation
	for _, rows := range adjointAxes(s.H, s.OutH(), s.KH, s.StrideH, s.PadH, s.DilateH) {
		for _, cols := range adjointAxes(s.W, s.OutW(), s.KW, s.StrideW, s.PadW, s.DilateW) {
			g := &correlation{
				n: s.N, rows: rows, cols: cols,
				in: s.Filters, out: s.C, outH: s.H, outW: s.W,
				weightStride: s.KH * s.KW,
			}
			g.prepare(threads, s.KW, s.PatchSize())
			all = append(all, g)
		}
	}
	return all
}

// prepare sets the fields that follow from the axes. In the weights of an output channel, rows of the filter are kw
// elements apart, and channels of the source are channelStride elements apart.
func (g *correlation) prepare(threads, kw, channelStride int) {
	g.pieces = divide(g, threads)
	g.positions()
	g.cut()
	for i, r := range g.rows.filter {
		for j, c := range g.cols.filter {
			for channel := range g.in {
				g.elements = append(g.elements, g.rows.taps[i]*g.line+g.cols.taps[j]*g.in+channel)
				g.weights = append(g.weights, channel*channelStride+r*kw+c)
			}
		}
	}
}

// positions lists the positions of a whole piece, in such an order that a piece with fewer lines or images consists of
// the first ones.
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

// runs divides the patch into runs of k adjacent elements, one from every tap on.
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

// patch returns the number of elements of a patch.
func (g *correlation) patch() int { return len(g.elements) }

// axis is one direction of a correlation, along the rows or the columns of its images. Every position on it reads some
// elements of the source, the taps, and writes one element of the destination. The source is padded with zeros at both
// ends.
type axis struct {
	size   int   // of the source
	origin int   // the first element that position 0 reads; negative in the padding
	step   int   // in the source, between successive positions
	count  int   // of positions
	taps   []int // the elements that a position reads, relative to the first, ascending
	filter []int // the row or column of the filter for every tap

	target, stride int // position i writes element target + i·stride
}

// reach returns the length of the range of elements that count positions read.
func (a *axis) reach(count int) int { return (count-1)*a.step + a.taps[len(a.taps)-1] + 1 }

// inside reports whether no position reads the padding.
func (a *axis) inside() bool { return a.origin >= 0 && a.origin+a.reach(a.count) <= a.size }

// adjacent reports whether the taps are adjacent.
func (a *axis) adjacent() bool { return a.taps[len(a.taps)-1] == len(a.taps)-1 }

// forwardAxis returns the axis of a convolution from in to out elements: position i reads the elements
// i·stride − pad + t·dilate for every t < kernel.
func forwardAxis(in, out, kernel, stride, pad, dilate int) axis {
	a := axis{size: in, origin: -pad, step: stride, count: out, stride: 1}
	for t := range kernel {
		a.taps = append(a.taps, t*dilate)
		a.filter = append(a.filter, t)
	}
	return a
}

// adjointAxes returns the axes of the adjoint of a convolution. The positions (e + pad − t·dilate)/stride that are
// integers read element e of the input. Every stride-th e has integers for the same t, and these e are the positions of
// one axis. Elements that no position reads are on no axis.
func adjointAxes(in, out, kernel, stride, pad, dilate int) []axis {
	var axes []axis
	for first := range min(stride, in) {
		a := axis{size: out, step: 1, count: (in - first + stride - 1) / stride, target: first, stride: stride}
		for t := kernel - 1; t >= 0; t-- {
			at := first + pad - t*dilate
			if at%stride != 0 {
				continue
			}
			if len(a.taps) == 0 {
				a.origin = at / stride
			}
			a.taps = append(a.taps, at/stride-a.origin)
			a.filter = append(a.filter, t)
		}
		if len(a.taps) > 0 {
			axes = append(axes, a)
		}
	}
	return axes
}

// pieces divides the positions of a correlation into pieces that are computed
// one at a time: some images, or some lines of one image.
type pieces struct {
	images, lines int // of a whole piece
	bands         int // pieces of one image

	direct      bool // patches are read in place, not in a padded copy
	line, image int  // distances between successive lines and images of a piece
}

// piece is a range of images and of lines.
type piece struct{ image, images, line, lines int }

// pieceSize is the number of positions of a piece, if the correlation has that many. Filter elements in the cache are
// reused for all of them.
const pieceSize = 256

func divide(g *correlation, threads int) pieces {
	p := pieces{images: 1, lines: g.rows.count, direct: g.rows.inside() && g.cols.inside()}
	if each := g.rows.count * g.cols.count; each < pieceSize {
		p.images = min(pieceSize/each, (g.n+threads-1)/threads)
	}
	if p.images == 1 {
		share := (g.n*g.rows.count + threads - 1) / threads
		p.lines = min(p.lines, share, max(1, pieceSize/g.cols.count))
	}
	p.bands = (g.rows.count + p.lines - 1) / p.lines
	width, height := g.cols.reach(g.cols.count), g.rows.reach(p.lines)
	if p.direct {
		width, height = g.cols.size, g.rows.size
	}
	p.line = width * g.in
	p.image = height * p.line
	return p
}

// count returns the number of pieces.
func (g *correlation) count() int { return (g.n + g.images - 1) / g.images * g.bands }

func (g *correlation) piece(i int) piece {
	image, line := i/g.bands*g.images, i%g.bands*g.lines
	return piece{image, min(g.images, g.n-image), line, min(g.lines, g.rows.count-line)}
}

// size returns the number of positions of a piece.
func (g *correlation) size(p piece) int { return p.images * p.lines * g.cols.count }

// read returns x from the start of a piece's first patch on or, if positions read padding, a padded copy in room.
func (g *correlation) read(p piece, x []float32, room *[]float32) []float32 {
	first := g.rows.origin + p.line*g.rows.step
	size := g.rows.size * g.cols.size * g.in
	if g.direct {
		return x[p.image*size+(first*g.cols.size+g.cols.origin)*g.in:]
	}
	*room = grown(*room, p.images*g.image)
	for n := range p.images {
		image, dst := x[(p.image+n)*size:][:size], (*room)[n*g.image:]
		for i := range g.rows.reach(p.lines) {
			g.readLine(first+i, image, dst[i*g.line:][:g.line])
		}
	}
	return *room
}

// readLine copies row r of an image with the zeros on its left and right.
func (g *correlation) readLine(r int, image, dst []float32) {
	if r < 0 || r >= g.rows.size {
		clear(dst)
		return
	}
	width := g.cols.size * g.in
	row := image[r*width:][:width]
	if left := g.cols.origin * g.in; left >= 0 {
		row = row[min(left, width):]
	} else {
		zeros := min(-left, len(dst))
		clear(dst[:zeros])
		dst = dst[zeros:]
	}
	clear(dst[copy(dst, row):])
}
