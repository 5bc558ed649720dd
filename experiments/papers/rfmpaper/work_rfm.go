package rfmpaper

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// Jobs implements [study.Worker].
func (s *PolynomialSpec) Jobs() ([]cost.Job, error) {
	p, err := polynomialOf(s.Polynomial)
	m := workload.MachineSize{Train: s.Train, Tested: s.Test, Inputs: p.Features, Iterations: s.Iterations}
	return []cost.Job{m.Job()}, err
}

// Jobs implements [study.Worker]. The NTK is approximated by a radial kernel, here and below.
func (s *LowRankSpec) Jobs() ([]cost.Job, error) {
	p, err := polynomialOf(s.Polynomial)
	if err != nil {
		return nil, err
	}
	plain := workload.MachineSize{Train: s.Train, Tested: s.Test, Inputs: p.Features}
	learner := workload.MachineSize{Train: s.Train, Tested: s.Test + s.Validation, Inputs: p.Features, Iterations: s.Iterations}
	net := s.Net.Job(setups.MLPSize{Train: s.Train, Tested: s.Validation, Inputs: p.Features, Outputs: 1, Hidden: 1})
	return []cost.Job{learner.Job(), plain.Job(), plain.Job(), net}, nil
}

// Jobs implements [study.Worker].
func (s *LowRankPanelsSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf([]*LowRankSpec{&s.Signs, &s.Hermite}, (*LowRankSpec).Jobs)
}

// depthSize is how much a study of networks of several depths is.
type depthSize struct {
	setups.MLPSize // but for the depth; tested are those of the test
	validation     int
	depths         int
	draws          int // of the nulls
}

// jobs are of every depth the network, its first layer and the NTK, this and the
// Laplace kernel in three scales of what the first layer sees; and the Laplace kernel.
func (d depthSize) jobs(net setups.NetworkSpec) ([]cost.Job, error) {
	if d.depths > setups.MaxLayers {
		return nil, input.Errorf("%d depths: want at most %d", d.depths, setups.MaxLayers)
	}
	plain := workload.MachineSize{Train: d.Train, Tested: d.Tested, Inputs: d.Inputs, Outputs: d.Outputs}
	seen := plain
	seen.Inputs, seen.Tested = net.Width, d.Tested+d.validation
	all := []cost.Job{plain.Job()}
	for depth := range d.depths {
		m := d.MLPSize
		m.Tested, m.Hidden = d.validation, depth+1
		all = append(all, net.Job(m), plain.Job())
		all = append(all, net.FirstLayerJobs(m, d.draws)...)
		for range 2 * seenScales {
			all = append(all, seen.Job())
		}
	}
	return all, nil
}

// seenScales is by how many numbers a W₁ᵀW₁ is divided, of which the best is taken.
const seenScales = 3

// Jobs implements [study.Worker].
func (s *DepthSpec) Jobs() ([]cost.Job, error) {
	p, err := polynomialOf(s.Polynomial)
	if err != nil {
		return nil, err
	}
	m := setups.MLPSize{Train: s.Train, Tested: s.Test, Inputs: p.Features, Outputs: 1}
	return depthSize{m, s.Validation, s.Depths, similarity.NullDraws}.jobs(s.Net)
}

// Jobs implements [study.Worker].
func (s *ImageDepthSpec) Jobs() ([]cost.Job, error) {
	set, err := workload.FindDatasetSize(s.Data, 0)
	if err != nil {
		return nil, err
	}
	m := setups.MLPSize{Train: s.Train, Tested: workload.ImagesUsed(s.Test, set.Tested), Inputs: workload.ValuesPerImage(set.Shape), Outputs: set.Classes}
	return depthSize{m, s.Validation, s.Depths, s.Draws}.jobs(s.Net)
}

// Jobs implements [study.Worker]. Of few images it is the stand-in that they are taken from,
// as it was where costs were measured.
func (s *CentreSpec) Jobs() ([]cost.Job, error) {
	name := s.Data
	if s.Train > 0 || name == "" {
		name = s.StandIn
	}
	set, err := workload.FindDatasetSize(name, 0)
	if err != nil {
		return nil, err
	}
	if name == s.StandIn {
		set.Shape.Width *= 2 // each between halves of others
	}
	images := workload.ImagesUsed(s.Train, set.Train)
	held := int(math.Round(s.Validation * float64(images)))
	test := workload.ImagesUsed(s.Test, set.Tested)
	m := workload.MachineSize{Train: images - held, Inputs: workload.ValuesPerImage(set.Shape), Outputs: set.Classes}
	learner, ntk := m, m
	learner.Reading = set.Reading(images+test, false)
	learner.Tested, learner.Iterations, learner.Sample = held+test, s.Iterations, s.Sample
	ntk.Tested = m.Train + test
	net := s.Net.Job(setups.MLPSize{Train: m.Train, Tested: m.Train + test, Tests: 1, Inputs: m.Inputs, Outputs: m.Outputs, Hidden: setups.ImageHiddenLayers})
	return []cost.Job{learner.Job(), ntk.Job(), ntk.Job(), net}, nil
}

// Jobs implements [study.Worker].
func (s *GrokkingSpec) Jobs() ([]cost.Job, error) {
	set, err := workload.FindDatasetSize(s.Data, 0)
	if err != nil {
		return nil, err
	}
	if s.Every < 1 {
		return nil, input.Errorf("every %d: want at least 1", s.Every)
	}
	n := s.Train - s.Validation
	m := workload.MachineSize{Train: n, Tested: s.Test, Inputs: workload.ValuesPerImage(set.Shape), Outputs: set.Classes, Iterations: s.Iterations, Diagonal: true}
	net := s.Net.Job(setups.MLPSize{Train: n, Tested: n + s.Test, Tests: 1 + s.Net.Epochs/s.Every, Inputs: m.Inputs, Outputs: m.Outputs, Hidden: setups.ImageHiddenLayers})
	return []cost.Job{m.Job(), net}, nil
}
