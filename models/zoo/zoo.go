// Package zoo knows the networks of torchvision that are made of more than package models has: their layers by a few
// numbers each, with the names of torchvision's state dicts. [Lookup] finds them, and all that [models.Lookup] finds.
package zoo

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// families make the networks, each by its name.
var families = func() map[string]func() *models.Architecture {
	all := map[string]func() *models.Architecture{}
	for _, f := range []map[string]func() *models.Architecture{denseNets(), squeezeNets(), inceptions(), mobileNets(),
		efficientNets(), resNeXts(), convNeXts(), visionTransformers()} {
		maps.Copy(all, f)
	}
	return all
}()

// Names lists the networks that this package knows, in the order of the alphabet.
func Names() []string { return slices.Sorted(maps.Keys(families)) }

// Lookup returns the architecture of a name, of this package or of [models.Lookup], or the one in a TOML file.
func Lookup(name string) (*models.Architecture, error) {
	if archfile.Is(name) {
		return archfile.ReadFile(name)
	}
	if f := families[name]; f != nil {
		a := f()
		a.Name = name
		return a, nil
	}
	a, err := models.Lookup(name)
	var unknown *models.UnknownError
	if errors.As(err, &unknown) {
		unknown.Others = Names()
	}
	return a, err
}

// Identify returns the architecture whose parameters have the names and shapes of a state dict, and the number of its
// outputs; it returns nil if no network that is known by name has. Size is the number of rows and columns of its images,
// on which the shapes of some depend; 0 is the network's own.
func Identify(d *weights.StateDict, size int) (*models.Architecture, int) {
	for _, name := range append(models.Names(), Names()...) {
		a, err := Lookup(name)
		if err != nil {
			continue
		}
		if size > 0 {
			a.Input.Height, a.Input.Width = size, size
		}
		if n, err := a.Load(d, a.Input); err == nil {
			return a, n.Classes
		}
	}
	return nil, 0
}

// imagenet is an architecture for ImageNet's images.
func imagenet(root models.Sequential, init models.Init) *models.Architecture {
	return &models.Architecture{Root: root, Input: models.Shape{Channels: 3, Height: 224, Width: 224},
		Normalise: "imagenet", Init: init}
}

// seq names layers by their index, as PyTorch's Sequential does.
func seq(all ...models.Layer) models.Sequential {
	s := make(models.Sequential, len(all))
	for i, l := range all {
		s[i] = models.Named{Name: strconv.Itoa(i), Layer: l}
	}
	return s
}

// noLayer is the input itself.
var noLayer = models.Sequential{}

// square is a convolution with square filters, padded so that it keeps the size of the images when its stride is 1.
func square(filters, kernel, stride int) models.Conv {
	return models.Conv{Filters: filters, Kernel: [2]int{kernel, kernel},
		Geometry: graph.Square(stride, (kernel-1)/2), NoBias: true}
}

// depthwise is such a convolution with every channel a group.
func depthwise(filters, kernel, stride int) models.Conv {
	c := square(filters, kernel, stride)
	c.Depthwise = true
	return c
}

// withBias gives a convolution a bias.
func withBias(c models.Conv) models.Conv {
	c.NoBias = false
	return c
}

// add is the sum of the input and what some layers make of it.
func add(main models.Sequential) models.Layer { return models.Residual{Main: main, Linear: true} }

// pooled ends features by global average pooling.
func pooled(features models.Sequential, classifier models.Layer) models.Sequential {
	return models.Sequential{{Name: "features", Layer: features}, {Layer: models.AdaptiveAvgPool{H: 1, W: 1}},
		{Name: "classifier", Layer: classifier}}
}

// divisible returns a number of channels near v that 8 divides, and is not below .9·v.
func divisible(v float64) int {
	n := max(8, int(v+4)/8*8)
	if float64(n) < .9*v {
		n += 8
	}
	return n
}

// The initialisations of torchvision. Its truncated normal ones are normal here.
var (
	kaimingOut = models.Init{Conv: models.Kaiming{FanOut: true}, ConvBias: models.Constant(0), Linear: models.Normal{.01},
		LinearBias: models.Constant(0)}
	narrow = models.Init{Conv: models.Normal{.02}, ConvBias: models.Constant(0), Linear: models.Normal{.02},
		LinearBias: models.Constant(0)}
)
