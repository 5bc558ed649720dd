package need

import "github.com/ansatz-lab/ansatz/models"

// Reading is how many numbers there are in images, or in tables, before any work is
// done on them.
type Reading struct {
	Opened float64 `json:"opened,omitempty"` // in the files that are opened and held
	Scaled float64 `json:"scaled,omitempty"` // in images that are scaled to another size
}

// Net is how much there is of a network for one image.
type Net struct {
	Layers     float64 `json:"layers"`     // convolutions and linear layers
	Conv       float64 `json:"conv"`       // multiplications in convolutions, of whole blocks of channels
	Linear     float64 `json:"linear"`     // and in linear layers
	Values     float64 `json:"values"`     // of the layers, before activation
	Patches    float64 `json:"patches"`    // numbers in all patches that convolutions read
	Parameters float64 `json:"parameters"` // weights of these layers

	// Multiplications of the first layer, which cotangents do not go back through.
	FirstConv   float64 `json:"first_conv,omitempty"`
	FirstLinear float64 `json:"first_linear,omitempty"`
}

// NetOf is what there is of a network with such layers.
func NetOf(layers []models.LayerInfo) Net {
	var n Net
	for _, l := range layers {
		filters, patch, positions := float64(l.Filters), float64(l.PatchSize()), float64(l.Positions)
		n.Layers++
		n.Values += filters * positions
		n.Parameters += filters * patch
		if l.Kind == "conv" {
			n.Conv += multiplied(l)
			n.Patches += patch * positions
		} else {
			n.Linear += filters * patch * positions
		}
		if n.Layers == 1 {
			n.FirstConv, n.FirstLinear = n.Conv, n.Linear
		}
	}
	return n
}

// multiplied is how many multiplications a convolution takes of one image, of whole
// blocks of channels. The few channels of an image are taken one by one.
func multiplied(l models.LayerInfo) float64 {
	channels := l.Patch[0]
	kernel := l.PatchSize() / channels
	if channels > fewChannels {
		channels = inBlocks(channels)
	}
	return float64(inBlocks(l.Filters)) * float64(channels) * float64(kernel) * float64(l.Positions)
}

// inBlocks is so many channels with what the last block of them lacks: it costs as much.
func inBlocks(channels int) int { return (channels + block - 1) / block * block }

// Channels are taken so many at a time, where there are not few.
const (
	block       = 8
	fewChannels = 3
)

// passes adds the terms that grow with how often images go through the network, so
// often forwards, with the gradients of weights, and so often back: of all kinds of
// jobs the same.
func (t terms) passes(n Net, forwards, back float64) terms {
	times := forwards + back
	return t.with("convolutions", times*n.Conv-back*n.FirstConv).with("linear layers", times*n.Linear-back*n.FirstLinear).
		with("values", times*n.Values).with("patches of networks", times*n.Patches)
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

func (j Training) time() terms { return j.timeAs(j.kind(), 1) }

// timeAs is the time where so many networks go through every step.
func (j Training) timeAs(kind string, networks float64) terms {
	return of(kind).with(kind+": steps", j.Steps*j.Layers).with("updates", j.Steps*j.Parameters).
		passes(j.Net, networks*(2*j.Images+j.Tested), networks*j.Images).reading(j.Reading)
}

func (j Training) memory() terms { return j.memoryAs(j.kind()) }

func (j Training) memoryAs(kind string) terms {
	return of("process of a network").with(kind+": parameters", j.Parameters).with(kind+": values", j.Batch*j.Values).room("training", j.Reading)
}

// LinearTraining is that of the linearization of a network, by stochastic gradients.
type LinearTraining struct{ Training }

func (LinearTraining) kind() string { return "linearized training" }

// The network, and what changes with its weights, go forwards and backwards.
func (j LinearTraining) time() terms   { return j.timeAs(j.kind(), 2) }
func (j LinearTraining) memory() terms { return j.memoryAs(j.kind()) }

// Verification is the gradients of a verification of the ansatz, or of some of its
// groups of images.
type Verification struct {
	Net // of all layers
	Reading
	Images  float64 `json:"images"`
	Outputs float64 `json:"outputs"` // that are differentiated, or probes
	Batch   float64 `json:"batch"`   // images at a time
	Moments float64 `json:"moments"` // numbers in the moments of all groups
	Sums    float64 `json:"sums"`    // numbers in the moments of all batches, which are added up
	Squares float64 `json:"squares"` // Σ filters² × positions of the layers whose cotangents are multiplied
	Held    float64 `json:"held"`    // numbers in moments at once
	Workers float64 `json:"workers"` // each with a batch
}

func (Verification) kind() string { return "verification" }

// Images go forwards once, and backwards once for every output. Every time all weights
// of linear layers are read, however few images there are in a batch.
func (j Verification) time() terms {
	k := j.kind()
	return of(k).with(k+": squares", j.Images*j.Outputs*j.Squares).with(k+": moments", j.Moments).with(k+": sums", j.Sums).
		with(k+": steps", j.Images*(j.Outputs+1)/j.Batch*j.Layers).
		with(k+": far weights", j.Images/j.Batch*(Far(j.Linear)+j.Outputs*Far(j.Linear-j.FirstLinear))).
		passes(j.Net, j.Images, j.Images*j.Outputs).reading(j.Reading)
}

func (j Verification) memory() terms {
	k := j.kind()
	return of("process of a "+k).with(k+": parameters", j.Parameters).with(k+": values", j.Workers*j.Batch*j.Values).
		with(k+": moments", j.Held).room(k, j.Reading)
}

// Comparison is that of a network's CNFMs with its AGOPs, and of the AGOPs' null: sums
// over its layers.
type Comparison struct {
	Products   float64 `json:"products"`   // multiplications in products of matrices
	Frames     float64 `json:"frames"`     // multiplications in making random vectors orthonormal
	Roots      float64 `json:"roots"`      // n³ of what eigenvectors are taken of
	Spectra    float64 `json:"spectra"`    // n³ of what only eigenvalues are taken of
	Random     float64 `json:"random"`     // random numbers
	Squares    float64 `json:"squares"`    // numbers in the cores of all groups
	Moments    float64 `json:"moments"`    // numbers in the moments of all groups
	Held       float64 `json:"held"`       // numbers in cores, and in what is kept of the moments
	Parameters float64 `json:"parameters"` // weights of the layers
	Largest    float64 `json:"largest"`    // numbers in the matrices of the largest layer
}

func (Comparison) kind() string { return "comparison" }

func (j Comparison) time() terms {
	k := j.kind()
	return of(k).with(k+": products", j.Products).with(k+": frames", j.Frames).with(k+": roots", j.Roots).with(k+": spectra", j.Spectra).
		with(k+": random", j.Random).with(k+": squares", j.Squares).with(k+": moments", j.Moments)
}

func (j Comparison) memory() terms {
	k := j.kind()
	return of("process of a "+k).with(k+": held", j.Held).with(k+": moments", j.Moments).
		with(k+": parameters", j.Parameters).with(k+": matrices", j.Largest)
}

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

func (j Tangents) time() terms {
	k, r := j.kind(), j.Rows
	return of(k).with(k+": rows", r*j.Held).with(k+": products", r*r*j.Products).with(k+": cubes", r*r*r).
		passes(j.Net, r, r).reading(j.Reading)
}

func (j Tangents) memory() terms {
	k := j.kind()
	return of("process").with(k+": parameters", j.Parameters).with(k+": rows", min(j.Rows*j.Held, mostHeld)).with(k+": kernel", j.Rows*j.Rows).room(k, j.Reading)
}

// mostHeld is how many numbers of gradients are counted: those of more rows than there
// is room for are made anew, tile by tile, and 16 GiB are enough for large tiles.
const mostHeld = 4 << 30
