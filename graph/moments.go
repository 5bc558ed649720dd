package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"gorgonia.org/tensor"
)

// Moments adds up second moments of cotangents: for each of some nodes
//
//	S = Σ over examples, rows of the node and outputs of δδᵀ,
//
// δ being a row of the gradient of one output of the function in the node. At
// the pre-activation of a layer that reads its input through W this is all that
// its AGOP needs, Wᵀ S W / n; at an input it is n times the AGOP itself.
//
// The forward pass runs once a batch, the backward pass once an output, and no
// gradient is kept longer than it takes to multiply it with itself.
type Moments struct {
	f     *Function
	seed  *Node
	prog  *Program
	sums  []*summand
	rng   *rand.Rand
	probe int
}

// Outputs chooses how the sum over outputs is taken: exactly, one backward pass
// for every output, or, if Probes is not 0, by that many passes with cotangents
// r ~ N(0, I) drawn from Rand for each example, whose mean is right because
// E[(Jᵀr)(Jᵀr)ᵀ] = JᵀJ.
//
// The other fields say what is kept of the sum.
type Outputs struct {
	Probes int
	Rand   *rand.Rand

	// Centred takes from the gradients of every output their mean over all rows
	// that are added up, as if before the outer products. Outputs must be exact.
	Centred bool
	// Diagonal keeps only the diagonal of the sum.
	Diagonal bool
}

// Passes is the number of backward passes for a function with n outputs.
func (o Outputs) Passes(n int) int {
	if o.Probes > 0 {
		return o.Probes
	}
	return n
}

// Moments prepares the moments at the given nodes, each a node of at least one
// axis whose rows are cotangents to be multiplied. The output must be a matrix
// (example, output).
func (f *Function) Moments(nodes []*Node, o Outputs) (*Moments, error) {
	if f.Output.Dims() != 2 {
		return nil, fmt.Errorf("graph: moments: an output of shape %v: want (example, output)", f.Output.Shape())
	}
	if o.Centred && o.Probes > 0 {
		return nil, errors.New(
			"graph: moments: gradients of random combinations of outputs have no mean to be centred at")
	}
	if o.Probes < 0 || o.Probes > 0 && o.Rand == nil {
		return nil, fmt.Errorf(
			"graph: moments: %d probes: want at least 1 and a source of random numbers, or 0 for all outputs", o.Probes)
	}
	m := &Moments{f: f, seed: f.seed(), rng: o.Rand, probe: o.Probes}
	cots := f.Pullback([]*Node{f.Output}, []*Node{m.seed}, nodes)
	if f.err != nil {
		return nil, f.err
	}
	p := Plan{Outputs: []*Node{f.Output}, Repeat: []*Node{m.seed}}
	for i, n := range cots {
		if n == nil {
			return nil, fmt.Errorf("graph: moments: the output does not depend on node %v", nodes[i])
		}
		s := &summand{accumulator: newAccumulator(f.Graph, n, f.Output.Shape()[1], o), g: f.Graph, node: n}
		m.sums = append(m.sums, s)
		p.Watch = append(p.Watch, Watch{Node: n, See: s.record})
	}
	var err error
	m.prog, err = f.Compile(p)
	return m, err
}

// ValueBytes is the memory held for the values of a batch, the function's inputs
// and parameters apart; it grows with the batch.
func (m *Moments) ValueBytes() int64 { return m.prog.Bytes() }

// SumBytes is the memory held for the sums; it does not.
func (m *Moments) SumBytes() int64 {
	b := int64(0)
	for _, s := range m.sums {
		b += s.bytes()
	}
	return b
}

// Batch adds the first n examples of the function's current input. The others
// do not count. Forward, if not nil, is shown the outputs of the batch.
func (m *Moments) Batch(ctx context.Context, n int, forward func(outputs *tensor.Dense)) error {
	if err := m.begin(n); err != nil {
		return err
	}
	if err := m.run(ctx, n, forward); err != nil {
		return err
	}
	m.end()
	return nil
}

// BatchOfParts adds the first n examples of the input of a function that is the
// sum of what the graph computes with each of some parts, of which load puts one
// after another into other inputs and parameters: the gradients of the parts add
// up before the outer products. Outputs must be exact.
func (m *Moments) BatchOfParts(ctx context.Context, n, parts int, load func(part int) error) error {
	if m.probe > 0 {
		return errors.New(
			"graph: moments: the gradients of random combinations of outputs, which differ from part to part, do " +
				"not add up")
	}
	if err := m.begin(n); err != nil {
		return err
	}
	for _, s := range m.sums {
		s.gather(m.passes())
	}
	for part := range parts {
		if err := load(part); err != nil {
			return err
		}
		if err := m.run(ctx, n, nil); err != nil {
			return err
		}
	}
	err := m.f.device.Do(func() error {
		for _, s := range m.sums {
			if err := s.addGathered(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.end()
	return nil
}

func (m *Moments) begin(n int) error {
	examples := m.f.Output.Shape()[0]
	if n < 1 || n > examples {
		return fmt.Errorf("graph: moments of %d examples in batches of %d", n, examples)
	}
	for _, s := range m.sums {
		s.gathers = false // which a batch of parts that failed has left
		s.begin(n, examples)
	}
	return nil
}

func (m *Moments) end() {
	for _, s := range m.sums {
		s.end()
	}
}

func (m *Moments) passes() int { return Outputs{Probes: m.probe}.Passes(m.f.Output.Shape()[1]) }

// run runs the forward pass once and the backward pass once an output.
func (m *Moments) run(ctx context.Context, n int, forward func(outputs *tensor.Dense)) error {
	for _, s := range m.sums {
		s.pass = 0
	}
	for k := range m.passes() {
		m.cotangent(k, n)
		if k > 0 {
			if err := m.prog.Repeat(ctx); err != nil {
				return err
			}
			continue
		}
		if err := m.prog.Run(ctx); err != nil {
			return err
		}
		if forward != nil {
			forward(m.prog.Value(m.f.Output))
		}
	}
	return nil
}

// cotangent writes the k-th cotangent for the first n examples, zeros for the
// rest.
func (m *Moments) cotangent(k, n int) {
	seed := m.f.Data(m.seed)
	seed.Zero()
	outputs := seed.Shape()[1]
	for i := range n {
		if m.probe == 0 {
			setElement(seed, i*outputs+k, 1)
			continue
		}
		for j := range outputs {
			setElement(seed, i*outputs+j, m.rng.NormFloat64())
		}
	}
}

// Take returns the sums for the nodes, in their order, and starts again from
// zero. Sums by probes are divided by their number.
func (m *Moments) Take() []Moment {
	out := make([]Moment, len(m.sums))
	for i, s := range m.sums {
		out[i] = s.take(1 / float64(max(m.probe, 1)))
	}
	return out
}
