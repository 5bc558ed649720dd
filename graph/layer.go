package graph

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Layer is a convolution or a linear layer of a network: weights W, and all places at which they are used. The input
// and the pre-activation of a use are the taps NAME/in and NAME/pre.
type Layer struct {
	// Use is the first use of the weights. Its name, as in the state dict, is that of the layer: layer1.0.conv1.
	Use
	Weight *Node
	// More lists the further uses, for networks that share weights, in the order in which they were built.
	More []Use
	// Parts are the blocks of rows of W that count as separate layers; see [Graph.Parts]. Nil stands for all rows.
	Parts []Part
}

// Use is a place at which the weights of a layer are used.
type Use struct {
	Name string
	In   *Node // the input: images, or rows of features with any axes before them
	Pre  *Node // the output, before any norm or activation
	Bias *Node // nil if there is none
	// Conv is the geometry of a convolution, nil for a linear layer.
	Conv *backend.ConvShape
}

// ByExample reports whether the rows of the input surely lie example by example, for a function of so many examples. Its
// first axis, or the first axis before reshapes, must then have that length. If the second axis of rows has it too, either may
// be that of the examples: exported networks put tokens first or second.
func (u Use) ByExample(batch int) bool {
	x := u.In
	for o, ok := x.Op().(*op); ok && o.name == "reshape" && x.Shape()[0] != batch; o, ok = x.Op().(*op) {
		x = o.in[0]
	}
	s := x.Shape()
	return s[0] == batch && (u.Conv != nil || len(s) < 3 || s[1] != batch)
}

// Uses returns the first use and all others.
func (l Layer) Uses() []Use { return append([]Use{l.Use}, l.More...) }

// Kind returns "conv" or "linear".
func (l Layer) Kind() string {
	if l.Conv != nil {
		return "conv"
	}
	return "linear"
}

// Filters returns the number of filters, the rows of W.
func (l Layer) Filters() int { return l.Weight.Shape()[0] }

// PatchSize returns the number of elements that a filter reads, the columns of W: those of a patch or, with groups, of
// the channels of one group in it.
func (l Layer) PatchSize() int { return size(l.Weight) / l.Filters() }

// Groups returns the number of groups of a convolution, 1 for other layers. W has one block of rows per group. All groups
// have the same number of filters and read the same number of channels.
func (l Layer) Groups() int {
	if l.Conv == nil {
		return 1
	}
	return l.Conv.C / l.Weight.Shape()[1]
}

// Rows returns the number of patches or rows of features that the layer reads in a batch, at all its uses.
func (l Layer) Rows() int {
	n := 0
	for _, u := range l.Uses() {
		n += rows(u.Pre)
	}
	return n
}

// Part is a block of rows of a layer's W, which counts as a separate layer: NAME/PART, or NAME for the whole layer.
type Part struct {
	Name     string // query, for example; "" for the whole layer
	From, To int    // the rows From ≤ i < To; all rows where both are 0
	// Heads is the number of attention heads among which the rows are divided evenly, head after head, as in a
	// projection to queries, keys or values; 0 means no heads.
	Heads int
	// HeadColumns divides the columns instead, as in the projection that reads the outputs of the heads.
	HeadColumns bool
}

// QueryKeyValue returns the three parts of a projection with 3d rows, to the queries, keys and values of an attention
// with the given number of heads.
func QueryKeyValue(d, heads int) []Part {
	return []Part{
		{Name: "query", From: 0, To: d, Heads: heads},
		{Name: "key", From: d, To: 2 * d, Heads: heads},
		{Name: "value", From: 2 * d, To: 3 * d, Heads: heads},
	}
}

// AllParts returns the parts of the layer, or one part with all rows if [Graph.Parts] set none.
func (l Layer) AllParts() []Part {
	if len(l.Parts) == 0 {
		return []Part{{To: l.Filters()}}
	}
	return l.Parts
}

// PartName returns the name of a part among the layers of a network.
func (l Layer) PartName(p Part) string {
	if p.Name == "" {
		return l.Name
	}
	return l.Name + "/" + p.Name
}

// Layer records a use of a convolution or linear layer. If a layer with the same weights was recorded before, under any
// name, this is a further use of that layer, whose S is summed over its uses. A use with the same pre-activation as an
// earlier one is not counted again. Two layers with one name but different weights are a mistake.
func (g *Graph) Layer(l Layer) {
	if g.err != nil {
		return
	}
	for i, known := range g.layers {
		switch {
		case known.Weight == l.Weight:
			g.layers[i].addUse(l.Use)
			return
		case known.Name == l.Name:
			g.Fail("there are two layers named %q with different weights", l.Name)
			return
		}
	}
	g.layers = append(g.layers, l)
}

// addUse adds a use, unless the layer has it already.
func (l *Layer) addUse(u Use) {
	for _, known := range l.Uses() {
		if known.Pre == u.Pre {
			return
		}
	}
	l.More = append(l.More, u)
}

// Parts says which rows of a recorded layer's W count as separate layers. The parts must not overlap, but need not
// cover W. A convolution with groups cannot have parts.
func (g *Graph) Parts(layer string, parts ...Part) {
	if g.err != nil {
		return
	}
	for i := range g.layers {
		l := &g.layers[i]
		if l.Name != layer {
			continue
		}
		all, err := l.checkParts(parts)
		if err != nil {
			g.Fail("parts of %s: %w", layer, err)
			return
		}
		l.Parts = all
		return
	}
	g.Fail("parts of %s: there is no such layer", layer)
}

// checkParts returns the parts, with To set in those of all rows, or the first mistake in them.
func (l Layer) checkParts(parts []Part) ([]Part, error) {
	var all []Part
	for _, p := range parts {
		if p.From == 0 && p.To == 0 {
			p.To = l.Filters()
		}
		divided := p.To - p.From
		if p.HeadColumns {
			divided = l.PatchSize()
		}
		switch {
		case l.Groups() > 1:
			return nil, fmt.Errorf("a convolution with %d groups has no parts", l.Groups())
		case p.From < 0 || p.From >= p.To || p.To > l.Filters():
			return nil, fmt.Errorf("rows %d to %d of %d", p.From, p.To, l.Filters())
		case p.Heads < 0 || p.Heads > 0 && divided%p.Heads != 0:
			return nil, fmt.Errorf("%d heads do not divide %d", p.Heads, divided)
		}
		for _, q := range all {
			if p.Name == q.Name || p.From < q.To && q.From < p.To {
				return nil, fmt.Errorf("%q, rows %d to %d, and %q, rows %d to %d, overlap or have one name", q.Name,
					q.From, q.To, p.Name, p.From, p.To)
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// ConvLayer applies the filters w and, unless nil, the bias b, and records the
// layer.
func (g *Graph) ConvLayer(name string, x, w, b *Node, geometry Conv2D) *Node {
	pre := g.Conv(x, w, geometry)
	if g.err != nil {
		return nil
	}
	s, _ := convShape(x.Shape(), w.Shape(), geometry)
	return g.record(Layer{Use: Use{Name: name, In: x, Bias: b, Conv: &s}, Weight: w}, g.bias(pre, b))
}

// LinearLayer applies the weights w and, unless nil, the bias b to the rows of x, which may have any axes before its
// features, such as (image, token, feature), and records the layer.
func (g *Graph) LinearLayer(name string, x, w, b *Node) *Node {
	pre := g.onRows(x, func(x *Node) *Node { return g.bias(g.Linear(x, w), b) })
	return g.record(Layer{Use: Use{Name: name, In: x, Bias: b}, Weight: w}, pre)
}

func (g *Graph) bias(pre, b *Node) *Node {
	if b == nil {
		return pre
	}
	return g.RowAdd(pre, b)
}

func (g *Graph) record(l Layer, pre *Node) *Node {
	l.Pre = pre
	g.Layer(l)
	return pre
}
