package graph

import (
	"slices"
	"testing"
)

// TestReshapeOfAVector: a vector is neither a column nor a row, though
// tensor.Shape.Eq takes it for both.
func TestReshapeOfAVector(t *testing.T) {
	g := New(nil, Double)
	x := g.Input("x", 5)
	for _, shape := range [][]int{{5, 1}, {1, 5}, {5}} {
		if got := g.Reshape(x, shape...).Shape(); !slices.Equal(got, shape) {
			t.Errorf("got %v, want %v", got, shape)
		}
	}
}
