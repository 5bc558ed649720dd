package graph

// weighed is a cotangent that is the product of a weight and another cotangent.
type weighed struct{ weight, cot *Node }

// weigh returns weight·cot. A product w·c that it made before becomes
// (weight·w)·c: what the rules of a kernel's ops multiply cotangents with is
// gathered in one node, which does not depend on the seeds and is computed once
// for all of them.
func (g *Graph) weigh(weight, cot *Node) *Node {
	if of, ok := g.weighs[cot]; ok {
		weight, cot = g.Mul(weight, of.weight), of.cot
	}
	product := g.Mul(weight, cot)
	if g.err == nil {
		g.weighs[product] = weighed{weight, cot}
	}
	return product
}

// inWeight applies what is linear and works element by element to a cotangent:
// to its weight, if it has one.
func (g *Graph) inWeight(cot *Node, linear func(*Node) *Node) *Node {
	if of, ok := g.weighs[cot]; ok {
		return g.weigh(linear(of.weight), of.cot)
	}
	return linear(cot)
}
