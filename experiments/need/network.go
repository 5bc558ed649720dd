package need

import (
	"slices"

	"github.com/ansatz-lab/ansatz/models"
)

// Reading is how many numbers there are in images, or in tables, before any work is
// done on them.
type Reading struct {
	Opened float64 `json:"opened,omitempty"` // in the files that are opened
	Scaled float64 `json:"scaled,omitempty"` // in images that are scaled to another size
}

func (r Reading) terms() []float64 { return []float64{r.Opened, r.Scaled} }

// Net is how much there is of a network for one image.
type Net struct {
	Layers     float64 `json:"layers"`            // convolutions and linear layers
	Conv       float64 `json:"conv"`              // multiplications in convolutions
	Linear     float64 `json:"linear"`            // and in linear layers
	Values     float64 `json:"values"`            // of the layers, before activation
	Patches    float64 `json:"patches"`           // numbers in all patches that convolutions read
	Parameters float64 `json:"parameters"`        // weights of these layers
	Squares    float64 `json:"squares,omitempty"` // Σ filters² × positions: moments of cotangents
}

// NetOf is what there is of a network with such layers.
func NetOf(layers []models.LayerInfo) Net {
	var n Net
	for _, l := range layers {
		filters, patch, positions := float64(l.Filters), float64(l.PatchSize()), float64(l.Positions)
		n.Layers++
		n.Values += filters * positions
		n.Parameters += filters * patch
		n.Squares += filters * filters * positions
		if l.Kind == "conv" {
			n.Conv += filters * patch * positions
			n.Patches += patch * positions
		} else {
			n.Linear += filters * patch * positions
		}
	}
	return n
}

// passes are the terms that grow with how often images go through the network.
func (n Net) passes(images float64) []float64 {
	return []float64{images * n.Conv, images * n.Linear, images * n.Values, images * n.Patches}
}

// Training is the training of a network by stochastic gradients.
type Training struct {
	Net
	Reading
	Batch  float64 `json:"batch"`
	Steps  float64 `json:"steps"`
	Images float64 `json:"images"`           // of all epochs
	Tested float64 `json:"tested,omitempty"` // of all tests
}

func (Training) kind() string { return "training" }

// A step goes forwards once, and backwards as if twice.
func (j Training) time() []float64 {
	return slices.Concat([]float64{1, j.Steps * j.Layers, j.Steps * j.Parameters}, j.passes(3*j.Images+j.Tested), j.Reading.terms())
}

func (j Training) memory() []float64 {
	return append([]float64{1, j.Parameters, j.Batch * j.Values}, j.Reading.terms()...)
}

// LinearTraining is that of the linearization of a network, by stochastic gradients.
type LinearTraining struct{ Training }

func (LinearTraining) kind() string { return "linearized training" }

// Verification is the gradients of a verification of the ansatz, or of some of its
// groups of images.
type Verification struct {
	Net
	Reading
	Images  float64 `json:"images"`
	Outputs float64 `json:"outputs"` // that are differentiated, or probes
	Batch   float64 `json:"batch"`   // images at a time
	Moments float64 `json:"moments"` // numbers in the moments of all groups
}

func (Verification) kind() string { return "verification" }

func (j Verification) time() []float64 {
	passes := j.Images * j.Outputs
	return slices.Concat([]float64{1, passes * j.Squares, j.Moments, passes / j.Batch * j.Layers}, j.passes(passes), j.Reading.terms())
}

func (j Verification) memory() []float64 {
	return append([]float64{1, j.Parameters, j.Batch * j.Values, j.Moments}, j.Reading.terms()...)
}

// Comparison is that of a network's CNFMs with its AGOPs, and of the AGOPs' null: for
// layers of c filters on patches of d numbers, r the least of both and of the rank of
// the moments.
type Comparison struct {
	Roots   float64 `json:"roots"`   // Σ r³
	Grams   float64 `json:"grams"`   // Σ c²(d + r)
	Drawn   float64 `json:"drawn"`   // Σ draws × rc²
	Moments float64 `json:"moments"` // numbers in the moments of all groups
	Largest float64 `json:"largest"` // numbers in the matrices of a layer
}

func (Comparison) kind() string        { return "comparison" }
func (j Comparison) time() []float64   { return []float64{1, j.Roots, j.Grams, j.Drawn, j.Moments} }
func (j Comparison) memory() []float64 { return []float64{1, j.Largest, j.Moments} }

// Tangents is the tangent kernel of a network.
type Tangents struct {
	Net
	Reading
	Rows     float64 `json:"rows"`     // images × outputs
	Held     float64 `json:"held"`     // numbers that a row holds of its gradient
	Products float64 `json:"products"` // multiplications for a pair of rows
}

// TangentsOf is the kernel of a network with such layers and so many outputs. Of every
// layer rows hold either the gradient, or the factors that it is a product of,
// whichever takes less for the products of rows (package graph, Jacobian).
func TangentsOf(layers []models.LayerInfo, images, outputs int) Tangents {
	t := Tangents{Net: NetOf(layers), Rows: float64(images * outputs)}
	for _, l := range layers {
		gradient := float64(l.Filters) * float64(l.PatchSize())
		positions, k := float64(l.Positions), float64(outputs)
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

func (j Tangents) time() []float64 {
	return slices.Concat([]float64{1, j.Rows * j.Held, j.Rows * j.Rows * j.Products, j.Rows * j.Rows * j.Rows}, j.passes(j.Rows), j.Reading.terms())
}

func (j Tangents) memory() []float64 {
	return append([]float64{1, j.Parameters, j.Rows * j.Held, j.Rows * j.Rows}, j.Reading.terms()...)
}
