package backend

import "github.com/ansatz-lab/ansatz/graph/backend/kernel"

// correlation returns the correlation of a convolution. The engine caches it, since a program computes the same
// convolutions again and again.
func (e *single) correlation(s ConvShape) *correlation {
	g := e.correlations[s]
	if g == nil {
		g = forward(s, e.threads)
		e.correlations[s] = g
	}
	return g
}

func (e *single) Convolve(s ConvShape, x, w, bias []float32, relu bool, y []float32) error {
	if s.Groups > 1 {
		return e.convolveGroups(e, s, x, w, bias, relu, y)
	}
	e.correlate(e.correlation(s), x, w, bias, relu, y)
	return nil
}

func (e *single) ConvolveData(s ConvShape, w, dy, dx []float32) error {
	if s.Groups > 1 {
		return e.convolveDataGroups(e, s, w, dy, dx)
	}
	all, ok := e.adjoints[s]
	if !ok {
		all = adjoint(s, e.threads)
		e.adjoints[s] = all
	}
	written := 0
	for _, g := range all {
		written += g.rows.count * g.cols.count
	}
	if written < s.H*s.W {
		clear(dx)
	}
	for _, g := range all {
		e.correlate(g, dy, w, nil, false, dx)
	}
	return nil
}

// correlate computes y from x with weights w.
func (e *single) correlate(g *correlation, x, w, bias []float32, relu bool, y []float32) {
	e.packFilters(g, w)
	e.parallel(g.count(), 1, func(part, lo, hi int) {
		l := &e.lanes[part]
		for i := lo; i < hi; i++ {
			g.correlate(l, g.piece(i), x, e.filters, bias, relu, y)
		}
		l.tile = kernel.Tile{}
	})
}

// packGrain is the number of panels that one thread can pack in the time that
// waking another takes.
const packGrain = 4

// packFilters writes the panels of every section of the filters.
func (e *single) packFilters(g *correlation, w []float32) {
	cols, padded := e.kernels.Cols(), e.kernels.Padded(g.out)
	e.filters = grown(e.filters, g.patch()*padded)
	panels := (g.out + cols - 1) / cols
	e.parallel(len(g.sections)*panels, packGrain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s, j := &g.sections[i/panels], i%panels*cols
			elements := g.weights[s.first:][:s.size()]
			packColumns(e.kernels, min(cols, g.out-j), w[j*g.weightStride:], g.weightStride, elements,
				e.filters[s.first*padded+j*s.size():])
		}
	})
}

// correlate computes the results of one piece.
func (g *correlation) correlate(l *lane, p piece, x, filters, bias []float32, relu bool, y []float32) {
	a := g.read(p, x, &l.images)
	c := y[(p.image*g.outH+p.line*g.rows.stride)*g.outW*g.out:]
	size, padded := g.size(p), l.kernels.Padded(g.out)
	for i := range g.sections {
		s := &g.sections[i]
		l.tile = kernel.Tile{A: a, Taps: s.taps, Step: 1, K: s.k, B: filters[s.first*padded:], C: c, Add: i > 0}
		if i == len(g.sections)-1 {
			l.tile.Bias, l.tile.ReLU = bias, relu
		}
		l.sweep(g.starts[:size], g.targets[:size], g.out)
	}
}

// lane is the state of one thread of the engine: the current tile, and memory that it keeps between calls.
type lane struct {
	kernels *kernel.Set
	tile    kernel.Tile
	edge    [kernel.MaxRows]int // tile.Rows of an incomplete tile, with the last row repeated
	origin  [1]int              // tile.Taps of a matrix product: 0

	rows, out []int     // tile.Rows and tile.Out of many tiles
	images    []float32 // padded with zeros
	b         []float32 // packed
	sums      []float32
}

// grown returns a slice of n elements, in the memory of s if that suffices.
func grown[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}

// sweep computes n columns of C for all rows, which start at the offsets rows in A and out in C. The lane's tile holds the
// other operands: the panels of B and the bias of all columns. A panel stays in the first level cache while all rows are
// computed.
func (l *lane) sweep(rows, out []int, n int) {
	t := &l.tile
	b, c, bias := t.B, t.C, t.Bias
	size := len(t.Taps) * t.K
	for j := 0; j < n; j += l.kernels.Cols() {
		t.N = min(n-j, l.kernels.Cols())
		micro := l.kernels.Fitting(t.N)
		t.B, t.C = b[j*size:][:micro.Cols*size], c[j:]
		if bias != nil {
			t.Bias = bias[j:][:t.N]
		}
		l.panel(micro, rows, out)
	}
	t.B, t.C, t.Bias = b, c, bias
}

// panel computes the columns of one panel.
func (l *lane) panel(micro *kernel.Micro, rows, out []int) {
	t := &l.tile
	t.M = micro.Rows
	for ; len(out) >= t.M; rows, out = rows[t.M:], out[t.M:] {
		t.Rows, t.Out = rows[:t.M], out[:t.M]
		micro.Run(t)
	}
	if len(out) == 0 {
		return
	}
	for i := range l.edge {
		l.edge[i] = rows[min(i, len(out)-1)]
	}
	t.M, t.Rows, t.Out = len(out), l.edge[:micro.Rows], out
	micro.Run(t)
}
