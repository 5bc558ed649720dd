package study

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/rfm"
)

// drySpec is a spec that reads examples without values, fits a machine, scores it in every iteration, and adds another
// job.
type drySpec struct {
	toySpec
	iterations int
	other      cost.Job
}

func (s *drySpec) Run(ctx context.Context, in Setting) (*Outcome, error) {
	in.AddReading(cost.Reading{Opened: 7})
	train := rfm.Examples{X: linalg.Outline(100, 5), Y: linalg.Outline(100, 3)}
	test := rfm.Examples{X: linalg.Outline(40, 5), Y: linalg.Outline(40, 3)}
	m := rfm.Machine{Iterations: s.iterations, Sample: 30, Diagonal: true}
	m.Each = func(it *rfm.Iteration) error {
		_, err := in.Score(ctx, it.Model(), test)
		return err
	}
	if _, err := in.Fit(ctx, "machine", m, train); err != nil {
		return nil, err
	}
	return nil, in.AddJob(s.other, nil)
}

func TestDryRun(t *testing.T) {
	other := cost.Training{Steps: 3}
	want := []cost.Job{cost.Machine{
		Reading:  cost.Reading{Opened: 7}, // of the first job alone
		Examples: 80, Inputs: 5, Outputs: 3, Regressions: 4, Sample: 30, Diagonal: 1,
		Tested: 20 + 40, // the held-out examples, and the test examples, in each of the iterations
	}, other}
	jobs, err := DryRun(&drySpec{iterations: 3, other: other})
	if err != nil || !slices.Equal(jobs, want) {
		t.Errorf("%v\n%+v, want\n%+v", err, jobs, want)
	}
	if jobs, err = DryRun(&drySpec{iterations: math.MaxInt, other: other}); err != nil || len(jobs) != 2 {
		t.Errorf("many iterations: %v, %+v", err, jobs)
	}
	if _, err := DryRun(&panicking{}); err == nil {
		t.Error("a panic is no error")
	}
}

// A dry run that takes too long, because the spec computes something, is ended.
func TestDryRunEnds(t *testing.T) {
	late := Setting{dry: &dryRun{began: time.Now().Add(-2 * longestDryRun)}}
	defer func() {
		if recover() == nil {
			t.Error("the dry run goes on")
		}
	}()
	late.Report("working", 0, 1)
}

type panicking struct{ toySpec }

func (*panicking) Run(context.Context, Setting) (*Outcome, error) { panic("no outline") }
