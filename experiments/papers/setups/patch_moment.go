package setups

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// momentImages is on how many images a moment of patches is taken.
const momentImages = 100

// PatchMoment is the second moment Σhhᵀ/n of the patches h of q×q of images, the
// first of them, in the order (channel, row, column): what the images are, whatever
// is learned from them.
func PatchMoment(ctx context.Context, x rfm.Images, q int) (*rfm.Metric, error) {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	g := graph.New(d, graph.Double)
	in := g.Input("x", 1, x.Height, x.Width, x.Channels)
	patches := g.Patches(in, q, q, graph.Conv2D{})
	moment := g.MatMul(patches, patches, true, false)
	p, err := g.Compile(graph.Plan{Outputs: []*graph.Node{moment}})
	if err != nil {
		return nil, err
	}
	dim := x.Channels * q * q
	sum := mat.NewDense(dim, dim, nil)
	n := min(x.Len(), momentImages)
	for i := range n {
		for k, v := range x.Image(i) {
			g.Data(in).Float64s()[k] = float64(v)
		}
		if err := p.Run(ctx); err != nil {
			return nil, err
		}
		sum.Add(sum, mat.NewDense(dim, dim, p.Value(moment).Float64s()))
	}
	out := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := i; j < dim; j++ {
			out.SetSym(i, j, sum.At(i, j)/float64(n))
		}
	}
	return rfm.FullMetric(out), nil
}
