package gpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

const (
	// A tile of a product has so many rows. Depth is DEPTH of the kernels.
	tileRows, depth = 128, 8
	// enough is the number of groups from which on a product is not split further, and shortest the least length of the
	// sums of a split.
	enough, shortest = 256, 256
	// mostProducts is the most products at a time: GPUs have so many groups along the last axis.
	mostProducts = 65535
)

// tileColumns are the columns of the tiles that there are kernels for.
var tileColumns = []int{32, 64, 128}

// panel is an operand of a product as the kernel reads it: from is its first element and apart the stride between its
// contiguous rows. Both decide whether four elements can be read at once.
type panel struct{ from, apart int }

func (p panel) whole() bool { return p.from%4 == 0 && p.apart%4 == 0 }

// product runs a kernel of tile.cl, whose operands were added, for products of m×k and k×n.
func (e *engine[T]) product(c *call[T], name string, batch, m, n, k int, a, b panel, upper bool) {
	if most := math.MaxInt32; m > most || n > most || k > most {
		panic(failure{fmt.Errorf("backend gpu: a product of %d×%d and %d×%d: want at most %d rows and columns", m, k, k, n,
			most)})
	}
	width := tileColumns[len(tileColumns)-1]
	for _, w := range slices.Backward(tileColumns) {
		if n <= w {
			width = w
		}
	}
	across, down := (n+width-1)/width, (m+tileRows-1)/tileRows
	splits := min(max(1, enough/(across*down*batch)), max(1, k/shortest))
	each := (k + splits - 1) / splits
	each = max(1, (each+depth-1)/depth) * depth
	splits = max(1, (k+each-1)/each)
	c.longs(m, n, k, splits, each)
	c.flag(upper)
	c.flag(a.whole())
	c.flag(b.whole())
	room := 1
	if splits > 1 {
		room = batch * splits * m * n
	}
	var t T
	c.operand(c.take(room*sizeOf(t)), 0)
	c.run(fmt.Sprintf("%s_%d", name, width), [3]int{down, across, batch * splits}, [3]int{16, 16, 1})
	if splits > 1 {
		c.run(name+"_end", [3]int{(m*n + lane - 1) / lane, 1, batch}, [3]int{lane, 1, 1})
	}
	c.end()
}

func (e *engine[T]) multiply(transA, transB, upper bool, batch, m, n, k int, a, b []T, beta T, dst []T) {
	name := "gemm_"
	for _, t := range []bool{transA, transB} {
		if t {
			name += "t"
		} else {
			name += "n"
		}
	}
	left, right := panel{apart: k}, panel{apart: n}
	if transA {
		left.apart = m
	}
	if transB {
		right.apart = k
	}
	c := e.begin()
	left.from = c.in(a)
	right.from = c.in(b)
	c.add(dst, beta != 0, true)
	c.reals(float64(beta))
	e.product(c, name, batch, m, n, k, left, right, upper)
}

// Gemm implements backend.Engine.
func (e *engine[T]) Gemm(transA, transB bool, m, n, k int, a, b []T, beta T, c []T) {
	e.multiply(transA, transB, false, 1, m, n, k, a, b, beta, c)
}

// GemmBatch implements backend.Engine.
func (e *engine[T]) GemmBatch(transA, transB bool, batch, m, n, k int, a, b, c []T) {
	for batch > 0 {
		some := min(batch, mostProducts)
		e.multiply(transA, transB, false, some, m, n, k, a[:some*m*k], b[:some*k*n], 0, c[:some*m*n])
		a, b, c, batch = a[some*m*k:], b[some*k*n:], c[some*m*n:], batch-some
	}
}

// Gram implements backend.Engine.
func (e *engine[T]) Gram(n int, a []T, beta T, c []T) {
	e.multiply(true, false, true, 1, n, n, len(a)/n, a, a, beta, c)
}

// RowMatMul implements backend.Engine.
func (e *engine[T]) RowMatMul(m, k, n int, a, s, b, dst []T) {
	c := e.begin()
	c.in(a)
	c.optional(s)
	c.in(b)
	c.out(dst)
	c.longs(len(dst)/(m*n), m, k, n)
	c.each("row_matmul", len(dst))
	c.end()
}

// geometry adds the struct Conv.
func (c *call[T]) geometry(s backend.ConvShape) {
	s = s.Normal()
	c.ints(s.N, s.H, s.W, s.C, s.Filters, s.KH, s.KW, s.StrideH, s.StrideW, s.PadH, s.PadW, s.DilateH, s.DilateW, s.Groups,
		s.OutH(), s.OutW())
}

// ints adds a struct of ints.
func (c *call[T]) ints(vs ...int) {
	list := make([]int32, len(vs))
	for i, v := range vs {
		list[i] = int32(v)
	}
	c.args.Ints(list)
}

// packed adds filters in the order that a kernel brings them into, for which it takes a buffer, and returns the element of
// their buffer at which they begin.
func (e *engine[T]) packed(kernel string, s backend.ConvShape, w []T, c *call[T]) (from int) {
	if s = s.Normal(); s.KH*s.KW == 1 {
		return c.in(w) // they are in that order
	}
	p := &e.packing
	p.unit, p.program = c.unit, c.program
	p.args.Reset()
	to := c.take(len(w) * sizeOf(w[0]))
	p.geometry(s)
	p.in(w)
	p.operand(to, 0)
	p.longs(len(w))
	p.each(kernel, len(w))
	c.operand(to, 0)
	return 0
}

// Convolve implements backend.Engine.
func (e *engine[T]) Convolve(s backend.ConvShape, x, w, bias []T, relu bool, y []T) error {
	c := e.begin()
	c.geometry(s)
	s = s.Normal()
	images := panel{from: c.in(x), apart: s.C / s.Groups}
	filters := panel{from: e.packed("pack", s, w, c), apart: s.PatchSize()}
	c.optional(bias)
	c.flag(relu)
	c.out(y)
	e.product(c, "convolve", s.Groups, s.Rows(), s.Filters/s.Groups, s.PatchSize(), images, filters, false)
	return nil
}

// ConvolveData implements backend.Engine.
func (e *engine[T]) ConvolveData(s backend.ConvShape, w, dy, dx []T) error {
	c := e.begin()
	c.geometry(s)
	s = s.Normal()
	channels := s.C / s.Groups
	filters := panel{from: e.packed("pack_data", s, w, c), apart: channels}
	gradients := panel{from: c.in(dy), apart: s.Filters / s.Groups}
	c.out(dx)
	e.product(c, "convolve_data", s.Groups, s.N*s.H*s.W, channels, s.KH*s.KW*s.Filters/s.Groups, gradients,
		filters, false)
	return nil
}

// ConvolveWeights implements backend.Engine.
func (e *engine[T]) ConvolveWeights(s backend.ConvShape, x, dy, dw []T) error {
	c := e.begin()
	c.geometry(s)
	s = s.Normal()
	images := panel{from: c.in(x), apart: s.C / s.Groups}
	gradients := panel{from: c.in(dy), apart: s.Filters / s.Groups}
	c.out(dw)
	e.product(c, "convolve_weights", s.Groups, s.PatchSize(), s.Filters/s.Groups, s.Rows(), images, gradients, false)
	return nil
}

// Patches implements backend.Engine.
func (e *engine[T]) Patches(s backend.ConvShape, x, p []T) {
	c := e.begin()
	c.geometry(s)
	c.in(x)
	c.out(p)
	c.longs(len(p))
	c.each("patches", len(p))
	c.end()
}

// Fold implements backend.Engine.
func (e *engine[T]) Fold(s backend.ConvShape, p, dx []T) {
	c := e.begin()
	c.geometry(s)
	c.in(p)
	c.out(dx)
	c.longs(len(dx))
	c.each("fold", len(dx))
	c.end()
}
