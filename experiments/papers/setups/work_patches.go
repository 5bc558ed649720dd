package setups

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// MaxLayers is more layers than any machine or network here has.
const MaxLayers = 1000

// checkDepth refuses what is not counted layer by layer.
func checkDepth(p workload.PatchMachineSize) error {
	if p.Depth > MaxLayers || p.Layers > MaxLayers {
		return input.Errorf("%d layers of %d convolutions: want at most %d", p.Layers, p.Depth, MaxLayers)
	}
	_, err := rfm.ParseConvKernel(p.Kernel, p.Depth, 0)
	return err
}

// Jobs are those of the machine on a task: its fit, and the test of the last layer.
func (s PatchMachineSpec) Jobs(t PatchTask) ([]cost.Job, error) {
	set, err := workload.FindDatasetSize(t.Data, t.Size)
	if err != nil {
		return nil, err
	}
	p := workload.PatchMachineSize{
		Kernel: s.Kernel, Depth: s.Depth, Patch: s.Patch, Iterations: s.Iterations, Layers: s.Layers,
		Filters: s.Filters, Sample: s.Sample,
		Train: t.Train, Tested: t.Test, Ridges: 1, Shape: set.Shape, Outputs: set.Classes,
	}
	if !s.Last {
		p.Judged, p.Ridges = t.Validation, len(s.Ridges)
	}
	if err := checkDepth(p); err != nil {
		return nil, err
	}
	p.Reading = set.Reading(p.Train+p.Judged+p.Tested, false)
	return p.Jobs(), nil
}

// findLayers returns the layers of the network on the images of a task.
func (s PatchNetworkSpec) findLayers(t PatchTask) ([]models.LayerInfo, workload.DatasetSize, error) {
	set, err := workload.FindDatasetSize(t.Data, t.Size)
	if err != nil {
		return nil, set, err
	}
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, set, err
	}
	layers, err := workload.LayersFor(a, set.Shape, set.Classes)
	return layers, set, err
}

// Jobs are the training of the network on the images of a task.
func (s PatchNetworkSpec) Jobs(t PatchTask) ([]cost.Job, error) {
	layers, _, err := s.findLayers(t)
	if err != nil {
		return nil, err
	}
	l := workload.TrainingSize{Train: t.Train, Tested: t.Train + t.Test, Tests: 1, Batch: s.Batch, Epochs: s.Epochs}
	return []cost.Job{l.Job(cost.NetOf(layers))}, nil
}

// VerificationJobs estimates the verification of the ansatz at the first convolution.
func (s PatchNetworkSpec) VerificationJobs(t PatchTask) ([]cost.Job, error) {
	layers, set, err := s.findLayers(t)
	if err != nil {
		return nil, err
	}
	convs := train.ConvsIn(layers)
	if len(convs) == 0 {
		return nil, input.Errorf("the network %q has no convolution", s.Arch)
	}
	v := workload.VerificationSize{Images: min(ansatzImages, t.Train), Outputs: set.Classes}
	return v.Jobs(layers, convs[:1]), nil
}

// Jobs are those of the machines and the network on a set. Watched are all
// iterations of the first layer.
func (s SweepSpec) Jobs(data string, size int, images SweepImages, watched bool) ([]cost.Job, error) {
	set, err := workload.FindDatasetSize(data, size)
	if err != nil {
		return nil, err
	}
	m, judged := s.Machines, images.Validation
	if s.PaperMode {
		judged = images.Test
	}
	p := workload.PatchMachineSize{
		Kernel: "cntk", Depth: m.Depth, Patch: m.Patch, Iterations: m.Iterations, Layers: m.Layers, Filters: m.Filters,
		Sample: m.Sample,
		Train:  images.Train, Judged: judged, Tested: images.Test, Again: 1, EveryLayer: true, Ridges: len(m.Ridges),
		Shape: set.Shape, Outputs: set.Classes,
	}
	if watched {
		p.Again = m.Iterations
	}
	if err := checkDepth(p); err != nil {
		return nil, err
	}
	p.Reading = set.Reading(p.Train+p.Judged+p.Tested, false)
	net, err := workload.NetworkOf(fmt.Sprintf("cnn%d", m.Depth), s.Net.Width, set.Shape, set.Classes)
	if err != nil {
		return nil, err
	}
	l := workload.TrainingSize{Train: images.Train, Tested: judged + images.Test/2, Batch: s.Net.Batch,
		Epochs: s.Net.Epochs}
	return append(p.Jobs(), l.Job(net)), nil // an epoch in two, about, is better than all before
}
