package graph

import (
	"slices"
	"testing"
)

// TestReshapeOfAVector checks that Reshape distinguishes a vector from a column and from a row, although
// tensor.Shape.Eq says that they are equal.
func TestReshapeOfAVector(t *testing.T) {
	g := New(nil, Double)
	x := g.Input("x", 5)
	for _, shape := range [][]int{{5, 1}, {1, 5}, {5}} {
		if got := g.Reshape(x, shape...).Shape(); !slices.Equal(got, shape) {
			t.Errorf("got %v, want %v", got, shape)
		}
	}
}
