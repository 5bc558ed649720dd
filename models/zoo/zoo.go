// Package zoo has torchvision's networks that package models lacks, each defined by a few numbers. Parameters have the names
// of torchvision's state dicts. [Lookup] finds these networks, and all that [models.Lookup] finds.
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

// families maps the name of each network to the function that makes it.
var families = func() map[string]func() *models.Architecture {
	all := map[string]func() *models.Architecture{}
	for _, f := range []map[string]func() *models.Architecture{denseNets(), squeezeNets(), inceptions(), mobileNets(),
		efficientNets(), resNeXts(), convNeXts(), visionTransformers()} {
		maps.Copy(all, f)
	}
	return all
}()

// Names lists the networks of this package in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(families)) }

// Lookup returns the architecture with the given name in this package or in [models.Lookup], or reads it from a TOML file.
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

// Identify returns the known architecture whose parameters have the names and shapes of a state dict, and the number of its
// outputs; it returns nil if there is none. Size is the number of rows and columns of the images, which determines some
// shapes; 0 is the size for which the network was made.
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

// imagenet returns an architecture for ImageNet's images.
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

// depthwise is like square, but every channel is a group.
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

// add is the sum of the input and the output of main.
func add(main models.Sequential) models.Layer { return models.Residual{Main: main, Linear: true} }

// pooled returns features, global average pooling and a classifier.
func pooled(features models.Sequential, classifier models.Layer) models.Sequential {
	return models.Sequential{{Name: "features", Layer: features}, {Layer: models.AdaptiveAvgPool{H: 1, W: 1}},
		{Name: "classifier", Layer: classifier}}
}

// divisible returns a multiple of 8 near v, but not below .9·v, as a number of channels.
func divisible(v float64) int {
	n := max(8, int(v+4)/8*8)
	if float64(n) < .9*v {
		n += 8
	}
	return n
}

// The initialisations of torchvision's MobileNets and ConvNeXts. Truncated normal distributions are plain normal ones here. The
// EfficientNets and the vision transformers take these too: torchvision draws their linear layers otherwise.
var (
	kaimingOut = models.Init{Conv: models.Kaiming{FanOut: true}, ConvBias: models.Constant(0), Linear: models.Normal{.01},
		LinearBias: models.Constant(0)}
	narrow = models.Init{Conv: models.Normal{.02}, ConvBias: models.Constant(0), Linear: models.Normal{.02},
		LinearBias: models.Constant(0)}
)
