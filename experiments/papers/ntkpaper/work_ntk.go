package ntkpaper

import (
	"cmp"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// Jobs implements [study.Worker]: at each width the network, and its linearizations.
func (s *GapSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Tasks, func(t GapTask) ([]cost.Job, error) {
		return train.JobsOf(t.Widths, func(width float64) ([]cost.Job, error) {
			spec := s.trainSpec(study.Setting{}, t, width)
			net, err := spec.Job(true)
			if err != nil {
				return nil, err
			}
			spec.Linearized = true
			linear, err := spec.Job(true)
			return append(slices.Repeat([]cost.Job{linear}, len(s.Linear)), net), err
		})
	})
}

// Jobs implements [study.Worker]: at each width the network, its linearization, and its
// kernel where the system is solved.
func (s *BinarySpec) Jobs() ([]cost.Job, error) {
	var all []cost.Job
	for i, width := range s.Widths {
		spec := s.trainSpec(study.Setting{}, width)
		net, err := spec.Job(true)
		if err != nil {
			return nil, err
		}
		spec.Linearized = true
		linear, err := spec.Job(true)
		if err != nil {
			return nil, err
		}
		all = append(all, net, linear)
		if i < s.SolverWidths {
			solved, err := spec.Tangents(0)
			if err != nil {
				return nil, err
			}
			all = append(all, solved)
		}
	}
	return all, nil
}

// Jobs implements [study.Worker]: the kernel of each width, whose system is solved.
func (s *ThresholdSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Widths, func(width float64) ([]cost.Job, error) {
		j, err := train.Spec{Arch: s.Arch, Width: width, Data: s.Data, Labels: train.OneClass + ":" + s.Class,
			Train: s.Train, Test: s.Test}.Tangents(0)
		return []cost.Job{j}, err
	})
}

// Jobs implements [study.Worker]: the kernel of each width, and its spectrum.
func (s *KernelsSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Tasks, func(t KernelsTask) ([]cost.Job, error) {
		return train.JobsOf(t.Widths, func(width float64) ([]cost.Job, error) {
			_, set, err := train.LookupOn(t.Arch, width, t.Data, t.Size)
			if err != nil {
				return nil, err
			}
			outputs := cmp.Or(t.Outputs, set.Classes)
			layers, err := workload.LayersAt(t.Arch, width, set.Shape, outputs)
			return []cost.Job{cost.TangentsOf(layers, t.Images, outputs)}, err
		})
	})
}

// Jobs implements [study.Worker]: at each width the network, and a kernel after every epoch,
// before the first, and of other weights.
func (s *KernelChangeSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Widths, func(width float64) ([]cost.Job, error) {
		spec := train.Spec{Arch: s.Arch, Width: width, Data: s.Data, Train: s.Train, Test: s.Test, Epochs: s.Epochs,
			Batch: s.Batch}
		net, err := spec.Job(true)
		if err != nil {
			return nil, err
		}
		kernel, err := spec.Tangents(s.Probes)
		if err != nil || s.Epochs < 0 || s.Epochs > mostKernels {
			return nil, cmp.Or(err, input.Errorf("%d epochs: want at most %d, after each of which there is a kernel",
				s.Epochs, mostKernels))
		}
		return append(slices.Repeat([]cost.Job{kernel}, s.Epochs+2), net), nil
	})
}

// mostKernels is more epochs than any network here is followed over.
const mostKernels = 10000
