package cost

import "github.com/ansatz-lab/ansatz/models"

// Reading is how many numbers are in images or tables before any work is done on them.
type Reading struct {
	Opened float64 `json:"opened,omitempty"` // in the files that are opened and held
	Scaled float64 `json:"scaled,omitempty"` // in images that are scaled to another size
}

// with returns the numbers of both.
func (r Reading) with(s Reading) Reading { return Reading{r.Opened + s.Opened, r.Scaled + s.Scaled} }

// Net is the size of a network for one image.
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

// NetOf returns the size of a network with the given layers.
func NetOf(layers []models.LayerInfo) Net {
	var n Net
	for _, l := range layers {
		filters, patch, positions := float64(l.Filters), float64(l.PatchSize()), float64(l.Positions)
		n.Layers++
		n.Values += filters * positions
		n.Parameters += filters * patch
		if l.Kind == "conv" {
			n.Conv += multiplied(l)
			n.Patches += float64(l.Blocks()) * patch * positions
		} else {
			n.Linear += filters * patch * positions
		}
		if n.Layers == 1 {
			n.FirstConv, n.FirstLinear = n.Conv, n.Linear
		}
	}
	return n
}

// multiplied returns the multiplications of a convolution for one image, in whole blocks of
// channels. The few channels of an image are not padded to a block, nor are the channels of a group.
func multiplied(l models.LayerInfo) float64 {
	if l.Blocks() > 1 {
		return float64(l.Filters) * float64(l.PatchSize()) * float64(l.Positions)
	}
	channels := l.Patch[0]
	kernel := l.PatchSize() / channels
	if channels > fewChannels {
		channels = inBlocks(channels)
	}
	return float64(inBlocks(l.Filters)) * float64(channels) * float64(kernel) * float64(l.Positions)
}

// inBlocks returns a number of channels rounded up to whole blocks, which cost as much.
func inBlocks(channels int) int { return (channels + block - 1) / block * block }

const (
	block       = 8 // channels that convolutions take at a time
	fewChannels = 3 // at most so many channels of an image are not padded to a block
)

// passes adds the terms that grow with how often images go through the network, forwards and back;
// they are the same for all kinds of jobs.
func (t terms) passes(n Net, forwards, back float64) terms {
	times := forwards + back
	return t.with("convolutions", times*n.Conv-back*n.FirstConv).with("linear layers",
		times*n.Linear-back*n.FirstLinear).
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

// launches is a count of kernels that grows as those of a GPU do: some for every layer in every step.
func (j Training) launches() float64 { return j.Steps * j.Layers }

func (j Training) read(r Reading) Job {
	j.Reading = j.Reading.with(r)
	return j
}

func (j Training) time() terms { return j.timeAs(j.kind(), 1) }

// timeAs returns the terms of time if a number of networks go through every step.
func (j Training) timeAs(kind string, networks float64) terms {
	return newTerms(kind).with(kind+": steps", j.Steps*j.Layers).with("updates", j.Steps*j.Parameters).
		passes(j.Net, networks*(2*j.Images+j.Tested), networks*j.Images).reading(j.Reading)
}

func (j Training) memory() terms { return j.memoryAs(j.kind()) }

func (j Training) memoryAs(kind string) terms {
	return newTerms("process of a network").with(kind+": parameters", j.Parameters).with(kind+": values",
		j.Batch*j.Values).room("training", j.Reading)
}

// LinearTraining is the training of a network's linearization by stochastic gradients.
type LinearTraining struct{ Training }

func (LinearTraining) kind() string { return "linearized training" }

func (j LinearTraining) read(r Reading) Job {
	j.Reading = j.Reading.with(r)
	return j
}

// Every step goes through the network, and through its derivative by the weights.
func (j LinearTraining) time() terms   { return j.timeAs(j.kind(), 2) }
func (j LinearTraining) memory() terms { return j.memoryAs(j.kind()) }
