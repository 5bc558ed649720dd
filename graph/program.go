package graph

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Plan says what to compile.
type Plan struct {
	// Outputs are the nodes that can be read after a run.
	Outputs []*Node
	// Watch lists nodes with functions that get their value as soon as it is computed. A function must not keep the
	// value, because its memory is reused.
	Watch []Watch
	// Repeat are the inputs that change between calls of [Program.Repeat],
	// which computes again only what depends on them.
	Repeat []*Node
	// Unfused runs every op separately, with separate memory for its result.
	Unfused bool
	// Arena, if not nil, is memory that programs share.
	Arena *Arena
	// Limit, if not 0, bounds the memory of the program in bytes. Compile returns a [*MemoryError] for a program that
	// needs more.
	Limit int64
}

// MemoryError says that a program needs more memory than its limit, both in bytes.
type MemoryError struct{ Need, Limit int64 }

// Error names both sizes.
func (e *MemoryError) Error() string {
	return "graph: the values between the layers take " + words.Bytes(e.Need) + ", there is room for " + words.Bytes(e.Limit)
}

// InputError returns true: the request exceeds the memory.
func (e *MemoryError) InputError() bool { return true }

// Watch is a node and a function that gets its value during a run. See is called on the thread of the device and may
// use its engine.
type Watch struct {
	Node *Node
	See  func(value *tensor.Dense) error
	// OnDevice says that See passes the value only to the device's engine, or calls Download first. A device with its own
	// memory then does not copy the value to the host.
	OnDevice bool
}

// Program is a compiled expression: the ops that its outputs need, in order,
// elementwise ones fused, in memory that is shared among values that are not
// needed at the same time. It satisfies gorgonia.VM.
type Program struct {
	g      *Graph
	steps  []step
	again  int // the first step that depends on Plan.Repeat
	values map[*Node]*tensor.Dense
	bytes  int64
	ran    bool

	// For a device with its own memory: the blocks that hold the program's values, the inputs and parameters that Run
	// and Repeat lend the device, and the outputs whose latest values were not yet copied to the host.
	blocks              [2]*block
	runLoan, repeatLoan backend.Loan
	varying             map[*Node]bool // depend on Plan.Repeat
	outputs             []*Node
	outdated            map[*Node]bool
}

var _ gorgonia.VM = (*Program)(nil)

type step struct {
	name string
	run  func() error
	see  []Watch
	out  *tensor.Dense
}

// Compile returns a program. It sets inputs and parameters without values to zeros.
func (g *Graph) Compile(p Plan) (*Program, error) {
	if g.err != nil {
		return nil, g.err
	}
	if g.device == nil {
		return nil, errors.New("graph: compile: the graph has no device to run on")
	}
	if g.dtype == tensor.Float64 {
		if g.device.Float64() == nil {
			return nil, fmt.Errorf("graph: compile: %s cannot compute in float64: want precision 32", g.device.Model())
		}
		return compile[float64](g, p)
	}
	return compile[float32](g, p)
}

func compile[T backend.Float](g *Graph, p Plan) (*Program, error) {
	s, err := newSchedule(p)
	if err != nil {
		return nil, err
	}
	units := s.units()
	l := layout(s, units, p, g.dtype == tensor.Float32 && g.device.Packer() != nil)
	prog := &Program{g: g, values: map[*Node]*tensor.Dense{}, again: -1}
	if need := l.bytes(g.dtype); p.Limit > 0 && need > p.Limit {
		return nil, &MemoryError{need, p.Limit}
	}
	mem, blocks, err := newMemory[T](g.device, l, p.Arena)
	if err != nil {
		return nil, err
	}
	prog.blocks = blocks
	prog.bytes = l.bytes(g.dtype)
	value := func(n *Node, at int) *tensor.Dense {
		v := prog.values[n]
		if v == nil || len(l.split) > 0 {
			v = mem.value(g, l, n, at)
			prog.values[n] = v
		}
		return v
	}
	see := map[*Node][]Watch{}
	for _, w := range p.Watch {
		see[w.Node] = append(see[w.Node], w)
	}
	add := func(n *Node, at int, name string, run func() error) {
		if s.again[n] && prog.again < 0 {
			prog.again = len(prog.steps)
		}
		prog.steps = append(prog.steps, step{name: name, run: run, see: see[n], out: value(n, at)})
	}
	leaves(see, false, s, add)
	for i, u := range units {
		prog.steps = append(prog.steps, packSteps(g, mem, l, i, true)...)
		add(u.root, i, u.String(), bind[T](g, u, l.packed(i, u), func(n *Node) *tensor.Dense { return value(n, i) }))
		prog.steps = append(prog.steps, packSteps(g, mem, l, i, false)...)
	}
	leaves(see, true, s, add)
	if prog.again < 0 {
		prog.again = len(prog.steps)
	}
	for _, n := range p.Outputs {
		value(n, len(units))
	}
	prog.planLoans(s, units, p.Outputs)
	return prog, nil
}

// planLoans lists what Run and Repeat lend to a device with its own memory.
func (p *Program) planLoans(s *schedule, units []unit, outputs []*Node) {
	if p.g.device.Memory() == nil {
		return
	}
	p.outputs, p.varying, p.outdated = outputs, s.again, map[*Node]bool{}
	owner := new(int) // not the program itself, which the device would keep alive
	p.runLoan.Owner, p.repeatLoan.Owner = owner, owner
	read, again := map[*Node]bool{}, map[*Node]bool{}
	for _, u := range units {
		for _, n := range u.operands {
			if n.Op() == nil {
				read[n] = true
				again[n] = again[n] || s.again[u.root]
			}
		}
	}
	for _, n := range s.order {
		if !read[n] {
			continue
		}
		data := p.g.Data(n).Data()
		p.runLoan.Changed = append(p.runLoan.Changed, data)
		if s.again[n] {
			p.repeatLoan.Changed = append(p.repeatLoan.Changed, data)
		} else if again[n] {
			p.repeatLoan.Same = append(p.repeatLoan.Same, data)
		}
	}
}

// leaves adds steps for watched inputs and parameters: for those that change in a Repeat if again is set, else for the
// others.
func leaves(see map[*Node][]Watch, again bool, s *schedule, add func(*Node, int, string, func() error)) {
	for _, n := range s.order {
		if n.Op() == nil && see[n] != nil && s.again[n] == again {
			add(n, 0, n.Name(), nil)
		}
	}
}

// bind returns the function that computes a unit in its memory. packed is a bit mask of the operands that it reads packed.
func bind[T backend.Float](g *Graph, u unit, packed uint32, value func(*Node) *tensor.Dense) func() error {
	engine := backend.EngineOf[T](g.device)
	in := make([]any, len(u.operands))
	for i, n := range u.operands {
		in[i] = value(n).Data()
	}
	out := value(u.root).Data()
	floats := func() [][]T {
		xs := make([][]T, len(in))
		for i, v := range in {
			xs[i] = v.([]T)
		}
		return xs
	}
	switch {
	case u.view:
		return nil
	case packed != 0:
		p, xs, dst, width := g.device.Packer(), any(floats()).([][]float32), out.([]float32), cols(u.root)
		return func() error { p.ElementwisePacked(u.chain, packed, xs, width, dst); return nil }
	case u.chain != nil:
		xs, dst, width := floats(), out.([]T), cols(u.root)
		return func() error { engine.Elementwise(u.chain, xs, width, dst); return nil }
	case u.conv != nil:
		xs, dst, c := floats(), out.([]T), *u.conv
		var bias []T
		if c.bias {
			bias = xs[2]
		}
		return func() error { return engine.Convolve(c.shape, xs[0], xs[1], bias, c.relu, dst) }
	}
	return runner[T](u.root.Op().(*op), in, out)
}

// Run computes everything. It stops between two ops when the context ends.
func (p *Program) Run(ctx context.Context) error {
	for _, n := range p.outputs {
		p.outdated[n] = true
	}
	err := p.run(ctx, p.steps, p.runLoan)
	p.ran = err == nil
	return err
}

// Repeat recomputes what depends on the plan's Repeat, and reuses the other
// values of the last Run.
func (p *Program) Repeat(ctx context.Context) error {
	if !p.ran {
		return errors.New("graph: Repeat before a Run that succeeded")
	}
	for _, n := range p.outputs {
		p.outdated[n] = p.outdated[n] || p.varying[n]
	}
	return p.run(ctx, p.steps[p.again:], p.repeatLoan)
}

func (p *Program) run(ctx context.Context, steps []step, loan backend.Loan) error {
	d := p.g.device
	return d.Do(func() error {
		return d.Lend(loan, func() error {
			for i := range steps {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := steps[i].do(d); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// do computes a value and passes it to the functions that watch it.
func (s *step) do(d *backend.Device) error {
	if s.run != nil {
		if err := s.run(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for _, w := range s.see {
		if !w.OnDevice {
			d.Download(s.out.Data())
		}
		if err := w.See(s.out); err != nil {
			return err
		}
	}
	return nil
}

// RunAll satisfies gorgonia.VM.
func (p *Program) RunAll() error { return p.Run(context.Background()) }

// Reset satisfies gorgonia.VM; there is nothing to reset.
func (p *Program) Reset() {}

// Close satisfies gorgonia.VM. The memory goes with the Program.
func (p *Program) Close() error { return nil }

// Value returns the value of an output, an input or a parameter after a run, and nil for other nodes. The next run
// overwrites it.
func (p *Program) Value(n *Node) *tensor.Dense {
	if n.Op() == nil {
		return p.g.Data(n)
	}
	v := p.values[n]
	if p.outdated[n] {
		p.g.device.Download(v.Data())
		delete(p.outdated, n)
	}
	return v
}

// ValueOnDevice is [Program.Value] for use by the device's engine only: a device with its own memory does not copy the
// value to the host.
func (p *Program) ValueOnDevice(n *Node) *tensor.Dense {
	if n.Op() == nil {
		return p.g.Data(n)
	}
	return p.values[n]
}

// Bytes returns the memory of the program's values, without inputs and parameters.
func (p *Program) Bytes() int64 { return p.bytes }
