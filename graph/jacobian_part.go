package graph

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// jacobianPart describes the columns of J of the weights and the bias of one use of a layer, or of another parameter.
//
// The gradient of an output in the weights of a layer is the matrix Σδhᵀ over the
// positions at which the layer reads patches h. The inner product of two of them,
//
//	⟨Σδhᵀ, Σδ′h′ᵀ⟩ = ΣΣ (δ·δ′)(h·h′),
//
// needs no gradient: a layer of few positions keeps the factors δ and h, where h is the same for all outputs. With
// the bias it is ΣΣ (δ·δ′)(h·h′ + 1).
type jacobianPart struct {
	examples     int
	use          Use
	matrix       *Node // the weights
	weight, bias bool  // which of the two are among the columns
	positions    int   // of an example
	filters      int
	patch        int // elements of h
	factored     bool
	patches      *Node // Σ over positions × patch
}

// newJacobianPart returns the part of a use of a layer of f, without columns yet.
func newJacobianPart(f *Function, l Layer, u Use) *jacobianPart {
	batch, outputs := f.Output.Shape()[0], f.Output.Shape()[1]
	p := &jacobianPart{examples: batch, use: u, matrix: l.Weight, positions: rows(u.Pre) / batch, filters: l.Filters(),
		patch: l.PatchSize()}
	// The cost of an inner product of two rows of J: positions² products of cotangents, and of patches once for all
	// pairs of outputs; or one product of the rows themselves.
	factors := p.positions * p.positions * (p.filters + 2 + p.patch/(outputs*outputs))
	p.factored = factors < p.filters*p.patch
	return p
}

// apart reports whether the rows of each example are known. The examples of images and of matrices lie along their
// first axis, where that is as long as the batch. Rows with more axes, such as tokens, may be in any order.
func (p *jacobianPart) apart() bool {
	in := p.use.In.Shape()
	return p.examples == 1 || in[0] == p.examples && (p.use.Conv != nil || len(in) == 2)
}

// addNode adds a parameter of the layer to the columns.
func (p *jacobianPart) addNode(n *Node) {
	if n == p.matrix {
		p.weight = true
	} else {
		p.bias = true
	}
}

// read returns the node of the patches that the layer reads, nil if the weight is not among the columns.
func (p *jacobianPart) read(f *Function) *Node {
	if !p.weight {
		return nil
	}
	p.patches = p.use.In
	if p.use.Conv != nil {
		p.patches = f.patches(*p.use.Conv, p.use.In)
	}
	return p.patches
}

// width returns the number of columns of the part.
func (p *jacobianPart) width() int {
	w := 0
	if p.weight {
		w += p.filters * p.patch
	}
	if p.bias {
		w += p.filters
	}
	return w
}

// elements returns the number of values that are kept for the rows of an example.
func (p *jacobianPart) elements(outputs int) int {
	if !p.factored {
		return outputs * p.width()
	}
	n := outputs * p.positions * p.filters
	if p.weight {
		n += p.positions * p.patch
	}
	return n
}

// record stores the cotangents δ of one output, for all examples of the batch.
func (p *jacobianPart) record(j *Jacobian, at int, cot *tensor.Dense) error {
	if j.f.dtype == tensor.Float64 {
		seeCotangents[float64](p, j, at, cot)
	} else {
		seeCotangents[float32](p, j, at, cot)
	}
	return nil
}

func seeCotangents[T backend.Float](p *jacobianPart, j *Jacobian, at int, cot *tensor.Dense) {
	var h []T
	if p.patches != nil {
		h = j.prog.Value(p.patches).Data().([]T)
	}
	r, delta := j.filling, cot.Data().([]T)
	if p.factored {
		keepFactors(p, r, &r.parts[at], j.pass, delta, h)
		return
	}
	e, rows := backend.EngineOf[T](j.f.device), r.parts[at].explicit.([]T)
	area, width := p.positions*p.filters, p.width()
	for i := range r.examples {
		row, d := rows[(i*r.outputs+j.pass)*width:][:width], delta[i*area:][:area]
		if p.weight {
			e.Gemm(true, false, p.filters, p.patch, p.positions, d, h[i*p.positions*p.patch:][:p.positions*p.patch], 0,
				row[:p.filters*p.patch])
		}
		if p.bias {
			e.SumRows(d, row[width-p.filters:])
		}
	}
}

// keepFactors copies δ, and with the first output h, which is the same for all.
func keepFactors[T backend.Float](p *jacobianPart, r *JacobianRows, to *partRows, output int, delta, h []T) {
	area := p.positions * p.filters
	cots := to.cots.([]T)
	for i := range r.examples {
		copy(cots[(i*r.outputs+output)*area:][:area], delta[i*area:])
	}
	if output == 0 && p.weight {
		copy(to.patches.([]T), h)
	}
}
