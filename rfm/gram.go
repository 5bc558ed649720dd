package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// tileRows is the number of points of one side of a tile of a kernel matrix.
const tileRows = 1024

// gram returns the kernel matrix K(vᵢ, vⱼ) of the rows of v, n×n. It computes the tiles on and above the
// diagonal.
func (m machinery) gram(ctx context.Context, k Kernel, v *mat.Dense) (*mat.SymDense, error) {
	n, r := v.Dims()
	side := parallel.Evenly(n, tileRows)
	tiles := (n + side - 1) / side
	g := graph.New(m.device, m.precision)
	a, b := g.Input("a", side, r), g.Input("b", side, r)
	f, err := g.Function(k.Matrix(g, a, b))
	if err != nil {
		return nil, err
	}
	program, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}, Repeat: []*graph.Node{b}})
	if err != nil {
		return nil, err
	}
	out := m.room.square(n)
	done := 0
	for i := 0; i < n; i += side {
		tensors.PutRows(g.Data(a), v, i)
		run := program.Run // later Repeat: only what changes with b
		for j := i; j < n; j += side {
			tensors.PutRows(g.Data(b), v, j)
			if err := run(ctx); err != nil {
				return nil, err
			}
			run = program.Repeat
			copyTile(out, i, j, side, program.Value(f.Output))
			done++
			m.report("kernel", done, tiles*(tiles+1)/2)
		}
	}
	return out, nil
}

// copyTile writes a tile to out. The first element of the tile is that of row i and column j.
func copyTile(out *mat.SymDense, i, j, side int, tile *tensor.Dense) {
	raw, elements := out.RawSymmetric(), tile.Data()
	for r := range min(side, raw.N-i) {
		row := raw.Data[(i+r)*raw.Stride+j : (i+r)*raw.Stride+min(j+side, raw.N)]
		clear(row)
		tensors.AddElements(row, elements, r*side)
	}
}
