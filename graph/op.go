package graph

import (
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"strings"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// spec describes an op. An op is a function of this package that checks its arguments and calls apply with its spec.
type spec struct {
	name  string
	attr  any          // all parameters besides the operands, printable
	in    []*Node      // operands
	shape tensor.Shape // of the result
	index bool         // the result is of int32

	// What computes the value: a function for each precision; or, for an
	// elementwise op, an instruction, which reads first the elementwise operands,
	// then the vectors; or, with view, nothing: it is the operand in another shape.
	f32   func(*call[float32]) error
	f64   func(*call[float64]) error
	instr *backend.Instr
	view  bool

	rule rule
}

// rule gives the cotangents of the operands, nil where there is none, from the
// cotangent of the result.
type rule func(p pull) []*Node

// pull holds the arguments of a rule.
type pull struct {
	in   []*Node // operands
	out  *Node   // the result
	cot  *Node   // its cotangent, of its shape
	want []bool  // which operands' cotangents are needed
}

// call is one evaluation of an op. Slices of operands that are not of T, and
// of index operands where there are none, are nil.
type call[T backend.Float] struct {
	engine  backend.Engine[T]
	in      [][]T
	index   []int32
	out     []T
	indices []int32 // the result, if it is of int32
}

// op implements Gorgonia's interfaces for a spec.
type op struct {
	spec
	g      *Graph
	serial int
}

var (
	_ gorgonia.SDOp            = (*op)(nil)
	_ gorgonia.UsePreallocDoer = (*op)(nil)
)

// apply returns the node that computes s, an existing one if there is one.
func (g *Graph) apply(s spec) *Node {
	if g.err != nil {
		return nil
	}
	if err := checkShape(s.shape); err != nil {
		return g.Fail("%s: %w", s.name, err)
	}
	key := s.key()
	if n, ok := g.nodes[key]; ok {
		return n
	}
	// Gorgonia merges nodes by a 32-bit hash of their op and operands. The
	// serial keeps them apart. If two hashes are equal nonetheless, ApplyOp
	// returns the node of another op, and the loop tries the next serial.
	for {
		o := &op{spec: s, g: g, serial: g.serial}
		g.serial++
		n, err := gorgonia.ApplyOp(o, s.in...)
		if err != nil {
			return g.Fail("%s: %w", s.name, err)
		}
		if n.Op() == gorgonia.Op(o) {
			g.nodes[key] = n
			return n
		}
	}
}

// key returns a text that identifies what the op computes.
func (s *spec) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v %v", s.name, s.attr, s.shape)
	for _, n := range s.in {
		fmt.Fprintf(&b, " %d", n.ID())
	}
	return b.String()
}

func (o *op) String() string { return o.name }

func (o *op) Arity() int { return len(o.in) }

func (o *op) Type() hm.Type {
	types := make([]hm.Type, 0, len(o.in)+1)
	for _, n := range o.in {
		types = append(types, gorgonia.TensorType{Dims: n.Dims(), Of: n.Dtype()})
	}
	types = append(types, gorgonia.TensorType{Dims: len(o.shape), Of: o.dtype()})
	return hm.NewFnType(types...)
}

func (o *op) dtype() tensor.Dtype {
	if o.index {
		return tensor.Int32
	}
	return o.g.dtype
}

func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.shape.Clone(), nil }

func (o *op) ReturnsPtr() bool     { return true }
func (o *op) CallsExtern() bool    { return false }
func (o *op) OverwritesInput() int { return -1 }

func (o *op) WriteHash(h hash.Hash) { fmt.Fprintf(h, "%s %d", o.name, o.serial) }

func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// DiffWRT and SymDiff give the rule to Gorgonia's own differentiation.
func (o *op) DiffWRT(inputs int) []bool {
	wrt := make([]bool, inputs)
	for i, n := range o.in {
		wrt[i] = o.rule != nil && n.Dtype() != tensor.Int32
	}
	return wrt
}

// SymDiff satisfies gorgonia.SDOp.
func (o *op) SymDiff(in gorgonia.Nodes, out, cot *Node) (gorgonia.Nodes, error) {
	if o.rule == nil {
		return nil, fmt.Errorf("%s is not differentiable", o.name)
	}
	cots := o.rule(pull{in: in, out: out, cot: cot, want: o.DiffWRT(len(in))})
	return cots, o.g.err
}

// Do satisfies gorgonia.Op: it evaluates the op by itself, into a new tensor.
func (o *op) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	return o.UsePreallocDo(tensor.New(tensor.Of(o.dtype()), tensor.WithShape(o.shape...)), in...)
}

// UsePreallocDo satisfies gorgonia.UsePreallocDoer.
func (o *op) UsePreallocDo(out gorgonia.Value, in ...gorgonia.Value) (gorgonia.Value, error) {
	if o.g.device == nil {
		return nil, errors.New("graph: no device to run on")
	}
	operands := make([]any, len(in))
	for i, v := range in {
		operands[i] = v.Data()
	}
	run := runner[float32]
	if o.g.dtype == tensor.Float64 {
		run = runner[float64]
	}
	return out, o.g.device.Do(run(o, operands, out.Data()))
}

// runner binds an op to the slices of its operands and result.
func runner[T backend.Float](o *op, operands []any, out any) func() error {
	c := &call[T]{engine: backend.EngineOf[T](o.g.device)}
	for _, v := range operands {
		x, _ := v.([]T)
		c.in = append(c.in, x)
		if idx, ok := v.([]int32); ok {
			c.index = idx
		}
	}
	c.out, _ = out.([]T)
	c.indices, _ = out.([]int32)
	switch {
	case o.view:
		return func() error { copy(c.out, c.in[0]); return nil }
	case o.instr != nil:
		chain := &backend.Chain{Instrs: []backend.Instr{*o.instr}}
		cols := o.shape[len(o.shape)-1]
		return func() error { c.engine.Elementwise(chain, c.in, cols, c.out); return nil }
	}
	f, ok := any(o.f32).(func(*call[T]) error)
	if !ok {
		f, ok = any(o.f64).(func(*call[T]) error)
	}
	if !ok {
		return func() error { return fmt.Errorf("%s has no value in this precision", o.name) }
	}
	return func() error { return f(c) }
}
