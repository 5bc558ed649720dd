package rfmpaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// depthStudy trains networks of 1 to depths hidden layers, and fits kernels to
// the same examples as they are, and as the first layers of the networks see them
// (rfm, section 6).
type depthStudy struct {
	in     study.Setting
	net    setups.NetworkSpec
	depths int
	ridge  float64
	// centred is that of the networks' AGOPs.
	centred bool
	draws   int // of the nulls
	task    rfm.Task

	train, validation, test rfm.Examples
}

// depthResult is what a depth gives on the test examples.
type depthResult struct {
	depth   int
	trained *setups.TrainedNetwork
	scores  map[learner]rfm.Scores
	// scales say what W₁ᵀW₁ was divided by, chosen on the validation examples.
	scales   map[learner]string
	initial  []float64 // the diagonal of W₁ᵀW₁ before training
	diagonal []float64 // and after
	features *setups.FeatureAlignment
}

// learner is a row of the paper's tables.
type learner string

const (
	byNetwork  learner = "network"
	byNTK      learner = "NTK"
	byNTKSeen  learner = "NTK + W₁ᵀW₁"
	byLaplace  learner = "Laplace"
	byLapSeen  learner = "Laplace + W₁ᵀW₁"
	onTraining learner = "network, training"
)

// learners are those of the paper's tables, in their order.
func learners() []learner {
	return []learner{byNetwork, byNTK, byNTKSeen, byLaplace, byLapSeen}
}

// key names a learner's values.
func (l learner) key() string {
	return map[learner]string{byNetwork: "net", byNTK: "ntk", byNTKSeen: "ntkw", byLaplace: "laplace", byLapSeen: "laplacew"}[l]
}

// run studies all depths. The Laplace kernel, which has no depth, has its scores
// at the first.
func (s *depthStudy) run(ctx context.Context) ([]*depthResult, error) {
	d, err := backend.Open(backend.Options{Threads: s.in.Threads})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var all []*depthResult
	for depth := 1; depth <= s.depths; depth++ {
		r := &depthResult{depth: depth, scores: map[learner]rfm.Scores{}, scales: map[learner]string{}}
		if err := s.network(ctx, d, r); err != nil {
			return nil, err
		}
		if err := s.kernels(ctx, r); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// network trains and measures the network.
func (s *depthStudy) network(ctx context.Context, d *backend.Device, r *depthResult) (err error) {
	if r.trained, err = s.net.Train(ctx, r.depth, s.train, s.validation, s.in); err != nil {
		return err
	}
	for l, e := range map[learner]rfm.Examples{byNetwork: s.test, onTraining: s.train} {
		if r.scores[l], err = setups.ScoreNetwork(ctx, d, r.trained.Net, e, s.task); err != nil {
			return err
		}
	}
	r.initial = setups.SquaredColumns(setups.FirstFilters(r.trained.Initial))
	r.diagonal = setups.SquaredColumns(setups.FirstFilters(r.trained.Net))
	r.features, err = setups.AlignFeatures(ctx, d, r.trained.Net, s.train.X, s.centred, s.draws, s.in.Seed)
	return err
}

// kernels fits the kernels.
func (s *depthStudy) kernels(ctx context.Context, r *depthResult) error {
	kernels := map[learner]rfm.Kernel{byNTK: rfm.NTK{Depth: r.depth}, byNTKSeen: rfm.NTK{Depth: r.depth}, byLaplace: rfm.Laplace{}, byLapSeen: rfm.Laplace{}}
	for _, l := range learners()[1:] {
		m := rfm.Machine{Kernel: kernels[l], Ridge: s.ridge, Task: s.task}
		var err error
		switch {
		case l == byNTKSeen || l == byLapSeen:
			err = s.seen(ctx, m, l, r)
		case l == byNTK || r.depth == 1:
			var scores []rfm.Scores
			name := fmt.Sprintf("%s, depth %d", l, r.depth)
			if scores, err = kernelScores(ctx, s.in, name, m, s.train, s.test); err == nil {
				r.scores[l] = scores[0]
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// seen fits a kernel in the metric W₁ᵀW₁: as it is, divided by its largest
// element, and by its trace over d. The paper does not say which; the one with
// the least error on the validation examples is taken.
func (s *depthStudy) seen(ctx context.Context, m rfm.Machine, l learner, r *depthResult) error {
	w := setups.FirstFilters(r.trained.Net)
	best := rfm.Scores{}
	for _, scale := range []struct {
		name string
		by   float64
	}{{"none", 1}, {"max", floats.Max(r.diagonal)}, {"trace", floats.Sum(r.diagonal) / float64(len(r.diagonal))}} {
		see := func(e rfm.Examples) rfm.Examples {
			return rfm.Examples{X: setups.ApplyFirstLayer(w, e.X, scale.by), Y: e.Y}
		}
		name := fmt.Sprintf("%s, depth %d, scale %s", l, r.depth, scale.name)
		scores, err := kernelScores(ctx, s.in, name, m, see(s.train), see(s.validation), see(s.test))
		if err != nil {
			return fmt.Errorf("%s of a network of depth %d: %w", l, r.depth, err)
		}
		if r.scales[l] == "" || scores[0].MSE < best.MSE {
			best, r.scales[l], r.scores[l] = scores[0], scale.name, scores[1]
		}
	}
	return nil
}

// kernelScores fits a kernel machine that learns no features, and scores it on
// each of some examples.
func kernelScores(ctx context.Context, in study.Setting, name string, m rfm.Machine, train rfm.Examples, on ...rfm.Examples) ([]rfm.Scores, error) {
	m.Select = rfm.Last
	model, err := in.Fit(ctx, name, m, train)
	if err != nil {
		return nil, err
	}
	var all []rfm.Scores
	for _, e := range on {
		s, err := model.Score(ctx, e.X, e.Y)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// depthMatrices are the feature matrices to be kept: whole where there are few
// features, else the diagonal.
func depthMatrices(all []*depthResult) map[string]*mat.Dense {
	out := map[string]*mat.Dense{}
	for _, r := range all {
		if name := fmt.Sprintf("W1tW1-depth%d", r.depth); len(r.diagonal) <= 100 {
			out[name] = mat.DenseCopyOf(setups.NetworkMetric(r.trained.Net).Dense())
		} else {
			out[name+"-diagonal"] = mat.NewDense(1, len(r.diagonal), r.diagonal)
		}
	}
	return out
}
