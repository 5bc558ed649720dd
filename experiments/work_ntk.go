package experiments

import (
	"cmp"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/need"
)

// tangents is the kernel of the network of a training on images that it learns or, if
// there are some, on so many.
func (s TrainSpec) tangents(images int) (need.Job, error) {
	a, err := lookup(s.Arch)
	if err != nil {
		return nil, err
	}
	set, err := s.withDefaults().setFor(a)
	if err != nil {
		return nil, err
	}
	layers, err := layersAt(s.Arch, s.Width, set.shape, set.classes)
	return need.TangentsOf(layers, cmp.Or(images, set.train), set.classes), err
}

// Jobs implements [Worker]: at each width the network, and its linearizations.
func (s *GapSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Tasks, func(t GapTask) ([]need.Job, error) {
		return jobsOf(t.Widths, func(width float64) ([]need.Job, error) {
			spec := s.training(Setting{}, t, width)
			net, err := spec.job(true)
			if err != nil {
				return nil, err
			}
			spec.Linearized = true
			linear, err := spec.job(true)
			return append(slices.Repeat([]need.Job{linear}, len(s.Linear)), net), err
		})
	})
}

// Jobs implements [Worker]: at each width the network, its linearization, and its
// kernel where the system is solved.
func (s *BinarySpec) Jobs() ([]need.Job, error) {
	var all []need.Job
	for i, width := range s.Widths {
		spec := s.training(Setting{}, width)
		net, err := spec.job(true)
		if err != nil {
			return nil, err
		}
		spec.Linearized = true
		linear, err := spec.job(true)
		if err != nil {
			return nil, err
		}
		all = append(all, net, linear)
		if i < s.SolverWidths {
			solved, err := spec.tangents(0)
			if err != nil {
				return nil, err
			}
			all = append(all, solved)
		}
	}
	return all, nil
}

// Jobs implements [Worker]: the kernel of each width, whose system is solved.
func (s *ThresholdSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Widths, func(width float64) ([]need.Job, error) {
		j, err := TrainSpec{Arch: s.Arch, Width: width, Data: s.Data, Labels: oneClass + ":" + s.Class, Train: s.Train, Test: s.Test}.tangents(0)
		return []need.Job{j}, err
	})
}

// Jobs implements [Worker]: the kernel of each width, and its spectrum.
func (s *KernelsSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Tasks, func(t KernelsTask) ([]need.Job, error) {
		return jobsOf(t.Widths, func(width float64) ([]need.Job, error) {
			_, set, err := lookupOn(t.Arch, width, t.Data, t.Size)
			if err != nil {
				return nil, err
			}
			outputs := cmp.Or(t.Outputs, set.classes)
			layers, err := layersAt(t.Arch, width, set.shape, outputs)
			return []need.Job{need.TangentsOf(layers, t.Images, outputs)}, err
		})
	})
}

// Jobs implements [Worker]: at each width the network, and a kernel after every epoch,
// before the first, and of other weights.
func (s *KernelChangeSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Widths, func(width float64) ([]need.Job, error) {
		spec := TrainSpec{Arch: s.Arch, Width: width, Data: s.Data, Train: s.Train, Test: s.Test, Epochs: s.Epochs, Batch: s.Batch}
		net, err := spec.job(true)
		if err != nil {
			return nil, err
		}
		kernel, err := spec.tangents(s.Probes)
		if err != nil || s.Epochs < 0 || s.Epochs > mostKernels {
			return nil, cmp.Or(err, badInput("%d epochs: want at most %d, after each of which there is a kernel", s.Epochs, mostKernels))
		}
		return append(slices.Repeat([]need.Job{kernel}, s.Epochs+2), net), nil
	})
}

// mostKernels is more epochs than any network here is followed over.
const mostKernels = 10000
