// Package totoml writes networks from ONNX files as architecture files. [Convert] recognises the layers in the graph of
// an ONNX file, arranges them as a tree by series-parallel reduction, and compares the outputs of the network that the
// architecture file describes with those of the ONNX network.
package totoml

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/fromonnx"
	"github.com/ansatz-lab/ansatz/models/weights"
	dense "gorgonia.org/tensor"
)

// RefusedError says why a network cannot be written as an architecture file: that no layer computes what a node of the
// ONNX file computes, or that the outputs of the two networks differ.
type RefusedError struct{ Err error }

// Error returns the text of Err.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RefusedError) Unwrap() error { return e.Err }

// Conversion is an architecture file of a network from an ONNX file.
type Conversion struct {
	// Arch is the network as a tree of layers. Its notes say how it was compared with the ONNX file.
	Arch    *models.Architecture
	Outputs int // the number of outputs for an image
	// Difference is the largest difference between outputs of the two networks, divided by the largest output.
	Difference float64
	// Known is the network of package zoo whose parameters have the same names and shapes, "" if there is none. Same
	// reports whether its outputs are the same, too.
	Known  string
	Same   bool
	params []param
}

// Weights renames weights of the ONNX network, such as [models.Architecture.Weights] from [fromonnx.Open], to the names of
// the architecture file. It shares tensors of the same shape, and joins others. Missing weights are an error.
func (c *Conversion) Weights(of *weights.StateDict) (*weights.StateDict, error) {
	d := new(weights.StateDict)
	for _, p := range c.params {
		if len(p.from) == 1 {
			if t, ok := of.Get(p.from[0]); ok && slices.Equal(t.Shape(), p.shape) {
				d.Set(p.name, t)
				continue
			}
		}
		var v []float64
		for _, name := range p.from {
			t, ok := of.Get(name)
			if !ok {
				return nil, fmt.Errorf("there are no weights %q", name)
			}
			own := make([]float64, t.Size())
			v = append(v, own[:values.CopyTo(own, t)]...)
		}
		if len(v) != size(p.shape) {
			return nil, fmt.Errorf("weights %q: found %d elements, want those of the shape %v", p.name, len(v), p.shape)
		}
		d.Set(p.name, dense.New(dense.WithShape(p.shape...), dense.WithBacking(v)))
	}
	return d, nil
}

// Convert returns the architecture file of a network that [fromonnx.Open] returned, on images of a size. It computes the
// outputs of both networks for two random images, with the weights of the file and with random ones. It returns a
// [*RefusedError] if the outputs differ by more than 1e-5 of the largest in float32 and more than 1e-6 in float64, or if
// a node is neither a layer of an architecture file nor a part of one. Other errors come from computing a network.
func Convert(ctx context.Context, a *models.Architecture, in models.Shape) (*Conversion, error) {
	with, err := newComparer(in)
	if err != nil {
		return nil, err
	}
	defer with.device.Close()
	c, err := compared(ctx, with, a, in)
	if err != nil {
		return nil, err
	}
	if err := c.identify(ctx, with, a); err != nil {
		return nil, err
	}
	c.note(a)
	return c, nil
}

// compared converts a network, and compares the network that archfile parses from the written text with the original.
func compared(ctx context.Context, with *comparer, a *models.Architecture, in models.Shape) (*Conversion, error) {
	const images = 2 // not 1, so that an axis of the images has more than one element
	trace, err := fromonnx.TraceOf(a, in, images)
	if err != nil {
		return nil, err
	}
	c, err := convert(trace, in, max(1, trace.Shape(trace.Input)[0]))
	if err != nil {
		return nil, &RefusedError{err}
	}
	c.Arch.Name = a.Name
	var text strings.Builder
	if err := archfile.Write(&text, c.Arch, in, c.Outputs); err != nil {
		return nil, &RefusedError{err}
	}
	read, err := archfile.Parse([]byte(text.String()))
	if err != nil {
		return nil, &RefusedError{fmt.Errorf("its architecture file is refused: %w", err)}
	}
	return c, c.compare(ctx, with, a, read)
}

// convert makes a tree of layers that computes what the graph of an ONNX file computes.
func convert(trace *fromonnx.Trace, in models.Shape, images int) (*Conversion, error) {
	ops, err := lower(trace, in, images)
	if err != nil {
		return nil, err
	}
	all, err := tree(ops)
	if err != nil {
		return nil, err
	}
	all = simplified(all)
	numberDuplicates(all, map[string]bool{})
	rewriteEnd(all)
	root, err := emitted(all, 1)
	if err != nil {
		return nil, err
	}
	if len(root) == 0 {
		return nil, errors.New("its output is its input")
	}
	nameContainers(root, "")
	return &Conversion{Arch: &models.Architecture{Root: root, Input: in, Normalise: "dataset"},
		Outputs: size(trace.Shape(trace.Output)[1:]), params: paramsOf(all)}, nil
}

// note says in the notes of the architecture how it was compared, and which known network it is.
func (c *Conversion) note(a *models.Architecture) {
	notes := []string{fmt.Sprintf("Converted from ONNX. Outputs for random images, with the weights of the file and with "+
		"random ones, are those of the file to %g of the largest.", tolerance[graph.Single])}
	others := 0
	for _, p := range c.params {
		if t, ok := a.Weights.Get(p.name); !ok || !slices.Equal(t.Shape(), p.shape) {
			others++
		}
	}
	if others > 0 {
		notes = append(notes, fmt.Sprintf("--weights takes the ONNX file: %d parameters have other names or shapes there.",
			others))
	} else {
		notes = append(notes, "--weights takes the ONNX file, whose parameters have the same names.")
	}
	switch {
	case c.Known != "" && c.Same:
		notes = append(notes, fmt.Sprintf("It is %s: names and shapes of parameters are the same, and so are outputs.",
			c.Known))
	case c.Known != "":
		notes = append(notes, fmt.Sprintf("Its parameters have the names and shapes of those of %s, but its outputs differ.",
			c.Known))
	}
	c.Arch.Notes = append(notes, a.Notes...)
}
