package study

import (
	"context"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/cost"
)

// grownSpec is a spec that consists of one job.
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

// TestPredicted checks that on a GPU the time is that of the GPU's model, and the memory is unknown. For a device, or a
// kind of job on a GPU, that was not measured, both are unknown.
func TestPredicted(t *testing.T) {
	devices, _, err := cost.GPUs()
	if err != nil {
		t.Fatal(err)
	}
	machine := &grownSpec{job: cost.Machine{Examples: 5000, Inputs: 100, Outputs: 10, Regressions: 2, Sample: 5000}}
	want, err := cost.OnGPU(devices[0], machine.job)
	if got := Predicted(devices[0], machine); err != nil || want <= 0 || got != (cost.Resources{Seconds: want}) {
		t.Errorf("%+v, want %g seconds: %v", got, want, err)
	}
	if got := Predicted("", machine); got.Seconds <= want || got.Bytes <= 0 {
		t.Errorf("on a thread %+v, on the GPU %g seconds", got, want)
	}
	table := &grownSpec{job: cost.Table{Fits: 1, Rows: 10, Data: 10}}
	if a, b := Predicted(devices[0], table), Predicted("abacus", machine); a != b || a != (cost.Resources{}) {
		t.Errorf("%+v and %+v of what was not measured", a, b)
	}
}
