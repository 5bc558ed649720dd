package weights

import "io"

// A gather reads the elements of a strided tensor in row-major order, so that a
// transposed, sliced or expanded tensor appears contiguous to the reader.
type gather struct {
	raw            []byte // from the first element on
	size           int64  // bytes of an element
	shape, strides []int64
	index          []int64 // index of the next element
	at             int64   // offset of the next element in raw, in bytes
	left           int64   // number of elements to read
}

// newGather returns a gather of the elements in raw that shape and strides (in
// elements) select, beginning at the start of raw. They must not reach
// beyond raw: see reach.
func newGather(raw []byte, size int64, shape, strides []int64) *gather {
	g := &gather{raw: raw, size: size}
	g.left, _ = product(shape)
	for i, d := range shape {
		if d != 1 { // a dimension of one only slows the walk
			g.shape = append(g.shape, d)
			g.strides = append(g.strides, strides[i])
		}
	}
	g.index = make([]int64, len(g.shape))
	return g
}

// Read reads as many whole elements as p has room for.
func (g *gather) Read(p []byte) (n int, err error) {
	for g.left > 0 && int64(len(p)-n) >= g.size {
		n += copy(p[n:], g.raw[g.at:g.at+g.size])
		g.advance()
	}
	switch {
	case n > 0 || len(p) == 0:
		return n, nil
	case g.left > 0:
		return 0, io.ErrShortBuffer
	}
	return 0, io.EOF
}

// advance steps to the next element, as an odometer does.
func (g *gather) advance() {
	g.left--
	for d := len(g.shape) - 1; d >= 0; d-- {
		g.index[d]++
		g.at += g.strides[d] * g.size
		if g.index[d] < g.shape[d] {
			return
		}
		g.index[d] = 0
		g.at -= g.shape[d] * g.strides[d] * g.size
	}
}
