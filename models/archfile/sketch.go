package archfile

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

// List writes the layers with weights of an architecture that is not a tree of layers, such as one from an ONNX file, in the
// form of an architecture file. It writes the known settings of each layer, the shape of its weights, and its positions.
// The text does not say how the layers are connected. It sets no input, so that it is not taken for the network.
func List(w io.Writer, a *models.Architecture, in models.Shape, classes int) error {
	d, err := a.Describe(in, classes)
	if err != nil {
		return err
	}
	var p printer
	p.line(0, "# %s on images of %v with %s: %s parameters in %s with weights", a.Name, in, words.Count(d.Outputs, "output"),
		thousands(d.Size()), words.Count(len(d.Layers), "layer"))
	p.line(0, "# These are its layers alone. How they are connected is in the file, which --arch takes. Commands refuse this list,")
	p.line(0, "# as it sets no input, since it is not the network.")
	p.notes(a)
	p.line(0, "name = %q", a.Name)
	p.line(0, "# input = [%d, %d, %d]", in.Channels, in.Height, in.Width)
	listed := map[string]bool{}
	for _, l := range d.Layers {
		p.line(0, "")
		places := "position"
		if l.Kind == "linear" {
			places = "row"
		}
		p.line(0, "%-30s # %d×%d weights on %s", "[[layer]]", l.Filters, l.PatchSize(), words.Count(l.Positions, places))
		p.line(0, "type = %q", l.Kind)
		p.line(0, "name = %q", l.Name)
		if l.Kind == "conv" {
			p.line(0, "filters = %d", l.Filters)
			p.line(0, "kernel = %v", Pair(l.Patch[1:]))
			if l.Groups > 1 {
				p.line(0, "groups = %d", l.Groups)
			}
		} else {
			p.line(0, "out = %d", l.Filters)
		}
		if l.Heads > 0 {
			p.line(0, "# %d heads of an attention", l.Heads)
		}
		listed[l.Weight()] = true
	}
	var others []string
	for _, q := range d.Parameters {
		if !listed[q.Name] {
			others = append(others, fmt.Sprintf("# %-40s %s", q.Name, dimensions(q.Shape)))
		}
	}
	if len(others) > 0 {
		p.line(0, "\n# Other parameters:\n%s", strings.Join(others, "\n"))
	}
	_, err = io.WriteString(w, p.text.String())
	return err
}

// dimensions writes a shape as in 64×3×7×7.
func dimensions(shape []int) string {
	if len(shape) == 0 {
		return "a number"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", "×")
}

// Sketch writes the beginning of an architecture file for the user to complete: the layers with parameters that it infers
// from the names and shapes in a state dict, in the order of the file.
func Sketch(w io.Writer, name string, d *weights.StateDict) error {
	var p printer
	total := 0
	for _, t := range d.All() {
		total += t.Shape().TotalSize()
	}
	p.line(0, "# %s: %d tensors of %s numbers, in the order of the file", name, d.Len(), thousands(total))
	p.line(0, "# A state dict does not say what has no parameters: strides, paddings, activations, pools, and how layers are")
	p.line(0, "# connected. Add them, and the size of the images, to make this an architecture file.")
	parts := partsOf(d)
	channels := "?"
	for _, q := range parts {
		if s := q.shape("weight"); len(s) == 4 {
			channels = fmt.Sprint(s[1])
			break
		}
	}
	p.line(0, "# input = [%s, rows, columns]", channels)
	last := ""
	for _, q := range parts {
		if len(q.shape("weight")) == 2 {
			last = q.name
		}
	}
	for _, q := range parts {
		p.line(0, "")
		p.part(q, q.name == last)
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

// part holds the tensors of a module.
type part struct {
	name    string
	tensors []string // their names within the module
	of      map[string]*tensor.Dense
}

// partsOf divides a state dict into modules by the names of the tensors.
func partsOf(d *weights.StateDict) []*part {
	var all []*part
	at := map[string]*part{}
	for name, t := range d.All() {
		i := max(0, strings.LastIndex(name, "."))
		module, rest := name[:i], strings.TrimPrefix(name[i:], ".")
		if outer, is := strings.CutSuffix(module, ".out_proj"); is && at[outer] != nil {
			module, rest = outer, "out_proj."+rest // belongs to an attention
		}
		if rest == "num_batches_tracked" {
			continue
		}
		q := at[module]
		if q == nil {
			q = &part{name: module, of: map[string]*tensor.Dense{}}
			at[module] = q
			all = append(all, q)
		}
		q.tensors = append(q.tensors, rest)
		q.of[rest] = t
	}
	return all
}

// shape returns the shape of a tensor, or nil if the module does not have it.
func (q *part) shape(tensor string) []int {
	if t := q.of[tensor]; t != nil {
		return t.Shape()
	}
	return nil
}

// part writes a module as a layer, if the shapes of its tensors fit a known type.
func (p *printer) part(q *part, last bool) {
	kind, comment, settings, uses := q.layer(last)
	params := 0
	for _, t := range uses {
		params += tensor.Shape(q.shape(t)).TotalSize()
	}
	if kind != "" {
		p.line(0, "%-30s # %s, %s parameters", "[[layer]]", comment, thousands(params))
		p.line(0, "type = %q", kind)
		p.line(0, "name = %q", q.name)
		for _, s := range settings {
			p.line(0, "%s", s)
		}
	}
	for _, t := range q.tensors {
		if !slices.Contains(uses, t) && !(kind == "batchnorm" && strings.HasPrefix(t, "running_")) {
			p.line(0, "# %s: a tensor %s that is of no layer known here", join(q.name, t), dimensions(q.shape(t)))
		}
	}
}

// layer returns the type of layer that a module is, a comment on it, its known settings, and the tensors that it uses.
func (q *part) layer(last bool) (kind, comment string, settings, uses []string) {
	w, bias := q.shape("weight"), q.of["bias"] != nil
	uses = []string{"weight"}
	if bias {
		uses = append(uses, "bias")
	}
	switch {
	case q.of["in_proj_weight"] != nil && len(q.shape("in_proj_weight")) == 2:
		d := q.shape("in_proj_weight")[1]
		return "attention", fmt.Sprintf("%d features", d), []string{"heads = 1 # not in the weights"},
			[]string{"in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"}
	case len(w) == 4:
		settings = []string{fmt.Sprintf("filters = %d", w[0]), fmt.Sprintf("kernel = %v", Pair(w[2:]))}
		comment = fmt.Sprintf("reads %d channels", w[1])
		if w[1] == 1 {
			comment = "reads 1 channel; depthwise unless its input has no more"
		}
	case len(w) == 2:
		if !last {
			settings = []string{fmt.Sprintf("out = %d", w[0])}
		}
		kind, comment = "linear", fmt.Sprintf("reads %d features, makes %d", w[1], w[0])
	case len(w) == 1 && q.of["running_mean"] != nil:
		return "batchnorm", fmt.Sprintf("%d channels", w[0]), nil, uses
	case len(w) == 1 && bias:
		return "layernorm", fmt.Sprintf("%d features; it may be a groupnorm", w[0]), nil, uses
	default:
		return "", "", nil, nil
	}
	if kind == "" {
		kind = "conv"
	}
	if !bias {
		settings = append(settings, "bias = false")
	}
	return kind, comment, settings, uses
}
