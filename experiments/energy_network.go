package experiments

import (
	"cmp"
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
)

// EnergyTraining is how the networks of paper energy are trained: by SGD without
// momentum at a constant rate, on pixels as they are (appendix B.5).
type EnergyTraining struct {
	Train  int     `json:"train" toml:"train"` // images; 0 is all
	Test   int     `json:"test" toml:"test"`
	Epochs int     `json:"epochs" toml:"epochs"`
	Batch  int     `json:"batch" toml:"batch"`
	Rate   float64 `json:"rate" toml:"rate"`
}

// EnergyNetwork is a network and what it learns, or the file of its weights.
// Names are unique in an experiment.
type EnergyNetwork struct {
	Name  string  `json:"name" toml:"name"`
	Arch  string  `json:"arch" toml:"arch"`
	Width float64 `json:"width" toml:"width"` // a factor on all widths; 0 is 1
	// First is the number of filters of the first convolution, whatever the
	// width; 0 is what the width says. It is for VGGs, whose other layers do not
	// depend on it.
	First int `json:"first" toml:"first"`
	// Kernel is the side of the first convolution's filters, padded to keep the
	// size; 0 is the architecture's.
	Kernel  int     `json:"kernel" toml:"kernel"`
	Data    string  `json:"data" toml:"data"`
	Size    int     `json:"size" toml:"size"`       // to which images are scaled; 0 is as of the command train
	Classes string  `json:"classes" toml:"classes"` // as of the command train
	Labels  string  `json:"labels" toml:"labels"`   // as of the command train
	Loss    string  `json:"loss" toml:"loss"`       // as of the command train
	Freeze  string  `json:"freeze" toml:"freeze"`   // as of the command train
	Epochs  int     `json:"epochs" toml:"epochs"`   // 0 is those of the training
	Rate    float64 `json:"rate" toml:"rate"`       // 0 is that of the training
	Batch   int     `json:"batch" toml:"batch"`     // 0 is that of the training
	// Start names the random numbers of its initialisation, of the order of its
	// images and of random labels; "" is the name. Networks that are compared have
	// different ones: filters that begin alike stay alike to some degree.
	Start string `json:"start" toml:"start"`
	// Weights is a file in the data folder, unless the path is whole, of a network
	// that is not trained here.
	Weights string `json:"weights" toml:"weights"`
}

// energyNet is a network after its training, or with weights from a file.
type energyNet struct {
	EnergyNetwork
	net, initial  *models.Network
	images        data.Dataset // that it was trained on, with true or other labels
	normalisation data.Normalisation
	epochs        []EpochRecord // nil of weights from a file
}

// train trains the network.
func (n EnergyNetwork) train(ctx context.Context, in Setting, e EnergyTraining) (*energyNet, error) {
	a, err := n.architecture()
	if err != nil {
		return nil, err
	}
	spec := n.spec(e)
	spec.Dir, spec.Threads, spec.Seed = in.DataDir, in.Threads, n.seed(in)
	t, err := newTraining(ctx, spec, a)
	if err != nil {
		return nil, err
	}
	if got := t.net.Layers()[0].Filters; n.First > 0 && got != n.First {
		return nil, badInput("%s: a first layer of %d filters cannot be had at width %v: the nearest is %d", n.Name, n.First, n.Width, got)
	}
	r, err := in.trainReporting(ctx, t, n.Name)
	if err != nil {
		return nil, err
	}
	return &energyNet{EnergyNetwork: n, net: t.net, initial: t.initial, images: t.data.train, normalisation: t.data.normalisation, epochs: r.Epochs}, nil
}

// seed is the network's own.
func (n EnergyNetwork) seed(in Setting) uint64 {
	return models.Stream(in.Seed, "start of "+cmp.Or(n.Start, n.Name)).Uint64()
}

// architecture is the network's, with its first layer.
func (n EnergyNetwork) architecture() (*models.Architecture, error) {
	a, err := lookup(n.Arch)
	if err != nil || n.First == 0 && n.Kernel == 0 {
		return a, err
	}
	a = a.On(models.Shape{Channels: 3, Height: 32, Width: 32}) // the form for small images
	root, _ := a.Root.(models.Sequential)
	for len(root) > 0 {
		switch l := root[0].Layer.(type) {
		case models.Sequential:
			root = l
		case models.Conv:
			root[0].Layer = n.firstLayer(l)
			return a, nil
		default:
			root = nil
		}
	}
	return nil, badInput("%s: %s does not begin with a convolution whose number of filters could be set", n.Name, n.Arch)
}

// firstLayer is the first convolution with the network's filters.
func (n EnergyNetwork) firstLayer(l models.Conv) models.Conv {
	if n.First > 0 {
		l.Filters = n.First
		if n.Width > 0 {
			l.Filters = int(math.Round(float64(n.First) / n.Width))
		}
	}
	if n.Kernel > 0 {
		l.Kernel = [2]int{n.Kernel, n.Kernel}
		l.Geometry.PadH, l.Geometry.PadW = n.Kernel/2, n.Kernel/2
	}
	return l
}

// open opens a network whose weights are in a file, and the images that it was
// trained on: those of the training, or most of them if that is not 0.
func (n EnergyNetwork) open(in Setting, e EnergyTraining, most int) (*energyNet, error) {
	path, err := in.path(n.Weights)
	if err != nil {
		return nil, err
	}
	a, err := lookup(n.Arch)
	if err != nil {
		return nil, err
	}
	a.Width = n.Width
	spec := DataSpec{Data: n.Data, Split: "train", Dir: in.DataDir, Size: n.Size, Count: e.Train, Seed: in.Seed}
	src, err := openData(spec, a)
	if err != nil {
		return nil, err
	}
	net, state, err := openWeights(a, path, src.shape())
	if err != nil {
		return nil, err
	}
	spec.Normalise = state.Metadata()[normalisationMetadata]
	out := &energyNet{EnergyNetwork: n, net: net}
	if out.normalisation, err = src.normalisation(spec, net.Arch); err != nil {
		return nil, err
	}
	if out.images, err = firstImages("train", src.set, e.Train); err != nil {
		return nil, err
	}
	if most > 0 && most < out.images.Len() {
		out.images = data.Head(out.images, most)
	}
	if out.initial, err = net.Arch.InitNetwork(net.Input, net.Classes, n.seed(in)); err != nil {
		return nil, &InputError{err}
	}
	return out, nil
}
