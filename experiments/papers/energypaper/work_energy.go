package energypaper

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// Jobs implements [study.Worker]. The nulls of profiles are of few filters, and left out.
func (s *ProfilesSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Networks, func(n setups.EnergyNetwork) ([]cost.Job, error) {
		components, err := n.ComponentsJob(s.Training, s.Images)
		if err != nil || n.Weights != "" {
			return []cost.Job{components}, err
		}
		training, err := n.Job(s.Training)
		return []cost.Job{training, components}, err
	})
}

// Jobs implements [study.Worker]: all networks are trained twice.
func (s *FrozenSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Networks, func(n setups.EnergyNetwork) ([]cost.Job, error) {
		j, err := n.Job(s.Training)
		return []cost.Job{j, j}, err
	})
}

// Jobs implements [study.Worker]: components of all images, and the correlations of
// permuted labels with them, which are approximated by a layer that reads each image
// once a permutation, number by number.
func (s *LabelsSpec) Jobs() ([]cost.Job, error) {
	set, err := workload.FindDatasetSize(s.Data, 0)
	if err != nil {
		return nil, err
	}
	classes := float64(set.Classes)
	each := float64(workload.ImagesUsed(s.Images, set.Train/set.Classes))
	if set.Train == 0 { // it is generated
		set.Train = s.Images * set.Classes
	}
	pairs := classes * (classes - 1) / 2
	rows := float64(s.Permutations) * each * (classes*classes + 2*pairs)
	net := cost.Net{Layers: 1, Values: float64(set.Shape.Channels*s.Patch*s.Patch) + 1}
	return []cost.Job{setups.PatchMomentsJob(set.Shape, s.Patch, set.Train),
		cost.Training{Net: net, Batch: 1, Tested: rows}}, nil
}

// Jobs implements [study.Worker]: the components of each pair of classes, and of the first
// the steps themselves, all images in each, and in mini-batches.
func (s *LinearTableSpec) Jobs() ([]cost.Job, error) {
	set, err := workload.FindDatasetSize(s.Data, 0)
	if err != nil {
		return nil, err
	}
	if s.Batch < 1 || !(s.SGDRate > 0) {
		return nil, input.Errorf("batches of %d and a rate of %v: want more than 0", s.Batch, s.SGDRate)
	}
	images := 2 * workload.ImagesUsed(s.Images, set.Train/set.Classes)
	net, err := workload.NetworkOf(fmt.Sprintf("linear-cnn:%d", s.Patch), float64(s.Width)/setups.LinearCNNFilters,
		set.Shape, 2)
	if err != nil {
		return nil, err
	}
	jobs := slices.Repeat([]cost.Job{setups.PatchMomentsJob(set.Shape, s.Patch, images)}, len(linearPairs()))
	return append(jobs, workload.StepsOf(net, min(s.Checked, images), float64(s.CheckedSteps)),
		workload.StepsOf(net, min(s.Batch, images),
			math.Max(1, math.Round(float64(s.steps(images))*s.Rate/s.SGDRate)))), nil
}
