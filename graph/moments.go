package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/graph/values"
	"gorgonia.org/tensor"
)

// Moments adds up second moments of cotangents, for some nodes,
//
//	S = Σ over examples, rows of the node and outputs of δδᵀ,
//
// where δ is a row of the gradient of one output of the function in the node. At the pre-activation of a layer with
// weights W it gives the AGOP, Wᵀ S W / n; at an input it is n times the AGOP.
//
// The forward pass runs once per batch, and the backward pass once per output. A gradient is in memory only until its
// outer product has been added.
type Moments struct {
	f     *Function
	seed  *Node
	prog  *Program
	sums  []*moment.OfParts
	rng   *rand.Rand
	probe int
	// streams holds a generator for each example of a batch, from which its probes are drawn.
	streams []*rand.Rand
}

// Outputs says how to compute the sum over outputs: exactly, with one backward pass for every output, or, if Probes
// is not 0, as a mean over that many passes with cotangents r ~ N(0, I) drawn from Rand for every example. The mean
// is unbiased, since E[(Jᵀr)(Jᵀr)ᵀ] = JᵀJ. An example has the same cotangents in batches of any size.
type Outputs struct {
	Probes int
	Rand   *rand.Rand

	// Centred subtracts from the gradients of every output their mean over all rows. Probes must be 0.
	Centred bool
	// Diagonal keeps only the diagonal of the sum.
	Diagonal bool
	// Watch lists further nodes of f to observe, once per batch, in the forward pass. They must not depend on the
	// cotangents of the outputs.
	Watch []Watch
}

// kind returns what is summed up.
func (o Outputs) kind() moment.Kind { return moment.Kind{Diagonal: o.Diagonal, Centred: o.Centred} }

// Passes returns the number of backward passes for a function with n outputs.
func (o Outputs) Passes(n int) int {
	if o.Probes > 0 {
		return o.Probes
	}
	return n
}

// Moments prepares the moments at the given nodes. The output of f must be a matrix (example, output).
func (f *Function) Moments(nodes []*Node, o Outputs) (*Moments, error) {
	sources := make([]Source, len(nodes))
	for i, n := range nodes {
		sources[i] = Source{Nodes: []*Node{n}, To: cols(n), Groups: 1}
	}
	return f.MomentsOf(sources, o)
}

// MomentsOf prepares the moments of sources, such as those of layers ([Layer.Source]). The output of f must be a matrix
// (example, output). It returns an [ErrTogether] if a node does not depend on f's inputs and so is the same for all of
// several examples.
func (f *Function) MomentsOf(sources []Source, o Outputs) (*Moments, error) {
	if f.Output.Dims() != 2 {
		return nil, fmt.Errorf("graph: moments: an output of shape %v: want (example, output)", f.Output.Shape())
	}
	if o.Centred && o.Probes > 0 {
		return nil, errors.New(
			"graph: moments: Centred needs the gradients of single outputs, and probes mix outputs: set Probes to 0")
	}
	if o.Probes < 0 || o.Probes > 0 && o.Rand == nil {
		return nil, fmt.Errorf(
			"graph: moments: %d probes: want at least 1 and a source of random numbers, or 0 for all outputs", o.Probes)
	}
	m := &Moments{f: f, seed: f.seed(), rng: o.Rand, probe: o.Probes}
	cots, err := f.cotangents(m.seed, sources)
	if err != nil {
		return nil, err
	}
	p := Plan{Outputs: []*Node{f.Output}, Repeat: []*Node{m.seed}, Watch: o.Watch}
	for i, s := range sources {
		var shapes []tensor.Shape
		for _, n := range cots[i] {
			shapes = append(shapes, n.Shape())
		}
		sum := moment.NewOfParts(f.device, f.dtype, s.columns(), shapes, m.passes(), o.kind())
		m.sums = append(m.sums, sum)
		for k, n := range cots[i] {
			p.Watch = append(p.Watch, Watch{Node: n, OnDevice: true,
				See: func(cot *tensor.Dense) error { return sum.Record(k, cot) }})
		}
	}
	m.prog, err = f.Compile(p)
	return m, err
}

// cotangents returns the cotangents at the nodes of every source; it leaves out nodes that the output does not depend
// on, unless those are all.
func (f *Function) cotangents(seed *Node, sources []Source) ([][]*Node, error) {
	var nodes []*Node
	for _, s := range sources {
		if err := s.check(); err != nil {
			return nil, err
		}
		nodes = append(nodes, s.Nodes...)
	}
	perExample := f.perExample(nodes...)
	for _, n := range nodes {
		if f.Output.Shape()[0] > 1 && !perExample[n] {
			return nil, fmt.Errorf("%w: node %v does not depend on them", ErrTogether, n)
		}
	}
	all := f.Pullback([]*Node{f.Output}, []*Node{seed}, nodes)
	if f.err != nil {
		return nil, f.err
	}
	out := make([][]*Node, len(sources))
	for i, s := range sources {
		for k := range s.Nodes {
			if all[k] != nil {
				out[i] = append(out[i], all[k])
			}
		}
		if all = all[len(s.Nodes):]; out[i] == nil {
			return nil, fmt.Errorf("graph: moments: the output does not depend on node %v", s.Nodes[0])
		}
	}
	return out, nil
}

// perExample marks the nodes that depend on f's inputs, among the given ones and all that these depend on.
func (f *Function) perExample(of ...*Node) map[*Node]bool { return dependents(below(of), f.Inputs()) }

// ValueBytes returns the memory of the values of a batch, without the function's inputs and parameters. It grows with
// the batch.
func (m *Moments) ValueBytes() int64 { return m.prog.Bytes() }

// SumBytes returns the memory of the sums over a number of batches.
func (m *Moments) SumBytes(batches int64) int64 {
	b := int64(0)
	for _, s := range m.sums {
		b += s.Bytes(batches)
	}
	return b
}

// Batch adds the first n examples of the function's current input, and ignores the others. Their values and derivatives must
// be finite too: fill their places with copies of the first ones. It calls forward, if not nil, with the outputs of the batch.
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

// BatchOfParts adds the first n examples of the input, for a function that is a sum of parts. The graph computes one
// part at a time: load(part) writes its other inputs and parameters. The gradients of all parts are added up before
// the outer products. Probes must be 0.
func (m *Moments) BatchOfParts(ctx context.Context, n, parts int, load func(part int) error) error {
	if m.probe > 0 {
		return errors.New(
			"graph: moments: BatchOfParts cannot use probes: they differ from part to part, so that their gradients do " +
				"not add up: set Probes to 0")
	}
	if err := m.begin(n); err != nil {
		return err
	}
	for _, s := range m.sums {
		s.Gather(m.passes())
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
			if err := s.AddGathered(); err != nil {
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
		s.Begin(n, examples)
	}
	return nil
}

func (m *Moments) end() {
	for _, s := range m.sums {
		s.End()
	}
}

func (m *Moments) passes() int { return Outputs{Probes: m.probe}.Passes(m.f.Output.Shape()[1]) }

// run runs the forward pass once and the backward pass once per output or probe.
func (m *Moments) run(ctx context.Context, n int, forward func(outputs *tensor.Dense)) error {
	m.streams = m.streams[:0]
	for range n {
		if m.probe > 0 {
			m.streams = append(m.streams, rand.New(rand.NewPCG(m.rng.Uint64(), m.rng.Uint64())))
		}
	}
	for k := range m.passes() {
		m.cotangent(k, n)
		for _, s := range m.sums {
			s.Pass(k)
		}
		if err := runOrRepeat(ctx, m.prog, k > 0); err != nil {
			return err
		}
		if k == 0 && forward != nil {
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
			values.Set(seed, i*outputs+k, 1)
			continue
		}
		for j := range outputs {
			values.Set(seed, i*outputs+j, m.streams[i].NormFloat64())
		}
	}
}

// Take returns the moments of the nodes, in their order, and starts again from zero. Sums over probes are divided by
// their number.
func (m *Moments) Take() []moment.Moment {
	out := make([]moment.Moment, len(m.sums))
	for i, s := range m.sums {
		out[i] = s.Take(1 / float64(max(m.probe, 1)))
	}
	return out
}
