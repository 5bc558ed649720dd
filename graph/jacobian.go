package graph

import (
	"context"
	"errors"
	"fmt"

	"gorgonia.org/tensor"
)

// Jacobian computes rows of the Jacobian J of a function's outputs in some of its parameters, a batch of examples at
// a time, in the form that makes inner products of rows cheapest: see [JacobianRows]. It is not safe for concurrent
// use.
type Jacobian struct {
	f       *Function
	seed    *Node
	prog    *Program
	parts   []*jacobianPart
	columns int
	filling *JacobianRows // what a run fills, its pass-th output
	pass    int
}

// ErrTogether is returned where only the sum of the gradients of several examples is known. Of [Function.Jacobian] these
// are the gradients in a parameter that is not the weight or bias of a layer, but the gain of a batch norm, say, or whose
// layer has groups, is used several times or reads rows of tokens. Of [Function.MomentsOf] they are those at a node that
// does not depend on the examples. With one example in a batch there is no such node.
var ErrTogether = errors.New("graph: the gradients of the examples of a batch are not kept apart")

// Jacobian prepares the rows of J, whose columns are the parameters wrt. The
// output must be a matrix (example, output).
func (f *Function) Jacobian(wrt []*Node) (*Jacobian, error) {
	if f.Output.Dims() != 2 {
		return nil, fmt.Errorf("graph: Jacobian: an output of shape %v: want (example, output)", f.Output.Shape())
	}
	j := &Jacobian{f: f, seed: f.seed()}
	for _, p := range wrt {
		j.columns += size(p)
	}
	rest, err := j.divide(wrt)
	if err != nil {
		return nil, err
	}
	return j, j.compile(rest)
}

// divide makes a part for the parameters of every use of a layer that are read nowhere else, and returns the other
// parameters: shared weights, weights of groups, and those of layers whose rows cannot be told to be of which example.
func (j *Jacobian) divide(wrt []*Node) (rest []*Node, err error) {
	readers := map[*Node]int{}
	for _, n := range below([]*Node{j.f.Output}) {
		for _, in := range operands(n) {
			readers[in]++
		}
	}
	parts, perExample := map[*Node]*jacobianPart{}, j.f.perExample(j.f.Output)
	var all []*jacobianPart
	for _, l := range j.f.Layers {
		for _, u := range l.Uses() {
			p := newJacobianPart(j.f, l, u)
			if !p.apart() || p.examples > 1 && !perExample[u.Pre] {
				continue
			}
			all = append(all, p)
			if l.More == nil && l.Groups() == 1 {
				parts[l.Weight] = p
			}
			if u.Bias != nil {
				parts[u.Bias] = p
			}
		}
	}
	for _, n := range wrt {
		p := parts[n]
		switch {
		case readers[n] == 0: // a column of zeros
		case p == nil || readers[n] > 1:
			rest = append(rest, n)
		default:
			p.addNode(n)
		}
	}
	for _, p := range all {
		if p.weight || p.bias {
			j.parts = append(j.parts, p)
		}
	}
	if len(rest) > 0 && j.f.Output.Shape()[0] > 1 {
		return nil, fmt.Errorf("%w: %s", ErrTogether, rest[0].Name())
	}
	return rest, nil
}

// compile prepares the forward pass, and the backward pass of one output.
func (j *Jacobian) compile(rest []*Node) error {
	nodes := make([]*Node, 0, len(j.parts)+len(rest))
	for _, p := range j.parts {
		nodes = append(nodes, p.use.Pre)
	}
	cots := j.f.Pullback([]*Node{j.f.Output}, []*Node{j.seed}, append(nodes, rest...))
	plan := Plan{Outputs: []*Node{j.f.Output}, Repeat: []*Node{j.seed}}
	for k, p := range j.parts {
		plan.Watch = append(plan.Watch,
			Watch{Node: cots[k], See: func(cot *tensor.Dense) error { return p.record(j, k, cot) }})
		if read := p.read(j.f); read != nil {
			plan.Outputs = append(plan.Outputs, read)
		}
	}
	at := len(j.parts)
	for k, n := range rest {
		cot := cots[at+k]
		j.parts = append(j.parts, &jacobianPart{weight: true, filters: 1, patch: size(n), positions: 1})
		plan.Watch = append(plan.Watch,
			Watch{Node: cot, See: func(g *tensor.Dense) error { return j.keepGradient(at+k, g) }})
	}
	var err error
	j.prog, err = j.f.Compile(plan)
	return err
}

// Columns returns the number of columns of J.
func (j *Jacobian) Columns() int { return j.columns }

// ValueBytes returns the memory of the values of a batch.
func (j *Jacobian) ValueBytes() int64 { return j.prog.Bytes() }

// RowBytes returns the memory of the rows of one example.
func (j *Jacobian) RowBytes() int64 {
	outputs, elements := j.f.Output.Shape()[1], 0
	for _, p := range j.parts {
		elements += p.elements(outputs)
	}
	return int64(elements) * int64(j.f.dtype.Size())
}

// Rows returns the rows of the first n examples of the function's current input, from a forward pass and a backward
// pass for every output. The caller may keep them.
func (j *Jacobian) Rows(ctx context.Context, n int) (*JacobianRows, error) {
	shape := j.f.Output.Shape()
	if n < 1 || n > shape[0] {
		return nil, fmt.Errorf("graph: the Jacobian of %d examples in batches of %d", n, shape[0])
	}
	r := newJacobianRows(j, n, shape[1])
	j.filling = r
	seed := j.f.Data(j.seed)
	for j.pass = range shape[1] {
		seed.Zero()
		for i := range n {
			setElement(seed, i*shape[1]+j.pass, 1)
		}
		if err := runOr(ctx, j.prog, j.pass > 0); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Output returns the function's output at the examples of the last [Jacobian.Rows].
func (j *Jacobian) Output() *tensor.Dense { return j.prog.Value(j.f.Output) }

// keepGradient copies the gradient of one output in a parameter that has no layer's part.
func (j *Jacobian) keepGradient(part int, gradient *tensor.Dense) error {
	r := j.filling
	width := j.parts[part].patch
	switch to := r.parts[part].explicit.(type) {
	case []float32:
		copy(to[j.pass*width:][:width], gradient.Float32s())
	case []float64:
		copy(to[j.pass*width:][:width], gradient.Float64s())
	}
	return nil
}
