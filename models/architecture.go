package models

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

// Shape is the size of the images that a network reads.
type Shape struct{ Channels, Height, Width int }

// String returns the shape as in "3×32×32".
func (s Shape) String() string { return fmt.Sprintf("%d×%d×%d", s.Channels, s.Height, s.Width) }

// MaxSide is the largest number of rows or columns of an image, and MaxWidth the largest number of filters or units of a
// layer. They are far beyond what can be run, and no product of sizes within them overflows.
const (
	MaxSide  = 1 << 14
	MaxWidth = 1 << 20
)

// Size returns the number of values of an image, Channels·Height·Width.
func (s Shape) Size() int { return s.Channels * s.Height * s.Width }

// Architecture is a network without its weights.
type Architecture struct {
	Name string
	Root Layer
	// Input is the size of the images that the network was made for. Most networks can
	// read other sizes too.
	Input Shape
	// Normalise says how the network's publishers normalise images: none, imagenet, dataset, or MEAN/STD.
	Normalise string
	// Init is the initialisation; see [Architecture.SetInit].
	Init Init
	// Parameterisation says how weights follow from the trained parameters; see [Architecture.SetParameterisation].
	Parameterisation Parameterisation
	// Width is the factor that multiplies the numbers of filters and hidden units, which are then rounded, to at least 1;
	// 0 means 1.
	Width float64
	// Dropout, if not 0, replaces the probability of all dropouts; a negative one removes them.
	Dropout float64
	// Weights are the weights that came with the architecture, as in an ONNX file; nil if none did. They have a value
	// for every parameter.
	Weights *weights.StateDict
	// Prefix comes before the network's names of weights in a state dict: it is "model." if the network is a part, called
	// model, of another one. Weights without the prefix are ignored.
	Prefix string
	// Rename, if not nil, returns the present name of a tensor in older files of weights, and false if the network does not
	// use the tensor.
	Rename func(name string) (now string, used bool)
	// Notes say what users of the network should know about it, one sentence each.
	Notes []string
	// Form says which network this is, if one name stands for several; see [Architecture.On].
	Form string
	// small is the network of the same name for small images; nil if it is the same network.
	small *Architecture
}

// SetWidth sets the width. It returns an error for a width that is not a finite number above 0 (0 stands for 1), and for any
// width but 1 if the architecture came with its weights, since these have fixed sizes.
func (a *Architecture) SetWidth(width float64) error {
	switch {
	case !(width >= 0) || math.IsInf(width, 0):
		return fmt.Errorf("%v: want a finite number above 0", width)
	case a.Weights != nil && width != 0 && width != 1:
		return fmt.Errorf("%v: the sizes of %s are fixed, since it came with its weights: leave the width out, or write the "+
			"network as a TOML file (ansatz arch) and use that", width, a.Name)
	}
	a.Width = width
	return nil
}

// numbered names layers by their index, as PyTorch's Sequential does.
func numbered(layers ...Layer) Sequential {
	s := make(Sequential, len(layers))
	for i, l := range layers {
		s[i] = Named{strconv.Itoa(i), l}
	}
	return s
}

// Description describes an architecture without its weights, for images of a size.
type Description struct {
	Parameters []Parameter
	Layers     []LayerInfo
	Outputs    int
	head       string
	built      map[builtLayer]Built
}

// Built is the result of building a layer.
type Built struct {
	Shape      []int // of its output for one image: rows, columns, channels; or tokens, features; or features
	Parameters []Parameter
}

// Size returns the number of trained weights.
func (d *Description) Size() (n int) {
	for _, p := range d.Parameters {
		if p.Trained {
			n += tensor.Shape(p.Shape).TotalSize()
		}
	}
	return n
}

// Built returns the result of building a child of a container, by its address in the container and its name in the state
// dict.
func (d *Description) Built(l *Named, name string) Built { return d.built[builtLayer{l, name}] }

// Describe builds the expression without a device, only for its shapes. The network has as many outputs as classes,
// unless the architecture fixes their number.
func (a *Architecture) Describe(in Shape, classes int) (*Description, error) {
	b := a.builder(graph.New(nil, graph.Single), eval, classes)
	f, err := b.function(a, 1, in)
	if err != nil {
		return nil, err
	}
	d := &Description{Parameters: b.params, Outputs: f.Output.Shape()[1], head: b.head, built: b.built}
	for _, l := range f.Layers {
		d.Layers = append(d.Layers, layerInfos(l, b.normed)...)
	}
	return d, nil
}

func (a *Architecture) builder(g *graph.Graph, m mode, classes int) *Builder {
	return &Builder{Graph: g, mode: m, classes: classes, width: cmp.Or(a.Width, 1), dropout: a.Dropout,
		parameterisation: a.Parameterisation, running: map[*graph.Node]*graph.Node{}, built: map[builtLayer]Built{},
		normed: map[*graph.Node]bool{}}
}

// InputName is the name of the images among a network's inputs.
const InputName = "images"

// function builds the network for a batch of images. Its output is a matrix
// (image, output).
func (b *Builder) function(a *Architecture, batch int, in Shape) (*graph.Function, error) {
	x := b.Input(InputName, batch, in.Height, in.Width, in.Channels)
	y := Flatten{}.Build(b, "", a.Root.Build(b, "", x))
	f, err := b.Function(y)
	if err == nil {
		err = b.checkParameterised(f)
	}
	if err != nil {
		return nil, a.errorOn(in, err)
	}
	return f, nil
}

// smallSide is the number of rows or columns below which images count as small.
const smallSide = 64

// On returns the architecture that the name stands for on images of a size. Only VGG's names stand for two architectures:
// torchvision's and, on images with fewer than 64 rows or columns, the one with a single linear layer that the papers
// train on CIFAR (energy, Fig. 2). [Architecture.Form] says which one it is.
func (a *Architecture) On(in Shape) *Architecture { return a.forms(in)[0] }

// forms lists the architectures of the name. The first is the one for images of the size.
func (a *Architecture) forms(in Shape) []*Architecture {
	if a.small == nil {
		return []*Architecture{a}
	}
	large, small := *a, *a.small
	large.small = nil // so that On returns it unchanged
	small.Width, small.Dropout, small.Parameterisation = a.Width, a.Dropout, a.Parameterisation
	if min(in.Height, in.Width) < smallSide {
		return []*Architecture{&small, &large}
	}
	return []*Architecture{&large, &small}
}

// formOf returns the form whose last layer the weights d have, or the form for images of the size if there is none.
func (a *Architecture) formOf(d *weights.StateDict, in Shape) *Architecture {
	forms := a.forms(in)
	for _, f := range forms {
		s, err := f.Describe(in, 1)
		if err != nil {
			continue
		}
		if _, ok := d.Get(join(s.head, "weight")); ok {
			return f
		}
	}
	return forms[0]
}

// errorOn says which network and which size of its images an error is about.
func (a *Architecture) errorOn(in Shape, err error) error {
	return fmt.Errorf("%s on images of %v: %w", cmp.Or(a.Name, "the network"), in, err)
}
