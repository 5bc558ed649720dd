package models

import (
	"fmt"
	"strconv"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// Shape is the size of the images that a network reads.
type Shape struct{ Channels, Height, Width int }

// String is the shape as in "3×32×32".
func (s Shape) String() string { return fmt.Sprintf("%d×%d×%d", s.Channels, s.Height, s.Width) }

// Size is the number of pixels of an image, over all channels.
func (s Shape) Size() int { return s.Channels * s.Height * s.Width }

// Architecture is a network without its weights.
type Architecture struct {
	Name string
	Root Layer
	// Input is the size of the images that the network was made for. Most can
	// read others too.
	Input Shape
	// Normalise is how the network's publishers normalise their images: none,
	// imagenet, dataset, or MEAN/STD.
	Normalise string
	// Init is the initialisation; see [Architecture.SetInit].
	Init Init
	// Width is a factor on the numbers of filters and hidden units, each of which
	// is rounded to the nearest whole number, at least 1; 0 is 1.
	Width float64
	// Dropout, if not 0, is the probability of all its dropouts in place of their
	// own; a negative one leaves them out.
	Dropout float64
	// Form says which of the networks that go by the name this is, where there
	// are several; see [Architecture.On].
	Form string
	// small is what the name stands for on small images, if that is another
	// network.
	small *Architecture
}

// numbered names layers by their place, as PyTorch's Sequential does.
func numbered(layers ...Layer) Sequential {
	s := make(Sequential, len(layers))
	for i, l := range layers {
		s[i] = Named{strconv.Itoa(i), l}
	}
	return s
}

// structure is what building an architecture tells about it.
type structure struct {
	params  []Parameter
	head    string
	outputs int
	layers  []graph.Layer
}

// describe builds the expression without a device, for its shapes.
func (a *Architecture) describe(in Shape, classes int) (*structure, error) {
	b := a.builder(graph.New(nil, graph.Single), eval, classes)
	f, err := b.function(a, 1, in)
	if err != nil {
		return nil, err
	}
	return &structure{params: b.params, head: b.head, outputs: f.Output.Shape()[1], layers: f.Layers}, nil
}

func (a *Architecture) builder(g *graph.Graph, m mode, classes int) *Builder {
	return &Builder{Graph: g, mode: m, classes: classes, width: orElse(a.Width, 1), dropout: a.Dropout}
}

// InputName is the name of the images among a network's inputs.
const InputName = "images"

// function builds the network for a batch of images. Its output is a matrix
// (image, output).
func (b *Builder) function(a *Architecture, batch int, in Shape) (*graph.Function, error) {
	x := b.Input(InputName, batch, in.Height, in.Width, in.Channels)
	y := Flatten{}.Build(b, "", a.Root.Build(b, "", x))
	f, err := b.Function(y)
	if err != nil {
		return nil, fmt.Errorf("%s on images of %v: %w", a.Name, in, err)
	}
	return f, nil
}

// smallSide is the number of rows or columns below which images are small.
const smallSide = 64

// On returns what the architecture's name stands for on images of a size. Only
// VGG's names stand for two forms: torchvision's, and on images of fewer than 64
// rows or columns the one with a single linear layer that the papers train on
// CIFAR (energy, Fig. 2). [Architecture.Form] says which form it is.
func (a *Architecture) On(in Shape) *Architecture { return a.forms(in)[0] }

// forms lists what the name stands for, first on images of the size.
func (a *Architecture) forms(in Shape) []*Architecture {
	if a.small == nil {
		return []*Architecture{a}
	}
	large, small := *a, *a.small
	large.small = nil // a form stays what it is on other images
	small.Width, small.Dropout = a.Width, a.Dropout
	if min(in.Height, in.Width) < smallSide {
		return []*Architecture{&small, &large}
	}
	return []*Architecture{&large, &small}
}

// formOf returns the form that has the weights' head, or the one for images of
// the size if none has.
func (a *Architecture) formOf(d *weights.StateDict, in Shape) *Architecture {
	forms := a.forms(in)
	for _, f := range forms {
		s, err := f.describe(in, 1)
		if err != nil {
			continue
		}
		if _, ok := d.Get(join(s.head, "weight")); ok {
			return f
		}
	}
	return forms[0]
}
