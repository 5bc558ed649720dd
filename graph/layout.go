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
	floats, index int // elements in all
}

// bytes returns the memory of the plan for values of type t.
func (m *memoryPlan) bytes(t tensor.Dtype) int64 {
	return int64(m.floats)*int64(t.Size()) + 4*int64(m.index)
}

func layout(s *schedule, units []unit, p Plan) *memoryPlan {
	last := lastUses(s, units, p)
	plan := &memoryPlan{of: map[*Node]*arena.Span{}}
	var spans []*arena.Span
	for i, u := range units {
		if at := plan.reuse(i, u, s.unfused); at != nil {
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
	plan.floats, plan.index = arena.Place(spans)
	return plan
}

// lastUses returns the last step that reads every node. Outputs, and values that a Repeat reads, are needed to the
// end; an operand is needed as long as a view of it.
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
func (m *memoryPlan) reuse(i int, u unit, never bool) *arena.Span {
	if u.view {
		return m.of[u.operands[0]] // nil for an input or parameter
	}
	if u.chain == nil || never {
		return nil
	}
	for k, in := range u.operands {
		if at := m.of[in]; at != nil && at.Last == i && at.Size == size(u.root) && size(in) == at.Size &&
			elementwiseOnly(u.chain, int32(k)) {
			return at
		}
	}
	return nil
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

// block is memory with its counterpart on the device, which is freed with it.
type block struct{ data any }

// newBlock gives memory its counterpart.
func newBlock(d *backend.Device, data any) (*block, error) {
	b := &block{data}
	return b, backend.Attach(d, b, data)
}

// elementsOf returns the memory of a block, nil if it has none of E.
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

// value returns the tensor over the memory of n.
func (m memory[T]) value(g *Graph, plan *memoryPlan, n *Node) *tensor.Dense {
	if n.Op() == nil {
		return g.Data(n)
	}
	s := plan.of[n]
	if s == nil { // a view of an input or parameter
		return tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(m.value(g, plan, operands(n)[0]).Data()))
	}
	if s.Index {
		return tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(m.index[s.Offset:][:size(n):size(n)]))
	}
	return tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(m.floats[s.Offset:][:size(n):size(n)]))
}
