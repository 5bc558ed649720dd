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

// TestImpossibleShapes checks that ops refuse sizes below 1 and numbers of elements that would overflow.
func TestImpossibleShapes(t *testing.T) {
	for name, build := range map[string]func(g *Graph, x *Node) *Node{
		"reshape to sizes below 0":  func(g *Graph, x *Node) *Node { return g.Reshape(x, -2, -3) },
		"fill of no rows":           func(g *Graph, x *Node) *Node { return g.RowFill(g.SumRows(x), 0, 3) },
		"fill of too many elements": func(g *Graph, x *Node) *Node { return g.ScalarFill(g.Sum(x), 1<<32, 1<<32) },
		"too much padding": func(g *Graph, x *Node) *Node {
			return g.Conv(g.Reshape(x, 1, 2, 3, 1), g.Input("w", 1, 1, 1, 1), Square(1, 1<<31))
		},
		"maximum over too many elements": func(g *Graph, x *Node) *Node {
			return g.MaxAxes(g.ScalarFill(g.Sum(x), 1<<16, 1<<16), 0, 1)
		},
		"input of too many elements": func(g *Graph, x *Node) *Node { return g.Input("y", 1<<32, 1<<32) },
	} {
		g := New(nil, Double)
		if n := build(g, g.Input("x", 2, 3)); n != nil || g.Err() == nil {
			t.Errorf("%s: %v, error %v", name, n, g.Err())
		}
	}
}

// TestConcatKeepsItsOperands checks that a caller may reuse the slice of nodes that Concat joined.
func TestConcatKeepsItsOperands(t *testing.T) {
	b := &bench{t: t, g: New(devices(t)[0], Double)}
	x := []*Node{b.g.Param("x", 1), b.g.Param("y", 1)}
	set(b.g.Data(x[0]), 0, 1)
	both := b.g.Concat(0, x...)
	x[0] = x[1]
	near(t, "joined", b.eval(false, both)[0], []float64{1, 0}, 0)
}
