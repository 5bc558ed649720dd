package graph

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// SumAxes returns the sums of x over some axes, which the result keeps with one element each.
func (g *Graph) SumAxes(x *Node, axes ...int) *Node {
	return g.overAxes("sum", x, axes, func(x *Node, outer, n, inner int) *Node { return g.sumMiddle(outer, n, inner, x) })
}

// MeanAxes returns the means of x over some axes, which the result keeps with one element each.
func (g *Graph) MeanAxes(x *Node, axes ...int) *Node {
	sum := g.SumAxes(x, axes...)
	if g.err != nil {
		return nil
	}
	return g.Scale(float64(size(sum))/float64(size(x)), sum)
}

// MaxAxes returns the largest elements of x over some axes, which the result keeps with one element each. Among equal
// elements the first is selected, and gets the derivative.
func (g *Graph) MaxAxes(x *Node, axes ...int) *Node {
	return g.overAxes("maximum", x, axes, func(x *Node, outer, n, inner int) *Node {
		return g.AdaptiveMaxPool(g.Reshape(x, outer, n, 1, inner), 1, 1)
	})
}

// MinAxes returns the smallest elements of x over some axes, as MaxAxes does the largest.
func (g *Graph) MinAxes(x *Node, axes ...int) *Node {
	if g.err != nil {
		return nil
	}
	return g.Scale(-1, g.MaxAxes(g.Scale(-1, x), axes...))
}

// overAxes reduces every run of neighbouring axes by f, which gets x as outer×n×inner elements.
func (g *Graph) overAxes(name string, x *Node, axes []int, f func(x *Node, outer, n, inner int) *Node) *Node {
	if g.err != nil {
		return nil
	}
	axes = slices.Sorted(slices.Values(axes))
	dims := x.Dims()
	for i, a := range axes {
		if a < 0 || a >= dims || i > 0 && a == axes[i-1] {
			return g.Fail("%s over the axes %v of shape %v: want distinct axes of that shape", name, axes, x.Shape())
		}
	}
	for len(axes) > 0 && g.err == nil {
		// The last run of axes that follow one another.
		first := len(axes) - 1
		for first > 0 && axes[first-1] == axes[first]-1 {
			first--
		}
		lo, hi := axes[first], axes[len(axes)-1]+1
		shape := x.Shape().Clone()
		outer, n, inner := shape[:lo].TotalSize(), shape[lo:hi].TotalSize(), shape[hi:].TotalSize()
		for a := lo; a < hi; a++ {
			shape[a] = 1
		}
		if n > 1 {
			x = f(x, outer, n, inner)
		}
		x = g.Reshape(x, shape...)
		axes = axes[:first]
	}
	return x
}

// sumMiddle returns Σₖ x[i,k,j] for x of outer×n×inner elements, (outer, inner).
func (g *Graph) sumMiddle(outer, n, inner int, x *Node) *Node {
	switch {
	case g.err != nil:
		return nil
	case inner == 1:
		return g.SumCols(g.Reshape(x, outer, n))
	case outer == 1:
		return g.SumRows(g.Reshape(x, n, inner))
	}
	return g.apply(spec{
		name: "sum middle", attr: [3]int{outer, n, inner}, in: []*Node{x}, shape: tensor.Shape{outer, inner},
		f32: func(c *call[float32]) error { c.engine.SumMiddle(outer, n, inner, c.in[0], c.out); return nil },
		f64: func(c *call[float64]) error { c.engine.SumMiddle(outer, n, inner, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node {
			wide := g.Expand(g.Reshape(p.cot, outer, 1, inner), outer, n, inner)
			return []*Node{g.Reshape(wide, x.Shape()...)}
		},
	})
}

// Expand returns x with a larger shape, as numpy's broadcast_to does: it repeats x along its axes of one element, and
// along new axes before its own.
func (g *Graph) Expand(x *Node, shape ...int) *Node {
	if g.err != nil {
		return nil
	}
	from := x.Shape()
	more := len(shape) - len(from)
	if more < 0 {
		return g.Fail("expansion of %v to %v: want at least as many axes", from, shape)
	}
	wide := append(slices.Repeat([]int{1}, more), from...)
	var axes []int
	for k, n := range wide {
		if n != shape[k] {
			if n != 1 {
				return g.Fail("expansion of %v to %v: axis %d has more than one element", from, shape, k)
			}
			axes = append(axes, k)
		}
	}
	x = g.Reshape(x, wide...)
	if len(axes) == 0 {
		return x
	}
	switch kept, last := backend.KeptRun(wide, shape), len(shape); {
	case kept == [2]int{0, 0}:
		return g.ScalarFill(x, shape...)
	case kept[1] == last: // rows are repeated
		fill := g.RowFill(g.Reshape(x, size(x)), tensor.Shape(shape[:kept[0]]).TotalSize(), size(x))
		return g.Reshape(fill, shape...)
	case kept[0] == 0: // elements are repeated
		fill := g.ColFill(g.Reshape(x, size(x)), size(x), tensor.Shape(shape[kept[1]:]).TotalSize())
		return g.Reshape(fill, shape...)
	}
	offsets := backend.Offsets(wide)
	for _, k := range axes {
		offsets[k] = make([]int, shape[k])
	}
	v, err := backend.NewView(offsets, size(x))
	if err != nil {
		return g.Fail("expansion of %v to %v: %w", from, shape, err)
	}
	return g.apply(spec{
		name: "expand", attr: fmt.Sprint(wide), in: []*Node{x}, shape: slices.Clone(shape),
		f32:  func(c *call[float32]) error { c.engine.TakeView(v, c.in[0], c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.TakeView(v, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.SumAxes(p.cot, axes...)} },
	})
}

// Interpolate multiplies x along an axis of n elements by a constant m×n matrix. That axis of the result has m elements.
func (g *Graph) Interpolate(x *Node, axis int, matrix *mat.Dense) *Node {
	if g.err != nil {
		return nil
	}
	m, n := matrix.Dims()
	if axis < 0 || axis >= x.Dims() || x.Shape()[axis] != n {
		return g.Fail("interpolation of axis %d of %v by a matrix %d×%d", axis, x.Shape(), m, n)
	}
	shape := x.Shape().Clone()
	outer, inner := shape[:axis].TotalSize(), shape[axis+1:].TotalSize()
	shape[axis] = m
	return g.apply(spec{
		name: "interpolate", attr: fmt.Sprint(axis, matrix.RawMatrix().Data), in: []*Node{x}, shape: shape,
		f32: interpolate[float32](matrix, outer, inner), f64: interpolate[float64](matrix, outer, inner),
		rule: func(p pull) []*Node { return []*Node{g.Interpolate(p.cot, axis, mat.DenseCopyOf(matrix.T()))} },
	})
}

func interpolate[T backend.Float](matrix *mat.Dense, outer, inner int) func(*call[T]) error {
	m, n := matrix.Dims()
	w := make([]T, m*n)
	for i := range m {
		for j := range n {
			w[i*n+j] = T(matrix.At(i, j))
		}
	}
	return func(c *call[T]) error {
		for o := range outer {
			x, y := c.in[0][o*n*inner:][:n*inner], c.out[o*m*inner:][:m*inner]
			c.engine.Gemm(false, false, m, inner, n, w, x, 0, y)
		}
		return nil
	}
}

// Resize scales images, (batch, row, column, channel), by interpolation: it multiplies their rows and their columns by
// constant matrices.
func (g *Graph) Resize(x *Node, rows, columns *mat.Dense) *Node {
	return g.Interpolate(g.Interpolate(x, 1, rows), 2, columns)
}
