package onnx

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ansatz-lab/ansatz/internal/words"
)

// The first and the last opset that [Open] reads.
const (
	firstOpset = 7
	lastOpset  = 23
)

// Open reads a model. The weights stay in the file until a caller asks for them. A file that is missing, damaged or not
// supported is an [*Error]; other errors are the file system's.
func Open(path string) (*Model, error) {
	// A pipe without a writer would keep a blocking open waiting for ever.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, &Error{path, -1, fmt.Sprintf("cannot be opened: %v", err)}
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("it is not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, &Error{path, -1, err.Error()}
	}
	m, err := read(&file{r: f, size: info.Size(), path: path})
	if err != nil {
		const pointer = "version https://git-lfs"
		head := make([]byte, len(pointer))
		if n, _ := f.ReadAt(head, 0); string(head[:n]) == pointer {
			err = &Error{path, -1, "a pointer of Git LFS instead of the file: fetch the file itself: git lfs pull"}
		}
		f.Close()
	}
	return m, err
}

// Files returns the path of a model, followed by the paths of the other files that hold its weights, in alphabetical order.
func Files(path string) ([]string, error) {
	m, err := Open(path)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	elsewhere := map[string]bool{}
	for _, t := range m.Graph.Initializers {
		if t.elsewhere == "" {
			continue
		}
		name, err := filepath.Rel(folder, t.elsewhere)
		if err != nil {
			return nil, err
		}
		elsewhere[filepath.Join(filepath.Dir(path), name)] = true
	}
	return append([]string{path}, slices.Sorted(maps.Keys(elsewhere))...), nil
}

// Parse reads a model from memory. Weights in other files are an error.
func Parse(text []byte) (*Model, error) {
	return read(&file{r: bytes.NewReader(text), size: int64(len(text))})
}

func read(f *file) (*Model, error) {
	p, err := f.model()
	if err != nil {
		return nil, err
	}
	if err := f.checkOpset(p); err != nil {
		return nil, err
	}
	in := inliner{file: f, parsed: p}
	if p.model.Graph.Nodes, err = in.nodes(p.model.Graph.Nodes, p.opsets, "", nil); err != nil {
		return nil, err
	}
	if err := f.checkOps(p.model.Graph.Nodes); err != nil {
		return nil, err
	}
	p.model.Graph.takeBranches()
	return p.model, f.arrange(p.model.Graph)
}

// checkOpset returns an error for a version of ONNX's ops that is not supported.
func (f *file) checkOpset(p *parsed) error {
	v := p.opsets[""]
	if v == 0 {
		v = p.opsets["ai.onnx"]
	}
	p.opsets[""] = v
	if v < firstOpset || v > lastOpset {
		return f.refuse("it uses opset %d: want %d to %d; export it with opset_version=17", v, firstOpset, lastOpset)
	}
	return nil
}

// checkOps returns an error if the network is quantised.
func (f *file) checkOps(nodes []*Node) error {
	for _, n := range nodes {
		if strings.HasPrefix(n.Op, "QLinear") || strings.HasSuffix(n.Op, "Integer") ||
			strings.HasSuffix(n.Op, "uantizeLinear") {
			return f.refuse("%s: this network is quantised, and its whole numbers have no gradients: export the network "+
				"of floating point numbers", n.Describe())
		}
	}
	return nil
}

// inliner replaces calls of functions by their nodes.
type inliner struct {
	*file
	*parsed
	made int // nodes and calls so far
}

// nodes returns nodes with each call of a function replaced by the function's nodes. Each call puts a prefix of its own
// before the names of the tensors that it computes. The calls that surround the nodes are within.
func (in *inliner) nodes(nodes []*Node, opsets map[string]int, prefix string, within []string) ([]*Node, error) {
	var out []*Node
	for _, n := range nodes {
		if in.made++; in.made > mostNodes {
			return nil, in.refuse("more than %d nodes", mostNodes)
		}
		name := n.Domain + ":" + n.Op
		fn := in.functions[name]
		if fn == nil {
			n.Opset = opsets[n.Domain]
			if err := in.renew(n); err != nil {
				return nil, err
			}
			if err := in.branches(n, opsets, prefix, within); err != nil {
				return nil, err
			}
			out = append(out, n)
			continue
		}
		if slices.Contains(within, name) || len(within) >= mostDepth {
			return nil, in.refuse("the function %s calls itself, or calls are nested more than %d deep", n.Op, mostDepth)
		}
		own := fmt.Sprintf("%s%s#%d/", prefix, n.Op, in.made)
		body, err := in.call(n, fn, own)
		if err != nil {
			return nil, err
		}
		body, err = in.nodes(body, fn.opsetsOr(opsets), own, append(slices.Clone(within), name))
		if err != nil {
			return nil, err
		}
		out = append(out, body...)
	}
	return out, nil
}

// branches replaces the calls in the graphs of an If.
func (in *inliner) branches(n *Node, opsets map[string]int, prefix string, within []string) (err error) {
	for _, a := range n.Attributes {
		if a.graph != nil {
			if a.graph.Nodes, err = in.nodes(a.graph.Nodes, opsets, prefix, within); err != nil {
				return err
			}
		}
	}
	return nil
}

// opsetsOr returns the versions of ops by domain: the function's, or the model's for a domain that the function leaves out.
func (fn *function) opsetsOr(model map[string]int) map[string]int {
	all := maps.Clone(model)
	maps.Copy(all, fn.opsets)
	if v := all["ai.onnx"]; v != 0 && fn.opsets[""] == 0 {
		all[""] = v
	}
	return all
}

// call returns copies of a function's nodes for one call.
func (in *inliner) call(n *Node, fn *function, prefix string) ([]*Node, error) {
	names := map[string]string{"": ""}
	for i, name := range fn.inputs {
		names[name] = ""
		if i < len(n.Inputs) {
			names[name] = n.Inputs[i]
		}
	}
	for i, name := range fn.outputs {
		if i < len(n.Outputs) && n.Outputs[i] != "" {
			names[name] = n.Outputs[i]
		}
	}
	rename := func(all []string) []string {
		out := make([]string, len(all))
		for i, name := range all {
			known, ok := names[name]
			if !ok {
				known = prefix + name
				names[name] = known
				in.spent += int64(len(known))
			}
			out[i] = known
		}
		return out
	}
	var body []*Node
	for _, b := range fn.nodes {
		c := &Node{Name: b.Name, Op: b.Op, Domain: b.Domain, Attributes: map[string]*Attribute{}}
		c.Inputs, c.Outputs = rename(b.Inputs), rename(b.Outputs)
		if n.Name != "" {
			c.Name = n.Name + "/" + b.Name
		}
		for name, a := range b.Attributes {
			if a.graph != nil {
				return nil, in.refuse("the function %s has a node with a graph, which is not supported", fn.name)
			}
			if a.refers != "" {
				given := n.Attributes[a.refers]
				if given == nil {
					given = fn.defaults[a.refers]
				}
				if given == nil {
					continue
				}
				a = given
			}
			c.Attributes[name] = a
		}
		if body = append(body, c); len(body) > mostNodes {
			return nil, in.refuse("more than %d nodes", mostNodes)
		}
		if in.spent += int64(len(c.Name)); in.spent > mostSpent {
			return nil, in.refuse("names of more than %d MiB in calls of functions", mostSpent>>20)
		}
	}
	return body, nil
}

// arrange orders the nodes so that each comes after those that it reads from, leaves out those that the first output
// does not need, and returns an error for tensors that no node makes, and for cycles.
func (f *file) arrange(g *Graph) error {
	makers := map[string]*Node{}
	for _, n := range g.Nodes {
		for _, out := range n.Outputs {
			if out == "" {
				continue
			}
			if makers[out] != nil {
				return f.refuse("two nodes make %q: %s and %s", out, makers[out].Describe(), n.Describe())
			}
			makers[out] = n
		}
	}
	given := map[string]bool{}
	for _, v := range g.Inputs {
		given[v.Name] = true
	}
	state := map[*Node]int{} // 1 while its inputs are being arranged, 2 afterwards
	var ordered []*Node
	type visit struct {
		n    *Node
		next int
		in   []string
	}
	var path []visit
	enter := func(name, reader string) error {
		if name == "" || given[name] || g.Initializers[name] != nil {
			return nil
		}
		n := makers[name]
		switch {
		case n == nil:
			return f.refuse("%s reads %q, which is neither an input nor an initializer nor the output of a node", reader, name)
		case state[n] == 1:
			var names []string
			for _, v := range path {
				names = append(names, v.n.Describe())
			}
			return f.refuse("the nodes form a cycle: %s", words.Some(names, 5))
		case state[n] == 0:
			state[n] = 1
			path = append(path, visit{n: n, in: append(slices.Clone(n.Inputs), captured(n)...)})
		}
		return nil
	}
	for _, out := range g.Outputs[:min(1, len(g.Outputs))] { // others, such as auxiliary heads, are not computed
		if err := enter(out.Name, "the output"); err != nil {
			return err
		}
		for len(path) > 0 {
			v := &path[len(path)-1]
			if v.next < len(v.in) {
				v.next++
				if err := enter(v.in[v.next-1], v.n.Describe()); err != nil {
					return err
				}
				continue
			}
			state[v.n] = 2
			ordered = append(ordered, v.n)
			path = path[:len(path)-1]
		}
	}
	g.Nodes = ordered
	return nil
}

// captured returns the tensors from outside an If that its branches read.
func captured(n *Node) []string {
	var all []string
	for _, a := range n.Attributes {
		if a.graph == nil {
			continue
		}
		own := map[string]bool{"": true}
		for _, v := range a.graph.Inputs {
			own[v.Name] = true
		}
		for name := range a.graph.Initializers {
			own[name] = true
		}
		for _, inner := range a.graph.Nodes {
			for _, out := range inner.Outputs {
				own[out] = true
			}
		}
		for _, inner := range a.graph.Nodes {
			for _, in := range append(slices.Clone(inner.Inputs), captured(inner)...) {
				if !own[in] {
					all = append(all, in)
				}
			}
		}
		for _, out := range a.graph.Outputs {
			if !own[out.Name] {
				all = append(all, out.Name)
			}
		}
	}
	slices.Sort(all) // maps have no order
	return slices.Compact(all)
}
