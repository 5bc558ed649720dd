package rfm

import (
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Matrix implements ConvKernel.
func (k CNTK) Matrix(g *graph.Graph, grid Grid, u, v Patches) *graph.Node {
	c := newConvolutions(g, grid, u, v, k.Pooled)
	tangent := c.dots
	for l := range k.Layers {
		if l > 0 {
			c.convolve()
			tangent = g.Add(c.sum(tangent), c.dots)
		}
		cosines := c.activate()
		// The gradient at a patch of zeros counts as 0, like that of a ReLU at 0.
		tangent = g.Mul(tangent, g.Mask(c.norms, g.ArcCosine0(cosines)))
	}
	return g.Scale(1/float64(grid.Channels), meanRows(g, g.Add(tangent, c.dots), c.b, c.n))
}

// Matrix implements ConvKernel.
func (k CNNGP) Matrix(g *graph.Graph, grid Grid, u, v Patches) *graph.Node {
	c := newConvolutions(g, grid, u, v, false)
	for l := range k.Layers {
		if l > 0 {
			c.convolve()
		}
		c.activate()
	}
	return meanRows(g, c.dots, c.b, c.n)
}

// Matrix implements ConvKernel.
func (k PatchLaplace) Matrix(g *graph.Graph, grid Grid, u, v Patches) *graph.Node {
	distances := g.Power(.5, g.RowSquaredDistances(u.Node, v.Node, u.Images, u.R, v.Images))
	return meanRows(g, g.Exp(g.Scale(-1/k.bandwidth(), distances)), u.Images, v.Images)
}

func (k CNTK) positions(grid Grid) int {
	if k.Pooled {
		return grid.Positions() * grid.Positions()
	}
	return grid.Positions()
}

func (CNNGP) positions(grid Grid) int        { return grid.Positions() }
func (PatchLaplace) positions(grid Grid) int { return grid.Positions() }

// convolutions walks through the layers of an infinitely wide network, and holds the covariances of the current layer's
// pre-activations. They are maps, with a row for every position and a column for every pair of images.
type convolutions struct {
	g       *graph.Graph
	grid    Grid
	pairs   bool // a row for every pair of positions
	b, n    int  // images of either side
	at      places
	dots    *graph.Node // ⟨u, v⟩ of all pairs, P×(b·n)
	u, v    *graph.Node // ‖u‖² at the places of either side's images, P×b and P×n
	norms   *graph.Node // ‖u‖‖v‖ of all pairs
	windows *backend.Sets
	first   *backend.Sets // for every pair of places, the place in the image of either side
	second  *backend.Sets
}

// newConvolutions returns the covariances of the first convolution, which reads the patches.
func newConvolutions(g *graph.Graph, grid Grid, u, v Patches, pairs bool) *convolutions {
	c := &convolutions{g: g, grid: grid, pairs: pairs, b: u.Images, n: v.Images, at: grid.first()}
	c.pairUp()
	c.dots = g.RowMatMul(c.spread(u.Node, c.first), g.RowTranspose(c.spread(v.Node, c.second), c.n, v.R), c.b, u.R, c.n)
	c.u, c.v = g.RowSquares(u.Node, c.b, u.R), g.RowSquares(v.Node, c.n, v.R)
	return c
}

// pairUp sets the pairs of places of the current layer.
func (c *convolutions) pairUp() {
	if !c.pairs {
		return
	}
	var err error
	if c.first, c.second, err = c.grid.spread(c.at); err != nil {
		c.g.Fail("%w", err)
	}
}

// spread repeats a map over the places of one side's images for all pairs of places.
func (c *convolutions) spread(x *graph.Node, side *backend.Sets) *graph.Node {
	if !c.pairs || c.g.Err() != nil {
		return x
	}
	return c.g.SumSets(x, side)
}

// convolve goes from the activations of a layer to the pre-activations of the next. The variance at a place sums over its
// whole window, even if the window of the other place in the pair reaches beyond the image.
func (c *convolutions) convolve() {
	alone, err := c.grid.sums(c.at, false)
	if err != nil {
		c.g.Fail("%w", err)
		return
	}
	if c.windows = alone; c.pairs {
		if c.windows, err = c.grid.sums(c.at, true); err != nil {
			c.g.Fail("%w", err)
			return
		}
	}
	c.at = c.grid.after(c.at)
	c.pairUp()
	c.dots = c.sum(c.dots)
	if c.g.Err() == nil {
		c.u, c.v = c.g.SumSets(c.u, alone), c.g.SumSets(c.v, alone)
	}
}

// sum returns the sums of x over the windows of the last convolution.
func (c *convolutions) sum(x *graph.Node) *graph.Node {
	if c.g.Err() != nil {
		return nil
	}
	return c.g.SumSets(x, c.windows)
}

// activate replaces the covariances of the pre-activations by those after √2·ReLU, ‖u‖‖v‖κ₁, and returns
// the cosines of the pre-activations. The norms stay those of the pre-activations.
func (c *convolutions) activate() (cosines *graph.Node) {
	u, v := c.spread(c.g.Power(.5, c.u), c.first), c.spread(c.g.Power(.5, c.v), c.second)
	c.norms = c.g.RowMatMul(u, v, c.b, 1, c.n)
	cosines = c.g.CosinesOf(c.dots, c.norms)
	c.dots = c.g.Mul(c.norms, c.g.ArcCosine1(cosines))
	return cosines
}

// meanRows returns the means of the columns of a map, b×n.
func meanRows(g *graph.Graph, x *graph.Node, b, n int) *graph.Node {
	if g.Err() != nil {
		return nil
	}
	rows := x.Shape()[0]
	return g.Reshape(g.Scale(1/float64(rows), g.SumRows(x)), b, n)
}
