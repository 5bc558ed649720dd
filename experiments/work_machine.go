package experiments

import (
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// machineSize is how much a recursive feature machine is.
type machineSize struct {
	train, tested   int // examples
	inputs, outputs int
	iterations      int
	sample          int // of the AGOP; 0 is all
	diagonal        bool
}

func (m machineSize) job() need.Machine {
	j := need.Machine{
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
	j := need.PatchMachine{
		Pairs:     regressions*n*((n+1)/2+float64(p.judged)) + n*float64(tests)*float64(p.tested),
		Gradients: float64(p.iterations) * n * float64(ofImages(p.sample, p.train)),
		Cubes:     regressions * float64(max(1, p.ridges)) * n * n * n,
		Positions: positionsOf(shape, depth, p.patch, p.pad, strings.HasPrefix(p.kernel, "cntk-gap")),
		Features:  float64(shape.Channels * p.patch * p.patch),
		Images:    n + float64(p.judged),
	}
	if p.kernel == "laplace" {
		return need.LaplacePatches{PatchMachine: j}
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

// jobs are what a fit takes of examples that are open.
func (c *ConvRFM) jobs() []need.Job {
	m, x := c.machine, c.examples.train.X
	name, _, _ := strings.Cut(m.Kernel.String(), " ")
	p := patchSize{
		kernel: strings.TrimRight(name, ":0123456789"), depth: m.Kernel.Depth(), patch: m.Patch, pad: m.Pad, iterations: m.Iterations, layers: m.Layers, filters: m.Filters,
		sample: m.Sample, train: x.Len(), ridges: len(m.Ridges), shape: models.Shape{Channels: x.Channels, Height: x.Height, Width: x.Width},
	}
	if m.Validation != nil {
		p.judged = m.Validation.X.Len()
	}
	p.tested = c.examples.test.X.Len()
	return p.jobs()
}

// kernelPart is what some columns of tiles of a kernel matrix take.
func (c *ConvRFM) kernelPart(parts *rfm.KernelParts, from, to int) need.Job {
	whole := c.jobs()[0]
	pairs := 0.
	for k := from; k < to; k++ {
		first, last := parts.Images(k, k+1)
		pairs += float64(last) * float64(last-first)
	}
	_, last := parts.Images(from, to)
	part := func(m need.PatchMachine) need.PatchMachine {
		return need.PatchMachine{Pairs: pairs, Positions: m.Positions, Features: m.Features, Images: float64(last)}
	}
	if l, is := whole.(need.LaplacePatches); is {
		return need.LaplacePatches{PatchMachine: part(l.PatchMachine)}
	}
	return part(whole.(need.PatchMachine))
}
