package graph

import (
	"github.com/ansatz-lab/ansatz/graph/jacobian"
	"gorgonia.org/tensor"
)

// jacobianPart is a part of the columns of J, and the use of a layer, or the other parameter, that they belong to.
type jacobianPart struct {
	jacobian.Part
	examples int
	use      Use
	matrix   *Node // the layer's weights
	patches  *Node // examples·positions × patch
	columns  PartParameters
}

// newJacobianPart returns the part of a use of a layer of f, without columns yet.
func newJacobianPart(f *Function, l Layer, u Use) *jacobianPart {
	batch, outputs := f.Output.Shape()[0], f.Output.Shape()[1]
	p := &jacobianPart{examples: batch, use: u, matrix: l.Weight,
		Part: jacobian.Part{Positions: rows(u.Pre) / batch, Filters: l.Filters(), Patch: l.PatchSize()}}
	p.SetForm(outputs)
	return p
}

// apart reports whether it is known which rows belong to which example: for images and matrices, if their first axis is
// as long as the batch. Rows with more axes, such as tokens, may be in any order.
func (p *jacobianPart) apart() bool {
	in := p.use.In.Shape()
	return p.examples == 1 || in[0] == p.examples && (p.use.Conv != nil || len(in) == 2)
}

// addNode adds a parameter of the layer to the columns.
func (p *jacobianPart) addNode(n *Node) {
	if n == p.matrix {
		p.Weight, p.columns.Weight = true, n
	} else {
		p.Bias, p.columns.Bias = true, n
	}
}

// read returns the node of the patches that the layer reads, nil if the weight is not among the columns.
func (p *jacobianPart) read(f *Function) *Node {
	if !p.Weight {
		return nil
	}
	p.patches = p.use.In
	if p.use.Conv != nil {
		p.patches = f.patches(*p.use.Conv, p.use.In)
	}
	return p.patches
}

// record stores the cotangents δ of the current output, for all examples of the batch.
func (p *jacobianPart) record(j *Jacobian, at int, cot *tensor.Dense) error {
	var h *tensor.Dense
	if p.patches != nil {
		h = j.prog.Value(p.patches)
	}
	j.filling.Keep(j.f.device, at, j.pass, cot, h)
	return nil
}
