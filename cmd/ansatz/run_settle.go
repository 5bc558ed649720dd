package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// planLooks sets the first look of the runs that are to be settled, and returns all looks: the numbers of seeds after which
// claims are judged. Statements need no more seeds than they have by default.
func (f runFlags) planLooks(runs []study.Run) (study.Looks, error) {
	if f.scale == string(study.Smoke) {
		return nil, usageError{fmt.Errorf("--until-settled: scale smoke gives no verdicts: take --scale small")}
	}
	looks, err := study.PlanLooks(f.seeds, f.maxSeeds)
	if err != nil {
		return nil, usageError{fmt.Errorf("--until-settled with --seeds %d and --max-seeds %d: want --seeds of at least %d, "+
			"and --max-seeds no smaller", f.seeds, f.maxSeeds, study.MinSeeds)}
	}
	for i := range runs {
		if !runs[i].Experiment.Source().Stated {
			runs[i].Looks, runs[i].Seeds = looks, looks[0]
		}
	}
	return looks, nil
}

// atMost returns the runs with as many seeds as the last look has.
func atMost(runs []study.Run, looks study.Looks) []study.Run {
	all := append([]study.Run(nil), runs...)
	for i := range all {
		if all[i].Looks != nil {
			all[i].Seeds = looks[len(looks)-1]
		}
	}
	return all
}

// settle makes the runs, look by look, with more seeds for those that have undecided claims.
func (w *runWork) settle(ctx context.Context, runs []study.Run, looks study.Looks) error {
	failed := &study.FailedError{Of: len(runs)}
	for i, n := range looks {
		w.undecided, w.again, w.last = map[string]bool{}, i > 0, i == len(looks)-1
		err := w.makeRuns(ctx, runs)
		var some *study.FailedError
		switch {
		case errors.As(err, &some):
			failed.Failed = append(failed.Failed, some.Failed...)
		case err != nil && len(runs) == 1 && failed.Of > 1 && !checkpoint.Interrupted(err): // of the last run that is left
			failed.Failed = append(failed.Failed, study.FailedRun{ID: runs[0].Experiment.ID, Err: err})
		case err != nil:
			return err
		}
		var left []study.Run
		for _, r := range runs {
			if w.undecided[r.Experiment.ID] {
				r.Seeds, r.Resume = looks[min(i+1, len(looks)-1)], true
				left = append(left, r)
			}
		}
		if runs = left; len(runs) == 0 {
			break
		}
		w.flags.resume = true // the seeds that are there are kept
		w.logf("%s with undecided claims after %d seeds: going on to %d.", words.Count(len(runs), "experiment"), n,
			looks[i+1])
	}
	if len(failed.Failed) == 0 {
		return nil
	}
	return failed
}

// goesOn reports whether a run has undecided claims and another look follows. It notes such a run in undecided.
func (w *runWork) goesOn(r *study.Record) bool {
	if w.last || w.undecided == nil || r.Undecided() == 0 || len(r.Looks) == 0 {
		return false
	}
	w.undecided[r.ID] = true
	return true
}
