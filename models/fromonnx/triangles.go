package fromonnx

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/models/onnx"
)

// cumSum adds up the elements along an axis, as a product with a triangular matrix.
func cumSum(b *builder, n *onnx.Node) []value {
	x, axis := b.read(n, 0), int(b.scalar(n, "axis", 1, 0))
	if b.Err() != nil {
		return nil
	}
	if axis = b.axis(axis, len(x.order)); b.Err() != nil {
		return nil
	}
	x = b.last(x, axis)
	size := x.shape()[axis]
	if size > mostSteps {
		b.Fail("it adds up %d elements: want at most %d", size, mostSteps)
		return nil
	}
	exclusive, reverse := n.Int("exclusive", 0) != 0, n.Int("reverse", 0) != 0
	v := make([]float64, size*size)
	for i := range size {
		for j := range size {
			if i == j && !exclusive || i < j && !reverse || i > j && reverse { // element i is a term of sum j
				v[i*size+j] = 1
			}
		}
	}
	m := b.given(fmt.Sprintf("sums:%d:%t:%t", size, exclusive, reverse), []int{size, size}, v)
	return []value{x.with(b.rowsTimes(x.node, m.node))}
}

// trilu keeps a triangle of matrices: elements on or above the k-th diagonal, or on or below it.
func trilu(b *builder, n *onnx.Node) []value {
	x, k := plain(b.logical(b.read(n, 0))), int(b.scalar(n, "k", 1, 0))
	if b.Err() != nil {
		return nil
	}
	s := x.shape()
	rows, columns := s[len(s)-2], s[len(s)-1]
	if rows*columns > mostElements {
		b.Fail("its matrices have %d×%d elements: want at most %d", rows, columns, mostElements)
		return nil
	}
	upper, v := n.Int("upper", 1) != 0, make([]float64, rows*columns)
	for i := range v {
		if above := i%columns - i/columns - k; above == 0 || above > 0 == upper {
			v[i] = 1
		}
	}
	m := b.given(fmt.Sprintf("triangle:%d:%d:%d:%t", rows, columns, k, upper), []int{rows, columns}, v)
	return []value{x.with(b.MulBroadcast(x.node, m.node))}
}
