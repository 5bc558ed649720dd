package graph

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph/arena"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// memoryPlan says where every value of a program is in memory. Values that are not needed at the same time share
// memory.
type memoryPlan struct {
	of            map[*Node]*arena.Span
	split         []*arena.Span // those whose values are packed between two uses
	floats, index int           // total numbers of elements
}

// bytes returns the memory of the plan for values of type t.
func (m *memoryPlan) bytes(t tensor.Dtype) int64 {
	return int64(m.floats)*int64(t.Size()) + 4*int64(m.index)
}

// layout plans the memory of the units' values. With pack, values that wait long for their next use are kept in bfloat16.
func layout(s *schedule, units []unit, p Plan, pack bool) *memoryPlan {
	if !pack {
		return layoutWith(s, units, p, false, false)
	}
	first, latest := layoutWith(s, units, p, true, false), layoutWith(s, units, p, true, true)
	if latest.floats < first.floats {
		return latest
	}
	return first
}

// layoutWith plans the memory. A chain overwrites the first operand that it may overwrite or, with latest, the one that
// was computed last, so that it can read operands that have waited longer packed.
func layoutWith(s *schedule, units []unit, p Plan, pack, latest bool) *memoryPlan {
	last := lastUses(s, units, p)
	plan := &memoryPlan{of: map[*Node]*arena.Span{}}
	var spans []*arena.Span
	for i, u := range units {
		if at := plan.reuse(i, u, s.unfused, latest); at != nil {
			at.Last = max(at.Last, last[u.root])
			plan.of[u.root] = at
		}
		if plan.of[u.root] != nil || u.view { // a view of an input has no span
			continue
		}
		at := &arena.Span{Size: size(u.root), Index: u.root.Dtype() == tensor.Int32, First: i, Last: last[u.root]}
		plan.of[u.root] = at
		spans = append(spans, at)
	}
	for i, u := range units {
		for _, n := range append([]*Node{u.root}, u.operands...) {
			if at := plan.of[n]; at != nil {
				at.Uses = append(at.Uses, i)
			}
		}
	}
	if pack {
		all := arena.Split(spans, backend.PackedLen, func(s *arena.Span, step int) bool { return plan.readsPacked(s, units[step]) })
		plan.split = slices.DeleteFunc(spans, func(s *arena.Span) bool { return s.Packed == nil })
		spans = all
	}
	plan.floats, plan.index = arena.Place(spans)
	return plan
}

// readsPacked reports whether u can read span s packed: if u is a chain that only reads it element by element.
func (m *memoryPlan) readsPacked(s *arena.Span, u unit) bool {
	if u.chain == nil || m.of[u.root] == s {
		return false
	}
	for k, in := range u.operands {
		if m.of[in] == s && !elementwiseOnly(u.chain, int32(k)) {
			return false
		}
	}
	return true
}

// packed returns a bit mask of the operands that unit u reads packed at step i.
func (m *memoryPlan) packed(i int, u unit) (bits uint32) {
	for k, in := range u.operands {
		if s := m.of[in]; s != nil && s.Packed != nil && s.At(i) == s.Packed {
			bits |= 1 << k
		}
	}
	return bits
}

// lastUses returns the last step that reads every node. Outputs, and values that a Repeat reads, are needed to the
// end; the operand of a view is needed as long as the view.
func lastUses(s *schedule, units []unit, p Plan) map[*Node]int {
	end := len(units)
	last := map[*Node]int{}
	for i, u := range units {
		last[u.root] = i
		for _, in := range u.operands {
			last[in] = max(last[in], i)
			if s.again[u.root] && !s.again[in] {
				last[in] = end
			}
		}
	}
	for _, n := range p.Outputs {
		last[n] = end
	}
	for _, u := range slices.Backward(units) {
		if u.view {
			last[u.operands[0]] = max(last[u.operands[0]], last[u.root])
		}
	}
	return last
}

// reuse returns the memory of an operand that the unit's value can use: of the operand that it views, or of one that
// its chain may overwrite because nothing reads it later.
func (m *memoryPlan) reuse(i int, u unit, never, latest bool) (found *arena.Span) {
	if u.view {
		return m.of[u.operands[0]] // nil for an input or parameter
	}
	if u.chain == nil || never {
		return nil
	}
	for k, in := range u.operands {
		if at := m.of[in]; at != nil && at.Last == i && at.Size == size(u.root) && size(in) == at.Size &&
			elementwiseOnly(u.chain, int32(k)) && (found == nil || latest && at.First > found.First) {
			found = at
		}
	}
	return found
}

// elementwiseOnly reports whether the chain reads operand k only element by element, never as a vector, so that the
// result may overwrite it.
func elementwiseOnly(c *backend.Chain, k int32) bool {
	for _, in := range c.Instrs {
		_, vectors := in.Code.Operands()
		if vectors > 0 && in.V == k || vectors > 1 && in.W == k {
			return false
		}
	}
	return true
}

// Arena is memory that several programs share. A run of one overwrites the outputs of the others. It grows to what
// the largest program needs, which should be compiled first. The zero value is empty.
type Arena struct {
	floats *block // of []T
	index  *block // of []int32
}

// block is host memory with a counterpart on the device, which is freed with it.
type block struct{ data any }

// newBlock returns data as a block, with a counterpart on the device.
func newBlock(d *backend.Device, data any) (*block, error) {
	b := &block{data}
	return b, backend.Attach(d, b, data)
}

// elementsOf returns the memory of a block, nil if its elements are not of type E.
func elementsOf[E any](b *block) []E {
	if b == nil {
		return nil
	}
	x, _ := b.data.([]E)
	return x
}

// Bytes returns the size of the arena.
func (a *Arena) Bytes() int64 {
	return 4*int64(len(elementsOf[float32](a.floats))+len(elementsOf[int32](a.index))) +
		8*int64(len(elementsOf[float64](a.floats)))
}

// memory holds the arenas of a plan.
type memory[T backend.Float] struct {
	floats []T
	index  []int32
}

// newMemory returns the memory of a plan, and the blocks that it is in.
func newMemory[T backend.Float](d *backend.Device, m *memoryPlan, shared *Arena) (memory[T], [2]*block, error) {
	if shared == nil {
		shared = new(Arena)
	}
	var err error
	if len(elementsOf[T](shared.floats)) < m.floats {
		shared.floats, err = newBlock(d, make([]T, m.floats))
	}
	if err == nil && len(elementsOf[int32](shared.index)) < m.index {
		shared.index, err = newBlock(d, make([]int32, m.index))
	}
	return memory[T]{floats: elementsOf[T](shared.floats), index: elementsOf[int32](shared.index)},
		[2]*block{shared.floats, shared.index}, err
}

// value returns the tensor over the memory of n at a step.
func (m memory[T]) value(g *Graph, plan *memoryPlan, n *Node, step int) *tensor.Dense {
	if n.Op() == nil {
		return g.Data(n)
	}
	s := plan.of[n]
	if s == nil && n.Op().(*op).view { // of an input or parameter
		return tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(m.value(g, plan, operands(n)[0], step).Data()))
	}
	if s.Index {
		return tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(m.index[s.Offset:][:size(n):size(n)]))
	}
	at, shape := s.At(step), n.Shape()
	if at == s.Packed {
		shape = tensor.Shape{at.Size}
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(m.of(at)))
}

// of returns the memory of a span.
func (m memory[T]) of(s *arena.Span) []T { return m.floats[s.Offset:][:s.Size:s.Size] }

// packSteps returns the steps that pack values after unit i, or unpack them before it.
func packSteps[T backend.Float](g *Graph, m memory[T], plan *memoryPlan, i int, unpack bool) (steps []step) {
	p := g.device.Packer()
	for _, s := range plan.split {
		switch {
		case unpack && s.Again != nil && s.Resume == i:
			from, to := any(m.of(s.Packed)).([]float32), any(m.of(s.Again)).([]float32)
			steps = append(steps, step{name: "unpack", run: func() error { p.Unpack(from, to); return nil }})
		case !unpack && s.Last == i:
			from, to := any(m.of(s)).([]float32), any(m.of(s.Packed)).([]float32)
			steps = append(steps, step{name: "pack", run: func() error { p.Pack(from, to); return nil }})
		}
	}
	return steps
}
