package graph

// Linearize returns the linearization of y in some parameters,
//
//	y(w) + Σ (∂y/∂w)·u,
//
// as an expression of the tangents u, which are parameters of their own, zero
// at first, in the order and of the shapes of wrt. A pullback of it in the
// tangents is one pullback of y, Jᵀr.
func (g *Graph) Linearize(y *Node, wrt []*Node) (lin *Node, tangents []*Node) {
	if g.err != nil {
		return nil, nil
	}
	for _, w := range wrt {
		tangents = append(tangents, g.Param("tangent of "+w.Name(), w.Shape()...))
	}
	along := g.Pushforward(y, wrt, tangents)
	if along == nil {
		return g.Fail("linearization: the output depends on none of the parameters"), nil
	}
	return g.Add(y, along), tangents
}
