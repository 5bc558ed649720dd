package experiments

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/need"
)

// Jobs implements [Worker].
func (s *PolynomialSpec) Jobs() ([]need.Job, error) {
	p, err := polynomialOf(s.Polynomial)
	m := machineSize{train: s.Train, tested: s.Test, inputs: p.Features, iterations: s.Iterations}
	return []need.Job{m.job()}, err
}

// Jobs implements [Worker]. The NTK is approximated by a radial kernel, here and below.
func (s *LowRankSpec) Jobs() ([]need.Job, error) {
	p, err := polynomialOf(s.Polynomial)
	if err != nil {
		return nil, err
	}
	plain := machineSize{train: s.Train, tested: s.Test, inputs: p.Features}
	learner := machineSize{train: s.Train, tested: s.Test + s.Validation, inputs: p.Features, iterations: s.Iterations}
	net := s.Net.job(mlpSize{train: s.Train, tested: s.Validation, inputs: p.Features, outputs: 1, hidden: 1})
	return []need.Job{learner.job(), plain.job(), plain.job(), net}, nil
}

// Jobs implements [Worker].
func (s *LowRankPanelsSpec) Jobs() ([]need.Job, error) {
	return jobsOf([]*LowRankSpec{&s.Signs, &s.Hermite}, (*LowRankSpec).Jobs)
}

// depthSize is how much a study of networks of several depths is.
type depthSize struct {
	mlpSize    // but for the depth; tested are those of the test
	validation int
	depths     int
	draws      int // of the nulls
}

// jobs are of every depth the network, its first layer and the NTK, this and the
// Laplace kernel in three scales of what the first layer sees; and the Laplace kernel.
func (d depthSize) jobs(net NetworkSpec) ([]need.Job, error) {
	if d.depths > mostLayers {
		return nil, badInput("%d depths: want at most %d", d.depths, mostLayers)
	}
	plain := machineSize{train: d.train, tested: d.tested, inputs: d.inputs, outputs: d.outputs}
	seen := plain
	seen.inputs, seen.tested = net.Width, d.tested+d.validation
	all := []need.Job{plain.job()}
	for depth := range d.depths {
		m := d.mlpSize
		m.tested, m.hidden = d.validation, depth+1
		all = append(all, net.job(m), plain.job())
		all = append(all, net.firstLayerJobs(m, d.draws)...)
		for range 2 * seenScales {
			all = append(all, seen.job())
		}
	}
	return all, nil
}

// seenScales is by how many numbers a W₁ᵀW₁ is divided, of which the best is taken.
const seenScales = 3

// Jobs implements [Worker].
func (s *DepthSpec) Jobs() ([]need.Job, error) {
	p, err := polynomialOf(s.Polynomial)
	if err != nil {
		return nil, err
	}
	m := mlpSize{train: s.Train, tested: s.Test, inputs: p.Features, outputs: 1}
	return depthSize{m, s.Validation, s.Depths, nullDraws}.jobs(s.Net)
}

// Jobs implements [Worker].
func (s *ImageDepthSpec) Jobs() ([]need.Job, error) {
	set, err := sizeOfSet(s.Data, 0)
	if err != nil {
		return nil, err
	}
	m := mlpSize{train: s.Train, tested: ofImages(s.Test, set.tested), inputs: pixelsIn(set.shape), outputs: set.classes}
	return depthSize{m, s.Validation, s.Depths, s.Draws}.jobs(s.Net)
}

// Jobs implements [Worker]. Of few images it is the stand-in that they are taken from,
// as it was where costs were measured.
func (s *CentreSpec) Jobs() ([]need.Job, error) {
	name := s.Data
	if s.Train > 0 || name == "" {
		name = s.StandIn
	}
	set, err := sizeOfSet(name, 0)
	if err != nil {
		return nil, err
	}
	if name == s.StandIn {
		set.shape.Width *= 2 // each between halves of others
	}
	images := ofImages(s.Train, set.train)
	held := int(math.Round(s.Validation * float64(images)))
	test := ofImages(s.Test, set.tested)
	m := machineSize{train: images - held, inputs: pixelsIn(set.shape), outputs: set.classes}
	learner, ntk := m, m
	learner.reading = set.reading(images+test, false)
	learner.tested, learner.iterations, learner.sample = held+test, s.Iterations, s.Sample
	ntk.tested = m.train + test
	net := s.Net.job(mlpSize{m.train, m.train + test, 1, m.inputs, m.outputs, imageLayers})
	return []need.Job{learner.job(), ntk.job(), ntk.job(), net}, nil
}

// Jobs implements [Worker].
func (s *GrokkingSpec) Jobs() ([]need.Job, error) {
	set, err := sizeOfSet(s.Data, 0)
	if err != nil {
		return nil, err
	}
	if s.Every < 1 {
		return nil, badInput("every %d: want at least 1", s.Every)
	}
	n := s.Train - s.Validation
	m := machineSize{train: n, tested: s.Test, inputs: pixelsIn(set.shape), outputs: set.classes, iterations: s.Iterations, diagonal: true}
	net := s.Net.job(mlpSize{n, n + s.Test, 1 + s.Net.Epochs/s.Every, m.inputs, m.outputs, imageLayers})
	return []need.Job{m.job(), net}, nil
}
