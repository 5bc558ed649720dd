package backend

import "github.com/ansatz-lab/ansatz/graph/backend/kernel"

// The blocks of a matrix product: a panel of blockK rows of B fits in the first
// level cache, blockM rows of A of that length in the second.
const (
	blockK = 256
	blockM = 256
	blockN = 1024
	// serialProducts is the number of multiplications up to which one thread is faster
	// than several, which first have to be woken.
	serialProducts = 1 << 20
)

// product is a matrix product C = op(A)·op(B) + beta·C.
type product struct {
	transA, transB bool
	m, n, k        int
	a, b           []float32
	beta           float32
	c              []float32
}

// GemmBatch computes products one after another.
func (e *single) GemmBatch(transA, transB bool, batch, m, n, k int, a, b, c []float32) {
	eachProduct(e.Gemm, transA, transB, batch, m, n, k, a, b, c)
}

func (e *single) Gemm(transA, transB bool, m, n, k int, a, b []float32, beta float32, c []float32) {
	e.product = product{transA, transB, m, n, k, a, b, beta, c}
	// If threads divide the rows, each packs all of B; if they divide the columns,
	// each packs only its own, but reads all of A.
	switch {
	case m*n*k <= serialProducts:
		e.product.part(&e.lanes[0], 0, m, 0, n)
	case m > n || n < e.threads*e.kernels.Cols():
		e.parallel(m, e.kernels.Rows(), e.rows)
	default:
		e.parallel(n, e.kernels.Cols(), e.cols)
	}
	e.product = product{}
}

// gramPanel is the number of rows of C that Gram computes at a time.
const gramPanel = 256

// Gram computes panels of rows of C, each from the diagonal on: little more than half the work of a full product.
func (e *single) Gram(n int, a []float32, beta float32, c []float32) {
	e.product = product{true, false, n, n, len(a) / n, a, a, beta, c}
	panels := (n + gramPanel - 1) / gramPanel
	e.parallel(panels, 1, e.grams)
	e.product = product{}
}

// part computes the rows i0 ≤ i < i1 and the columns j0 ≤ j < j1 of C.
func (g *product) part(l *lane, i0, i1, j0, j1 int) {
	if g.beta != 1 && (g.beta != 0 || g.k == 0) {
		g.scale(i0, i1, j0, j1)
	}
	for j := j0; j < j1; j += blockN {
		for p := 0; p < g.k; p += blockK {
			n, k := min(blockN, j1-j), min(blockK, g.k-p)
			g.packB(l, p, k, j, n)
			l.tile = kernel.Tile{Taps: l.origin[:], K: k, B: l.b, Add: p > 0 || g.beta != 0}
			for i := i0; i < i1; i += blockM {
				g.block(l, i, min(blockM, i1-i), p, j, n)
			}
		}
	}
	l.tile = kernel.Tile{} // so that the operands can be freed
}

func (g *product) scale(i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		row := g.c[i*g.n:][j0:j1]
		if g.beta == 0 { // 0·NaN would stay NaN
			clear(row)
		}
		for j := range row {
			row[j] *= g.beta
		}
	}
}

// packB packs k rows from p on of n columns of op(B) from j on.
func (g *product) packB(l *lane, p, k, j, n int) {
	l.b = grown(l.b, k*l.kernels.Padded(n))
	if !g.transB {
		packRows(l.kernels, k, n, g.b[p*g.n+j:], g.n, l.b)
		return
	}
	l.rows = grown(l.rows, k)
	for i := range l.rows {
		l.rows[i] = p + i
	}
	packColumns(l.kernels, n, g.b[j*g.k:], g.k, l.rows, l.b)
}

// block multiplies m rows of op(A), from row i and column p on, with the packed
// panels of n columns of op(B), from column j on. A is read in place.
func (g *product) block(l *lane, i, m, p, j, n int) {
	at, ld, step := i*g.k+p, g.k, 1
	if g.transA {
		at, ld, step = p*g.m+i, 1, g.m
	}
	l.tile.A, l.tile.Step, l.tile.C = g.a[at:], step, g.c[i*g.n+j:]
	l.rows, l.out = grown(l.rows, m), grown(l.out, m)
	for r := range m {
		l.rows[r], l.out[r] = r*ld, r*g.n
	}
	l.sweep(l.rows, l.out, n)
}

// A panel holds as many columns of B as a tile has, row by row, so that a
// micro-kernel reads it from its beginning to its end. The last panel is padded
// with zeros.

// packRows writes the panels of a k×n matrix whose rows start ld apart.
func packRows(ks *kernel.Set, k, n int, b []float32, ld int, panels []float32) {
	for j := 0; j < n; j += ks.Cols() {
		width := min(n-j, ks.Cols())
		cols := ks.Fitting(width).Cols
		for p := range k {
			row := panels[j*k+p*cols:][:cols]
			clear(row[copy(row, b[p*ld+j:][:width]):])
		}
	}
}

// packColumns writes the panels of a matrix of n columns whose column j holds
// the elements j·ld + elements[p].
func packColumns(ks *kernel.Set, n int, b []float32, ld int, elements []int, panels []float32) {
	for j := 0; j < n; j += ks.Cols() {
		width := min(n-j, ks.Cols())
		packPanel(width, ks.Fitting(width).Cols, b[j*ld:], ld, elements, panels[j*len(elements):])
	}
}

// packPanel writes one panel of cols columns: n of the matrix, then zeros.
func packPanel(n, cols int, b []float32, ld int, elements []int, panel []float32) {
	for p, at := range elements {
		row := panel[p*cols:][:cols]
		from := b[at:]
		for j := range row[:n] {
			row[j] = from[j*ld]
		}
		clear(row[n:])
	}
}
