package rfm

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// Check says whether a matrix is that of the images: it computes the rows of the
// first few and compares them. Another one is an [*InputError].
func (p *KernelParts) Check(ctx context.Context, k *mat.SymDense) error {
	n := p.x.Len()
	if k.SymmetricDim() != n {
		return badInput("a kernel matrix of %d images for %d training images", k.SymmetricDim(), n)
	}
	t, err := newTeam(p.machine.Backend, p.machine.Threads, p.machine.Precision)
	if err != nil {
		return err
	}
	defer t.close()
	few := min(looked, n)
	rows := mat.NewDense(few, n, nil)
	if t.precision == graph.Double {
		err = computeRows[float64](ctx, p, t, rows)
	} else {
		err = computeRows[float32](ctx, p, t, rows)
	}
	if err != nil {
		return err
	}
	largest := mat.Max(rows)
	for i := range few {
		for j := range n {
			if d := rows.At(i, j) - k.At(i, j); !(math.Abs(d) <= knownAccuracy*largest) {
				return badInput(
					"the kernel matrix is not that of these images and this kernel: of images %d and %d it is %g, "+
						"want %g", i+1, j+1, k.At(i, j), rows.At(i, j))
			}
		}
	}
	return nil
}

// knownAccuracy is by how much a kernel from elsewhere, perhaps of another backend,
// may differ.
const knownAccuracy = 1e-4

// computeRows computes the first rows.
func computeRows[T backend.Float](ctx context.Context, p *KernelParts, t *team, out *mat.Dense) error {
	all, err := see[T](ctx, t, p.sight, p.x)
	if err != nil {
		return err
	}
	few, _ := out.Dims()
	first, err := see[T](ctx, t, p.sight, p.x.Slice(0, few))
	if err != nil {
		return err
	}
	return kernelMatrix(ctx, t, p.machine.Kernel, first, all, out.RawMatrix().Data, silent)
}
