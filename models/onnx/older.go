package onnx

import "slices"

// renew gives a node of an older opset the form of opset 11, where both say the same. Ops whose older forms have attributes in
// place of inputs need none: they are read by either.
func (in *inliner) renew(n *Node) error {
	switch {
	case n.Domain != "" || n.Opset >= 11:
	case n.Op == "Upsample" || n.Op == "Resize":
		if a := n.Attributes["scales"]; a != nil && len(n.Inputs) > 0 && len(n.Outputs) > 0 {
			name := n.Outputs[0] + ":scales"
			in.parsed.model.Graph.Initializers[name] = Numbers([]int{len(a.floats)}, a.floats...)
			n.Inputs = append(n.Inputs[:1:1], name)
		}
		if len(n.Inputs) != 2 {
			return in.refuse("%s: want the scales of its axes", n.Describe())
		}
		n.Op, n.Inputs = "Resize", slices.Insert(slices.Clone(n.Inputs), 1, "")
		n.Attributes["coordinate_transformation_mode"] = &Attribute{kind: kindString, text: "asymmetric"}
		n.Attributes["nearest_mode"] = &Attribute{kind: kindString, text: "floor"}
	case n.Op == "BatchNormalization" && n.Int("spatial", 1) == 0:
		return in.refuse("%s: its spatial is 0, which normalises each position by itself: want 1", n.Describe())
	}
	return nil
}
