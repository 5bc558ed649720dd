package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// features returns the images that the next layer reads, with a channel for every filter w: ReLU(w ∗ x), or
// w ∗ x if linear.
func (t *team) features(ctx context.Context, grid Grid, filters *mat.Dense, linear bool, x Images,
	report func(done, total int)) (Images, error) {
	k, _ := filters.Dims()
	at := grid.first()
	out := Images{Height: at.height, Width: at.width, Channels: k}
	out.Pixels = make([]float32, x.Len()*out.size())
	tasks := (x.Len() + imagesAtOnce - 1) / imagesAtOnce
	return out, t.Share(ctx, tasks, func(done int) { report(done, tasks) },
		func(member int) (func(context.Context, int) error, error) {
			c, err := newConvolution(t.machinery(member), grid, filters, linear, min(imagesAtOnce, x.Len()))
			return func(ctx context.Context, task int) error {
				lo, hi := task*imagesAtOnce, min((task+1)*imagesAtOnce, x.Len())
				return c.run(ctx, x.Slice(lo, hi), out.Slice(lo, hi))
			}, err
		})
}

// convolution computes the features of a few images at a time.
type convolution struct {
	x, y    *graph.Node
	program *graph.Program
}

func newConvolution(m machinery, grid Grid, filters *mat.Dense, linear bool, images int) (*convolution, error) {
	k, _ := filters.Dims()
	g := graph.New(m.device, m.precision)
	c := &convolution{x: g.Input("x", images, grid.Height, grid.Width, grid.Channels)}
	w := g.Param("filters", k, grid.Channels, grid.Patch, grid.Patch)
	tensors.Put(g, w, filters)
	if c.y = g.Conv(c.x, w, grid.geometry()); !linear {
		c.y = g.ReLU(c.y)
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	var err error
	c.program, err = g.Compile(graph.Plan{Outputs: []*graph.Node{c.y}})
	return c, err
}

func (c *convolution) run(ctx context.Context, x, out Images) error {
	tensors.PutPixels(c.program.Value(c.x), x.Pixels)
	if err := c.program.Run(ctx); err != nil {
		return err
	}
	switch y := c.program.Value(c.y).Data().(type) {
	case []float32:
		copy(out.Pixels, y)
	case []float64:
		for i := range out.Pixels {
			out.Pixels[i] = float32(y[i])
		}
	}
	return nil
}
