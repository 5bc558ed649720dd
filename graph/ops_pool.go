package graph

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// Pool2D is the geometry of a pooling, as in PyTorch: the size of the windows
// along rows (H) and columns (W), their strides, where 0 stands for the size, and
// the padding on each side. Ceil lets the last window overhang. CountPad counts
// the padding in averages, as PyTorch does by default.
type Pool2D struct {
	SizeH, SizeW     int
	StrideH, StrideW int
	PadH, PadW       int
	Ceil, CountPad   bool
}

func (p Pool2D) windows(x tensor.Shape) (*backend.Windows, error) {
	r, err := backend.Pooling{Size: p.SizeH, Stride: p.StrideH, Pad: p.PadH, Ceil: p.Ceil,
		CountPad: p.CountPad}.Spans(x[1])
	if err != nil {
		return nil, err
	}
	c, err := backend.Pooling{Size: p.SizeW, Stride: p.StrideW, Pad: p.PadW, Ceil: p.Ceil,
		CountPad: p.CountPad}.Spans(x[2])
	if err != nil {
		return nil, err
	}
	return &backend.Windows{N: x[0], H: x[1], W: x[2], C: x[3], Rows: r, Cols: c}, nil
}

// MaxPool returns the largest element of every window. Max pooling is a
// selection, and linear once the selection is made: its value is that of a
// gather, whose derivative is a scatter.
func (g *Graph) MaxPool(x *Node, p Pool2D) *Node {
	if w := g.windows("max pool", x, p.windows); w != nil {
		return g.gather(w, x, g.argMax(w, x))
	}
	return nil
}

// AdaptiveMaxPool returns the largest elements of h×w windows that cover the image, as
// in PyTorch; (1, 1) is global max pooling.
func (g *Graph) AdaptiveMaxPool(x *Node, h, w int) *Node {
	if win := g.windows("adaptive max pool", x, adaptive(h, w)); win != nil {
		return g.gather(win, x, g.argMax(win, x))
	}
	return nil
}

// AvgPool returns the mean of every window.
func (g *Graph) AvgPool(x *Node, p Pool2D) *Node {
	if w := g.windows("average pool", x, p.windows); w != nil {
		return g.average(w, x)
	}
	return nil
}

// AdaptiveAvgPool returns the means over h×w windows that cover the image, as in
// PyTorch; (1, 1) is global average pooling.
func (g *Graph) AdaptiveAvgPool(x *Node, h, w int) *Node {
	if win := g.windows("adaptive average pool", x, adaptive(h, w)); win != nil {
		return g.average(win, x)
	}
	return nil
}

func adaptive(h, w int) func(tensor.Shape) (*backend.Windows, error) {
	return func(x tensor.Shape) (*backend.Windows, error) {
		r, err := backend.AdaptiveSpans(x[1], h)
		if err != nil {
			return nil, err
		}
		c, err := backend.AdaptiveSpans(x[2], w)
		if err != nil {
			return nil, err
		}
		return &backend.Windows{N: x[0], H: x[1], W: x[2], C: x[3], Rows: r, Cols: c}, nil
	}
}

func (g *Graph) windows(name string, x *Node, f func(tensor.Shape) (*backend.Windows, error)) *backend.Windows {
	if g.err != nil {
		return nil
	}
	if x.Dims() != 4 {
		g.Fail("%s of %v: want (batch, row, column, channel)", name, x.Shape())
		return nil
	}
	w, err := f(x.Shape())
	if err != nil {
		g.Fail("%s: %w", name, err)
		return nil
	}
	return w
}

func pooledShape(w *backend.Windows) tensor.Shape {
	return tensor.Shape{w.N, len(w.Rows), len(w.Cols), w.C}
}

func imageShape(w *backend.Windows) tensor.Shape { return tensor.Shape{w.N, w.H, w.W, w.C} }

func (g *Graph) argMax(w *backend.Windows, x *Node) *Node {
	if w.InSize() > math.MaxInt32 { // elements are numbered by an int32
		return g.Fail("maximum over %v: want at most %d elements of an image", x.Shape(), math.MaxInt32)
	}
	return g.apply(spec{
		name: "argmax", attr: *w, in: []*Node{x}, shape: pooledShape(w), index: true,
		f32: func(c *call[float32]) error { c.engine.ArgMax(w, c.in[0], c.indices); return nil },
		f64: func(c *call[float64]) error { c.engine.ArgMax(w, c.in[0], c.indices); return nil },
	})
}

// gather returns the elements of x at the indices. Its adjoint is scatter.
func (g *Graph) gather(w *backend.Windows, x, index *Node) *Node {
	return g.apply(spec{
		name: "gather", in: []*Node{x, index}, shape: pooledShape(w),
		f32: gather[float32](w), f64: gather[float64](w),
		rule: func(p pull) []*Node { return []*Node{g.scatter(w, p.cot, p.in[1]), nil} },
	})
}

func (g *Graph) scatter(w *backend.Windows, dy, index *Node) *Node {
	return g.apply(spec{
		name: "scatter", in: []*Node{dy, index}, shape: imageShape(w),
		f32: scatter[float32](w), f64: scatter[float64](w),
		rule: func(p pull) []*Node { return []*Node{g.gather(w, p.cot, p.in[1]), nil} },
	})
}

func gather[T backend.Float](w *backend.Windows) func(*call[T]) error {
	return func(c *call[T]) error {
		c.engine.Gather(w, c.index, c.in[0], c.out)
		return nil
	}
}

func scatter[T backend.Float](w *backend.Windows) func(*call[T]) error {
	return func(c *call[T]) error {
		c.engine.Scatter(w, c.index, c.in[0], c.out)
		return nil
	}
}

// average returns the means over windows. Its adjoint is spread.
func (g *Graph) average(w *backend.Windows, x *Node) *Node {
	return g.apply(spec{
		name: "average", attr: *w, in: []*Node{x}, shape: pooledShape(w),
		f32:  func(c *call[float32]) error { c.engine.Average(w, c.in[0], c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.Average(w, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.spread(w, p.cot)} },
	})
}

func (g *Graph) spread(w *backend.Windows, dy *Node) *Node {
	return g.apply(spec{
		name: "spread", attr: *w, in: []*Node{dy}, shape: imageShape(w),
		f32:  func(c *call[float32]) error { c.engine.Spread(w, c.in[0], c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.Spread(w, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.average(w, p.cot)} },
	})
}
