package graph

// weighed holds the factors of a cotangent: a weight, nil for all ones, and another cotangent. The latter has the shape
// of the weight, or is a vector, the same for all rows.
type weighed struct{ weight, cot *Node }

// byColumn reports whether the cotangent is the same for all rows of the weight.
func (w weighed) byColumn() bool {
	return w.weight != nil && w.cot.Dims() == 1 && w.weight.Dims() > 1
}

// weigh returns weight·cot. If cot is a product w·c of an earlier call, it returns (weight·w)·c. So all factors from
// the rules of a kernel's ops are in one node, which does not depend on the seed and is computed once for all seeds.
func (g *Graph) weigh(weight, cot *Node) *Node {
	of, ok := g.factors[cot]
	if !ok {
		return g.weighed(weight, cot)
	}
	if of.weight != nil {
		weight = g.Mul(weight, of.weight)
	}
	return g.weighed(weight, of.cot)
}

// weighed returns the product weight·cot, and records its factors.
func (g *Graph) weighed(weight, cot *Node) *Node {
	if g.err != nil {
		return nil
	}
	var product *Node
	if (weighed{weight, cot}).byColumn() {
		product = g.RowMul(weight, cot)
	} else {
		product = g.Mul(weight, cot)
	}
	if g.err == nil {
		g.factors[product] = weighed{weight, cot}
	}
	return product
}

// timesWeight returns weight·cot, by weigh if the factors of cot are known.
func (g *Graph) timesWeight(weight, cot *Node) *Node {
	if _, ok := g.factors[cot]; ok {
		return g.weigh(weight, cot)
	}
	return g.Mul(cot, weight)
}

// inWeight applies a linear elementwise function to a cotangent, or just to its weight if it has one.
func (g *Graph) inWeight(cot *Node, linear func(*Node) *Node) *Node {
	if of := g.factors[cot]; of.weight != nil {
		return g.weighed(linear(of.weight), of.cot)
	}
	return linear(cot)
}

// inRows applies a linear function that combines rows, column by column, to a cotangent, or just to its weight if the
// other factor is the same for all rows.
func (g *Graph) inRows(cot *Node, linear func(*Node) *Node) *Node {
	if of := g.factors[cot]; of.byColumn() {
		return g.weighed(linear(of.weight), of.cot)
	}
	return linear(cot)
}

// sameRows returns a cotangent of the given shape all of whose rows are v.
func (g *Graph) sameRows(v *Node, shape ...int) *Node {
	n := g.RowFill(v, shape...)
	if g.err == nil {
		g.factors[n] = weighed{nil, v}
	}
	return n
}

// addCotangents returns a + b. If both are products with one cotangent, it adds just their weights.
func (g *Graph) addCotangents(a, b *Node) *Node {
	x, y := g.factors[a], g.factors[b]
	if x.weight != nil && y.weight != nil && x.cot == y.cot {
		return g.weighed(g.Add(x.weight, y.weight), x.cot)
	}
	return g.Add(a, b)
}
