package fromonnx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// cell is what a recurrent op computes at every position of a sequence.
type cell struct {
	gates       int      // blocks of rows of W and R, each with a row for every hidden unit
	activations []string // those of the cell, which are ONNX's defaults
	// step returns the next state of the hidden units, and of the memory cells if there are any. x and h are what W and R make
	// of the input and of the last state, the gates one after the other.
	step func(b *builder, x, h *graph.Node, last state) state
}

// state is the state of a recurrent network, (image, unit).
type state struct{ hidden, memory *graph.Node }

// recurrent maps the recurrent ops to their cells.
var recurrent = map[string]cell{
	"LSTM": {4, []string{"Sigmoid", "Tanh", "Tanh"}, lstmStep},
	"GRU":  {3, []string{"Sigmoid", "Tanh"}, gruStep},
	"RNN":  {1, []string{"Tanh"}, rnnStep((*graph.Graph).Tanh)},
}

func lstmStep(b *builder, x, h *graph.Node, last state) state {
	sum := b.Add(x, h)
	open := b.Sigmoid(b.gates(sum, 0, 3, 4)) // the gates of the input, of the output and for what is kept
	memory := b.Add(b.Mul(b.gates(open, 2, 3, 3), last.memory), b.Mul(b.gates(open, 0, 1, 3), b.Tanh(b.gates(sum, 3, 4, 4))))
	return state{b.Mul(b.gates(open, 1, 2, 3), b.Tanh(memory)), memory}
}

// gruStep is the step of a GRU that resets what R makes of the state, not the state, as PyTorch's does.
func gruStep(b *builder, x, h *graph.Node, last state) state {
	open := b.Sigmoid(b.Add(b.gates(x, 0, 2, 3), b.gates(h, 0, 2, 3))) // the gates of the update and of the reset
	next := b.Tanh(b.Add(b.gates(x, 2, 3, 3), b.Mul(b.gates(open, 1, 2, 2), b.gates(h, 2, 3, 3))))
	return state{hidden: b.Add(next, b.Mul(b.gates(open, 0, 1, 2), b.Sub(last.hidden, next)))}
}

func rnnStep(f func(*graph.Graph, *graph.Node) *graph.Node) func(b *builder, x, h *graph.Node, last state) state {
	return func(b *builder, x, h *graph.Node, _ state) state { return state{hidden: f(b.Graph, b.Add(x, h))} }
}

// gates returns the gates from ≤ k < to of x, which has the given number of them.
func (b *builder) gates(x *graph.Node, from, to, of int) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	units := x.Shape()[1] / of
	return b.Slice(x, 1, from*units, to*units, 1)
}

// mostSteps is the longest sequence that a recurrent op may read, since every step has nodes of its own.
const mostSteps = 4096

// recur builds the expression of a recurrent op, step by step. Each direction has two layers: NAME/input reads the sequence, and
// NAME/hidden the states.
func recur(b *builder, n *onnx.Node) []value {
	c, directions := b.cell(n)
	x, w, r, bias := b.read(n, 0), b.read(n, 1), b.read(n, 2), b.read(n, 3)
	if b.Err() != nil {
		return nil
	}
	batchFirst := n.Int("layout", 0) == 1
	if !batchFirst {
		x = x.transpose([]int{1, 0, 2})
	}
	images, steps, units := x.shape()[0], x.shape()[1], r.shape()[2]
	rows := c.gates * units
	if !slices.Equal(w.shape(), []int{len(directions), rows, x.shape()[2]}) || !slices.Equal(r.shape(), []int{len(directions), rows, units}) {
		b.Fail("its weights have the shapes %v and %v: want (direction, %d·unit, feature) for %d features, and (direction, %d·unit, unit)",
			w.shape(), r.shape(), c.gates, x.shape()[2], c.gates)
		return nil
	}
	if steps > mostSteps {
		b.Fail("it reads sequences of %d steps: want at most %d", steps, mostSteps)
		return nil
	}
	b.checkLengths(n, steps)
	sequence := b.logical(x)
	var all, hidden, memory []*graph.Node // by direction
	for k, reverse := range directions {
		part := func(v value, from, to int) *graph.Node {
			return b.Reshape(b.Slice(b.Slice(b.logical(v), 0, k, k+1, 1), 1, from, to, 1), append([]int{to - from}, v.shape()[2:]...)...)
		}
		var ofInput, ofHidden *graph.Node
		if bias.node != nil {
			ofInput, ofHidden = part(bias, 0, rows), part(bias, rows, 2*rows)
		}
		name := func(i int) string { return b.recurrentName(n, i, k) }
		y := b.LinearLayer(name(1), sequence, part(w, 0, rows), ofInput)
		weights := part(r, 0, rows)
		s := state{b.initial(n, 5, k, batchFirst, images, units), nil}
		if n.Op == "LSTM" {
			s.memory = b.initial(n, 6, k, batchFirst, images, units)
		}
		states := make([]*graph.Node, steps)
		for i := range steps {
			at := i
			if reverse {
				at = steps - 1 - i
			}
			in := b.Reshape(b.Slice(y, 1, at, at+1, 1), images, rows)
			s = c.step(b, in, b.LinearLayer(name(2), s.hidden, weights, ofHidden), s)
			states[at] = b.Reshape(s.hidden, images, 1, 1, units)
		}
		all = append(all, b.Concat(1, states...))
		hidden = append(hidden, b.Reshape(s.hidden, images, 1, units))
		if s.memory != nil {
			memory = append(memory, b.Reshape(s.memory, images, 1, units))
		}
	}
	if b.Err() != nil {
		return nil
	}
	out := []value{plain(b.Concat(2, all...)), plain(b.Concat(1, hidden...))}
	if memory != nil {
		out = append(out, plain(b.Concat(1, memory...)))
	}
	if !batchFirst {
		out[0] = out[0].transpose([]int{1, 2, 0, 3})
		for i := range out[1:] {
			out[1+i] = out[1+i].transpose([]int{1, 0, 2})
		}
	}
	return out
}

// cell returns the cell of a recurrent node, and for each of its directions whether it goes through the sequence backwards. It
// refuses what PyTorch's cells do not have.
func (b *builder) cell(n *onnx.Node) (c cell, reverse []bool) {
	c = recurrent[n.Op]
	switch d := n.String("direction", "forward"); d {
	case "forward":
		reverse = []bool{false}
	case "reverse":
		reverse = []bool{true}
	case "bidirectional":
		reverse = []bool{false, true}
	default:
		b.Fail("its direction is %q: want forward, reverse or bidirectional", d)
		return c, nil
	}
	given := n.Texts("activations")
	if n.Op == "RNN" && len(given) > 0 && strings.EqualFold(given[0], "Relu") {
		c.activations, c.step = []string{"Relu"}, rnnStep((*graph.Graph).ReLU)
	}
	if want := slices.Repeat(c.activations, len(reverse)); len(given) > 0 && !slices.EqualFunc(given, want, strings.EqualFold) {
		b.Fail("its activations are %v: want %v", given, want)
	}
	switch {
	case len(n.Inputs) > 7 && n.Inputs[7] != "":
		b.Fail("peepholes, its input 8, are not supported")
	case n.Float("clip", 0) != 0 || n.Int("input_forget", 0) != 0:
		b.Fail("its clip and input_forget are not supported")
	case n.Op == "GRU" && n.Int("linear_before_reset", 0) == 0:
		b.Fail("its linear_before_reset is 0: only GRUs that multiply by R before the reset, as PyTorch's do, are supported")
	}
	return c, reverse
}

// checkLengths refuses sequences that end early.
func (b *builder) checkLengths(n *onnx.Node, steps int) {
	if len(n.Inputs) < 5 || n.Inputs[4] == "" {
		return
	}
	t := b.constant(n.Inputs[4])
	if t == nil {
		b.Fail("its sequence_lens depend on the images: only sequences of one length are supported")
		return
	}
	if v, err := t.Ints(); err != nil || slices.ContainsFunc(v, func(l int64) bool { return l != int64(steps) }) {
		b.Fail("its sequence_lens are not all %d: only sequences of one length are supported", steps)
	}
}

// initial returns the state before the first step in a direction, (image, unit), from the i-th input of a node. Without this
// input it is zero.
func (b *builder) initial(n *onnx.Node, i, direction int, batchFirst bool, images, units int) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	if i >= len(n.Inputs) || n.Inputs[i] == "" {
		return b.Expand(b.given("0:", nil, []float64{0}).node, images, units)
	}
	v := b.filled(n, i)
	if !batchFirst && b.Err() == nil {
		v = v.transpose([]int{1, 0, 2})
	}
	return b.Reshape(b.Slice(b.logical(v), 1, direction, direction+1, 1), images, units)
}

// recurrentName returns the name of the layer of a recurrent node with the weights of its i-th input, 1 or 2, in a direction.
func (n *network) recurrentName(node *onnx.Node, i, direction int) string {
	name := cmp.Or(n.names[recurrentKey(node)], recurrentBase(node, n.reach)) + map[int]string{1: "/input", 2: "/hidden"}[i]
	if direction == 1 {
		name += "/reverse"
	}
	return name
}

// recurrentKey returns the key under which layerNames has the name of a recurrent node: the name of its weights, so that a module
// that is called twice has one name.
func recurrentKey(n *onnx.Node) string { return fmt.Sprintf("%s of %s", n.Op, n.Inputs[1]) }

// recurrentBase returns the name of a recurrent node's module as far as the file tells it.
func recurrentBase(n *onnx.Node, r reach) string {
	var stored []string
	for _, in := range n.Inputs[1:min(3, len(n.Inputs))] {
		stored = append(stored, r.storedBelow(in)...)
	}
	return computedName(n, stored)
}
