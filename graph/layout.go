package graph

import (
	"cmp"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// memoryPlan says where every value of a program lies. Values whose lives do
// not overlap share memory.
type memoryPlan struct {
	of            map[*Node]*span
	floats, index int // elements in all
}

// bytes is what the plan takes with numbers of a type.
func (m *memoryPlan) bytes(t tensor.Dtype) int64 {
	return int64(m.floats)*int64(t.Size()) + 4*int64(m.index)
}

// span is a stretch of memory and the steps during which it is taken.
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

// lastUses finds the last step that reads each node. Values that outputs or
// later repeats need live to the end; a view keeps what it views alive.
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

// reuse returns the memory of an operand that the unit's value can take: of
// what it views, or of what its chain overwrites because nothing reads it any
// more.
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

// elementwiseOnly says that the chain reads operand k nowhere as a vector, so
// that the result may take its place.
func elementwiseOnly(c *backend.Chain, k int32) bool {
	for _, in := range c.Instrs {
		_, vectors := in.Code.Operands()
		if vectors > 0 && in.V == k || vectors > 1 && in.W == k {
			return false
		}
	}
	return true
}

// place gives the spans their offsets, the largest first, each as low as those
// that live at the same time allow.
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

// Arena is memory that programs share which never need their values at the same
// time: a run of one overwrites the outputs of the others. It grows to what the
// largest needs; compile that one first. The zero value is empty.
type Arena struct {
	floats any // []T
	index  []int32
}

// Bytes is the memory that the arena holds.
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

// memory is where the values of a plan lie.
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
