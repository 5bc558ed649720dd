package rfm

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// KernelParts divides the kernel matrix of images with M = I, before any features are learned, so that
// several processes can compute it. A part is some columns of tiles of the upper half. The entries are the
// same to the bit as those of [ConvModel.KernelMatrix], however the matrix is divided.
type KernelParts struct {
	machine ConvMachine
	sight   sight
	tiling  tiling
	x       Images
}

// KernelParts divides the kernel matrix of images. It returns an [*InputError] for images that cannot be
// used.
func (m *ConvMachine) KernelParts(x Images) (*KernelParts, error) {
	c := m.withDefaults()
	if err := c.Kernel.check(); err != nil {
		return nil, err
	}
	if err := x.check("training"); err != nil {
		return nil, err
	}
	grid := gridOf(x, c.Patch, c.Pad)
	if err := grid.check(c.Kernel.Depth()); err != nil {
		return nil, err
	}
	lens, err := Identity(grid.Features()).lensOf(c.Whole)
	if err != nil {
		return nil, err
	}
	s := sight{grid: grid, lens: lens}
	return &KernelParts{machine: c, sight: s, tiling: tilingOf(c.Kernel, s, x.Len(), x.Len()), x: x}, nil
}

// Columns returns the number of columns of tiles.
func (p *KernelParts) Columns() int { return p.tiling.columns() }

// Images returns the columns first ≤ i < last of the matrix, one an image, that lie in the columns of
// tiles from ≤ c < to.
func (p *KernelParts) Images(from, to int) (first, last int) {
	return from * p.tiling.cols, min(to*p.tiling.cols, p.tiling.m)
}

// Tiles returns the number of tiles in the columns from ≤ c < to. The time of Compute is proportional to it.
func (p *KernelParts) Tiles(from, to int) int {
	n := 0
	for c := from; c < to; c++ {
		_, last := p.Images(c, c+1)
		n += (last + p.tiling.rows - 1) / p.tiling.rows
	}
	return n
}

// Bytes estimates the memory of Compute, without that of the images.
func (p *KernelParts) Bytes(from, to int) int64 {
	first, last := p.Images(from, to)
	n := int64(p.x.Len())
	c := p.machine
	c.Iterations, c.Layers = 0, 1
	return c.Bytes(p.x, 1) - 2*8*n*n + 8*int64(last)*int64(last-first)
}

// Compute computes the columns of tiles from ≤ c < to. It returns a matrix with the columns
// first ≤ j < last of [KernelParts.Images] and the rows 0 ≤ i < last; entries below the diagonal are not
// set. It returns a [*MemoryError] before it begins. Report may be nil.
func (p *KernelParts) Compute(ctx context.Context, from, to int, report func(done, total int)) (*mat.Dense, error) {
	if from < 0 || from >= to || to > p.Columns() {
		return nil, badInput("columns %d to %d of %d of a kernel's tiles", from, to, p.Columns())
	}
	if need, limit := p.Bytes(from, to), p.machine.Memory; limit > 0 && need > limit {
		return nil, &MemoryError{Need: need, Limit: limit, Examples: p.x.Len(), Solver: "a part of a kernel matrix"}
	}
	t, err := newTeam(p.machine.Backend, p.machine.Threads, p.machine.Precision)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if report == nil {
		report = silent
	}
	first, last := p.Images(from, to)
	out := mat.NewDense(last, last-first, nil)
	if t.precision == graph.Double {
		return out, computeColumns[float64](ctx, p, t, from, to, out, report)
	}
	return out, computeColumns[float32](ctx, p, t, from, to, out, report)
}

func computeColumns[T backend.Float](ctx context.Context, p *KernelParts, t *team, from, to int, out *mat.Dense,
	report func(done, total int)) error {
	_, last := p.Images(from, to)
	last = min((last+p.tiling.rows-1)/p.tiling.rows*p.tiling.rows, p.x.Len()) // of the tiles' rows
	patches, err := extractPatches[T](ctx, t, p.sight, p.x.Slice(0, last))
	if err != nil {
		return err
	}
	return kernelColumns(ctx, t, p.machine.Kernel, patches, patches, p.tiling, from, to, out.RawMatrix().Data, report)
}

// Check returns an [*InputError] unless k is the kernel matrix of the images: it computes the first few
// rows and compares them.
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

// knownAccuracy is the largest relative difference of a kernel that another backend may have computed.
const knownAccuracy = 1e-4

// computeRows computes the first rows of the kernel matrix, as many as out has.
func computeRows[T backend.Float](ctx context.Context, p *KernelParts, t *team, out *mat.Dense) error {
	all, err := extractPatches[T](ctx, t, p.sight, p.x)
	if err != nil {
		return err
	}
	few, _ := out.Dims()
	first, err := extractPatches[T](ctx, t, p.sight, p.x.Slice(0, few))
	if err != nil {
		return err
	}
	return kernelMatrix(ctx, t, p.machine.Kernel, first, all, out.RawMatrix().Data, silent)
}
