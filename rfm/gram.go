package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/rfm/crew"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// gram returns the kernel matrix K(vᵢ, vⱼ) of the rows of v, n×n. It computes the tiles on and above the
// diagonal.
func (m machinery) gram(ctx context.Context, k Kernel, v *mat.Dense) (*mat.SymDense, error) {
	n, _ := v.Dims()
	out, side := m.room.square(n), crew.TilingOf(n).Side
	err := m.members().Tiles(ctx, v, k.Matrix, m.reports("kernel"), func(i, j int, tile *tensor.Dense) {
		copyTile(out, i*side, j*side, side, tile)
	})
	return out, err
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
