package study

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Batch makes the seeds of a plan, several at a time, and shows the runs in order. A seed that fails ends its run; the
// other runs continue.
type Batch struct {
	Plan *Plan
	// Jobs is the number of seeds that run at the same time; 0 stands for 1. Without Make it is always 1.
	Jobs int
	// Make, if not nil, makes a seed in another process, which writes the seed's folder.
	Make func(ctx context.Context, s PlannedSeed) error
	// Begin and End, if not nil, are called for every seed that is made, and Show, if not nil, for
	// every run that is complete. Calls do not overlap.
	Begin, End func(s PlannedSeed)
	Show       func(r *Record) error

	mu     sync.Mutex
	begun  int // the number of Plan.Seeds that were begun
	made   map[seedFolder]bool
	failed map[string]error // by the folder of a run
	shown  int              // runs
	lost   []FailedRun
	stop   error // the error that keeps further seeds from being begun
}

// Run makes the seeds. It returns the error of the run if there is one run, a [*FailedError] if
// there are several, and a [*StoppedError] if the batch was interrupted.
func (b *Batch) Run(ctx context.Context) error {
	b.made, b.failed = map[seedFolder]bool{}, map[string]error{}
	for _, s := range b.Plan.There {
		b.made[s.folder] = true
	}
	b.showComplete(ctx)
	jobs := max(1, b.Jobs)
	if b.Make == nil {
		jobs = 1
	}
	var all sync.WaitGroup
	for range jobs {
		all.Go(func() {
			for s, ok := b.next(ctx); ok; s, ok = b.next(ctx) {
				b.recordEnd(ctx, s, b.makeSeed(ctx, s))
			}
		})
	}
	all.Wait()
	return b.result(ctx)
}

// next returns the next seed whose run has not failed, and whether there is one.
func (b *Batch) next(ctx context.Context) (PlannedSeed, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.begun < len(b.Plan.Seeds) && b.stop == nil && ctx.Err() == nil {
		s := b.Plan.Seeds[b.begun]
		b.begun++
		if b.failed[s.folder.run()] == nil {
			callIfSet(b.Begin, s)
			return s, true
		}
		callIfSet(b.End, s)
	}
	return PlannedSeed{}, false
}

// callIfSet calls f if it is not nil.
func callIfSet(f func(PlannedSeed), s PlannedSeed) {
	if f != nil {
		f(s)
	}
}

// makeSeed makes a seed, by Make if that is set.
func (b *Batch) makeSeed(ctx context.Context, s PlannedSeed) error {
	if b.Make != nil {
		return b.Make(ctx, s)
	}
	return s.Make(ctx)
}

// recordEnd records the result of a seed, and shows the runs that it completes.
func (b *Batch) recordEnd(ctx context.Context, s PlannedSeed, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	callIfSet(b.End, s)
	switch {
	case err == nil:
		b.made[s.folder] = true
	case ctx.Err() != nil && !checkpoint.IsUnsaved(err):
		return
	case checkpoint.Interrupted(err):
		b.stop = err
		return
	case b.failed[s.folder.run()] == nil:
		b.failed[s.folder.run()] = fmt.Errorf("%s, seed %d: %w", s.Run.Experiment.ID, s.Seed, err)
	}
	b.showComplete(ctx)
}

// showComplete shows the runs in their order, up to the first that is neither complete nor failed.
func (b *Batch) showComplete(ctx context.Context) {
	for ; b.shown < len(b.Plan.runs) && b.stop == nil && ctx.Err() == nil; b.shown++ {
		r := b.Plan.runs[b.shown]
		err := b.failed[r.folder]
		if err == nil {
			for _, f := range r.seeds {
				if !b.made[f] {
					return
				}
				r.Made.add(f)
			}
			err = b.showRun(ctx, r.Run)
		}
		if checkpoint.Interrupted(err) {
			b.stop = err // the run is not shown yet
			return
		}
		if err != nil {
			b.lost = append(b.lost, FailedRun{r.Experiment.ID, err})
		}
	}
}

// showRun judges a run whose seeds are all made, and calls Show.
func (b *Batch) showRun(ctx context.Context, r Run) error {
	record, err := r.Run(ctx)
	if err != nil || b.Show == nil {
		return err
	}
	return b.Show(record)
}

// result returns the error of Run.
func (b *Batch) result(ctx context.Context) error {
	runs := b.Plan.runs
	switch {
	case b.shown < len(runs) && (ctx.Err() != nil || b.stop != nil):
		return &StoppedError{Done: len(b.made), Of: len(b.Plan.Seeds) + len(b.Plan.There), Out: runs[0].Out,
			Failed: b.lost}
	case len(b.lost) == 0:
		return nil
	case len(runs) == 1:
		return b.lost[0].Err
	}
	return &FailedError{b.lost, len(runs)}
}

// FailedRun is an experiment that failed.
type FailedRun struct {
	ID  string
	Err error
}

// FailedError reports which of several experiments failed.
type FailedError struct {
	Failed []FailedRun
	Of     int
}

// Error has a line for each failed experiment.
func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of %s failed; the others are finished:%s", len(e.Failed), words.Count(e.Of, "experiment"),
		failures(e.Failed))
}

// failures returns a line for each failed experiment.
func failures(all []FailedRun) string {
	var b strings.Builder
	for _, f := range all {
		text := f.Err.Error()
		if !strings.HasPrefix(text, f.ID) {
			text = f.ID + ": " + text // the error names the experiment that was run
		}
		fmt.Fprintf(&b, "\n  %s", text)
	}
	return b.String()
}

// StoppedError reports that a batch was interrupted and can continue.
type StoppedError struct {
	Done, Of int // seeds
	Out      string
	Failed   []FailedRun // before the interruption
}

// Interrupted returns true: the batch can continue.
func (e *StoppedError) Interrupted() bool { return true }

// Error says how many seeds are done, and how to continue.
func (e *StoppedError) Error() string {
	s := fmt.Sprintf("interrupted: %d of %s are in %s; run the same command again with --resume", e.Done,
		words.Count(e.Of, "seed"), e.Out)
	if len(e.Failed) > 0 {
		s += "\nBefore that there failed:" + failures(e.Failed)
	}
	return s
}
