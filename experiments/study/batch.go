package study

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/record"
)

// Batch makes the seeds of a plan and shows what came of its runs, in their order.
// What fails does not keep the others from being made.
type Batch struct {
	Plan *Plan
	// Jobs is how many seeds are made at once; 0 is 1, and so it is without Make.
	Jobs int
	// Make, if not nil, makes a seed: in another process, which leaves its folder.
	Make func(ctx context.Context, s PlannedSeed) error
	// Begin and End, if not nil, are told of every seed that is made, and Show, if
	// not nil, is given every run that is whole. None is called while another runs.
	Begin, End func(s PlannedSeed)
	Show       func(r *Record) error

	mu     sync.Mutex
	begun  int // seeds
	made   map[seedFolder]bool
	failed map[string]error // by the folder of a run
	shown  int              // runs
	lost   []FailedRun
	stop   error // nothing more is begun
}

// Run makes the seeds. Where there is one run it returns its error, where there are
// several a [*FailedError]; if it was interrupted, a [*StoppedError].
func (b *Batch) Run(ctx context.Context) error {
	b.made, b.failed = map[seedFolder]bool{}, map[string]error{}
	for _, s := range b.Plan.There {
		b.made[s.folder] = true
	}
	b.show(ctx)
	jobs := max(1, b.Jobs)
	if b.Make == nil {
		jobs = 1
	}
	var all sync.WaitGroup
	for range jobs {
		all.Go(func() {
			for s, ok := b.next(ctx); ok; s, ok = b.next(ctx) {
				b.ended(ctx, s, b.makeSeed(ctx, s))
			}
		})
	}
	all.Wait()
	return b.result(ctx)
}

// next begins the next seed of a run none of whose seeds has failed, if there is
// one.
func (b *Batch) next(ctx context.Context) (PlannedSeed, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.begun < len(b.Plan.Seeds) && b.stop == nil && ctx.Err() == nil {
		s := b.Plan.Seeds[b.begun]
		b.begun++
		if b.failed[s.folder.run()] == nil {
			tell(b.Begin, s)
			return s, true
		}
		tell(b.End, s)
	}
	return PlannedSeed{}, false
}

func tell(f func(PlannedSeed), s PlannedSeed) {
	if f != nil {
		f(s)
	}
}

func (b *Batch) makeSeed(ctx context.Context, s PlannedSeed) error {
	if b.Make != nil {
		return b.Make(ctx, s)
	}
	return s.Make(ctx)
}

// ended takes note of what became of a seed, and shows what is whole by it.
func (b *Batch) ended(ctx context.Context, s PlannedSeed, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	tell(b.End, s)
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
	b.show(ctx)
}

// show shows the runs, in their order, as far as they are whole or have failed.
func (b *Batch) show(ctx context.Context) {
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
			b.stop = err // it is yet to be shown
			return
		}
		if err != nil {
			b.lost = append(b.lost, FailedRun{r.Experiment.ID, err})
		}
	}
}

func (b *Batch) showRun(ctx context.Context, r Run) error {
	record, err := r.Run(ctx)
	if err != nil || b.Show == nil {
		return err
	}
	return b.Show(record)
}

// result is what became of all.
func (b *Batch) result(ctx context.Context) error {
	runs := b.Plan.runs
	switch {
	case b.shown < len(runs) && (ctx.Err() != nil || b.stop != nil):
		return &StoppedError{Done: len(b.made), Of: len(b.Plan.Seeds) + len(b.Plan.There), Out: runs[0].Out, Failed: b.lost}
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

// FailedError says which of several experiments failed.
type FailedError struct {
	Failed []FailedRun
	Of     int
}

// Error has a line for each.
func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of %s failed, the others are there:%s", len(e.Failed), record.Count(e.Of, "experiment"), failures(e.Failed))
}

// failures has a line for each.
func failures(all []FailedRun) string {
	var b strings.Builder
	for _, f := range all {
		text := f.Err.Error()
		if !strings.HasPrefix(text, f.ID) {
			text = f.ID + ": " + text // it is of the run that this one shows a part of
		}
		fmt.Fprintf(&b, "\n  %s", text)
	}
	return b.String()
}

// StoppedError is returned by a batch that was interrupted and can go on.
type StoppedError struct {
	Done, Of int // seeds
	Out      string
	Failed   []FailedRun // before it was interrupted
}

// Interrupted says that the batch can go on.
func (e *StoppedError) Interrupted() bool { return true }

// Error says what is done, and how to go on.
func (e *StoppedError) Error() string {
	s := fmt.Sprintf("interrupted: %d of %s are in %s; run the same command again with --resume", e.Done, record.Count(e.Of, "seed"), e.Out)
	if len(e.Failed) > 0 {
		s += "\nBefore that there failed:" + failures(e.Failed)
	}
	return s
}
