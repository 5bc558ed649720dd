package experiments

import (
	"cmp"

	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// machineSize is how much a recursive feature machine is.
type machineSize struct {
	train, tested   int // examples
	inputs, outputs int
	iterations      int
	sample          int // of the AGOP; 0 is all
	diagonal        bool
	reading         need.Reading
}

func (m machineSize) job() need.Machine {
	j := need.Machine{
		Reading:  m.reading,
		Examples: float64(m.train), Inputs: float64(m.inputs), Outputs: float64(max(1, m.outputs)),
		Regressions: float64(m.iterations + 1), Tested: float64(m.tested),
	}
	if m.iterations > 0 {
		j.Sample = float64(ofImages(m.sample, m.train))
	}
	if m.diagonal {
		j.Diagonal = 1
	}
	return j
}

// patchSize is how much a convolutional kernel machine is.
type patchSize struct {
	kernel        string // as [rfm.ParseConvKernel] reads it
	depth         int
	patch         int
	pad           bool
	iterations    int
	layers        int // that learn features
	filters       int // between layers
	sample        int // of the AGOP; 0 is all
	train, judged int // images, the latter those that choose
	tested        int // images, once, on the last layer
	again         int // how often more than that on the first
	everyLayer    bool
	ridges        int
	shape         models.Shape
	outputs       int
	backend       string
	precision     int
	reading       need.Reading
}

// jobs are those of its layers, one after another.
func (p patchSize) jobs() []need.Job {
	var all []need.Job
	shape := p.shape
	for layer := range max(1, p.layers) {
		tests := 0
		if p.everyLayer || layer+1 == max(1, p.layers) {
			tests = 1
		}
		if layer == 0 {
			tests += p.again
		}
		machine := p
		if layer > 0 {
			machine.reading = need.Reading{} // is done
		}
		all = append(all, machine.layer(shape, max(1, p.depth-layer), tests))
		if !p.pad {
			shape.Height, shape.Width = shape.Height-p.patch+1, shape.Width-p.patch+1
		}
		shape.Channels = p.filters
	}
	return all
}

// layer is a machine on what a layer reads, and how often it is tested.
func (p patchSize) layer(shape models.Shape, depth, tests int) need.Job {
	n, judged, regressions := float64(p.train), float64(p.judged), float64(p.iterations+1)
	kernels := regressions*n*((n+1)/2+judged) + n*float64(tests)*float64(p.tested)
	sample, outputs := float64(p.iterations)*float64(ofImages(p.sample, p.train)), float64(max(1, p.outputs))
	j := p.pairs(shape, depth, kernels, sample*n*(1+outputs), p.train)
	made := regressions * n
	if judged > 0 {
		made += regressions * (n + judged)
	}
	j.Made = patchNumbers(p.grid(shape)) * (made + float64(tests)*(n+float64(p.tested)) + float64(p.iterations)*n + sample)
	j.Kernel = n * n
	j.Cubes = regressions * float64(max(1, p.ridges)) * n * n * n
	if p.iterations > 0 {
		rows, columns := p.tile(shape, depth)
		j.Lenses = p.lenses(shape, kernels/regressions*float64(p.iterations)/columns, n+judged, sample*outputs)
		j.Gradients = patchNumbers(p.grid(shape)) * (outputs*rows + 2*columns + 2*looked)
	}
	return p.asKernel(j)
}

// pairs are kernels of so many pairs of images, and gradients of others. Images are
// those of one side.
func (p patchSize) pairs(shape models.Shape, depth int, kernels, gradients float64, images int) need.PatchMachine {
	pooled := p.kernel == "cntk-gap"
	grid := p.grid(shape)
	maps, first := positionsOf(shape, depth, p.patch, p.pad, pooled), positionsOf(shape, 1, p.patch, p.pad, pooled)
	rows, columns := p.tile(shape, depth)
	products := first * float64(grid.Features())
	tiles, gradientTiles, far := kernels/(rows*columns), gradients/(rows*columns), need.Far((rows+columns)*patchNumbers(grid))
	return need.PatchMachine{
		Reading: p.reading,
		Maps:    kernels * maps, Products: kernels * products, GradientMaps: gradients * maps, GradientProducts: gradients * products,
		Tiles: tiles * first, GradientTiles: gradientTiles * first, Far: (tiles + gradientTiles) * far,
		Patches:  p.seen(grid, images) + p.seen(grid, min(chunk, max(p.judged, p.tested))),
		HeldMaps: rows * columns * maps,
	}
}

// grid is where patches of images are.
func (p patchSize) grid(s models.Shape) rfm.Grid {
	return rfm.Grid{Height: s.Height, Width: s.Width, Channels: s.Channels, Patch: p.patch, Pad: p.pad}
}

// patchNumbers is how many numbers the patches of an image have.
func patchNumbers(g rfm.Grid) float64 { return float64(g.Positions()) * float64(g.Features()) }

// seen is how many numbers of the patches of images are held.
func (p patchSize) seen(g rfm.Grid, images int) float64 {
	return min(seenNumbers, float64(images)*patchNumbers(g))
}

// tile is how many images of either side are taken at a time. Of a kernel that is
// none, which check refuses, it is one.
func (p patchSize) tile(shape models.Shape, depth int) (rows, columns float64) {
	k, err := rfm.ParseConvKernel(p.kernel, depth, 0)
	if err != nil {
		return 1, 1
	}
	r, c := rfm.TileSides(k, p.grid(shape))
	return float64(min(r, max(1, p.train))), float64(min(c, max(1, p.train)))
}

// lenses are the multiplications that patches take to be seen through a metric: each
// once, and those that are not held again for a column of so many entries of a kernel
// matrix in all; and those of so many gradients by each other.
func (p patchSize) lenses(shape models.Shape, entries, images, gradients float64) float64 {
	grid := p.grid(shape)
	d := float64(grid.Features())
	image := d * patchNumbers(grid)
	held := min(1, seenNumbers*d/(images*image))
	return (float64(p.iterations)*images+gradients)*image + entries*image*(1-held)
}

// What package rfm holds of the patches of images, in numbers of 32 bits, and how many
// images it predicts and makes patches of at a time.
const (
	seenNumbers = 1 << 28
	chunk       = 512
	looked      = 16
)

// asKernel is the machine as one with its kernel.
func (p patchSize) asKernel(j need.PatchMachine) need.Job {
	switch p.kernel {
	case "laplace":
		return need.LaplacePatches{PatchMachine: j}
	case "cntk-gap":
		return need.PooledMachine{PatchMachine: j}
	}
	return j
}

// positionsOf are those of all convolutions of a kernel, or of pairs of them.
func positionsOf(s models.Shape, depth, patch int, pad, pairs bool) float64 {
	all := 0.
	for range depth {
		if !pad {
			s.Height, s.Width = max(1, s.Height-patch+1), max(1, s.Width-patch+1)
		}
		n := float64(s.Height * s.Width)
		if pairs {
			n *= n
		}
		all += n
	}
	return all
}

// together are the layers of a machine as one job, for a machine that was
// measured as a whole.
func together(jobs []need.Job) need.Job {
	if len(jobs) == 1 {
		return jobs[0]
	}
	var sum need.PatchMachine
	for _, j := range jobs {
		sum = sum.Plus(j.(need.PatchMachine))
	}
	return sum
}

// job is what a fit takes of examples that are open.
func (r *RFM) job() need.Machine {
	m, x := r.machine, r.examples.train
	inputs, outputs := widthIn(x.X), widthIn(x.Y)
	s := machineSize{train: rowCount(x.X), inputs: inputs, outputs: outputs, iterations: m.Iterations, sample: m.Sample, diagonal: m.Diagonal}
	if r.examples.test.X != nil {
		s.tested = rowCount(r.examples.test.X)
	}
	s.reading = readingOf(r.spec.Data, r.spec.Size, s.train+s.tested, r.spec.Normalise == bySet)
	return s.job()
}

func widthIn(x mat.Matrix) int {
	_, n := x.Dims()
	return n
}

// size is that of the machine on the examples that are open.
func (c *ConvRFM) size() patchSize {
	m, x := c.machine, c.examples.train.X
	p := patchSize{
		kernel: kernelName(m.Kernel), depth: m.Kernel.Depth(), patch: cmp.Or(m.Patch, rfm.DefaultPatch), pad: m.Pad,
		iterations: m.Iterations, layers: m.Layers, filters: cmp.Or(m.Filters, rfm.DefaultFilters), sample: m.Sample,
		train: x.Len(), tested: c.examples.test.X.Len(), ridges: len(m.Ridges), shape: models.Shape{Channels: x.Channels, Height: x.Height, Width: x.Width},
	}
	if m.Validation != nil {
		p.judged = m.Validation.X.Len()
	}
	p.backend, p.precision = c.spec.Backend, c.spec.Precision
	p.outputs = widthIn(c.examples.train.Y)
	p.reading = readingOf(c.spec.Data, c.spec.Size, p.train+p.judged+p.tested, c.spec.Normalise == bySet)
	return p
}

// kernelPart is what some columns of tiles of a kernel matrix take.
func (p patchSize) kernelPart(parts *rfm.KernelParts, from, to int) need.Job {
	pairs, rows := 0., 0
	for k := from; k < to; k++ {
		first, last := parts.Images(k, k+1)
		pairs += float64(last) * float64(last-first)
		rows = last
	}
	p.judged, p.tested = 0, 0 // are not predicted
	j := p.pairs(p.shape, p.depth, pairs, 0, rows)
	j.Made = j.Patches
	return p.asKernel(j)
}

// kernelName is that of a kernel without its parameters.
func kernelName(k rfm.ConvKernel) string {
	switch k := k.(type) {
	case rfm.PatchLaplace:
		return "laplace"
	case rfm.CNTK:
		if k.Pooled {
			return "cntk-gap"
		}
	}
	return "cntk" // what a CNNGP takes is less
}
