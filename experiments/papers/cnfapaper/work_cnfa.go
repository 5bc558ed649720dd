package cnfapaper

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
)

// spec is the training of the network, but for where its images are.
func (n AnsatzNetwork) spec() train.Spec {
	l := n.Lessons
	return train.Spec{
		Arch: n.Arch, Width: n.Width, Init: n.Init, NoDropout: l.NoDropout, Data: n.Data, Size: n.Size, Normalise: n.Normalise,
		Train: l.Train, Test: l.Test, Crop: l.Crop, Flip: l.Flip, Epochs: l.Epochs, Batch: l.Batch,
		Optimiser: l.Optimiser, LR: l.Rate, Momentum: l.Momentum, WeightDecay: l.WeightDecay, Schedule: l.Schedule,
	}
}

// training is the job of the network, none of one whose weights are in a file.
func (n AnsatzNetwork) training() ([]cost.Job, error) {
	if n.Weights != "" {
		return nil, nil
	}
	j, err := n.spec().Job(false)
	return []cost.Job{j}, err
}

// layers are those of the network, and how many classes it has.
func (n AnsatzNetwork) layers() ([]models.LayerInfo, workload.DatasetSize, error) {
	a, set, err := train.LookupOn(n.Arch, n.Width, n.Data, n.Size)
	if err != nil {
		return nil, set, err
	}
	all, err := workload.LayersFor(a, set.Shape, set.Classes)
	return all, set, err
}

// Jobs implements [study.Worker]. Of a network they are its training, the verification as
// it is and as it was, and what images are seen as.
func (s *AnsatzSpec) Jobs() ([]cost.Job, error) {
	probes, err := verify.ParseOutputs(s.Outputs)
	if err != nil {
		return nil, err
	}
	return train.JobsOf(s.Networks, func(n AnsatzNetwork) ([]cost.Job, error) {
		jobs, err := n.training()
		if err != nil {
			return nil, err
		}
		layers, set, err := n.layers()
		if err != nil {
			return nil, err
		}
		convs := train.ConvsIn(layers)
		v := workload.VerificationSize{Images: workload.ImagesUsed(s.Images, workload.ImagesUsed(n.Lessons.Train, set.Train)), Outputs: set.Classes}
		if probes > 0 {
			v.Outputs = probes
		}
		for range 2 {
			jobs = append(jobs, v.Jobs(layers, convs)...)
		}
		if s.Seen.Count > 0 {
			jobs = append(jobs, seenJob(layers, s.Seen.Count))
		}
		return jobs, nil
	})
}

// seenJob is what images are seen as by every convolution. They go through half of
// the network for each, on average, and that for the layer and its rotations.
func seenJob(layers []models.LayerInfo, images int) cost.Job {
	passes := float64(len(train.ConvsIn(layers))) * (2 + setups.RotationCount) / 2
	return cost.Training{Net: cost.NetOf(layers), Batch: 1, Tested: passes * float64(images)}
}

// Jobs implements [study.Worker].
func (s *PoolingSpec) Jobs() ([]cost.Job, error) {
	var all []AnsatzNetwork
	for _, set := range s.Sets {
		for _, pooling := range s.Poolings {
			for _, patch := range s.Patches {
				all = append(all, AnsatzNetwork{
					Arch: fmt.Sprintf("%s:%d", pooling, patch), Width: s.Width, Data: set.Data, Size: set.Size, Lessons: s.Lessons,
				})
			}
		}
	}
	return train.JobsOf(all, func(n AnsatzNetwork) ([]cost.Job, error) {
		jobs, err := n.training()
		if err != nil {
			return nil, err
		}
		layers, set, err := n.layers()
		if err != nil {
			return nil, err
		}
		v := workload.VerificationSize{Images: workload.ImagesUsed(s.Images, workload.ImagesUsed(s.Lessons.Train, set.Train)), Outputs: set.Classes}
		return slices.Concat(jobs, v.Jobs(layers, train.ConvsIn(layers))), nil
	})
}

// Jobs implements [study.Worker]. What is seen in few images is left out.
func (s *ConvFeaturesSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf([]func(setups.PatchTask) ([]cost.Job, error){s.Deep.Jobs, s.Laplace.Jobs, s.Net.Jobs, s.Net.VerificationJobs, s.Net.VerificationJobs}, func(of func(setups.PatchTask) ([]cost.Job, error)) ([]cost.Job, error) {
		return of(s.Task)
	})
}

// Jobs implements [study.Worker]. What is seen in few photographs is left out.
func (s *EdgesSpec) Jobs() ([]cost.Job, error) {
	jobs, err := train.JobsOf(s.Machines, func(m EdgeMachine) ([]cost.Job, error) { return m.Machine.Jobs(m.Task) })
	if err != nil || s.Net.Arch == "" || len(s.Machines) == 0 {
		return jobs, err
	}
	net, err := s.Net.Jobs(s.Machines[0].Task)
	return slices.Concat(jobs, net), err
}

// Jobs implements [study.Worker].
func (s *NoiseSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Tasks, func(t NoiseTask) ([]cost.Job, error) {
		return train.JobsOf(t.Noise, func(level float64) ([]cost.Job, error) {
			return s.Sweep.Jobs(t.at(level), 0, t.Images, level == claimedNoise)
		})
	})
}

// Jobs implements [study.Worker]. What is seen in few images is left out.
func (s *SeenSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Tasks, func(t setups.PatchTask) ([]cost.Job, error) {
		machine, err := s.Machine.Jobs(t)
		if err != nil {
			return nil, err
		}
		net, err := s.Net.Jobs(t)
		return slices.Concat(machine, net), err
	})
}

// Jobs implements [study.Worker].
func (s *SetsSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Sets, func(t SweepTask) ([]cost.Job, error) { return s.Sweep.Jobs(t.Data, t.Size, s.Images, false) })
}
