package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/tensor"
)

// TestRandomExpressions checks that programs of random expressions, and of their derivatives, give the same numbers whether
// elementwise ops are fused into chains or not, whatever is watched, and if a part of the program is run again.
func TestRandomExpressions(t *testing.T) {
	for i, d := range devices(t) {
		for seed := range uint64(max(5, 100>>(2*i))) { // the last device is a GPU, or the CPU that stands in for one and compiles slowly
			t.Run(fmt.Sprintf("%d/%d", i, seed), func(t *testing.T) {
				e := &randomExpression{Graph: New(d, Double), rng: rand.New(rand.NewPCG(seed, 7))}
				e.grow(5 + e.rng.IntN(30))
				e.check(t)
			})
		}
	}
}

// randomExpression is an expression of random ops on a few parameters.
type randomExpression struct {
	*Graph
	rng    *rand.Rand
	leaves []*Node
	nodes  []*Node // with the leaves
}

// grow declares the parameters and adds a number of random ops.
func (e *randomExpression) grow(ops int) {
	for i, s := range [][]int{{4, 6}, {6}, {4}, {1}, {1, 6}, {6, 1}, {12, 10}, {10}, {8}, {8, 8}} {
		e.leaves = append(e.leaves, e.Param(fmt.Sprint("p", i), s...))
	}
	e.draw(e.leaves)
	e.nodes = append(e.nodes, e.leaves...)
	for len(e.nodes) < len(e.leaves)+ops {
		if y := e.op(e.pick(func(*Node) bool { return true })); y != nil && size(y) <= 2000 {
			e.nodes = append(e.nodes, y)
		}
	}
}

// draw draws the values of parameters and inputs.
func (e *randomExpression) draw(nodes []*Node) {
	for _, n := range nodes {
		for i := range size(n) {
			set(e.Data(n), i, e.rng.NormFloat64())
		}
	}
}

// pick returns one of the nodes that fit, often a late one, nil if none does.
func (e *randomExpression) pick(fits func(*Node) bool) *Node {
	var all []*Node
	for _, n := range e.nodes {
		if fits(n) {
			all = append(all, n)
		}
	}
	switch {
	case len(all) == 0:
		return nil
	case e.rng.IntN(2) == 0:
		return all[len(all)-1-e.rng.IntN(min(3, len(all)))]
	}
	return all[e.rng.IntN(len(all))]
}

// op returns a random op of x and of other nodes, nil if none fits.
func (e *randomExpression) op(x *Node) *Node {
	like := e.pick(func(n *Node) bool { return n.Dims() == x.Dims() && n.Shape().Eq(x.Shape()) })
	vector := func(k int) *Node { return e.pick(func(n *Node) bool { return n.Dims() == 1 && size(n) == k }) }
	row, row2, column, scalar := vector(cols(x)), vector(cols(x)), vector(rows(x)), vector(1)
	factor := e.pick(func(n *Node) bool { return n.Dims() == 2 && cols(n) == cols(x) })
	axis := e.rng.IntN(x.Dims())
	unary := []func() *Node{
		func() *Node { return e.Tanh(x) }, func() *Node { return e.Sigmoid(x) }, func() *Node { return e.Scale(e.rng.Float64(), x) },
		func() *Node { return e.Shift(.1, e.ReLU(x)) }, func() *Node { return e.Power(.5, e.Abs(x)) },
		func() *Node { return e.AtLeast(.1, x) }, func() *Node { return e.AtMost(.3, x) },
		func() *Node { return e.Softmax(x) }, func() *Node { return e.LogSumExp(x) }, func() *Node { return e.NormaliseRows(x, .1) },
		func() *Node { return e.SumRows(x) }, func() *Node { return e.SumCols(x) }, func() *Node { return e.VarRows(x, e.MeanRows(x)) },
		func() *Node { return e.MaxAxes(x, axis) }, func() *Node { return e.MeanAxes(x, axis) },
		func() *Node { return e.Slice(x, axis, 0, x.Shape()[axis], 2) },
		func() *Node { return e.Slice(x, axis, x.Shape()[axis]-1, -1, -1) },
		func() *Node { return e.Concat(axis, x, x) }, func() *Node { return e.Reshape(x, size(x)) },
		func() *Node { return e.Reshape(x, 1, size(x)) },
		func() *Node {
			return e.TakeAlong(x, axis, []int{e.rng.IntN(x.Shape()[axis]), e.rng.IntN(x.Shape()[axis])})
		},
		func() *Node {
			before, after := make([]int, x.Dims()), make([]int, x.Dims())
			before[axis], after[e.rng.IntN(x.Dims())] = e.rng.IntN(3), e.rng.IntN(3)
			return e.Pad(x, before, after, PadConstant, e.rng.Float64())
		},
	}
	with := func(other *Node, f func() *Node) func() *Node {
		if other == nil {
			return func() *Node { return nil }
		}
		return f
	}
	other := e.pick(func(n *Node) bool {
		s, err := BroadcastShape(n.Shape(), x.Shape())
		return err == nil && tensor.Shape(s).TotalSize() <= 2000
	})
	binary := []func() *Node{
		func() *Node { return e.Add(x, like) }, func() *Node { return e.Mul(x, like) }, func() *Node { return e.Sub(x, like) },
		func() *Node { return e.Maximum(x, like) }, func() *Node { return e.DotRows(x, like) },
		func() *Node { return e.DotCols(x, like) },
		func() *Node { return e.AddBroadcast(x, other) }, func() *Node { return e.MulBroadcast(x, other) },
		with(row, func() *Node { return e.RowMul(x, row) }), with(row, func() *Node { return e.RowAdd(x, row) }),
		with(row, func() *Node { return e.RowAffine(x, row, row2) }), with(column, func() *Node { return e.ColMul(x, column) }),
		with(scalar, func() *Node { return e.ScalarMul(x, scalar) }),
	}
	matrix := []func() *Node{
		func() *Node { return e.Permute(x, 1, 0) },
		with(factor, func() *Node { return e.Tanh(e.MatMul(x, factor, false, true)) }),
		with(factor, func() *Node { return e.Tanh(e.SquaredDistances(x, factor)) }),
		func() *Node { return e.convolution(x) },
	}
	all := append(unary, binary...)
	if x.Dims() == 2 {
		all = append(all, matrix...)
	}
	return all[e.rng.IntN(len(all))]()
}

// convolution returns a convolution and a pool of x as an image, nil if x has too few elements.
func (e *randomExpression) convolution(x *Node) *Node {
	const filters, channels, rows, columns = 8, 4, 2, 3
	if size(x)%(2*channels) != 0 || size(x) < 24 {
		return nil
	}
	groups := []int{1, 2, 4}[e.rng.IntN(3)]
	need := filters * channels / groups * rows * columns
	w := e.pick(func(n *Node) bool { return size(n) >= need })
	if w == nil {
		return nil
	}
	f := e.Reshape(e.Slice(e.Reshape(w, size(w)), 0, 0, need, 1), filters, channels/groups, rows, columns)
	y := e.Conv(e.Reshape(x, 1, 2, size(x)/2/channels, channels), f, Conv2D{PadH: 1, PadW: e.rng.IntN(3), StrideH: 1,
		StrideW: 1 + e.rng.IntN(3), DilateH: 1, DilateW: 1, Groups: groups})
	if bias := e.pick(func(n *Node) bool { return n.Dims() == 1 && size(n) == filters }); bias != nil {
		y = e.ReLU(e.RowAdd(y, bias))
	}
	y = e.MaxPool(y, Pool2D{SizeH: 2, SizeW: 1, StrideH: 1, StrideW: 2, Ceil: true})
	return e.Tanh(e.Reshape(y, size(y)/filters, filters))
}

// check compares programs of some of the nodes and of the derivatives of the last one.
func (e *randomExpression) check(t *testing.T) {
	t.Helper()
	outputs := []*Node{e.nodes[len(e.nodes)-1], e.nodes[e.rng.IntN(len(e.nodes))]}
	r := e.Input("r", outputs[0].Shape()...)
	e.draw([]*Node{r})
	for _, n := range e.Pullback(outputs[:1], []*Node{r}, e.leaves) {
		if n != nil {
			outputs = append(outputs, n)
		}
	}
	repeat := []*Node{e.leaves[e.rng.IntN(len(e.leaves))], r}
	watched := e.nodes[e.rng.IntN(len(e.nodes))]
	compile := func(unfused bool) (p *Program, seen *[]float64) {
		seen = new([]float64)
		p, err := e.Compile(Plan{Outputs: outputs, Unfused: unfused, Repeat: repeat,
			Watch: []Watch{{Node: watched, See: func(v *tensor.Dense) error { *seen = get(v); return nil }}}})
		if err != nil {
			t.Fatal(err)
		}
		return p, seen
	}
	fused, seen := compile(false)
	for pass := range 3 {
		if err := runOrRepeat(t.Context(), fused, pass > 0); err != nil {
			t.Fatal(err)
		}
		plain, want := compile(true)
		if err := plain.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, n := range outputs {
			same(t, fmt.Sprintf("pass %d, output %d, %v", pass, i, n), get(fused.Value(n)), get(plain.Value(n)))
		}
		if pass == 0 { // a node that does not depend on what is repeated is not seen again
			same(t, fmt.Sprintf("watched %v", watched), *seen, *want)
		}
		e.draw(repeat)
	}
}

// same checks that numbers are the same but for rounding, or not numbers in both.
func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		if g := got[i]; !(math.Abs(g-w) <= 1e-9*max(1, math.Abs(w))) && g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, g, w)
		}
	}
}
