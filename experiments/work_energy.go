package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/models"
)

// spec is the training of the network, but for where its images are.
func (n EnergyNetwork) spec(e EnergyTraining) TrainSpec {
	epochs := e.Epochs
	if n.Epochs > 0 {
		epochs = n.Epochs
	}
	return TrainSpec{
		Arch: n.Arch, Width: n.Width, Data: n.Data, Size: n.Size, Normalise: "none", Classes: n.Classes, Labels: n.Labels,
		Train: e.Train, Test: e.Test, Epochs: epochs, Batch: cmp.Or(n.Batch, e.Batch), LR: cmp.Or(n.Rate, e.Rate), Loss: n.Loss, Freeze: n.Freeze,
	}
}

// job is the training of the network.
func (n EnergyNetwork) job(e EnergyTraining) (need.Job, error) {
	a, err := n.architecture()
	if err != nil {
		return nil, err
	}
	return n.spec(e).jobOf(a, false)
}

// components are those of the patches that the first layer reads, of so many images
// at most.
func (n EnergyNetwork) components(e EnergyTraining, most int) (need.Job, error) {
	a, err := n.architecture()
	if err != nil {
		return nil, err
	}
	s := n.spec(e).withDefaults()
	set, err := s.setFor(a)
	if err != nil {
		return nil, err
	}
	a.Width = n.Width
	layers, err := layersFor(a, set.shape, set.classes)
	if err != nil {
		return nil, err
	}
	if len(layers) == 0 {
		return nil, badInput("the network %q has no layer that reads patches", n.Name)
	}
	side := math.Round(math.Sqrt(float64(layers[0].PatchSize()) / float64(set.shape.Channels)))
	return patchMoments(set.shape, int(side), ofImages(most, set.train)), nil
}

// patchMoments is the second moments of the patches of images and their components.
// It is approximated by images that go through one layer of as many multiplications.
func patchMoments(s models.Shape, side, images int) need.Job {
	d, positions := float64(s.Channels*side*side), float64(max(1, s.Height-side+1)*max(1, s.Width-side+1))
	net := need.Net{Layers: 1, Conv: positions * d * d / 2, Patches: positions * d, Values: positions, Parameters: d * d}
	return need.Training{Net: net, Batch: 1, Tested: float64(images)}
}

// Jobs implements [Worker]. The nulls of profiles are of few filters, and left out.
func (s *ProfilesSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Networks, func(n EnergyNetwork) ([]need.Job, error) {
		components, err := n.components(s.Training, s.Images)
		if err != nil || n.Weights != "" {
			return []need.Job{components}, err
		}
		training, err := n.job(s.Training)
		return []need.Job{training, components}, err
	})
}

// Jobs implements [Worker]: all networks are trained twice.
func (s *FrozenSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Networks, func(n EnergyNetwork) ([]need.Job, error) {
		j, err := n.job(s.Training)
		return []need.Job{j, j}, err
	})
}

// Jobs implements [Worker]: components of all images, and the correlations of
// permuted labels with them, which are approximated by a layer that reads each image
// once a permutation, number by number.
func (s *LabelsSpec) Jobs() ([]need.Job, error) {
	set, err := sizeOfSet(s.Data, 0)
	if err != nil {
		return nil, err
	}
	classes := float64(set.classes)
	each := float64(ofImages(s.Images, set.train/set.classes))
	if set.train == 0 { // it is generated
		set.train = s.Images * set.classes
	}
	pairs := classes * (classes - 1) / 2
	rows := float64(s.Permutations) * each * (classes*classes + 2*pairs)
	net := need.Net{Layers: 1, Values: float64(set.shape.Channels*s.Patch*s.Patch) + 1}
	return []need.Job{patchMoments(set.shape, s.Patch, set.train), need.Training{Net: net, Batch: 1, Tested: rows}}, nil
}

// Jobs implements [Worker]: the components of each pair of classes, and of the first
// the steps themselves, all images in each, and in mini-batches.
func (s *LinearTableSpec) Jobs() ([]need.Job, error) {
	set, err := sizeOfSet(s.Data, 0)
	if err != nil {
		return nil, err
	}
	if s.Batch < 1 || !(s.SGDRate > 0) {
		return nil, badInput("batches of %d and a rate of %v: want more than 0", s.Batch, s.SGDRate)
	}
	images := 2 * ofImages(s.Images, set.train/set.classes)
	net, err := netOf(fmt.Sprintf("linear-cnn:%d", s.Patch), float64(s.Width)/linearCNNFilters, set.shape, 2)
	if err != nil {
		return nil, err
	}
	jobs := slices.Repeat([]need.Job{patchMoments(set.shape, s.Patch, images)}, len(linearPairs()))
	return append(jobs, stepsOf(net, min(s.Checked, images), float64(s.CheckedSteps)),
		stepsOf(net, min(s.Batch, images), math.Max(1, math.Round(float64(s.steps(images))*s.Rate/s.SGDRate)))), nil
}

// stepsOf is so many steps of a network.
func stepsOf(net need.Net, batch int, steps float64) need.Job {
	return need.Training{Net: net, Batch: float64(batch), Steps: steps, Images: steps * float64(batch)}
}
