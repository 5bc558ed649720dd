// Package blueprint describes networks without running them: their layers, shapes and numbers of parameters, as the text
// of an architecture file. [Draw] does, by the name of a network or of a file.
package blueprint

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/totoml"
	"github.com/ansatz-lab/ansatz/models/weights"
	"github.com/ansatz-lab/ansatz/models/zoo"
)

// Blueprint is an architecture for images of a size and a number of outputs. Of weights that belong to no network known
// by name it has only the TOML.
type Blueprint struct {
	Arch       string  `json:"arch"`
	Input      []int   `json:"input,omitempty"` // channels, rows, columns
	Outputs    int     `json:"outputs,omitempty"`
	Parameters int     `json:"parameters,omitempty"` // trained ones
	Layers     []Layer `json:"layers,omitempty"`
	TOML       string  `json:"toml"`
	// Complete reports whether the TOML is an architecture file of this network, and not a list of its layers.
	Complete bool `json:"complete"`
	// Why says why an ONNX network has no architecture file.
	Why string `json:"why,omitempty"`
}

// Layer is a convolution or a linear layer.
type Layer struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Filters   int    `json:"filters"`
	Patch     []int  `json:"patch"`
	Positions int    `json:"positions"`
	Groups    int    `json:"groups"`
	Heads     int    `json:"heads,omitempty"`
}

// Options say for which images a network is described.
type Options struct {
	Size    int // rows and columns of the images; 0 is what the network was made for
	Classes int // 0 is the number of the weights, else 1000 for networks of ImageNet and 10 for others
}

// Draw describes the network of a name, of a TOML or ONNX file, or of a file of weights. An ONNX network is converted, and
// what that is compared with the file ([totoml.Convert]); of one that cannot be converted it lists the layers. Its errors
// are input errors.
func Draw(ctx context.Context, name string, o Options) (*Blueprint, error) {
	a, classes, weights, err := open(name, o.Size)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	if a == nil {
		err := archfile.Sketch(&text, filepath.Base(name), weights)
		return &Blueprint{Arch: filepath.Base(name), TOML: text.String()}, err
	}
	in := a.Input
	if o.Size > 0 {
		in.Height, in.Width = o.Size, o.Size
	}
	why := ""
	if input.IsONNX(name) {
		c, err := totoml.Convert(ctx, a, in)
		if err == nil {
			a, classes = c.Arch, c.Outputs
		} else if why = err.Error(); ctx.Err() != nil {
			return nil, err
		}
	}
	switch {
	case o.Classes > 0:
		classes = o.Classes
	case classes == 0 && a.Normalise == "imagenet" && a.Input.Height > 64:
		classes = 1000
	case classes == 0:
		classes = 10
	}
	d, err := a.On(in).Describe(in, classes)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	b := &Blueprint{Arch: a.Name, Input: []int{in.Channels, in.Height, in.Width}, Outputs: d.Outputs,
		Parameters: d.Size(), Complete: true, Why: why}
	for _, l := range d.Layers {
		b.Layers = append(b.Layers, Layer{l.Name, l.Kind, l.Filters, l.Patch, l.Positions, l.Blocks(), l.Heads})
	}
	err = archfile.Write(&text, a, in, classes)
	var unknown *archfile.UnknownLayerError
	if errors.As(err, &unknown) {
		b.Complete = false
		listed := *a
		if why != "" {
			listed.Notes = append([]string{"It cannot be written as an architecture file: " + why + "."}, a.Notes...)
		}
		err = archfile.List(&text, &listed, in, classes)
	}
	b.TOML = text.String()
	return b, err
}

// open looks up an architecture, or reads a file of weights, of which it returns the architecture, if that is known by
// name, and the number of outputs.
func open(name string, size int) (a *models.Architecture, classes int, d *weights.StateDict, err error) {
	if !isWeights(name) {
		a, err = input.LookupArchitecture(name)
		return a, 0, nil, err
	}
	if d, err = weights.Open(name); err != nil {
		return nil, 0, nil, &input.Error{Err: err}
	}
	a, classes = zoo.Identify(d, size)
	return a, classes, d, nil
}

// isWeights reports whether a name is that of a file of weights.
func isWeights(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".pth", ".pt", ".th", ".ckpt", ".bin", ".tar", ".safetensors":
		return true
	}
	return false
}
