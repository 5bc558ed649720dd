package graph

import "github.com/ansatz-lab/ansatz/graph/backend"

// DifferenceWeight returns the weights w, b×n, with which the pullback of k in u, b×d, for any cotangent q of k, b×n, is
//
//	Σⱼ qᵢⱼ wᵢⱼ (uᵢ − vⱼ),
//
// where v is n×d. Exponentials and powers of [Graph.SquaredDistances] of u and v have such weights. DifferenceWeight
// finds them in the expression of the pullback, and reports false if that is not of this form.
func (g *Graph) DifferenceWeight(k, u, v *Node) (w *Node, ok bool) {
	if g.err != nil {
		return nil, false
	}
	s := &differenceSum{g: g, u: u, v: v, cot: g.fresh("cotangent", k.Shape())}
	pulled := g.Pullback([]*Node{k}, []*Node{s.cot}, []*Node{u})[0]
	if g.err != nil || pulled == nil || !s.read(pulled, 1) || s.own == 0 || s.own != -s.others {
		return nil, false
	}
	return g.Scale(s.own, s.weight), true
}

// differenceSum is the sum own·Σⱼ pᵢⱼuᵢ + others·Σⱼ pᵢⱼvⱼ, where p is the product weight·cot.
type differenceSum struct {
	g           *Graph
	u, v, cot   *Node
	weight      *Node
	own, others float64
}

// read adds the terms of k·n, and reports whether n is a sum of such terms that all have the same weight.
func (s *differenceSum) read(n *Node, k float64) bool {
	o, ok := n.Op().(*op)
	if !ok {
		return false
	}
	switch {
	case o.name == "matmul" && o.attr == [2]bool{} && o.in[1] == s.v:
		s.others += k
		return s.isWeighted(o.in[0])
	case o.instr == nil:
		return false
	case o.instr.Code == backend.Add:
		return s.read(o.in[0], k) && s.read(o.in[1], k)
	case o.instr.Code == backend.Scale:
		return s.read(o.in[0], k*o.instr.K)
	case o.instr.Code == backend.ColMul && o.in[0] == s.u:
		sums, ok := o.in[1].Op().(*op)
		s.own += k
		return ok && sums.name == "sum columns" && s.isWeighted(sums.in[0])
	}
	return false
}

// isWeighted reports whether a node is the product of the weight and the cotangent. The first product sets the weight.
func (s *differenceSum) isWeighted(product *Node) bool {
	of := s.g.factors[product]
	if of.weight == nil || of.cot != s.cot || s.weight != nil && s.weight != of.weight {
		return false
	}
	s.weight = of.weight
	return true
}
