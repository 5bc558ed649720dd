package backend

import "github.com/ansatz-lab/ansatz/graph/backend/kernel"

// A panel is as many columns of B as a tile has, row by row, so that a
// micro-kernel reads it from its beginning to its end. What is missing of the
// last panel is zero.

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

// packPanel writes one panel of cols columns, of which the matrix has n.
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
