package cost

import (
	"cmp"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/kernels"
)

// Tangents is the tangent kernel of a network, with its spectrum.
type Tangents struct {
	Net
	Reading
	Rows     float64 `json:"rows"`     // images × outputs
	Held     float64 `json:"held"`     // numbers that a row holds of its gradient
	Products float64 `json:"products"` // multiplications for a pair of rows
	// Shares of a full kernel: of the pairs of rows that are multiplied, of the entries that are kept, and of the cube of the
	// rows that eigenvalues take; 0 is 1.
	PairShare  float64 `json:"pair_share,omitempty"`
	EntryShare float64 `json:"entry_share,omitempty"`
	CubeShare  float64 `json:"cube_share,omitempty"`
}

// TangentsOf returns the job of a network's full tangent kernel. For every layer a row holds either the
// gradient or the factors whose product it is, whichever makes the products of rows cheaper
// (package graph, Jacobian).
func TangentsOf(layers []models.LayerInfo, images, outputs int) Tangents {
	k := float64(outputs)
	t := Tangents{Net: NetOf(layers), Rows: float64(images) * k}
	for _, l := range layers {
		gradient := float64(l.Filters) * float64(l.PatchSize())
		positions := float64(l.Positions)
		factors := positions * positions * (float64(l.Filters) + 2 + float64(l.PatchSize())/(k*k))
		if l.Blocks() > 1 { // a convolution with groups has no factors
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

// In returns the job of the kernel in a form and, if there are layers, of their trace kernels beside it.
func (j Tangents) In(form kernels.Form, outputs, layers int) Tangents {
	blocks, rows := form.Layout(outputs)
	b, k := float64(blocks), float64(outputs)
	side := float64(rows) / k // of a block, over the side of the full kernel
	j.PairShare, j.EntryShare, j.CubeShare = 1/k, b*side*side, b*side*side*side
	if form == kernels.Full {
		j.PairShare = 1
	}
	if layers > 0 {
		j.PairShare += 1 / k
		j.EntryShare += float64(layers) / (k * k)
	}
	return j
}

// pairs returns how many of all pairs of rows are multiplied, entries how many of all entries are kept, and cubes what part
// of the cube of the rows eigenvalues take.
func (j Tangents) pairs(all float64) float64   { return all * cmp.Or(j.PairShare, 1) }
func (j Tangents) entries(all float64) float64 { return all * cmp.Or(j.EntryShare, 1) }
func (j Tangents) cubes() float64              { return j.Rows * j.Rows * j.Rows * cmp.Or(j.CubeShare, 1) }

func (Tangents) kind() string { return "tangent kernel" }

func (j Tangents) read(r Reading) Job {
	j.Reading = j.Reading.with(r)
	return j
}

func (j Tangents) time() terms {
	k, r := j.kind(), j.Rows
	return newTerms(k).with(k+": rows", r*j.Held).with(k+": products", j.pairs(r*r)*j.Products).with(k+": cubes", j.cubes()).
		passes(j.Net, r, r).reading(j.Reading)
}

func (j Tangents) memory() terms {
	k := j.kind()
	return newTerms("process").with(k+": parameters", j.Parameters).with(k+": rows",
		min(j.Rows*j.Held, mostHeld)).with(k+": kernel", j.entries(j.Rows*j.Rows)).room(k, j.Reading)
}

// mostHeld is the most numbers of gradients that are counted. If memory cannot hold those of all rows,
// they are computed again tile by tile, and 16 GiB suffice for large tiles.
const mostHeld = 4 << 30

// TangentBlock is a block of a network's tangent kernel, on its diagonal or above it, which a process computes by
// itself.
type TangentBlock struct {
	Tangents         // with the rows whose gradients are computed
	Entries  float64 `json:"entries"` // of the kernel that are written
	Pairs    float64 `json:"pairs"`   // of rows that are multiplied
}

// Block returns the job of a block of rows × others; 0 others stands for a block on the diagonal, of which only the
// upper half is computed.
func (j Tangents) Block(rows, others int) TangentBlock {
	r, o := float64(rows), float64(others)
	b := TangentBlock{Tangents: j, Entries: j.entries(r * o), Pairs: j.pairs(r * o)}
	if others == 0 {
		b.Entries, b.Pairs = j.entries(r*r), j.pairs(r*r/2)
	}
	b.Rows = r + o
	return b
}

func (TangentBlock) kind() string { return "block of a tangent kernel" }

func (j TangentBlock) time() terms {
	k, r := j.Tangents.kind(), j.Rows
	return newTerms(k).with(k+": rows", r*j.Held).with(k+": products", 2*j.Pairs*j.Products).passes(j.Net, r,
		r).reading(j.Reading)
}

func (j TangentBlock) memory() terms {
	k := j.Tangents.kind()
	return newTerms("process").with(k+": parameters", j.Parameters).with(k+": rows", j.Rows*j.Held).with(k+": kernel",
		j.Entries).room(k, j.Reading)
}

// TangentSpectrum is the spectrum of a tangent kernel that was computed before.
type TangentSpectrum struct{ Tangents }

func (TangentSpectrum) kind() string { return "spectrum of a tangent kernel" }

func (j TangentSpectrum) time() terms {
	k := j.Tangents.kind()
	return newTerms(k).with(k+": cubes", j.cubes()).reading(j.Reading)
}

func (j TangentSpectrum) memory() terms {
	k := j.Tangents.kind()
	return newTerms("process").with(k+": kernel", j.entries(j.Rows*j.Rows)).room(k, j.Reading)
}
