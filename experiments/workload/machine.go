package workload

import (
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// MachineSize is the size of a recursive feature machine.
type MachineSize struct {
	Train, Tested   int // examples
	Inputs, Outputs int
	Iterations      int
	Sample          int // examples of the AGOP; 0 stands for all
	Diagonal        bool
	Reading         cost.Reading
}

// Job returns the fit of the machine as a job.
func (m MachineSize) Job() cost.Machine {
	j := cost.Machine{
		Reading:  m.Reading,
		Examples: float64(m.Train), Inputs: float64(m.Inputs), Outputs: float64(max(1, m.Outputs)),
		Regressions: float64(m.Iterations + 1), Tested: float64(m.Tested),
	}
	if m.Iterations > 0 {
		j.Sample = float64(ImagesUsed(m.Sample, m.Train))
	}
	if m.Diagonal {
		j.Diagonal = 1
	}
	return j
}

// PatchMachineSize is the size of a convolutional kernel machine.
type PatchMachineSize struct {
	Kernel        string // as [rfm.ParseConvKernel] reads it
	Depth         int
	Patch         int
	Pad           bool
	Iterations    int
	Layers        int // that learn features
	Filters       int // between layers
	Sample        int // examples of the AGOP; 0 stands for all
	Train, Judged int // images; Judged counts the validation images
	Tested        int // images that are tested once, on the last layer
	Again         int // how many more times the test images are scored on the first layer
	EveryLayer    bool
	Ridges        int
	Shape         models.Shape
	Outputs       int
	Backend       string
	Precision     int
	Reading       cost.Reading
}

// Jobs returns the jobs of the machine's layers, one after another.
func (p PatchMachineSize) Jobs() []cost.Job {
	var all []cost.Job
	shape := p.Shape
	for layer := range max(1, p.Layers) {
		tests := 0
		if p.EveryLayer || layer+1 == max(1, p.Layers) {
			tests = 1
		}
		if layer == 0 {
			tests += p.Again
		}
		machine := p
		if layer > 0 {
			machine.Reading = cost.Reading{} // is done
		}
		all = append(all, machine.layer(shape, max(1, p.Depth-layer), tests))
		if !p.Pad {
			shape.Height, shape.Width = shape.Height-p.Patch+1, shape.Width-p.Patch+1
		}
		shape.Channels = p.Filters
	}
	return all
}

// layer returns the job of a machine on the input of one layer, tested a number of times.
func (p PatchMachineSize) layer(shape models.Shape, depth, tests int) cost.Job {
	n, judged, regressions := float64(p.Train), float64(p.Judged), float64(p.Iterations+1)
	kernels := regressions*n*((n+1)/2+judged) + n*float64(tests)*float64(p.Tested)
	sample, outputs := float64(p.Iterations)*float64(ImagesUsed(p.Sample, p.Train)), float64(max(1, p.Outputs))
	j := p.pairs(shape, depth, kernels, sample*n*(1+outputs), p.Train)
	made := regressions * n
	if judged > 0 {
		made += regressions * (n + judged)
	}
	made += float64(tests)*(n+float64(p.Tested)) + float64(p.Iterations)*n + sample
	j.Made = patchNumbers(p.grid(shape)) * made
	j.Kernel = n * n
	j.Cubes = regressions * float64(max(1, p.Ridges)) * n * n * n
	if p.Iterations > 0 {
		rows, columns := p.tile(shape, depth)
		j.Lenses = p.lenses(shape, kernels/regressions*float64(p.Iterations)/columns, n+judged, sample*outputs)
		j.Gradients = patchNumbers(p.grid(shape)) * (outputs*rows + 2*columns + 2*looked)
	}
	return p.asKernel(j)
}

// pairs returns the job of computing the kernels of some pairs of images and the gradients of others; images is the
// number on one side.
func (p PatchMachineSize) pairs(shape models.Shape, depth int, kernels, gradients float64,
	images int) cost.PatchMachine {
	pooled := p.Kernel == "cntk-gap"
	grid := p.grid(shape)
	maps, first := positionsOf(shape, depth, p.Patch, p.Pad, pooled), positionsOf(shape, 1, p.Patch, p.Pad, pooled)
	rows, columns := p.tile(shape, depth)
	products := first * float64(grid.Features())
	tiles, gradientTiles, far := kernels/(rows*columns), gradients/(rows*columns),
		cost.Far((rows+columns)*patchNumbers(grid))
	return cost.PatchMachine{
		Reading: p.Reading,
		Maps:    kernels * maps, Products: kernels * products, GradientMaps: gradients * maps,
		GradientProducts: gradients * products,
		Tiles:            tiles * first, GradientTiles: gradientTiles * first, Far: (tiles + gradientTiles) * far,
		Patches:  p.seen(grid, images) + p.seen(grid, min(chunk, max(p.Judged, p.Tested))),
		HeldMaps: rows * columns * maps,
	}
}

// grid returns the positions of patches in images.
func (p PatchMachineSize) grid(s models.Shape) rfm.Grid {
	return rfm.Grid{Height: s.Height, Width: s.Width, Channels: s.Channels, Patch: p.Patch, Pad: p.Pad}
}

// patchNumbers returns how many numbers the patches of an image have.
func patchNumbers(g rfm.Grid) float64 { return float64(g.Positions()) * float64(g.Features()) }

// seen returns how many numbers of the images' patches are kept in memory.
func (p PatchMachineSize) seen(g rfm.Grid, images int) float64 {
	return min(seenNumbers, float64(images)*patchNumbers(g))
}

// tile returns how many images on either side are processed at a time. It is 1 for an unknown kernel, which check
// rejects.
func (p PatchMachineSize) tile(shape models.Shape, depth int) (rows, columns float64) {
	k, err := rfm.ParseConvKernel(p.Kernel, depth, 0)
	if err != nil {
		return 1, 1
	}
	r, c := rfm.TileSides(k, p.grid(shape))
	return float64(min(r, max(1, p.Train))), float64(min(c, max(1, p.Train)))
}

// lenses returns the number of multiplications of patches by a metric, for entries of a kernel matrix, and of
// gradients by each other. Each patch is multiplied once, and again for every column of entries if it is not kept in
// memory.
func (p PatchMachineSize) lenses(shape models.Shape, entries, images, gradients float64) float64 {
	grid := p.grid(shape)
	d := float64(grid.Features())
	image := d * patchNumbers(grid)
	held := min(1, seenNumbers*d/(images*image))
	return (float64(p.Iterations)*images+gradients)*image + entries*image*(1-held)
}

// How many numbers of 32 bits package rfm keeps of the patches of images, and for how many images at a time it
// predicts and extracts patches.
const (
	seenNumbers = 1 << 28
	chunk       = 512
	looked      = 16
)

// asKernel returns the job as the kind of the machine's kernel.
func (p PatchMachineSize) asKernel(j cost.PatchMachine) cost.Job {
	switch p.Kernel {
	case "laplace":
		return cost.LaplacePatches{PatchMachine: j}
	case "cntk-gap":
		return cost.PooledMachine{PatchMachine: j}
	}
	return j
}

// positionsOf returns the number of positions, or of pairs of positions, in all convolutions of a
// kernel.
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

// Combine returns the layers of a machine as one job, for a machine that was measured as a whole.
func Combine(jobs []cost.Job) cost.Job {
	if len(jobs) == 1 {
		return jobs[0]
	}
	var sum cost.PatchMachine
	for _, j := range jobs {
		sum = sum.Plus(j.(cost.PatchMachine))
	}
	return sum
}

// KernelPart returns the job of some columns of tiles of a kernel matrix.
func (p PatchMachineSize) KernelPart(parts *rfm.KernelParts, from, to int) cost.Job {
	pairs := 0.
	for k := from; k < to; k++ {
		first, last := parts.Images(k, k+1)
		pairs += float64(parts.Rows(k, k+1)) * float64(last-first)
	}
	images := parts.Rows(from, to)
	if !parts.Symmetric() {
		first, last := parts.Images(from, to)
		images += last - first
	}
	p.Judged, p.Tested = 0, 0 // a part of the kernel predicts no images
	j := p.pairs(p.Shape, p.Depth, pairs, 0, images)
	j.Made = j.Patches
	return p.asKernel(j)
}

// KernelName returns the name of a kernel without its parameters.
func KernelName(k rfm.ConvKernel) string {
	switch k := k.(type) {
	case rfm.PatchLaplace:
		return "laplace"
	case rfm.CNTK:
		if k.Pooled {
			return "cntk-gap"
		}
	}
	return "cntk" // an upper bound: a CNNGP costs less
}
