package graph

import (
	"cmp"
	"slices"

	"gorgonia.org/gorgonia"
)

// Pullback returns the vector-Jacobian products Σᵢ (∂yᵢ/∂x)ᵀ·cotᵢ for every node x of wrt, where cotᵢ is the
// cotangent of yᵢ. The nodes of wrt may be anywhere in the expression, and may depend on each other. The cotangent
// of a node on which no y depends is nil.
//
// The result is part of the expression too. Several pullbacks in one graph share the forward pass. All derivatives
// of the project are pullbacks.
func (g *Graph) Pullback(ys, cots, wrt []*Node) []*Node {
	if g.err != nil {
		return make([]*Node, len(wrt))
	}
	for i, y := range ys {
		if !slices.Equal(y.Shape(), cots[i].Shape()) {
			g.Fail("pullback: a cotangent of shape %v for a node of shape %v", cots[i].Shape(), y.Shape())
			return make([]*Node, len(wrt))
		}
	}
	order := below(ys)
	wanted := dependents(order, wrt)
	sums := map[*Node]*Node{}
	add := func(n, cot *Node) {
		if sums[n] != nil {
			cot = g.addCotangents(sums[n], cot)
		}
		sums[n] = cot
	}
	for i, y := range ys {
		add(y, cots[i])
	}
	for _, n := range slices.Backward(order) {
		cot := sums[n]
		if cot == nil || !wanted[n] {
			continue
		}
		for i, in := range g.cotangents(n, cot, wanted) {
			if in != nil {
				add(operands(n)[i], in)
			}
		}
	}
	out := make([]*Node, len(wrt))
	for i, n := range wrt {
		out[i] = sums[n]
	}
	return out
}

// cotangents applies the rule of n's op.
func (g *Graph) cotangents(n, cot *Node, wanted map[*Node]bool) []*Node {
	o, ok := n.Op().(*op)
	if !ok {
		return nil // an input or parameter
	}
	p := pull{in: o.in, out: n, cot: cot, want: make([]bool, len(o.in))}
	any := false
	for i, in := range o.in {
		p.want[i] = wanted[in]
		any = any || wanted[in]
	}
	if !any || o.rule == nil {
		return nil
	}
	cots := o.rule(p)
	for i := range cots {
		if !p.want[i] {
			cots[i] = nil
		}
	}
	return cots
}

// Pushforward returns the Jacobian-vector product Σᵢ (∂y/∂xᵢ)·tangentᵢ, nil if y depends on none of the xs. It is
// the pullback of a pullback: the pullback of y is linear in its cotangent, and the pullback of that linear map is
// its adjoint.
func (g *Graph) Pushforward(y *Node, xs, tangents []*Node) *Node {
	if g.err != nil {
		return nil
	}
	seed := g.fresh("pushforward", y.Shape())
	var cots, along []*Node
	for i, c := range g.Pullback([]*Node{y}, []*Node{seed}, xs) {
		if c != nil {
			cots, along = append(cots, c), append(along, tangents[i])
		}
	}
	if g.err != nil || len(cots) == 0 {
		return nil
	}
	return g.Pullback(cots, along, []*Node{seed})[0]
}

// operands returns the operands of a node.
func operands(n *Node) []*Node {
	if o, ok := n.Op().(*op); ok {
		return o.in
	}
	return nil
}

// below returns ys and all nodes that they depend on, operands before results: nodes are numbered in the order in
// which they were built.
func below(ys []*Node) gorgonia.Nodes {
	seen := map[*Node]bool{}
	var order gorgonia.Nodes
	var visit func(n *Node)
	visit = func(n *Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		order = append(order, n)
		for _, in := range operands(n) {
			visit(in)
		}
	}
	for _, y := range ys {
		visit(y)
	}
	slices.SortFunc(order, func(a, b *Node) int { return cmp.Compare(a.ID(), b.ID()) })
	return order
}

// dependents marks the sources and the nodes of order that depend on them.
func dependents(order gorgonia.Nodes, sources []*Node) map[*Node]bool {
	marked := map[*Node]bool{}
	for _, n := range sources {
		marked[n] = true
	}
	for _, n := range order {
		for _, in := range operands(n) {
			if marked[in] {
				marked[n] = true
			}
		}
	}
	return marked
}
