package graph

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// Conv2D is the geometry of a convolution: stride, zero padding on each side
// and dilation along rows (H) and columns (W), and the groups into which channels
// and filters are divided. Zero strides, dilations and groups count as 1, so that
// the zero value is a plain valid convolution.
type Conv2D struct {
	StrideH, StrideW int
	PadH, PadW       int
	DilateH, DilateW int
	Groups           int
}

// Square returns the geometry with one stride and padding for both directions.
func Square(stride, pad int) Conv2D {
	return Conv2D{StrideH: stride, StrideW: stride, PadH: pad, PadW: pad}
}

// Conv returns the convolution (PyTorch's, a cross-correlation) of the images
// x, (batch, row, column, channel), with the filters w, (filter, channel/groups,
// row, column): the k-th group of filters reads the k-th group of channels. With dy of the result's shape it satisfies
//
//	⟨dy, Conv(x, w)⟩ = ⟨ConvData(w, dy), x⟩ = ⟨ConvWeights(x, dy), w⟩,
//
// three bilinear ops that are each other's derivatives.
func (g *Graph) Conv(x, w *Node, geometry Conv2D) *Node {
	if g.err != nil {
		return nil
	}
	s, err := convShape(x.Shape(), w.Shape(), geometry)
	if err != nil {
		return g.Fail("%w", err)
	}
	return g.conv(s, x, w)
}

func convShape(x, w tensor.Shape, g Conv2D) (backend.ConvShape, error) {
	if len(x) != 4 || len(w) != 4 {
		return backend.ConvShape{}, fmt.Errorf(
			"convolution of %v with filters %v: want (batch, row, column, channel) and (filter, channel, row, column)",
			x, w)
	}
	if groups := max(g.Groups, 1); x[3] != w[1]*groups {
		return backend.ConvShape{}, fmt.Errorf(
			"convolution: filters of shape %v in %d groups read %d channels, the input has %d", w, groups, w[1]*groups,
			x[3])
	}
	s := backend.ConvShape{
		N: x[0], H: x[1], W: x[2], C: x[3],
		Filters: w[0], KH: w[2], KW: w[3],
		StrideH: g.StrideH, StrideW: g.StrideW, PadH: g.PadH, PadW: g.PadW, DilateH: g.DilateH, DilateW: g.DilateW,
		Groups: g.Groups,
	}.Normal()
	return s, s.Check()
}

func (g *Graph) conv(s backend.ConvShape, x, w *Node) *Node {
	return g.apply(spec{
		name: convName, attr: s, in: []*Node{x, w}, shape: outShape(s),
		f32: convolve[float32](s), f64: convolve[float64](s),
		rule: func(p pull) []*Node {
			return []*Node{
				p.ifWanted(0, func() *Node { return g.convData(s, p.in[1], p.cot) }),
				p.ifWanted(1, func() *Node { return g.convWeights(s, p.in[0], p.cot) }),
			}
		},
	})
}

func (g *Graph) convData(s backend.ConvShape, w, dy *Node) *Node {
	return g.apply(spec{
		name: "conv data", attr: s, in: []*Node{w, dy}, shape: tensor.Shape{s.N, s.H, s.W, s.C},
		f32: convolveData[float32](s), f64: convolveData[float64](s),
		rule: func(p pull) []*Node {
			return []*Node{
				p.ifWanted(0, func() *Node { return g.convWeights(s, p.cot, p.in[1]) }),
				p.ifWanted(1, func() *Node { return g.conv(s, p.cot, p.in[0]) }),
			}
		},
	})
}

func (g *Graph) convWeights(s backend.ConvShape, x, dy *Node) *Node {
	return g.apply(spec{
		name: "conv weights", attr: s, in: []*Node{x, dy}, shape: tensor.Shape{s.Filters, s.C / s.Groups, s.KH, s.KW},
		f32: convolveWeights[float32](s), f64: convolveWeights[float64](s),
		rule: func(p pull) []*Node {
			return []*Node{
				p.ifWanted(0, func() *Node { return g.convData(s, p.cot, p.in[1]) }),
				p.ifWanted(1, func() *Node { return g.conv(s, p.in[0], p.cot) }),
			}
		},
	})
}

// ConvTranspose returns the transposed convolution of the images x, (batch, row, column, channel), with the filters w,
// (channel, filter/groups, row, column): the adjoint of the convolution that has this geometry and reads images of the
// result's size. With a stride, several sizes of the result are possible; moreH and moreW are added to the smallest.
func (g *Graph) ConvTranspose(x, w *Node, geometry Conv2D, moreH, moreW int) *Node {
	if g.err != nil {
		return nil
	}
	in, f := x.Shape(), w.Shape()
	if len(in) != 4 || len(f) != 4 || in[3] != f[0] || moreH < 0 || moreW < 0 {
		return g.Fail("transposed convolution of %v with filters %v, enlarged by %d×%d: want (batch, row, column, "+
			"channel) and (channel, filter/groups, row, column)", in, f, moreH, moreW)
	}
	s := backend.ConvShape{
		N: in[0], C: f[1] * max(geometry.Groups, 1), Filters: f[0], KH: f[2], KW: f[3],
		StrideH: geometry.StrideH, StrideW: geometry.StrideW, PadH: geometry.PadH, PadW: geometry.PadW,
		DilateH: geometry.DilateH, DilateW: geometry.DilateW, Groups: geometry.Groups,
	}.Normal()
	s.H = (in[1]-1)*s.StrideH - 2*s.PadH + s.DilateH*(s.KH-1) + 1 + moreH
	s.W = (in[2]-1)*s.StrideW - 2*s.PadW + s.DilateW*(s.KW-1) + 1 + moreW
	if err := s.Check(); err != nil {
		return g.Fail("transposed %w", err)
	}
	if s.OutH() != in[1] || s.OutW() != in[2] {
		return g.Fail("transposed convolution with stride %d×%d: the result cannot be enlarged by %d×%d", s.StrideH,
			s.StrideW, moreH, moreW)
	}
	return g.convData(s, w, x)
}

// convName is the name by which fusion recognises a convolution.
const convName = "conv"

func outShape(s backend.ConvShape) tensor.Shape {
	return tensor.Shape{s.N, s.OutH(), s.OutW(), s.Filters}
}

func convolve[T backend.Float](s backend.ConvShape) func(*call[T]) error {
	return func(c *call[T]) error { return c.engine.Convolve(s, c.in[0], c.in[1], nil, false, c.out) }
}

func convolveData[T backend.Float](s backend.ConvShape) func(*call[T]) error {
	return func(c *call[T]) error { return c.engine.ConvolveData(s, c.in[0], c.in[1], c.out) }
}

func convolveWeights[T backend.Float](s backend.ConvShape) func(*call[T]) error {
	return func(c *call[T]) error { return c.engine.ConvolveWeights(s, c.in[0], c.in[1], c.out) }
}

// Patches returns the patches of x that a convolution with filters of kh×kw, in one
// group, reads: one per row, (batch·row·column, channel·kh·kw), each in the order of
// PyTorch's flattened filters, (channel, row, column).
func (g *Graph) Patches(x *Node, kh, kw int, geometry Conv2D) *Node {
	if g.err != nil {
		return nil
	}
	if x.Dims() != 4 {
		return g.Fail("patches of %v: want (batch, row, column, channel)", x.Shape())
	}
	if geometry.Groups > 1 {
		return g.Fail("patches of a convolution with %d groups: want 1", geometry.Groups)
	}
	s, err := convShape(x.Shape(), tensor.Shape{1, x.Shape()[3], kh, kw}, geometry)
	if err != nil {
		return g.Fail("%w", err)
	}
	return g.patches(s, x)
}

func (g *Graph) patches(s backend.ConvShape, x *Node) *Node {
	return g.apply(spec{
		name: "patches", attr: s, in: []*Node{x}, shape: tensor.Shape{s.Rows(), s.PatchSize()},
		f32:  func(c *call[float32]) error { c.engine.Patches(s, c.in[0], c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.Patches(s, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.fold(s, p.cot)} },
	})
}

// fold is the adjoint of patches.
func (g *Graph) fold(s backend.ConvShape, patches *Node) *Node {
	return g.apply(spec{
		name: "fold", attr: s, in: []*Node{patches}, shape: tensor.Shape{s.N, s.H, s.W, s.C},
		f32:  func(c *call[float32]) error { c.engine.Fold(s, c.in[0], c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.Fold(s, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.patches(s, p.cot)} },
	})
}
