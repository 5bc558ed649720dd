package backend

import "github.com/ansatz-lab/ansatz/graph/backend/kernel"

// lane is what one thread of the engine has to itself: the tile that it works
// on, and memory that it keeps from one call to the next.
type lane struct {
	kernels *kernel.Set
	tile    kernel.Tile
	edge    [kernel.MaxRows]int // tile.Rows where there are too few
	origin  [1]int              // tile.Taps of a matrix product: 0

	rows, out []int     // tile.Rows and tile.Out of many tiles
	images    []float32 // with zeros around them
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

// sweep computes the rows that start at rows in A and at out in C, and all n
// columns of them. The lane's tile says the rest, with panels for B and the
// bias of all columns. A panel stays in the first level cache while the rows
// go by.
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
