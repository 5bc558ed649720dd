// Package fromonnx makes architectures of ONNX files, so that they can be trained and measured as a [models.Network].
//
// [Open] reads a file. For each size of images and batches its graph becomes an expression of package graph, which has
// gradients as any other network's expression has. Layers are named by their weights: layer1.0.conv1 for
// layer1.0.conv1.weight.
package fromonnx

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// mostExported is the largest number of images at a time that a file may be exported for. The network is built for all of
// them, even to compute fewer.
const mostExported = 1 << 14

// Error says why a network cannot be built from an ONNX file.
type Error struct{ text string }

// Error returns the text.
func (e *Error) Error() string { return e.text }

// InputError returns true: the user gave a network that cannot be read.
func (e *Error) InputError() bool { return true }

// Open returns the architecture of an ONNX file, with its weights. The architecture's input has 0 rows or columns where the
// file leaves their number open. Errors are those of [onnx.Open], and an [*Error] for a network that is not supported.
func Open(path string) (*models.Architecture, error) {
	m, err := onnx.Open(path)
	if err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) error { return &Error{path + ": " + fmt.Sprintf(format, args...)} }
	input, err := imageInput(m)
	if err != nil {
		return nil, fail("%v", err)
	}
	all, err := findWeights(m.Graph)
	if err != nil {
		return nil, err
	}
	r := reachOf(m.Graph, input.Name, all)
	if err := checkSupported(m.Graph.Nodes, r); err != nil {
		return nil, fail("%v", err)
	}
	n := &network{file: m, input: input.Name, output: m.Graph.Outputs[0].Name, weights: all,
		names: layerNames(m.Graph, all, r), reach: r, exported: max(0, input.Shape[0]), channels: input.Shape[1],
		singles: new(sync.Map)}
	names := usedWeights(m.Graph, n.weights)
	a := &models.Architecture{Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Root: n, Normalise: "dataset",
		Input: models.Shape{Channels: input.Shape[1], Height: max(0, input.Shape[2]), Width: max(0, input.Shape[3])},
		Notes: append(notes(m, n.weights), unmeasured(m.Graph, n.reach, n.names)...)}
	if a.Weights, err = stateDict(names, n.weights); err != nil {
		return nil, err
	}
	return a, nil
}

// usedWeights returns the names of the parameters that nodes read, in the order of their first use.
func usedWeights(g *onnx.Graph, all map[string]weight) []string {
	var names []string
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		if repeatsStored(n, all) || n.Op == "Shape" || n.Op == "Size" {
			continue
		}
		for _, name := range n.Inputs {
			if w := all[name]; w.tensor != nil && !seen[w.of] {
				seen[w.of] = true
				names = append(names, w.of)
			}
		}
	}
	return names
}

// imageInput returns the input of a model that takes images. If the model takes them with the channels last, imageInput
// puts a transposition before it and returns an input with the channels first.
func imageInput(m *onnx.Model) (onnx.Value, error) {
	var inputs []onnx.Value
	for _, v := range m.Graph.Inputs {
		if m.Graph.Initializers[v.Name] == nil {
			inputs = append(inputs, v)
		}
	}
	if len(inputs) != 1 || len(m.Graph.Outputs) == 0 {
		return onnx.Value{}, fmt.Errorf("it has %s and %s: want one input, the images, and at least one output; "+
			"export the part of the network that reads them",
			words.Count(len(inputs), "input"), words.Count(len(m.Graph.Outputs), "output"))
	}
	v := inputs[0]
	colours := []int{1, 3}
	if s := v.Shape; len(s) == 4 && slices.Contains(colours, s[3]) && !slices.Contains(colours, s[1]) {
		images := v.Name + ":channels first"
		m.Graph.Nodes = append([]*onnx.Node{onnx.Permutation(images, v.Name, 0, 2, 3, 1)}, m.Graph.Nodes...)
		v.Name, v.Shape = images, []int{s[0], s[3], s[1], s[2]}
	}
	if len(v.Shape) != 4 || v.Shape[1] < 1 {
		return v, fmt.Errorf("its input %q has the shape %v (−1 where it is open): want images (image, channel, row, "+
			"column) with a fixed number of channels", v.Name, v.Shape)
	}
	if !slices.Contains([]onnx.Type{onnx.Float32, onnx.Float16, onnx.Float64}, v.Type) {
		return v, fmt.Errorf("its input %q is of type %v: want floating point numbers", v.Name, v.Type)
	}
	if v.Shape[0] > mostExported {
		return v, fmt.Errorf("its input %q has the shape %v, so it computes %d images at a time: want at most %d",
			v.Name, v.Shape, v.Shape[0], mostExported)
	}
	return v, nil
}

// checkSupported returns an error that names the first node of an op that is not supported, and counts the others. Some ops
// are supported for constants only: within an If, where constants are not known yet, these pass.
func checkSupported(nodes []*onnx.Node, r reach) error {
	constant := func(n *onnx.Node) bool {
		return n.Op == "Shape" || n.Op == "Size" || !slices.ContainsFunc(n.Inputs, func(name string) bool {
			return r.images[name] || r.weights[name]
		})
	}
	var first *onnx.Node
	others, count := map[string]bool{}, 0
	var visit func(nodes []*onnx.Node, inIf bool)
	visit = func(nodes []*onnx.Node, inIf bool) {
		for _, n := range nodes {
			if n.Op == "If" {
				for _, name := range branches {
					if sub := n.Graph(name); sub != nil {
						visit(sub.Nodes, true)
					}
				}
				continue
			}
			if n.Domain == "" && (ops[n.Op] != nil || onnx.CanEvaluate(n.Op) && (inIf || constant(n))) {
				continue
			}
			if first == nil {
				first = n
			}
			others[n.Op] = true
			count++
		}
	}
	visit(nodes, false)
	if first == nil {
		return nil
	}
	delete(others, first.Op)
	op := first.Op
	if first.Domain != "" {
		op = first.Domain + "." + op
	}
	text := fmt.Sprintf("%s: the op %s of opset %d is not supported", first.Describe(), op, first.Opset)
	if count > 1 {
		text += "; neither are the ops of " + words.Count(count-1, "other node")
		if len(others) > 0 {
			names := make([]string, 0, len(others))
			for name := range others {
				names = append(names, name)
			}
			slices.Sort(names)
			text += " (" + strings.Join(names[:min(len(names), 8)], ", ") + ")"
		}
	}
	return fmt.Errorf("%s", text)
}

// notes returns notes for the user on batch norms that the exporter folded, and on outputs that are left out.
func notes(m *onnx.Model, all map[string]weight) []string {
	notes := foldedNote(m, all)
	if out := m.Graph.Outputs; len(out) > 1 {
		notes = append(notes, fmt.Sprintf("The file has %d outputs. The first one, %q, is taken, and layers that only the "+
			"others need are left out.", len(out), out[0].Name))
	}
	for _, n := range m.Graph.Nodes {
		if slices.Contains(squashing, n.Op) && slices.Contains(n.Outputs, m.Graph.Outputs[0].Name) {
			notes = append(notes, fmt.Sprintf("The outputs are those of a %s. Gradients, cross-entropies and kernels are of these "+
				"values and not of the logits before it. To measure the logits, export the network without its last layer.", n.Op))
		}
	}
	return notes
}

// squashing lists the ops that turn logits into probabilities.
var squashing = []string{"Softmax", "LogSoftmax", "Sigmoid"}

// foldedNote returns a note if the exporter seems to have folded batch norms into convolutions, and else nil.
func foldedNote(m *onnx.Model, all map[string]weight) []string {
	folded := ""
	for _, n := range m.Graph.Nodes {
		if n.Op == "BatchNormalization" {
			return nil
		}
		if n.Op == "Conv" && len(n.Inputs) > 2 && anonymous(n.Inputs[1]) && anonymous(n.Inputs[2]) &&
			all[n.Inputs[1]].tensor != nil && folded == "" {
			folded = n.Inputs[1]
		}
	}
	if folded == "" {
		return nil
	}
	return []string{fmt.Sprintf("The name %s says that the exporter folded batch norms into the convolutions: their WᵀW is "+
		"that of scaled weights, and the similarities are other numbers than those of the network as it was trained. "+
		"This call keeps the batch norms: torch.onnx.export(model.eval(), x, \"model.onnx\", "+
		"training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False).", folded)}
}
