package jacobian

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// Keep stores the cotangents δ of one output, for all examples of a batch, in the rows of a part, together with the
// patches h that the layer read; patches is nil if the weight is not among the columns.
func (r *Rows) Keep(d *backend.Device, part, output int, delta, patches *tensor.Dense) {
	if delta.Dtype() == tensor.Float64 {
		keep[float64](d, r, part, output, delta, patches)
	} else {
		keep[float32](d, r, part, output, delta, patches)
	}
}

func keep[T backend.Float](d *backend.Device, r *Rows, part, output int, delta, patches *tensor.Dense) {
	var h []T
	if patches != nil {
		h = patches.Data().([]T)
	}
	if p := &r.Parts[part]; p.Factored {
		keepFactors(r, p, output, delta.Data().([]T), h)
	} else {
		keepProducts(backend.EngineOf[T](d), r, p, output, delta.Data().([]T), h)
	}
}

// keepProducts stores the gradients Σδhᵀ and Σδ.
func keepProducts[T backend.Float](e backend.Engine[T], r *Rows, p *PartRows, output int, delta, h []T) {
	rows := p.Explicit.([]T)
	area, width := p.Positions*p.Filters, p.Width()
	for i := range r.Examples {
		row, d := rows[(i*r.Outputs+output)*width:][:width], delta[i*area:][:area]
		if p.Weight {
			e.Gemm(true, false, p.Filters, p.Patch, p.Positions, d, h[i*p.Positions*p.Patch:][:p.Positions*p.Patch], 0,
				row[:p.Filters*p.Patch])
		}
		if p.Bias {
			e.SumRows(d, row[width-p.Filters:])
		}
	}
}

// keepFactors copies δ and, with the first output, h, which all outputs share.
func keepFactors[T backend.Float](r *Rows, p *PartRows, output int, delta, h []T) {
	area := p.Positions * p.Filters
	cots := p.Cots.([]T)
	for i := range r.Examples {
		copy(cots[(i*r.Outputs+output)*area:][:area], delta[i*area:])
	}
	if output == 0 && p.Weight {
		copy(p.Patches.([]T), h)
	}
}

// KeepGradients copies the gradients of one output in a parameter outside of layers, one row per example.
func (r *Rows) KeepGradients(part, output int, gradients *tensor.Dense) {
	p := r.Parts[part]
	for i := range r.Examples {
		row := (i*r.Outputs + output) * p.Patch
		switch to := p.Explicit.(type) {
		case []float32:
			copy(to[row:][:p.Patch], gradients.Float32s()[i*p.Patch:])
		case []float64:
			copy(to[row:][:p.Patch], gradients.Float64s()[i*p.Patch:])
		}
	}
}
