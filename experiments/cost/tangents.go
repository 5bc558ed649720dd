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
		if l.Blocks() > 1 { // has no factors
			factors = gradient
		}
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

// TangentBlock is a block of a network's tangent kernel, on its diagonal or above it, which a process computes by
// itself.
type TangentBlock struct {
	Tangents         // with the rows whose gradients are computed
	Entries  float64 `json:"entries"` // of the kernel that are written
	Pairs    float64 `json:"pairs"`   // of rows that are multiplied
}

// Block returns the job of the block of some rows of the kernel with others; 0 others stands for a block on the
// diagonal, of which the upper half is computed.
func (j Tangents) Block(rows, others int) TangentBlock {
	r, o := float64(rows), float64(others)
	b := TangentBlock{Tangents: j, Entries: r * o, Pairs: r * o}
	if others == 0 {
		b.Entries, b.Pairs = r*r, r*r/2
	}
	b.Rows = r + o
	return b
}

func (TangentBlock) kind() string { return "block of a tangent kernel" }

func (j TangentBlock) time() terms {
	k, r := j.Tangents.kind(), j.Rows
	return of(k).with(k+": rows", r*j.Held).with(k+": products", 2*j.Pairs*j.Products).passes(j.Net, r,
		r).reading(j.Reading)
}

func (j TangentBlock) memory() terms {
	k := j.Tangents.kind()
	return of("process").with(k+": parameters", j.Parameters).with(k+": rows", j.Rows*j.Held).with(k+": kernel",
		j.Entries).room(k, j.Reading)
}

// TangentSpectrum is the spectrum of a tangent kernel that was computed before.
type TangentSpectrum struct {
	Reading
	Rows float64 `json:"rows"`
}

func (TangentSpectrum) kind() string { return "spectrum of a tangent kernel" }

func (j TangentSpectrum) time() terms {
	k := Tangents{}.kind()
	return of(k).with(k+": cubes", j.Rows*j.Rows*j.Rows).reading(j.Reading)
}

func (j TangentSpectrum) memory() terms {
	k := Tangents{}.kind()
	return of("process").with(k+": kernel", j.Rows*j.Rows).room(k, j.Reading)
}
