package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/gorgonia"
)

// schedule holds the nodes that a plan needs.
type schedule struct {
	order   gorgonia.Nodes // operands before results
	again   map[*Node]bool // depends on Plan.Repeat
	keep    map[*Node]bool // must not be fused into another: outputs and watched nodes
	users   map[*Node]int  // how many of the nodes read it
	unfused bool
}

// unit is one step of a program: it computes a node, with the nodes that are fused into it.
type unit struct {
	root     *Node
	operands []*Node
	view     bool
	chain    *backend.Chain
	conv     *convUnit
	names    []string
}

// convUnit is a convolution with the bias and the ReLU that follow it.
type convUnit struct {
	shape      backend.ConvShape
	bias, relu bool
}

func (u unit) String() string { return strings.Join(u.names, ", ") }

var errNilOutput = errors.New(
	"graph: compile: an output is nil: an op before it failed, or it is a derivative in a node on which nothing depends")

func newSchedule(p Plan) (*schedule, error) {
	s := &schedule{keep: map[*Node]bool{}, users: map[*Node]int{}, unfused: p.Unfused}
	wanted := slices.Clone(p.Outputs)
	for _, w := range p.Watch {
		wanted = append(wanted, w.Node)
	}
	for _, n := range wanted {
		if n == nil {
			return nil, errNilOutput
		}
		s.keep[n] = true
	}
	s.order = below(wanted)
	s.again = dependents(s.order, p.Repeat)
	for _, n := range s.order {
		if _, ours := n.Op().(*op); n.Op() != nil && !ours {
			return nil, fmt.Errorf("graph: compile: %v is not an op of this package", n.Op())
		}
		for i, in := range operands(n) {
			if !slices.Contains(operands(n)[:i], in) {
				s.users[in]++
			}
		}
	}
	return s, nil
}

// units lists the steps: first those that do not depend on Plan.Repeat, then the others, both in the order in which
// the nodes were built.
func (s *schedule) units() []unit {
	fused := map[*Node]bool{}
	var units []unit
	for _, n := range slices.Backward(s.order) {
		if n.Op() == nil || fused[n] {
			continue
		}
		u, inside := s.fuse(n)
		for _, m := range inside {
			fused[m] = true
		}
		units = append(units, u)
	}
	slices.Reverse(units)
	slices.SortStableFunc(units, func(a, b unit) int {
		switch {
		case s.again[a.root] == s.again[b.root]:
			return 0
		case s.again[b.root]:
			return -1
		}
		return 1
	})
	return units
}

// fuse returns the unit of n, and the other nodes that it computes.
func (s *schedule) fuse(n *Node) (unit, []*Node) {
	o := n.Op().(*op)
	if o.instr == nil {
		return unit{root: n, operands: o.in, view: o.view, names: []string{o.name}}, nil
	}
	inside := s.inside(n)
	if u, conv, ok := s.convUnit(n, inside); ok {
		return u, append(inside, conv)
	}
	c := &chainBuilder{inside: map[*Node]bool{}}
	for _, m := range inside {
		c.inside[m] = true
	}
	c.emit(n)
	return unit{root: n, operands: c.operands, chain: &backend.Chain{Instrs: c.instrs}, names: c.names}, inside
}

// inside returns the elementwise nodes that can be computed within the chain of root, since nothing else reads them.
func (s *schedule) inside(root *Node) []*Node {
	var found []*Node
	if s.unfused {
		return nil
	}
	members := []*Node{root}
	for i := 0; i < len(members); i++ {
		o := members[i].Op().(*op)
		full, _ := o.instr.Code.Operands()
		for _, in := range o.in[:full] {
			if len(members) == backend.MaxChain || slices.Contains(members, in) || !s.joins(in, root) ||
				slices.Contains(o.in[full:], in) { // o reads it as a vector too, which must be in memory
				continue
			}
			if countOperands(append(members, in)) > backend.MaxOperands {
				continue
			}
			members, found = append(members, in), append(found, in)
		}
	}
	return found
}

func (s *schedule) joins(n, root *Node) bool {
	o, ok := n.Op().(*op)
	return ok && o.instr != nil && s.private(n, root) && slices.Equal(n.Shape(), root.Shape())
}

// private reports whether n has just one reader, is not kept, and is in the same stage as root.
func (s *schedule) private(n, root *Node) bool {
	return s.users[n] == 1 && !s.keep[n] && s.again[n] == s.again[root]
}

// countOperands returns the number of distinct nodes, other than the members, that the members read.
func countOperands(members []*Node) int {
	outside := map[*Node]bool{}
	for _, m := range members {
		for _, in := range m.Op().(*op).in {
			if !slices.Contains(members, in) {
				outside[in] = true
			}
		}
	}
	return len(outside)
}

// convUnit recognises relu(conv + bias), conv + bias and relu(conv).
func (s *schedule) convUnit(root *Node, inside []*Node) (u unit, conv *Node, ok bool) {
	if s.unfused || len(inside) > 1 {
		return unit{}, nil, false
	}
	c := &convUnit{}
	n := root
	u = unit{root: root, conv: c}
	if o := n.Op().(*op); o.instr.Code == backend.ReLU {
		c.relu = true
		u.names = append(u.names, o.name)
		n = o.in[0]
	}
	var bias *Node
	if o, is := n.Op().(*op); is && o.instr != nil && o.instr.Code == backend.RowAdd &&
		(n == root || slices.Contains(inside, n)) {
		c.bias = true
		u.names = append(u.names, o.name)
		n, bias = o.in[0], o.in[1]
	}
	o, is := n.Op().(*op)
	if !is || o.name != convName || n == root || !s.private(n, root) || len(u.names)-1 != len(inside) {
		return unit{}, nil, false
	}
	c.shape = o.attr.(backend.ConvShape)
	u.operands = append(u.operands, o.in...)
	if c.bias {
		u.operands = append(u.operands, bias)
	}
	u.names = append(u.names, o.name)
	slices.Reverse(u.names)
	return u, n, true
}

// chainBuilder writes the instructions of a chain, operands before results.
type chainBuilder struct {
	inside   map[*Node]bool
	instrs   []backend.Instr
	operands []*Node
	names    []string
	done     map[*Node]int32
}

// emit appends the instruction of n after those of its operands, and returns the number by which later instructions
// refer to it.
func (c *chainBuilder) emit(n *Node) int32 {
	if at, ok := c.done[n]; ok {
		return at
	}
	o := n.Op().(*op)
	in := *o.instr
	full, vectors := in.Code.Operands()
	refs := []*int32{&in.A, &in.B}[:full]
	for i, ref := range refs {
		if operand := o.in[i]; c.inside[operand] {
			*ref = c.emit(operand)
		} else {
			*ref = c.operand(operand)
		}
	}
	for i, ref := range []*int32{&in.V, &in.W}[:vectors] {
		*ref = c.operand(o.in[full+i])
	}
	c.instrs = append(c.instrs, in)
	c.names = append(c.names, o.name)
	if c.done == nil {
		c.done = map[*Node]int32{}
	}
	c.done[n] = ^int32(len(c.instrs) - 1)
	return c.done[n]
}

func (c *chainBuilder) operand(n *Node) int32 {
	i := slices.Index(c.operands, n)
	if i < 0 {
		c.operands = append(c.operands, n)
		i = len(c.operands) - 1
	}
	return int32(i)
}
