package crew

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// tileRows is the number of points of one side of a tile: enough for fast matrix products, and few enough for a tile to
// stay in the cache of a core.
const tileRows = 512

// tiling divides a matrix with N rows and columns into tiles of Side×Side, Count along a side. The last may need padding.
type tiling struct{ N, Side, Count int }

// tilingOf returns the tiling of the matrices of [Crew.Tiles] for n points.
func tilingOf(n int) tiling {
	side := parallel.Evenly(n, tileRows)
	return tiling{N: n, Side: side, Count: (n + side - 1) / side}
}

// above returns the number of tiles on and above the diagonal. They are numbered row after row.
func (t tiling) above() int { return t.Count * (t.Count + 1) / 2 }

// place returns the row and the column of the tile with a number.
func (t tiling) place(tile int) (i, j int) {
	for ; tile >= t.Count-i; i++ {
		tile -= t.Count - i
	}
	return i, i + tile
}

// number returns the number of the tile in row i and column j ≥ i.
func (t tiling) number(i, j int) int { return i*t.Count - i*(i-1)/2 + j - i }

// Pairs builds the expression of a matrix, b×n, with an element for every pair of a row of u, b×r, and a row of v, n×r.
type Pairs func(g *graph.Graph, u, v *graph.Node) *graph.Node

// Tiles computes the tiles on and above the diagonal of the matrix of all pairs of points, n×r. It calls take with each tile
// and the tile's row i and column j in the tiling, possibly for several tiles at once; take must not keep the tile. Padding
// rows and columns belong to points of zeros. Done, if not nil, is called after each tile.
func (c *Crew) Tiles(ctx context.Context, points *mat.Dense, of Pairs, done func(done, total int),
	take func(i, j int, tile *tensor.Dense)) error {
	n, r := points.Dims()
	t := tilingOf(n)
	finished := func(tiles int) {
		if done != nil {
			done(tiles, t.above())
		}
	}
	return c.Share(ctx, t.above(), finished, func(member int) (func(context.Context, int) error, error) {
		g := graph.New(c.Devices[member], c.Precision)
		a, b := g.Input("a", t.Side, r), g.Input("b", t.Side, r)
		f, err := g.Function(of(g, a, b))
		if err != nil {
			return nil, err
		}
		program, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}, Repeat: []*graph.Node{b}})
		row := -1 // the row of the previous tile
		return func(ctx context.Context, task int) error {
			i, j := t.place(task)
			tensors.PutRows(g.Data(b), points, j*t.Side)
			run := program.Repeat // only what changes with b
			if i != row {
				tensors.PutRows(g.Data(a), points, i*t.Side)
				run = program.Run
			}
			if err := run(ctx); err != nil {
				return err
			}
			row = i
			take(i, j, program.Value(f.Output))
			return nil
		}, err
	})
}

// PutTile writes the tile in row i and column j of the tiling of out to out, without the padding.
func PutTile(out *mat.SymDense, i, j int, tile *tensor.Dense) {
	raw, elements, side := out.RawSymmetric(), tile.Data(), tilingOf(out.SymmetricDim()).Side
	for r := range min(side, raw.N-i*side) {
		row := raw.Data[(i*side+r)*raw.Stride:][j*side : min((j+1)*side, raw.N)]
		clear(row)
		tensors.AddElements(row, elements, r*side)
	}
}
