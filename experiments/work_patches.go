package experiments

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// mostLayers is more layers than any machine or network here has.
const mostLayers = 1000

// check refuses what is not counted layer by layer.
func (p patchSize) check() error {
	if p.depth > mostLayers || p.layers > mostLayers {
		return badInput("%d layers of %d convolutions: want at most %d", p.layers, p.depth, mostLayers)
	}
	_, err := rfm.ParseConvKernel(p.kernel, p.depth, 0)
	return err
}

// jobs are those of the machine on a task: its fit, and the test of the last layer.
func (s PatchMachineSpec) jobs(t PatchTask) ([]need.Job, error) {
	set, err := sizeOfSet(t.Data, t.Size)
	if err != nil {
		return nil, err
	}
	p := patchSize{
		kernel: s.Kernel, depth: s.Depth, patch: s.Patch, iterations: s.Iterations, layers: s.Layers, filters: s.Filters, sample: s.Sample,
		train: t.Train, tested: t.Test, ridges: 1, shape: set.shape, outputs: set.classes,
	}
	if !s.Last {
		p.judged, p.ridges = t.Validation, len(s.Ridges)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	p.reading = set.reading(p.train+p.judged+p.tested, false)
	return p.jobs(), nil
}

// layers are those of the network on the images of a task.
func (s PatchNetSpec) layers(t PatchTask) ([]models.LayerInfo, setSize, error) {
	set, err := sizeOfSet(t.Data, t.Size)
	if err != nil {
		return nil, set, err
	}
	a, err := lookup(s.Arch)
	if err != nil {
		return nil, set, err
	}
	layers, err := layersFor(a, set.shape, set.classes)
	return layers, set, err
}

// jobs are the training of the network on the images of a task.
func (s PatchNetSpec) jobs(t PatchTask) ([]need.Job, error) {
	layers, _, err := s.layers(t)
	if err != nil {
		return nil, err
	}
	l := lessonSize{train: t.Train, tested: t.Train + t.Test, tests: 1, batch: s.Batch, epochs: s.Epochs}
	return []need.Job{l.job(need.NetOf(layers))}, nil
}

// ansatz is the verification of the first convolution.
func (s PatchNetSpec) ansatz(t PatchTask) ([]need.Job, error) {
	layers, set, err := s.layers(t)
	if err != nil {
		return nil, err
	}
	convs := convsIn(layers)
	if len(convs) == 0 {
		return nil, badInput("the network %q has no convolution", s.Arch)
	}
	v := verifySize{images: min(ansatzImages, t.Train), outputs: set.classes}
	return v.jobs(layers, convs[:1]), nil
}

// Jobs implements [Worker]. What is seen in few images is left out.
func (s *ConvFeaturesSpec) Jobs() ([]need.Job, error) {
	return jobsOf([]func(PatchTask) ([]need.Job, error){s.Deep.jobs, s.Laplace.jobs, s.Net.jobs, s.Net.ansatz, s.Net.ansatz}, func(of func(PatchTask) ([]need.Job, error)) ([]need.Job, error) {
		return of(s.Task)
	})
}

// Jobs implements [Worker]. What is seen in few images is left out.
func (s *SeenSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Tasks, func(t PatchTask) ([]need.Job, error) {
		machine, err := s.Machine.jobs(t)
		if err != nil {
			return nil, err
		}
		net, err := s.Net.jobs(t)
		return slices.Concat(machine, net), err
	})
}

// Jobs implements [Worker]. What is seen in few photographs is left out.
func (s *EdgesSpec) Jobs() ([]need.Job, error) {
	jobs, err := jobsOf(s.Machines, func(m EdgeMachine) ([]need.Job, error) { return m.Machine.jobs(m.Task) })
	if err != nil || s.Net.Arch == "" || len(s.Machines) == 0 {
		return jobs, err
	}
	net, err := s.Net.jobs(s.Machines[0].Task)
	return slices.Concat(jobs, net), err
}

// jobs are those of the machines and the network on a set. Watched are all
// iterations of the first layer.
func (s SweepSpec) jobs(data string, size int, images SweepImages, watched bool) ([]need.Job, error) {
	set, err := sizeOfSet(data, size)
	if err != nil {
		return nil, err
	}
	m, judged := s.Machines, images.Validation
	if s.PaperMode {
		judged = images.Test
	}
	p := patchSize{
		kernel: "cntk", depth: m.Depth, patch: m.Patch, iterations: m.Iterations, layers: m.Layers, filters: m.Filters, sample: m.Sample,
		train: images.Train, judged: judged, tested: images.Test, again: 1, everyLayer: true, ridges: len(m.Ridges), shape: set.shape, outputs: set.classes,
	}
	if watched {
		p.again = m.Iterations
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	p.reading = set.reading(p.train+p.judged+p.tested, false)
	net, err := netOf(fmt.Sprintf("cnn%d", m.Depth), s.Net.Width, set.shape, set.classes)
	if err != nil {
		return nil, err
	}
	l := lessonSize{train: images.Train, tested: judged + images.Test/2, batch: s.Net.Batch, epochs: s.Net.Epochs}
	return append(p.jobs(), l.job(net)), nil // an epoch in two, about, is better than all before
}

// Jobs implements [Worker].
func (s *NoiseSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Tasks, func(t NoiseTask) ([]need.Job, error) {
		return jobsOf(t.Noise, func(level float64) ([]need.Job, error) {
			return s.Sweep.jobs(t.at(level), 0, t.Images, level == claimedNoise)
		})
	})
}

// Jobs implements [Worker].
func (s *SetsSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Sets, func(t SweepTask) ([]need.Job, error) { return s.Sweep.jobs(t.Data, t.Size, s.Images, false) })
}
