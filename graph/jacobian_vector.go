package graph

import "slices"

// vectorUse is an op that multiplies rows by a vector or adds one to them, such as the gain and the shift of a batch norm.
// The gradient in the vector is a sum over rows; summed over an example's rows only, it is the gradient of that example.
type vectorUse struct {
	y       *Node
	vectors []*Node // the operands that are vectors
}

// vectorPart is a vector parameter, with the ops that apply it to rows.
type vectorPart struct {
	parameter *Node
	uses      []vectorUse
}

// vectorUses returns the ops that apply a vector parameter to rows of examples, perhaps after elementwise operations with
// other vectors. It returns nil if the parameter is read in another way, or if it is not known which rows belong to which
// example. That is known if the first axis is that of the examples: in networks whose layers all are convolutions or read
// one row of features per example (imageLike).
func (j *Jacobian) vectorUses(n *Node, imageLike bool, perExample map[*Node]bool) []vectorUse {
	if n.Dims() != 1 || !imageLike {
		return nil
	}
	batch := j.f.Output.Shape()[0]
	order := below([]*Node{j.f.Output})
	depends := dependents(order, []*Node{n})
	var uses []vectorUse
	for _, y := range order {
		if y == n || !depends[y] || !slices.ContainsFunc(operands(y), func(in *Node) bool { return depends[in] && in.Dims() == 1 }) {
			continue // y depends on n through rows alone, or not at all
		}
		o := y.Op().(*op)
		switch {
		case y.Dims() == 1 && o.instr != nil && allVectors(o.in, size(n)): // still a vector, element by element
		case slices.Contains([]string{"row add", "row mul", "row affine"}, o.name) && perExample[y] &&
			y.Shape()[0] == batch && size(n) == cols(y) && (y.Dims() == 2 || y.Dims() == 4):
			uses = append(uses, vectorUse{y, o.in[1:]})
		default:
			return nil
		}
	}
	return uses
}

// allVectors reports whether all nodes are vectors of n elements.
func allVectors(nodes []*Node, n int) bool {
	return !slices.ContainsFunc(nodes, func(x *Node) bool { return x.Dims() != 1 || size(x) != n })
}

// vectorGradient returns the gradients in a vector parameter n, examples × elements, from the cotangents at its uses. A
// vector v that is applied to rows there is an elementwise function of n. So the gradient in n is the one in v times
// ∂v/∂n, which is the pullback of ones.
func (j *Jacobian) vectorGradient(p vectorPart, cots []*Node) (sum *Node) {
	g, batch, n := j.f.Graph, j.f.Output.Shape()[0], p.parameter
	// overRows sums the rows of each example.
	overRows := func(x *Node) *Node {
		return g.SumAxes(g.Reshape(x, batch, rows(x)/batch, cols(x)), 1)
	}
	for k, u := range p.uses {
		x, cot := operands(u.y)[0], cots[k]
		for i, v := range u.vectors {
			slope := g.Pullback([]*Node{v}, []*Node{g.onesLike(v)}, []*Node{n})[0]
			if slope == nil {
				continue
			}
			rowsOf := cot // for a vector that is added
			if name := u.y.Op().(*op).name; i == 0 && name != "row add" {
				rowsOf = g.Mul(x, cot)
			}
			part := g.RowMul(g.Reshape(overRows(rowsOf), batch, size(n)), slope)
			if sum != nil {
				part = g.Add(sum, part)
			}
			sum = part
		}
	}
	return sum
}
