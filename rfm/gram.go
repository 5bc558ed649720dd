package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/rfm/crew"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// gram returns the kernel matrix K(vᵢ, vⱼ) of the rows of v, n×n. It computes the tiles on and above the diagonal.
func (m machinery) gram(ctx context.Context, k Kernel, v *mat.Dense) (*mat.SymDense, error) {
	n, _ := v.Dims()
	out := m.room.square(n)
	err := m.members().Tiles(ctx, v, k.Matrix, m.reports("kernel"), func(i, j int, tile *tensor.Dense) {
		crew.PutTile(out, i, j, tile)
	})
	return out, err
}
