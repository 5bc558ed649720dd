package alignmentpaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// machineState is an iteration of the recursive feature machine. Checkpoints keep its exported fields.
type machineState struct {
	Iteration     int
	M, Next       *rfm.Metric // of this iteration's kernel, and the next one's
	Train, Test   rfm.Scores
	Solved        string      // by which method
	circularity   circularity // of the block of M; NaN for M = I
	alignment     float64     // cosine of M with the last M
	alignmentNull float64     // the same with the values of either number permuted at random
}

// machine returns a kernel machine in a metric.
func (s *ModularSpec) machine(in study.Setting, metric *rfm.Metric) rfm.Machine {
	return rfm.Machine{Kernel: rfm.Gaussian{Bandwidth: s.Bandwidth}, Metric: metric, Task: rfm.Classification,
		Select: rfm.Last, Precision: graph.Double, Seed: in.Seed, Threads: in.Threads, Memory: record.AvailableMemory()}
}

// fitMachine runs the recursive feature machine on a task, with M ← AGOP^½ of the centred gradients. In a dry run it
// returns nil.
func (s *ModularSpec) fitMachine(ctx context.Context, in study.Setting, t *modularTask) ([]machineState, error) {
	if in.Dry() {
		m := s.machine(in, nil)
		m.Iterations = s.Iterations
		model, err := in.Fit(ctx, t.name, m, t.train)
		if err == nil {
			_, err = in.Score(ctx, model, t.test)
		}
		return nil, err
	}
	all := make([]machineState, s.Iterations+1)
	metric := rfm.Identity(2 * t.p)
	for k := range all {
		name := fmt.Sprintf("RFM on %s, iteration %d", t.name, k)
		state, err := study.Keep(in, name, s, func() (machineState, error) { return s.iterate(ctx, in, t, metric, k) })
		if err != nil {
			return nil, err
		}
		all[k], metric = state, state.Next
		in.Report("RFM on "+t.name, k+1, len(all))
	}
	return all, s.compareMetrics(in, t, all)
}

// iterate fits the kernel machine of a metric, and finds the next one.
func (s *ModularSpec) iterate(ctx context.Context, in study.Setting, t *modularTask, metric *rfm.Metric,
	k int) (machineState, error) {
	state := machineState{Iteration: k, M: metric}
	m := s.machine(in, metric)
	m.Each = func(it *rfm.Iteration) error {
		state.Train, state.Solved = it.Train, it.Solution.Method
		return nil
	}
	model, err := m.Fit(ctx, t.train.X, t.train.Y)
	if err != nil {
		return state, err
	}
	if state.Test, err = model.Score(ctx, t.test.X, t.test.Y); err != nil {
		return state, err
	}
	agop, err := model.AGOP(ctx, t.train.X, true)
	if err != nil {
		return state, err
	}
	state.Next, err = agop.ToPower(.5)
	return state, err
}

// compareMetrics measures how circulant the block of every M is, and how similar every M is to the last one.
func (s *ModularSpec) compareMetrics(in study.Setting, t *modularTask, all []machineState) error {
	last := all[len(all)-1].M.Dense()
	for k := range all {
		a, m := &all[k], all[k].M.Dense()
		nan := math.NaN()
		a.circularity = circularity{nan, nan, nan, nan}
		if k > 0 {
			rng := models.Stream(in.Seed, "null of the block")
			a.circularity = circularityOf(crossBlock(m), s.Draws, rng)
		}
		a.alignment = linalg.Cosine(m, last)
		var null []float64
		rng := models.Stream(in.Seed, "null of the alignment")
		for range s.Draws {
			null = append(null, linalg.Cosine(relabelled(m, rng), last))
		}
		a.alignmentNull = stat.Mean(null, nil)
	}
	return nil
}

// hidden returns how many iterations pass before the test accuracy first exceeds a limit.
func hidden(all []machineState, limit float64) int {
	for k, s := range all {
		if s.Test.Accuracy > limit {
			return k
		}
	}
	return len(all)
}

// fixedFeatures holds the test accuracies of kernel machines whose features were not learned.
type fixedFeatures struct{ circulant, hankel, renamed float64 }

// fitFixed fits kernel machines in the metrics (M*)^½ of a random circulant matrix, of a random Hankel matrix, and of
// the former with the values of either number permuted at random, which has the same spectrum but is neither.
func (s *ModularSpec) fitFixed(ctx context.Context, in study.Setting, t *modularTask) (f fixedFeatures, err error) {
	rng := models.Stream(in.Seed, "random circulant")
	fit := func(name string, of *mat.SymDense) (float64, error) {
		metric := rfm.FullMetric(of)
		if !in.Dry() {
			var err error
			if metric, err = metric.ToPower(.5); err != nil {
				return 0, err
			}
		}
		m := s.machine(in, metric)
		model, err := in.Fit(ctx, name, m, t.train)
		if err != nil {
			return 0, err
		}
		score, err := in.Score(ctx, model, t.test)
		return score.Accuracy, err
	}
	m := alongDifference.randomCirculant(t.p, rng)
	if f.circulant, err = fit("random circulant features", m); err != nil {
		return f, err
	}
	if f.renamed, err = fit("random features that are not circulant", relabelled(m, rng)); err != nil {
		return f, err
	}
	f.hankel, err = fit("random Hankel features", alongSum.randomCirculant(t.p, rng))
	return f, err
}
