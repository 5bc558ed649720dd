package rfm

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// KernelParts divides a kernel matrix with M = I, before any features are learned, so that several processes
// can compute it. A part is a range of columns of tiles. It covers only the upper half if the matrix is that of
// images with themselves, and all rows if it is that of points with training images. However the matrix is divided, the
// entries are the same, bit for bit, as those that [ConvModel.KernelMatrix] and [ConvModel.Predict] compute.
type KernelParts struct {
	machine   ConvMachine
	patchView patchView
	tiling    tiling
	points    Images // of the rows
	x         Images // of the columns
	batch     int    // points at a time; 0 for the upper half
}

// KernelParts divides the kernel matrix of images with themselves. It returns an [*InputError] for images
// that cannot be used.
func (m *ConvMachine) KernelParts(x Images) (*KernelParts, error) { return m.divideKernel(x, x, 0) }

// CrossKernelParts divides the kernel matrix of points, its rows, with the training images x, its columns.
// Batch is how many points [ConvModel.Predict] will be called with at a time; 0 is all.
func (m *ConvMachine) CrossKernelParts(points, x Images, batch int) (*KernelParts, error) {
	if err := points.Check("other"); err != nil {
		return nil, err
	}
	if points.shape() != x.shape() {
		return nil, badInput("the training images are of %s, the others of %s", x.shape(), points.shape())
	}
	if batch <= 0 || batch > chunk {
		batch = chunk
	}
	return m.divideKernel(points, x, batch)
}

func (m *ConvMachine) divideKernel(points, x Images, batch int) (*KernelParts, error) {
	c := m.withDefaults()
	if err := c.Kernel.check(); err != nil {
		return nil, err
	}
	if err := x.Check("training"); err != nil {
		return nil, err
	}
	grid := gridOf(x, c.Patch, c.Pad)
	if err := grid.check(c.Kernel.Depth()); err != nil {
		return nil, err
	}
	s, err := patchViewFor(c.Kernel, Identity(grid.Features()), c.Whole, x, grid)
	if err != nil {
		return nil, err
	}
	return &KernelParts{machine: c, patchView: s, tiling: tilingOf(c.Kernel, s, points.Len(), x.Len()), points: points,
		x: x, batch: batch}, nil
}

// Dims returns the numbers of rows and columns of the whole matrix.
func (p *KernelParts) Dims() (rows, columns int) { return p.points.Len(), p.x.Len() }

// Symmetric reports whether the matrix is that of images with themselves, so that parts cover only the upper half.
func (p *KernelParts) Symmetric() bool { return p.batch == 0 }

// Columns returns the number of columns of tiles.
func (p *KernelParts) Columns() int { return p.tiling.columns() }

// Images returns the images first ≤ i < last whose columns of the matrix lie in the columns of tiles from ≤ c < to.
func (p *KernelParts) Images(from, to int) (first, last int) {
	return from * p.tiling.cols, min(to*p.tiling.cols, p.tiling.m)
}

// Rows returns the number of rows of the part from ≤ c < to.
func (p *KernelParts) Rows(from, to int) int {
	if !p.Symmetric() {
		return p.points.Len()
	}
	_, last := p.Images(from, to)
	return last
}

// Tiles returns the number of tiles in the columns from ≤ c < to. The time of Compute is proportional to it.
func (p *KernelParts) Tiles(from, to int) int {
	n := 0
	for c := from; c < to; c++ {
		n += (p.Rows(c, c+1) + p.tiling.rows - 1) / p.tiling.rows
	}
	return n
}

// Bytes estimates the memory of Compute, without that of the images.
func (p *KernelParts) Bytes(from, to int) int64 {
	first, last := p.Images(from, to)
	read := p.x // the images whose patches are kept
	if !p.Symmetric() {
		if read = p.x.Slice(first, last); last-first < p.batch {
			read = p.points.Slice(0, min(p.batch, p.points.Len()))
		}
	}
	n := int64(read.Len())
	c := p.machine
	c.Iterations, c.Layers = 0, 1
	return c.Bytes(read, 1) - 2*8*n*n + 8*int64(p.Rows(from, to))*int64(last-first)
}

// Compute computes the columns of tiles from ≤ c < to. It returns a matrix with the columns
// first ≤ j < last of [KernelParts.Images] and as many rows as [KernelParts.Rows] says; entries below the
// diagonal of a symmetric matrix are not set. It returns a [*MemoryError] before it begins. Report may be nil.
func (p *KernelParts) Compute(ctx context.Context, from, to int, report func(done, total int)) (*mat.Dense, error) {
	if from < 0 || from >= to || to > p.Columns() {
		return nil, badInput("columns %d to %d of a kernel matrix with %d columns of tiles", from, to, p.Columns())
	}
	if need, limit := p.Bytes(from, to), p.machine.Memory; limit > 0 && need > limit {
		return nil, &MemoryError{Need: need, Limit: limit, Examples: p.x.Len(), Solver: "a part of a kernel matrix"}
	}
	t, err := newTeam(p.machine.Backend, p.machine.Threads, p.machine.Precision)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if report == nil {
		report = silent
	}
	first, last := p.Images(from, to)
	out := mat.NewDense(p.Rows(from, to), last-first, nil)
	if t.Precision == graph.Double {
		return out, computePart[float64](ctx, p, t, from, to, out, report)
	}
	return out, computePart[float32](ctx, p, t, from, to, out, report)
}

func computePart[T backend.Float](ctx context.Context, p *KernelParts, t *team, from, to int, out *mat.Dense,
	report func(done, total int)) error {
	if p.Symmetric() {
		return computeColumns[T](ctx, p, t, from, to, out, report)
	}
	return computeCross[T](ctx, p, t, from, to, out, report)
}

// computeColumns computes columns of tiles of the upper half.
func computeColumns[T backend.Float](ctx context.Context, p *KernelParts, t *team, from, to int, out *mat.Dense,
	report func(done, total int)) error {
	_, last := p.Images(from, to)
	last = min((last+p.tiling.rows-1)/p.tiling.rows*p.tiling.rows, p.x.Len()) // to the end of a row of tiles
	patches, err := extractPatches[T](ctx, t, p.patchView, p.x.Slice(0, last))
	if err != nil {
		return err
	}
	return kernelColumns(ctx, t, p.machine.Kernel, patches, patches, p.tiling, from, to, out.RawMatrix().Data, report)
}

// computeCross computes columns of tiles for all points, in the same batches of points as [team.across].
func computeCross[T backend.Float](ctx context.Context, p *KernelParts, t *team, from, to int, out *mat.Dense,
	report func(done, total int)) error {
	first, last := p.Images(from, to)
	centres, err := extractPatches[T](ctx, t, p.patchView, p.x.Slice(first, last))
	if err != nil {
		return err
	}
	for lo := 0; lo < p.points.Len(); lo += p.batch {
		hi := min(lo+p.batch, p.points.Len())
		points, err := extractPatches[T](ctx, t, p.patchView, p.points.Slice(lo, hi))
		if err != nil {
			return err
		}
		l := tilingOf(p.machine.Kernel, p.patchView, hi-lo, p.x.Len())
		l.m = last - first
		err = kernelColumns(ctx, t, p.machine.Kernel, points, centres, l, 0, to-from,
			out.RawMatrix().Data[lo*(last-first):],
			func(done, total int) { report(lo*total+(hi-lo)*done, p.points.Len()*total) })
		if err != nil {
			return err
		}
	}
	return nil
}

// Check returns an [*InputError] unless k is the kernel matrix. It computes the first few rows and compares them. For a
// matrix of points with training images it also compares the first few columns.
func (p *KernelParts) Check(ctx context.Context, k mat.Matrix) error {
	n, m := p.Dims()
	if rows, columns := k.Dims(); rows != n || columns != m {
		return badInput("a kernel matrix of %d×%d images: want %d×%d", rows, columns, n, m)
	}
	t, err := newTeam(p.machine.Backend, p.machine.Threads, p.machine.Precision)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := p.compare(ctx, t, min(imagesAtOnce, n), m, k); err != nil || p.Symmetric() {
		return err
	}
	return p.compare(ctx, t, n, min(imagesAtOnce, m), k)
}

// compare computes the first rows and columns, and compares them with those of k.
func (p *KernelParts) compare(ctx context.Context, t *team, rows, columns int, k mat.Matrix) error {
	want := mat.NewDense(rows, columns, nil)
	var err error
	if t.Precision == graph.Double {
		err = computeCorner[float64](ctx, p, t, want)
	} else {
		err = computeCorner[float32](ctx, p, t, want)
	}
	if err != nil {
		return err
	}
	largest := mat.Max(want)
	for i := range rows {
		for j := range columns {
			if d := want.At(i, j) - k.At(i, j); !(math.Abs(d) <= knownAccuracy*largest) {
				return badInput(
					"the kernel matrix is not that of these images and this kernel: of images %d and %d it is %g, "+
						"want %g", i+1, j+1, k.At(i, j), want.At(i, j))
			}
		}
	}
	return nil
}

// knownAccuracy bounds the difference from a kernel matrix that another backend computed, relative to the largest value.
const knownAccuracy = 1e-4

// computeCorner computes the first rows and columns of the kernel matrix, as many as out has.
func computeCorner[T backend.Float](ctx context.Context, p *KernelParts, t *team, out *mat.Dense) error {
	rows, columns := out.Dims()
	points, err := extractPatches[T](ctx, t, p.patchView, p.points.Slice(0, rows))
	if err != nil {
		return err
	}
	centres, err := extractPatches[T](ctx, t, p.patchView, p.x.Slice(0, columns))
	if err != nil {
		return err
	}
	return kernelMatrix(ctx, t, p.machine.Kernel, points, centres, out.RawMatrix().Data, silent)
}
