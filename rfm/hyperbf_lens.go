package rfm

import (
	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// weights declares W: that of a lens, or as a matrix the diagonal that it holds.
func (f *hyperFit) weights(g *graph.Graph, l *lens) *graph.Node {
	diag := l.diag
	if diag == nil {
		diag = Identity(l.d).diag
	}
	switch {
	case l.full != nil:
		w := g.Param("W", l.r, l.d)
		put(g, w, l.full)
		return w
	case f.Diagonal:
		w := g.Param("W", l.d)
		put(g, w, mat.NewDense(1, l.d, diag))
		return w
	}
	w := g.Param("W", l.d, l.d)
	put(g, w, mat.DenseCopyOf(mat.NewDiagDense(l.d, diag)))
	return w
}

// look returns Wx for the rows of x, with W a matrix or a diagonal.
func look(g *graph.Graph, w, x *graph.Node) *graph.Node {
	if g.Err() == nil && w.Dims() == 1 {
		return g.RowMul(x, w)
	}
	return g.Linear(x, w)
}

// lens returns the W that there is now.
func (d *hyperDescent) lens() *lens {
	w := matrix(d.Data(d.w))
	r, features := w.Dims()
	if d.w.Dims() == 1 {
		return &lens{d: features, r: features, diag: w.RawRowView(0)}
	}
	return &lens{d: features, r: r, full: w}
}
