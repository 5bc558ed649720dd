package study

import (
	"context"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/cost"
)

// grownSpec is a spec that consists of one job, of a kind that was measured.
type grownSpec struct {
	toySpec
	job cost.Job
}

func (s *grownSpec) Run(_ context.Context, in Setting) (*Outcome, error) {
	return nil, in.AddJob(s.job, nil)
}

func TestCostScaled(t *testing.T) {
	c := cost.Resources{Seconds: 10, Bytes: cost.ProcessBytes + 1000}
	points, err := cost.Measured()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		s := &grownSpec{job: p.Job}
		if got := scaledCost(c, s, s); math.Abs(got.Seconds/c.Seconds-1) > 1e-9 ||
			math.Abs(got.Bytes/c.Bytes-1) > 1e-9 {
			t.Errorf("%+v: %+v", p.Job, got)
		}
	}
	for _, j := range []cost.Job{cost.Training{}, cost.Machine{Examples: math.NaN()},
		cost.Machine{Examples: math.Inf(1)}, cost.Machine{Examples: -1}} {
		if got := scaledCost(c, &grownSpec{job: cost.Machine{Examples: 100, Inputs: 10, Regressions: 1}},
			&grownSpec{job: j}); math.IsNaN(got.Seconds) || math.IsInf(got.Seconds, 0) {
			t.Errorf("of %+v: %+v, want what is not known", j, got)
		}
	}
	if got := scaledCost(c, &toySpec{}, &toySpec{}); got != (cost.Resources{}) {
		t.Errorf("%+v of a spec that knows nothing", got)
	}
}
