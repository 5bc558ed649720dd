package rfm

import (
	"cmp"
	"math"
	"runtime"
	"slices"
)

// newFit checks the machine and the examples.
func (m *ConvMachine) newFit(e ImageExamples) (*convFit, error) {
	c := m.withDefaults()
	if err := c.check(e); err != nil {
		return nil, err
	}
	if need := c.Bytes(e.X, outputsOf(e)); c.Memory > 0 && need > c.Memory {
		return nil, &MemoryError{Need: need, Limit: c.Memory, Examples: e.X.Len(),
			Solver: "a convolutional kernel machine"}
	}
	t, err := newTeam(c.Backend, c.Threads, c.Precision)
	if err != nil {
		return nil, err
	}
	f := &convFit{ConvMachine: c, team: t, train: e, images: e.X, kernel: c.Kernel, room: &room{}}
	if c.Validation != nil {
		f.validation = *c.Validation
	}
	if c.Remember == nil {
		f.Remember = func(_, _ int, find func() (*ConvIteration, error)) (*ConvIteration, error) { return find() }
	}
	return f, nil
}

func outputsOf(e ImageExamples) int {
	_, outputs := e.Y.Dims()
	return outputs
}

// withDefaults returns the machine with its zero values replaced by the defaults.
func (m *ConvMachine) withDefaults() ConvMachine {
	c := *m
	if c.Kernel == nil {
		c.Kernel = CNTK{Layers: 1}
	}
	if c.Patch == 0 {
		c.Patch = DefaultPatch
	}
	if len(c.Ridges) == 0 {
		c.Ridges = []float64{0}
	}
	if c.Layers == 0 {
		c.Layers = 1
	}
	if c.Filters == 0 {
		c.Filters = DefaultFilters
	}
	return c
}

func (m *ConvMachine) check(e ImageExamples) error {
	if err := m.Kernel.check(); err != nil {
		return err
	}
	if err := checkImages(m.Task, "training", e); err != nil {
		return err
	}
	if m.Validation != nil {
		if err := checkImages(m.Task, "validation", *m.Validation); err != nil {
			return err
		}
		if v := m.Validation.X; v.shape() != e.X.shape() {
			return badInput("the training images are of %s, the validation images of %s", e.X.shape(), v.shape())
		}
		if got, want := outputsOf(*m.Validation), outputsOf(e); got != want {
			return badInput("%d targets of the validation images, %d of the training images", got, want)
		}
	}
	if err := gridOf(e.X, m.Patch, m.Pad).check(m.Kernel.Depth()); err != nil {
		return err
	}
	if k := m.Known; k != nil && k.SymmetricDim() != e.X.Len() {
		return badInput("a kernel matrix of %d images for %d training images", k.SymmetricDim(), e.X.Len())
	}
	if k := m.KnownValidation; k != nil {
		if rows, columns := k.Dims(); m.Validation == nil || rows != m.Validation.X.Len() || columns != e.X.Len() {
			return badInput("a kernel matrix of %d validation images with %d training images: want that of as many as "+
				"there are", rows, columns)
		}
	}
	return m.checkOptions()
}

func (m *ConvMachine) checkOptions() error {
	badRidge := func(r float64) bool { return !(r >= 0) || math.IsInf(r, 0) }
	switch {
	case m.Layers < 1:
		return badInput("%d layers: want at least 1", m.Layers)
	case m.Layers > m.Kernel.Depth():
		return badInput(
			"%d layers of the kernel %v of depth %d: every layer takes a convolution from it; want a depth of at "+
				"least %d", m.Layers, m.Kernel, m.Kernel.Depth(), m.Layers)
	case m.Filters < 1:
		return badInput("%d filters: want at least 1", m.Filters)
	case m.Iterations < 0:
		return badInput("%d iterations: want at least 0", m.Iterations)
	case m.Sample < 0:
		return badInput("the patch-AGOP of %d images: want at least 1, or 0 for all", m.Sample)
	case !(m.Keep >= 0 && m.Keep <= 1):
		return badInput("a share of %v of the eigenvalues: want one above 0 and at most 1, or 0 for all", m.Keep)
	case slices.ContainsFunc(m.Ridges, badRidge):
		return badInput("ridges %v: want finite numbers of at least 0", m.Ridges)
	case len(m.Ridges) > 1 && m.Validation == nil:
		return badInput("%d ridges and no validation images to choose one by", len(m.Ridges))
	}
	return nil
}

// checkImages returns an error for images and targets that differ in number, or that are not finite.
func checkImages(t Task, what string, e ImageExamples) error {
	if err := e.X.Check(what); err != nil {
		return err
	}
	return checkTargets(t, what, e.X.Len(), e.Y)
}

// Bytes estimates the memory of a fit, without that of the images: two kernel matrices, the features of the layers, the
// patches that are kept, the metric, and for every thread the maps of a tile and the gradients of a few images.
func (m *ConvMachine) Bytes(x Images, outputs int) int64 {
	c := m.withDefaults()
	n, width := int64(x.Len()), int64(4<<c.Precision)
	threads := int64(cmp.Or(c.Threads, runtime.GOMAXPROCS(0)))
	total, largest := 2*8*n*n, int64(0)
	for l, k := 0, c.Kernel; l < c.Layers && k != nil; l, k = l+1, k.Shallower() {
		grid := gridOf(x, c.Patch, c.Pad)
		d := int64(grid.Features())
		patches := int64(grid.Positions()) * d * width
		layer := min(keptPatchBytes, n*patches) + min(keptPatchBytes, min(n, chunk)*patches)
		if c.Iterations > 0 {
			layer += metrics * 8 * d * d
		}
		rows, cols := TileSides(k, grid)
		tile := tileBytes(k, grid, int64(rows*cols)*width) + patches*int64(outputs*rows+2*cols+2*imagesAtOnce)
		largest = max(largest, layer+threads*tile)
		if l < c.Layers-1 {
			at := grid.first()
			x = Images{Height: at.height, Width: at.width, Channels: c.Filters}
			total += 4 * n * int64(x.size())
		}
	}
	return total + largest
}

// metrics is how many matrices of the metric's size are in memory at a time: the sums of two threads, the
// metric before and after scaling, its eigenvectors, and the lens.
const metrics = 6

// tileBytes estimates the memory of the maps of a tile, given the bytes of one map at one position. For a pooled kernel it
// adds the sets of pairs of positions.
func tileBytes(k ConvKernel, grid Grid, position int64) int64 {
	rows, sets := int64(k.positions(grid)), int64(0)
	if rows > int64(grid.Positions()) {
		const slice, index, indices = 24, 8, 2 * 4
		window := int64(grid.Patch * grid.Patch)
		lists := 2 * (slice + index*window) // from which sets are built, and garbage not yet collected
		sets = lists + indices*window*int64(k.Depth())
	}
	return rows * (sets + int64(8*k.Depth()+8)*position)
}
