package models

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
)

// Shape is the size of the images that a network reads.
type Shape struct{ Channels, Height, Width int }

func (s Shape) String() string { return fmt.Sprintf("%d×%d×%d", s.Channels, s.Height, s.Width) }

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
	Init      Init
	// Width is a factor on the number of filters and hidden units; 0 is 1.
	Width int
}

// families are the architectures that are known by name. A name ends in the
// depth where the family has several.
var families = []struct {
	names []string
	make  func(name string) *Architecture
}{
	{[]string{"lenet"}, lenet},
	{[]string{"alexnet"}, alexnet},
	{[]string{"vgg11", "vgg13", "vgg16", "vgg19", "vgg11_bn", "vgg13_bn", "vgg16_bn", "vgg19_bn"}, vgg},
	{[]string{"resnet18", "resnet34", "resnet50", "resnet101", "resnet152"}, resnet},
	{[]string{"resnet20", "resnet32", "resnet44", "resnet56", "resnet110"}, cifarResnet},
	{[]string{"mlp"}, mlp},
}

// Names lists the architectures that are known by name.
func Names() []string {
	var all []string
	for _, f := range families {
		all = append(all, f.names...)
	}
	return all
}

// UnknownError is returned for an architecture that there is not.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown architecture %q: there are %s; mlp:W1,W2,… for a network with those hidden widths; and any network in a TOML file (--arch my.toml)",
		e.Name, strings.Join(Names(), ", "))
}

// Lookup returns the architecture of a name, or the one in a TOML file if the
// name ends in .toml.
func Lookup(name string) (*Architecture, error) {
	if strings.HasSuffix(name, ".toml") {
		return ReadFile(name)
	}
	if widths, ok := strings.CutPrefix(name, "mlp:"); ok {
		return mlpOf(name, widths)
	}
	for _, f := range families {
		if slices.Contains(f.names, name) {
			return f.make(name), nil
		}
	}
	return nil, &UnknownError{name}
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
	params []Parameter
	head   string
	layers []graph.Layer
}

// describe builds the expression without a device, for its shapes.
func (a *Architecture) describe(in Shape, classes int) (*structure, error) {
	b := a.builder(graph.New(nil, graph.Single), eval, classes)
	f, err := b.function(a, 1, in)
	if err != nil {
		return nil, err
	}
	return &structure{params: b.params, head: b.head, layers: f.Layers}, nil
}

func (a *Architecture) builder(g *graph.Graph, m mode, classes int) *builder {
	return &builder{Graph: g, mode: m, classes: classes, width: max(a.Width, 1)}
}

// InputName is the name of the images among a network's inputs.
const InputName = "images"

// function builds the network for a batch of images. Its output is a matrix
// (image, output).
func (b *builder) function(a *Architecture, batch int, in Shape) (*graph.Function, error) {
	x := b.Input(InputName, batch, in.Height, in.Width, in.Channels)
	y := Flatten{}.build(b, "", a.Root.build(b, "", x))
	f, err := b.Function(y)
	if err != nil {
		return nil, fmt.Errorf("%s on images of %v: %w", a.Name, in, err)
	}
	return f, nil
}
