package cost

import "github.com/ansatz-lab/ansatz/models"

// Tangents is the tangent kernel of a network.
type Tangents struct {
	Net
	Reading
	Rows     float64 `json:"rows"`     // images × outputs
	Held     float64 `json:"held"`     // numbers that a row holds of its gradient
	Products float64 `json:"products"` // multiplications for a pair of rows
}

// TangentsOf returns the job of a network's tangent kernel. For every layer a row holds either the
// gradient or the factors whose product it is, whichever makes the products of rows cheaper
// (package graph, Jacobian).
func TangentsOf(layers []models.LayerInfo, images, outputs int) Tangents {
	k := float64(outputs)
	t := Tangents{Net: NetOf(layers), Rows: float64(images) * k}
	for _, l := range layers {
		gradient := float64(l.Filters) * float64(l.PatchSize())
		positions := float64(l.Positions)
		factors := positions * positions * (float64(l.Filters) + 2 + float64(l.PatchSize())/(k*k))
		if factors < gradient {
			t.Held += positions * (float64(l.Filters) + float64(l.PatchSize())/k)
		} else {
			t.Held += gradient
		}
		t.Products += min(factors, gradient)
	}
	return t
}

func (Tangents) kind() string { return "tangent kernel" }

func (j Tangents) read(r Reading) Job {
	j.Reading = j.Reading.with(r)
	return j
}

func (j Tangents) time() terms {
	k, r := j.kind(), j.Rows
	return of(k).with(k+": rows", r*j.Held).with(k+": products", r*r*j.Products).with(k+": cubes", r*r*r).
		passes(j.Net, r, r).reading(j.Reading)
}

func (j Tangents) memory() terms {
	k := j.kind()
	return of("process").with(k+": parameters", j.Parameters).with(k+": rows",
		min(j.Rows*j.Held, mostHeld)).with(k+": kernel", j.Rows*j.Rows).room(k, j.Reading)
}

// mostHeld is how many numbers of gradients are counted: those of more rows than there
// is room for are made anew, tile by tile, and 16 GiB are enough for large tiles.
const mostHeld = 4 << 30
