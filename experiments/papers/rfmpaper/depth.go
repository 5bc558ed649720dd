package rfmpaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
)

// depthStudy trains networks with 1 to depths hidden layers. To the same examples it fits kernels, both plain and in
// the metric W₁ᵀW₁ of each network's first layer (rfm, section 6).
type depthStudy struct {
	in     study.Setting
	net    setups.NetworkSpec
	depths int
	ridge  float64
	// centred subtracts the mean gradient from the networks' AGOPs.
	centred bool
	draws   int // rotations of the nulls
	task    rfm.Task

	train, validation, test rfm.Examples
}

// depthResult holds the results of one depth. In a dry run it has no numbers.
type depthResult struct {
	depth   int
	trained *setups.TrainedNetwork
	scores  map[learner]rfm.Scores // on the test examples
	// scales names the number by which W₁ᵀW₁ is divided, chosen on the validation examples.
	scales   map[learner]string
	initial  []float64 // the diagonal of W₁ᵀW₁ before training
	diagonal []float64 // and after
	features *setups.FeatureAlignment
}

// learner is a row of the paper's tables. The names of its measures begin with key.
type learner struct{ name, key string }

// The learners. onTraining is the network scored on its training examples.
var (
	byNetwork         = learner{"network", "net"}
	byNTK             = learner{"NTK", "ntk"}
	byNTKFeatures     = learner{"NTK + W₁ᵀW₁", "ntkw"}
	byLaplace         = learner{"Laplace", "laplace"}
	byLaplaceFeatures = learner{"Laplace + W₁ᵀW₁", "laplacew"}
	onTraining        = learner{name: "network, training"}

	learners = []learner{byNetwork, byNTK, byNTKFeatures, byLaplace, byLaplaceFeatures}
)

// run studies all depths. The scores of the Laplace kernel, which has no depth, are stored with the first depth.
func (s *depthStudy) run(ctx context.Context) ([]*depthResult, error) {
	if s.in.Dry() && s.depths > setups.MaxLayers {
		return nil, input.Errorf("%d depths: want at most %d", s.depths, setups.MaxLayers)
	}
	d, err := backend.Open(backend.Options{Threads: s.in.Threads})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var all []*depthResult
	for depth := 1; depth <= s.depths; depth++ {
		r := &depthResult{depth: depth, scores: map[learner]rfm.Scores{}, scales: map[learner]string{}}
		if err := s.trainNetwork(ctx, d, r); err != nil {
			return nil, err
		}
		if err := s.fitKernels(ctx, r); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// trainNetwork trains and measures the network.
func (s *depthStudy) trainNetwork(ctx context.Context, d *backend.Device, r *depthResult) (err error) {
	if r.trained, err = s.net.Train(ctx, r.depth, s.train, s.validation, s.in); err != nil {
		return err
	}
	if s.in.Dry() {
		return s.in.AddJobs(s.net.FirstLayerJobs(r.depth, s.train, s.draws), nil)
	}
	for l, e := range map[learner]rfm.Examples{byNetwork: s.test, onTraining: s.train} {
		if r.scores[l], err = setups.ScoreNetwork(ctx, d, r.trained.Net, e, s.task); err != nil {
			return err
		}
	}
	r.initial, r.diagonal = setups.NetworkDiagonal(r.trained.Initial), setups.NetworkDiagonal(r.trained.Net)
	r.features, err = setups.AlignFeatures(ctx, d, r.trained.Net, s.train.X, s.centred, s.draws, s.in.Seed)
	return err
}

// fitKernels fits the kernels, each plain and with the network's features.
func (s *depthStudy) fitKernels(ctx context.Context, r *depthResult) error {
	for _, k := range []struct {
		kernel            rfm.Kernel
		plain, onFeatures learner
	}{{rfm.NTK{Depth: r.depth}, byNTK, byNTKFeatures}, {rfm.Laplace{}, byLaplace, byLaplaceFeatures}} {
		m := rfm.Machine{Kernel: k.kernel, Ridge: s.ridge, Task: s.task}
		if k.plain == byNTK || r.depth == 1 {
			name := fmt.Sprintf("%s, depth %d", k.plain.name, r.depth)
			scores, err := kernelScores(ctx, s.in, name, m, s.train, s.test)
			if err != nil {
				return err
			}
			r.scores[k.plain] = scores[0]
		}
		if err := s.fitOnFeatures(ctx, m, k.onFeatures, r); err != nil {
			return err
		}
	}
	return nil
}

// featureScales are the candidates for the number by which W₁ᵀW₁ is divided, as functions of its diagonal.
var featureScales = []struct {
	name string
	by   func(diagonal []float64) float64
}{
	{"none", func([]float64) float64 { return 1 }},
	{"max", floats.Max},
	{"trace", func(diagonal []float64) float64 { return floats.Sum(diagonal) / float64(len(diagonal)) }},
}

// fitOnFeatures fits a kernel in the metric W₁ᵀW₁: undivided, divided by its largest element, and divided by its trace
// over d. The paper does not say which of them it uses; here it is the one with the least error on the validation
// examples.
func (s *depthStudy) fitOnFeatures(ctx context.Context, m rfm.Machine, l learner, r *depthResult) error {
	best := rfm.Scores{}
	for _, scale := range featureScales {
		project := func(e rfm.Examples) rfm.Examples {
			if s.in.Dry() {
				return rfm.Examples{X: linalg.Outline(linalg.RowCount(e.X), s.net.Width), Y: e.Y}
			}
			w := setups.FirstFilters(r.trained.Net)
			return rfm.Examples{X: setups.ApplyFirstLayer(w, e.X, scale.by(r.diagonal)), Y: e.Y}
		}
		name := fmt.Sprintf("%s, depth %d, scale %s", l.name, r.depth, scale.name)
		scores, err := kernelScores(ctx, s.in, name, m, project(s.train), project(s.validation), project(s.test))
		if err != nil {
			return fmt.Errorf("%s of a network of depth %d: %w", l.name, r.depth, err)
		}
		if r.scales[l] == "" || scores[0].MSE < best.MSE {
			best, r.scales[l], r.scores[l] = scores[0], scale.name, scores[1]
		}
	}
	return nil
}

// kernelScores fits a kernel machine that learns no features, and scores it on several sets of
// examples.
func kernelScores(
	ctx context.Context, in study.Setting, name string, m rfm.Machine, train rfm.Examples, tests ...rfm.Examples,
) ([]rfm.Scores, error) {
	m.Select = rfm.Last
	model, err := in.Fit(ctx, name, m, train)
	if err != nil {
		return nil, err
	}
	var all []rfm.Scores
	for _, e := range tests {
		s, err := in.Score(ctx, model, e)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
