package onnx

import "slices"

// takeBranches replaces each If whose condition the file stores by the nodes of the branch that it takes. It leaves an If in
// place if the branch gives a tensor a name that the graph has for another one.
func (g *Graph) takeBranches() {
	known, makers := map[string]bool{}, map[string]*Node{}
	for _, v := range g.Inputs {
		known[v.Name] = true
	}
	for name := range g.Initializers {
		known[name] = true
	}
	note := func(nodes []*Node) {
		for _, n := range nodes {
			for _, out := range n.Outputs {
				known[out], makers[out] = true, n
			}
		}
	}
	note(g.Nodes)
	delete(known, "") // an output that is left out
	var all []*Node
	var add func(nodes []*Node)
	add = func(nodes []*Node) {
		for _, n := range nodes {
			sub := g.branch(n, makers)
			if sub == nil || len(sub.Outputs) < len(n.Outputs) || sub.gives(known) {
				all = append(all, n)
				continue
			}
			for name, t := range sub.Initializers {
				g.Initializers[name], known[name] = t, true
			}
			note(sub.Nodes)
			delete(known, "")
			add(sub.Nodes)
			for k, out := range n.Outputs {
				if out != "" {
					all = append(all, &Node{Name: n.Name, Op: "Identity", Opset: n.Opset, Inputs: []string{sub.Outputs[k].Name},
						Outputs: []string{out}})
				}
			}
		}
	}
	add(g.Nodes)
	g.Nodes = all
}

// branch returns the branch that an If takes, nil if the file does not store the condition.
func (g *Graph) branch(n *Node, makers map[string]*Node) *Graph {
	if n.Op != "If" || n.Domain != "" || len(n.Inputs) != 1 {
		return nil
	}
	c := g.Initializers[n.Inputs[0]]
	if m := makers[n.Inputs[0]]; c == nil && m != nil && m.Op == "Constant" {
		c = m.Tensor("value")
	}
	if c == nil {
		return nil
	}
	v, err := c.Ints()
	switch {
	case err != nil || len(v) != 1:
		return nil
	case v[0] != 0:
		return n.Graph("then_branch")
	}
	return n.Graph("else_branch")
}

// gives reports whether the nodes or the initializers of a graph give a tensor one of the names.
func (g *Graph) gives(names map[string]bool) bool {
	for name := range g.Initializers {
		if names[name] {
			return true
		}
	}
	return slices.ContainsFunc(g.Nodes, func(n *Node) bool {
		return slices.ContainsFunc(n.Outputs, func(out string) bool { return names[out] })
	})
}
