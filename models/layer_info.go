package models

import (
	"context"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/values"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// LayerInfo describes a convolution or linear layer of a network, or a part of one that counts as a separate layer,
// such as the projection to the queries of an attention.
type LayerInfo struct {
	Name    string
	Kind    string // conv or linear
	Filters int    // the rows of W
	// Patch is the shape of what a filter reads: channels (of one group), rows and columns; or the number of
	// features.
	Patch []int
	// Positions is the number of patches or tokens of one image, added up over all uses of the weights.
	Positions int
	// Groups is the number of groups of a convolution. W then has one block for each group, each of Filters/Groups
	// rows; 0 counts as 1.
	Groups int
	// Heads is the number of attention heads into which W is divided evenly, by its rows or, with HeadColumns, by its
	// columns; 0 for none.
	Heads       int
	HeadColumns bool
	// Normed says that a batch norm reads the layer's output.
	Normed bool

	of     string // the layer of the network's function
	weight string // the parameter that contains W, "" if W is computed from parameters
	first  int    // the first row of W in it
}

// layerInfos describes the parts of a layer that was built for one image; normed holds the inputs of batch norms.
func layerInfos(l graph.Layer, normed map[*graph.Node]bool) (all []LayerInfo) {
	for _, p := range l.AllParts() {
		all = append(all, LayerInfo{
			Name: l.PartName(p), Kind: l.Kind(), Filters: p.To - p.From,
			Patch: append([]int(nil), l.Weight.Shape()[1:]...), Positions: l.Rows(), Groups: l.Groups(), Heads: p.Heads,
			HeadColumns: p.HeadColumns, Normed: normed[l.Pre], of: l.Name, weight: parameterName(l.Weight), first: p.From,
		})
	}
	return all
}

// parameterName returns the name of a node that is a parameter, "" for a node that is computed.
func parameterName(n *graph.Node) string {
	if n.Op() != nil {
		return ""
	}
	return n.Name()
}

// PatchSize returns the number of elements of a patch that a filter reads, the columns of W.
func (l LayerInfo) PatchSize() int {
	n := 1
	for _, d := range l.Patch {
		n *= d
	}
	return n
}

// Weight returns the name of the parameter that has the layer's weights, "" if the network computes them from parameters, as
// a weight norm does.
func (l LayerInfo) Weight() string { return l.weight }

// Blocks returns the number of blocks that W is divided into: the groups, or 1.
func (l LayerInfo) Blocks() int { return max(1, l.Groups) }

// BlockFilters returns the number of filters of a block.
func (l LayerInfo) BlockFilters() int { return l.Filters / l.Blocks() }

// Rows returns the range from ≤ i < to of rows of the layer's weights in the network's function that make up W.
func (l LayerInfo) Rows() (from, to int) { return l.first, l.first + l.Filters }

// In returns the layer of f, a function of the network, that l is or is a part of; ok is false if f has no such layer.
func (l LayerInfo) In(f *graph.Function) (of graph.Layer, ok bool) {
	for _, known := range f.Layers {
		if known.Name == l.of {
			return known, true
		}
	}
	return graph.Layer{}, false
}

// Source returns the source of the moments of l in a function of the network; ok is false if f has no such layer.
func (l LayerInfo) Source(f *graph.Function) (s graph.Source, ok bool) {
	of, ok := l.In(f)
	if !ok {
		return s, false
	}
	from, to := l.Rows()
	return of.Source(graph.Part{From: from, To: to}), true
}

// layer returns the layer of that name; ok is false if there is none.
func (n *Network) layer(name string) (l LayerInfo, ok bool) {
	for _, l := range n.layers {
		if l.Name == name {
			return l, true
		}
	}
	return l, false
}

// Filters returns the weights of a layer as the matrix W, filters × patch size,
// in the order of PyTorch's weight.reshape(filters, -1). It is nil if there is no
// such layer.
func (n *Network) Filters(layer string) *mat.Dense {
	l, ok := n.layer(layer)
	if !ok {
		return nil
	}
	if l.weight == "" {
		return n.computedFilters(l)
	}
	if v := n.exact[l.weight]; v != nil {
		return rowsOfWeights(l, v.Shape(), v.Float64s())
	}
	v := n.values[l.weight]
	if v == nil {
		return nil
	}
	return rowsOfWeights(l, v.Shape(), v.Float32s())
}

// computedFilters computes the weights of a layer from the parameters, in float64. It returns nil if that fails.
func (n *Network) computedFilters(l LayerInfo) *mat.Dense {
	d, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		return nil
	}
	defer d.Close()
	f, err := n.Function(d, 1, graph.Double)
	if err != nil {
		return nil
	}
	of, _ := l.In(f)
	p, err := f.Compile(graph.Plan{Outputs: []*graph.Node{of.Weight}})
	if err == nil {
		err = p.Run(context.Background())
	}
	if err != nil {
		return nil
	}
	w := p.Value(of.Weight)
	return rowsOfWeights(l, w.Shape(), w.Float64s())
}

// rowsOfWeights returns the rows of weights that are the layer's, as filters × patch size.
func rowsOfWeights[T float32 | float64](l LayerInfo, shape []int, v []T) *mat.Dense {
	width := len(v) / shape[0]
	m := mat.NewDense(l.Filters, width, nil)
	values.Convert(m.RawMatrix().Data, v[l.first*width:(l.first+l.Filters)*width])
	return m
}

// LayerParameters are the trained parameters of a layer.
type LayerParameters struct {
	Layer string   // that of a parameter without a dot in its name, such as class_token, is its name
	Names []string // such as conv1.weight and conv1.bias, in the order of the state dict
	Size  int      // elements of all of them
}

// ParametersByLayer divides the trained parameters by layer, the part of their names before the last dot, in the order of
// the state dict. [NTKOptions.Of] takes the names of a layer for its part of the kernel.
func (n *Network) ParametersByLayer() (all []LayerParameters) {
	for _, p := range n.params {
		if !p.Trained {
			continue
		}
		layer := p.Name
		if dot := strings.LastIndex(layer, "."); dot >= 0 {
			layer = layer[:dot]
		}
		i := slices.IndexFunc(all, func(l LayerParameters) bool { return l.Layer == layer })
		if i < 0 {
			i, all = len(all), append(all, LayerParameters{Layer: layer})
		}
		all[i].Names = append(all[i].Names, p.Name)
		all[i].Size += tensor.Shape(p.Shape).TotalSize()
	}
	return all
}
