package experiments

import (
	"cmp"
	"strings"

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
		all = append(all, p.layer(shape, max(1, p.depth-layer), tests))
		p.reading = need.Reading{} // once
		if !p.pad {
			shape.Height, shape.Width = shape.Height-p.patch+1, shape.Width-p.patch+1
		}
		shape.Channels = p.filters
	}
	return all
}

// layer is a machine on what a layer reads, and how often it is tested.
func (p patchSize) layer(shape models.Shape, depth, tests int) need.Job {
	n, regressions := float64(p.train), float64(p.iterations+1)
	pairs := regressions*n*((n+1)/2+float64(p.judged)) + n*float64(tests)*float64(p.tested)
	j := p.pairs(shape, depth, pairs, float64(p.iterations)*n*float64(ofImages(p.sample, p.train)), n+float64(p.judged))
	j.Cubes = regressions * float64(max(1, p.ridges)) * n * n * n
	if p.kernel == "laplace" {
		return need.LaplacePatches{PatchMachine: j}
	}
	return j
}

// pairs are kernels of so many pairs of images, and gradients of others.
func (p patchSize) pairs(shape models.Shape, depth int, kernels, gradients, images float64) need.PatchMachine {
	maps := positionsOf(shape, depth, p.patch, p.pad, strings.HasPrefix(p.kernel, "cntk-gap"))
	first := positionsOf(shape, 1, p.patch, p.pad, false) * float64(shape.Channels*p.patch*p.patch)
	return need.PatchMachine{
		Reading: p.reading,
		Maps:    kernels * maps, Products: kernels * first, GradientMaps: gradients * maps, GradientProducts: gradients * first,
		Images: images, Seen: images * first,
	}
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
	if l, is := jobs[0].(need.LaplacePatches); is {
		return l // has one layer
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
	s.reading = readingOf(r.spec.Data, r.spec.Size, s.train+s.tested)
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
		kernel: cmp.Or(c.spec.Kernel, "cntk"), depth: m.Kernel.Depth(), patch: cmp.Or(m.Patch, rfm.DefaultPatch), pad: m.Pad,
		iterations: m.Iterations, layers: m.Layers, filters: cmp.Or(m.Filters, rfm.DefaultFilters), sample: m.Sample,
		train: x.Len(), tested: c.examples.test.X.Len(), ridges: len(m.Ridges), shape: models.Shape{Channels: x.Channels, Height: x.Height, Width: x.Width},
	}
	if m.Validation != nil {
		p.judged = m.Validation.X.Len()
	}
	p.reading = readingOf(c.spec.Data, c.spec.Size, p.train+p.judged+p.tested)
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
	j := p.pairs(p.shape, p.depth, pairs, 0, float64(rows))
	if p.kernel == "laplace" {
		return need.LaplacePatches{PatchMachine: j}
	}
	return j
}
