package graph

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/jacobian"
	"github.com/ansatz-lab/ansatz/graph/values"
	"gorgonia.org/tensor"
)

// Jacobian computes rows of the Jacobian J of a function's outputs in some of its parameters, a batch of examples at
// a time, in the form that makes inner products of rows cheapest: see [jacobian.Rows]. It is not safe for concurrent
// use.
type Jacobian struct {
	f       *Function
	seed    *Node
	prog    *Program
	parts   []*jacobianPart
	vectors []vectorPart
	columns int
	filling *jacobian.Rows // the rows that the current call of Rows fills
	pass    int            // the output whose gradients the current pass computes
}

// ErrTogether is returned where a backward pass yields only the sum of the gradients of several examples.
// [Function.Jacobian] returns it for the weights of a layer that has groups, is used several times or reads rows of tokens,
// and for any other parameter that is not a vector applied to rows of images, as biases and gains of batch norms are.
// [Function.MomentsOf] returns it for a node that does not depend on the inputs. It never occurs in batches of one example.
var ErrTogether = errors.New("graph: the gradients of the examples of a batch cannot be told apart")

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

// divide makes a part for every use of a layer whose parameters are read nowhere else. Of the others, such as shared weights
// or weights of groups, it makes vector parts or returns [ErrTogether]; in batches of one example it returns them as rest.
func (j *Jacobian) divide(wrt []*Node) (rest []*Node, err error) {
	readers := map[*Node]int{}
	for _, n := range below([]*Node{j.f.Output}) {
		for _, in := range operands(n) {
			readers[in]++
		}
	}
	parts, perExample := map[*Node]*jacobianPart{}, j.f.perExample(j.f.Output)
	var all []*jacobianPart
	imageLike := true
	for _, l := range j.f.Layers {
		for _, u := range l.Uses() {
			p := newJacobianPart(j.f, l, u)
			imageLike = imageLike && p.apart()
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
		if p.Weight || p.Bias {
			j.parts = append(j.parts, p)
		}
	}
	if j.f.Output.Shape()[0] == 1 {
		return rest, nil
	}
	for _, n := range rest {
		uses := j.vectorUses(n, imageLike, perExample)
		if uses == nil {
			return nil, fmt.Errorf("%w: %s", ErrTogether, n.Name())
		}
		j.vectors = append(j.vectors, vectorPart{n, uses})
	}
	return nil, nil
}

// compile prepares the forward pass, and the backward pass of one output. In batches of one example, rest lists the
// parameters outside of layer parts; it is empty otherwise.
func (j *Jacobian) compile(rest []*Node) error {
	var nodes []*Node
	for _, p := range j.parts {
		nodes = append(nodes, p.use.Pre)
	}
	nodes = append(nodes, rest...)
	for _, v := range j.vectors {
		for _, u := range v.uses {
			nodes = append(nodes, u.y)
		}
	}
	cots := j.f.Pullback([]*Node{j.f.Output}, []*Node{j.seed}, nodes)
	plan := Plan{Outputs: []*Node{j.f.Output}, Repeat: []*Node{j.seed}}
	for k, p := range j.parts {
		plan.Watch = append(plan.Watch,
			Watch{Node: cots[k], See: func(cot *tensor.Dense) error { return p.record(j, k, cot) }})
		if read := p.read(j.f); read != nil {
			plan.Outputs = append(plan.Outputs, read)
		}
	}
	// keep adds a part for a parameter that is in no layer's part. The node gradients has a row for each example.
	keep := func(n, gradients *Node) {
		at := len(j.parts)
		j.parts = append(j.parts, &jacobianPart{columns: PartParameters{Weight: n},
			Part: jacobian.Part{Weight: true, Filters: 1, Patch: size(n), Positions: 1}})
		plan.Watch = append(plan.Watch,
			Watch{Node: gradients, See: func(g *tensor.Dense) error { j.filling.KeepGradients(at, j.pass, g); return nil }})
	}
	cots = cots[len(j.parts):]
	for k, n := range rest {
		keep(n, cots[k])
	}
	cots = cots[len(rest):]
	for _, v := range j.vectors {
		keep(v.parameter, j.vectorGradient(v, cots[:len(v.uses)]))
		cots = cots[len(v.uses):]
	}
	if err := j.f.Err(); err != nil {
		return err
	}
	var err error
	j.prog, err = j.f.Compile(plan)
	return err
}

// Columns returns the number of columns of J.
func (j *Jacobian) Columns() int { return j.columns }

// PartParameters are the parameters whose columns are in one part of the rows: the weight and the bias of a layer, nil if
// its columns are not included, or any other parameter as Weight.
type PartParameters struct{ Weight, Bias *Node }

// Parameters returns the parameters of every part of the rows. Those that the output does not depend on are in no part.
func (j *Jacobian) Parameters() []PartParameters {
	all := make([]PartParameters, len(j.parts))
	for i, p := range j.parts {
		all[i] = p.columns
	}
	return all
}

// ValueBytes returns the memory of the program's values for a batch, without inputs and parameters.
func (j *Jacobian) ValueBytes() int64 { return j.prog.Bytes() }

// RowBytes returns the memory of the rows of one example.
func (j *Jacobian) RowBytes() int64 {
	outputs, elements := j.f.Output.Shape()[1], 0
	for _, p := range j.parts {
		elements += p.Elements(outputs)
	}
	return int64(elements) * int64(j.f.dtype.Size())
}

// Rows returns the rows of the first n examples of the function's current input, from a forward pass and a backward
// pass for every output. The caller may keep them.
func (j *Jacobian) Rows(ctx context.Context, n int) (*jacobian.Rows, error) {
	shape := j.f.Output.Shape()
	if n < 1 || n > shape[0] {
		return nil, fmt.Errorf("graph: the Jacobian of %d examples in batches of %d", n, shape[0])
	}
	var parts []*jacobian.Part
	for _, p := range j.parts {
		parts = append(parts, &p.Part)
	}
	r := jacobian.New(parts, n, shape[1], j.f.dtype == tensor.Float64)
	j.filling = r
	seed := j.f.Data(j.seed)
	for j.pass = range shape[1] {
		seed.Zero()
		for i := range n {
			values.Set(seed, i*shape[1]+j.pass, 1)
		}
		if err := runOrRepeat(ctx, j.prog, j.pass > 0); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Output returns the function's output at the examples of the last [Jacobian.Rows].
func (j *Jacobian) Output() *tensor.Dense { return j.prog.Value(j.f.Output) }
