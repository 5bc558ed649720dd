package graph

import (
	"cmp"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// memoryPlan says where every value of a program is in memory. Values that are not needed at the same time share
// memory.
type memoryPlan struct {
	of            map[*Node]*span
	floats, index int // elements in all
}

// bytes returns the memory of the plan for values of type t.
func (m *memoryPlan) bytes(t tensor.Dtype) int64 {
	return int64(m.floats)*int64(t.Size()) + 4*int64(m.index)
}

// span is a block of memory, and the steps during which it is in use.
type span struct {
	size        int
	index       bool // of int32, in an arena of its own
	first, last int
	offset      int
}

// align is in elements: 64 bytes of float32, which the native loops like.
const align = 16

func layout(s *schedule, units []unit, p Plan) *memoryPlan {
	last := lastUses(s, units, p)
	plan := &memoryPlan{of: map[*Node]*span{}}
	var spans []*span
	for i, u := range units {
		if at := plan.reuse(i, u, s.unfused); at != nil {
			at.last = max(at.last, last[u.root])
			plan.of[u.root] = at
		}
		if plan.of[u.root] != nil || u.view { // a view of an input has no span
			continue
		}
		at := &span{size: size(u.root), index: u.root.Dtype() == tensor.Int32, first: i, last: last[u.root]}
		plan.of[u.root] = at
		spans = append(spans, at)
	}
	plan.place(spans)
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
func (m *memoryPlan) reuse(i int, u unit, never bool) *span {
	if u.view {
		return m.of[u.operands[0]] // nil for an input or parameter
	}
	if u.chain == nil || never {
		return nil
	}
	for k, in := range u.operands {
		if at := m.of[in]; at != nil && at.last == i && at.size == size(u.root) && size(in) == at.size &&
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

// place sets the offsets of the spans, the largest first: each the lowest at which it does not overlap with others
// in use at the same time.
func (m *memoryPlan) place(spans []*span) {
	slices.SortStableFunc(spans, func(a, b *span) int { return cmp.Compare(b.size, a.size) })
	var placed []*span // by offset
	for _, s := range spans {
		at := 0
		for _, other := range placed {
			if other.index != s.index || other.first > s.last || other.last < s.first {
				continue
			}
			if at+s.size <= other.offset {
				break
			}
			at = max(at, (other.offset+other.size+align-1)/align*align)
		}
		s.offset = at
		i, _ := slices.BinarySearchFunc(placed, at, func(o *span, at int) int { return cmp.Compare(o.offset, at) })
		placed = slices.Insert(placed, i, s)
		if s.index {
			m.index = max(m.index, at+s.size)
		} else {
			m.floats = max(m.floats, at+s.size)
		}
	}
}

// Arena is memory that several programs share. A run of one overwrites the outputs of the others. It grows to what
// the largest program needs, which should be compiled first. The zero value is empty.
type Arena struct {
	floats any // []T
	index  []int32
}

// Bytes returns the size of the arena.
func (a *Arena) Bytes() int64 {
	var floats int64
	switch f := a.floats.(type) {
	case []float32:
		floats = 4 * int64(len(f))
	case []float64:
		floats = 8 * int64(len(f))
	}
	return floats + 4*int64(len(a.index))
}

// memory holds the arenas of a plan.
type memory[T backend.Float] struct {
	floats []T
	index  []int32
}

func newMemory[T backend.Float](m *memoryPlan, shared *Arena) memory[T] {
	if shared == nil {
		shared = new(Arena)
	}
	floats, _ := shared.floats.([]T)
	if len(floats) < m.floats {
		floats = make([]T, m.floats)
		shared.floats = floats
	}
	if len(shared.index) < m.index {
		shared.index = make([]int32, m.index)
	}
	return memory[T]{floats: floats, index: shared.index}
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
	if s.index {
		return tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(m.index[s.offset:][:size(n):size(n)]))
	}
	return tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(m.floats[s.offset:][:size(n):size(n)]))
}
