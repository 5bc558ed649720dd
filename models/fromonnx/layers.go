package fromonnx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models/onnx"
)

// repeatStored adds the names under which Identity nodes, and casts to floating point numbers, repeat stored tensors. Exporters
// store equal tensors once: the zero biases of two layers, the weights of layers that are copies of each other, and transposed
// weights that several products share.
func repeatStored(g *onnx.Graph, all map[string]weight) {
	for _, n := range g.Nodes {
		if !renames(n) {
			continue
		}
		from, out := all[n.Inputs[0]], n.Outputs[0]
		switch {
		case from.tensor == nil:
			continue
		case n.Op == "Identity" && !anonymous(out) && !strings.HasPrefix(out, "/"):
			from.of = out // a parameter with a name of its own
		}
		all[out] = from
	}
	// For names that the exporter made up, equal tensors are one parameter if the same module reads them.
	type place struct {
		tensor *onnx.Tensor
		module string
	}
	first := map[place]string{}
	modules := modulesOf(all)
	for _, n := range g.Nodes {
		for _, name := range n.Inputs {
			w := all[name]
			if w.tensor == nil || !anonymous(name) {
				continue
			}
			module := modulePath(n.Name)
			known, ok := first[place{w.tensor, module}]
			if !ok {
				known, ok = first[place{w.tensor, calledAgain(n.Name, modules)}]
			}
			if !ok {
				known, first[place{w.tensor, module}] = name, name
			}
			w.of = known
			all[name] = w
		}
	}
	for name, w := range all {
		if strings.HasPrefix(name, "/") { // the result of an Identity of the network, which repeats the parameter that it read
			w.of = all[w.of].of
			all[name] = w
		}
	}
}

// modulesOf returns the paths of the modules whose parameters have names.
func modulesOf(all map[string]weight) map[string]bool {
	modules := map[string]bool{}
	for name := range all {
		for at, r := range name {
			if r == '.' {
				modules[name[:at]] = true
			}
		}
	}
	return modules
}

// calledAgain returns the path of modules in a node's name without the numbers that exporters append when a network calls
// a module again: fc for /fc_1/MatMul, unless there is a module fc_1.
func calledAgain(node string, modules map[string]bool) string {
	parts := strings.Split(node, "/")
	for i, p := range parts {
		base, count, found := cutLast(p, "_")
		if found && count != "" && strings.Trim(count, "0123456789") == "" &&
			!modules[modulePath(strings.Join(parts[:i+1], "/")+"/x")] {
			parts[i] = base
		}
	}
	return modulePath(strings.Join(parts, "/"))
}

// cutLast divides a text at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

// withoutTransposes finds stored matrices that are the transpose of a parameter of the same module, which the file also
// has for other products. It makes them names of that parameter.
func withoutTransposes(g *onnx.Graph, all map[string]weight) error {
	modules := modulesOf(all)
	for _, n := range g.Nodes {
		for _, name := range n.Inputs {
			w := all[name]
			if w.tensor == nil || !w.turned || !anonymous(w.of) {
				continue
			}
			of := modulePath(n.Name) + ".weight"
			if all[of].tensor == nil {
				of = calledAgain(n.Name, modules) + ".weight"
			}
			named := all[of]
			if named.tensor == nil || named.of != of || named.turned || !slices.Equal(named.shape(), w.shape()) {
				continue
			}
			same, err := equal(named, w)
			if err != nil {
				return err
			}
			if same {
				for other, v := range all {
					if v.of == w.of {
						v.of = of
						all[other] = v
					}
				}
			}
		}
	}
	return nil
}

// equal reports whether two parameters have the same values, and returns an error if the file cannot be read.
func equal(x, y weight) (bool, error) {
	a, err := x.tensor.Doubles()
	if err != nil {
		return false, err
	}
	b, err := y.tensor.Doubles()
	if err != nil {
		return false, err
	}
	if x.turned != y.turned {
		b = turn(b, y.tensor.Shape)
	}
	return slices.Equal(a, b), nil
}

// layerNames returns for each parameter, and for each tensor of weights that is computed from parameters, a name for the layer
// that reads it. No two names are the same.
func layerNames(g *onnx.Graph, all map[string]weight, r reach) map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	biases := map[string]string{} // vectors, by the tensors that they are added to
	for _, n := range g.Nodes {
		for i, in := range n.Inputs {
			if w := all[in]; n.Op == "Add" && len(n.Inputs) == 2 && w.tensor != nil && len(w.tensor.Shape) == 1 {
				biases[n.Inputs[1-i]] = w.of
			}
		}
	}
	sources := r.sources(g)
	for _, n := range g.Nodes {
		if recurrent[n.Op].gates > 0 && len(n.Inputs) > 2 {
			if key := recurrentKey(n); names[key] == "" {
				names[key] = unused(recurrentBase(n, r), n, taken)
			}
			continue
		}
		for i, in := range n.Inputs {
			w := all[in]
			computed := r.computed(n, i)
			if computed {
				w.of = in
			} else if w.tensor == nil || len(w.tensor.Shape) < 2 || sources[w.of] {
				continue
			}
			if names[w.of] != "" {
				continue
			}
			name := layerName(n, w.of)
			if computed {
				name = computedName(n, r.storedBelow(in))
			}
			// If a network does not call a container as a module, only the name of the bias has the module's whole path.
			if own, found := strings.CutSuffix(biases[n.Outputs[0]], ".bias"); found && anonymous(w.of) && !taken[own] {
				path := "." + calledAgain(n.Name, nil)
				if path == "." || strings.HasSuffix("."+own, path) {
					name = own
				}
			}
			names[w.of] = unused(name, n, taken)
		}
	}
	return names
}

// unused returns a name that is not taken yet, and takes it: the given one, with the last part of the node's name, or with a number.
func unused(name string, n *onnx.Node, taken map[string]bool) string {
	if taken[name] {
		if _, last, found := cutLast(n.Name, "/"); found {
			name += "/" + last
		}
	}
	unique := name
	for i := 1; taken[unique]; i++ {
		unique = fmt.Sprintf("%s/%d", name, i)
	}
	taken[unique] = true
	return unique
}

// computedName returns the name of a layer whose weights are computed from stored ones: the part that the names of these have in
// common, such as fc for fc.weight_g and fc.weight_v, or the path of modules in the node's name if that begins so and is longer.
func computedName(n *onnx.Node, stored []string) string {
	var common []string
	for i, name := range stored {
		name, _, _ = strings.Cut(name, ".parametrizations.")
		parts := strings.Split(name, ".")
		if name == stored[i] {
			parts = parts[:len(parts)-1]
		}
		if anonymous(name) {
			parts = nil
		}
		if i == 0 {
			common = parts
		}
		same := 0
		for same < min(len(common), len(parts)) && common[same] == parts[same] {
			same++
		}
		common = common[:same]
	}
	prefix, path := strings.Join(common, "."), modulePath(n.Name)
	if path != "" && (prefix == "" || strings.HasPrefix(path, prefix+".")) {
		return path
	}
	return cmp.Or(prefix, productName(n))
}

// layerName returns the name of the layer of a node that reads a parameter.
func (n *network) layerName(node *onnx.Node, parameter string) string {
	if name := n.names[parameter]; name != "" {
		return name
	}
	return layerName(node, parameter)
}

// repeatsStored reports whether a node gives a stored tensor another name.
func repeatsStored(n *onnx.Node, all map[string]weight) bool {
	return renames(n) && all[n.Outputs[0]].tensor != nil
}

// renames reports whether a node gives its input another name, or another type of floating point numbers.
func renames(n *onnx.Node) bool {
	return len(n.Inputs) == 1 && len(n.Outputs) == 1 &&
		(n.Op == "Identity" || n.Op == "Cast" && slices.Contains(floats, onnx.Type(n.Int("to", 0))))
}
