package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// localWork is the state of ansatz submit --engine local.
type localWork struct {
	*app
	plan  *shard.Plan
	jobs  int
	limit time.Duration // of a shard; 0 is none
}

// submitLocal makes shards in processes on this machine, and merges.
func (a *app) submitLocal(
	ctx context.Context, plan *shard.Plan, f *submitFlags, earlier *shard.Submission, shards []int,
) error {
	jobs, err := localJobs(plan, f.jobs, len(shards), record.AvailableMemory())
	if err != nil {
		return err
	}
	if f.dryRun {
		if a.json {
			return a.print(struct {
				Shards []int `json:"shards"`
				Jobs   int   `json:"jobs"`
			}{shards, jobs})
		}
		_, err := fmt.Fprintf(a.streams.out, "%s, %d at once: %s\n", words.Count(len(shards), "shard"), jobs, shard.Array(shards, 0))
		return err
	}
	sub, err := a.newSubmission(ctx, plan, f, earlier, shards)
	if err != nil {
		return err
	}
	if err := sub.Write(a.out); err != nil {
		return err
	}
	w := &localWork{app: a, plan: plan, jobs: jobs, limit: time.Duration(f.slurm.Time)}
	if err := w.makeShards(ctx, shards); err != nil {
		return err
	}
	return a.mergePlan(ctx, plan)
}

// localJobs returns how many shards to make at once: as many as asked for or, for 0, as there are cores for (one on a
// GPU) and memory, of which free bytes are left. It returns a usage error if memory is too small for what was asked for.
func localJobs(plan *shard.Plan, asked, shards int, free int64) (int, error) {
	fit := shards
	bytes := slices.MaxFunc(plan.Units, func(u, v shard.Unit) int { return cmp.Compare(u.Bytes, v.Bytes) }).Bytes
	if bytes > 0 && free > 0 {
		fit = max(1, int(min(float64(free)/bytes, float64(shards))))
	}
	if asked > fit && asked <= shards {
		return 0, usageError{fmt.Errorf("--jobs %d: there is memory for %d", asked, fit)}
	}
	if asked == 0 {
		asked = max(1, runtime.GOMAXPROCS(0)/plan.Threads)
		if plan.Backend == "gpu" {
			asked = 1 // there is one device
		}
	}
	return min(asked, fit), nil
}

// endedShard is a shard that ended, with its error.
type endedShard struct {
	shard int
	err   error
}

// makeShards makes shards, several at once. Its error lists those that failed.
func (w *localWork) makeShards(ctx context.Context, shards []int) error {
	bar := progress.NewUnits(w.tty(), w.plan, w.out)
	defer bar.Close()
	var failed []endedShard
	results := w.startWorkers(ctx, shards)
	for tick := time.NewTicker(time.Second); ; {
		select {
		case r, more := <-results:
			if !more {
				tick.Stop()
				bar.Close()
				return w.unmadeError(ctx, failed)
			}
			if r.err == nil {
				bar.Print(func() { w.logf("Shard %d of %d: finished", r.shard, len(w.plan.Shards)) })
			}
			if r.err != nil && ctx.Err() == nil {
				failed = append(failed, r)
			}
		case now := <-tick.C:
			bar.Draw(shard.StatusOf(w.plan, w.out), now)
		}
	}
}

// startWorkers makes shards in other goroutines, and sends each that has ended.
func (w *localWork) startWorkers(ctx context.Context, shards []int) <-chan endedShard {
	next, results := make(chan int), make(chan endedShard)
	var workers sync.WaitGroup
	for range w.jobs {
		workers.Go(func() {
			for s := range next {
				results <- endedShard{s, w.makeShard(ctx, s)}
			}
		})
	}
	go func() {
		defer close(results)
		defer workers.Wait()
		defer close(next)
		for _, s := range shards {
			select {
			case next <- s:
			case <-ctx.Done():
				return
			}
		}
	}()
	return results
}

// errStopped is the error of a shard whose process was stopped, or left units to others.
var errStopped = errors.New("it was stopped before it was finished")

// makeShard makes a shard in a process of its own.
func (w *localWork) makeShard(ctx context.Context, shard int) error {
	if w.limit > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, w.limit)
		defer cancel()
	}
	stderr, err := runChild(ctx, w.shardArgs(w.plan, shard))
	code, exited := exitCode(err)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return w.plan.NoteEnd(w.out, shard, fmt.Errorf("it took longer than --time %v, and was stopped", w.limit))
	case exited && code == exitResume:
		return errStopped
	case stderr == nil || stderr.message() == "":
		return w.plan.NoteEnd(w.out, shard, fmt.Errorf("its process ended: %w", err))
	}
	return errors.New(stderr.message())
}

// unmadeError returns the error of shards that were not made: it lists those that failed or, if none did,
// says that there is more to do.
func (w *localWork) unmadeError(ctx context.Context, ended []endedShard) error {
	var b strings.Builder
	failed := 0
	slices.SortFunc(ended, func(r, s endedShard) int { return r.shard - s.shard })
	for _, r := range ended {
		if !errors.Is(r.err, errStopped) {
			failed++
			fmt.Fprintf(&b, "\n  shard %d: %s", r.shard, strings.ReplaceAll(r.err.Error(), "\n", "\n  "))
		}
	}
	s := shard.StatusOf(w.plan, w.out)
	if failed > 0 {
		return fmt.Errorf("%d of %d shards failed, and nothing was merged; %d of %d units are finished. ansatz "+
			"resume runs the rest.%s", failed, len(s.Shards), s.Whole, s.Units, &b)
	}
	running := 0
	for _, shardStatus := range s.Shards {
		if shardStatus.State == shard.Running {
			running++
		}
	}
	if s.Whole < s.Units || ctx.Err() != nil {
		return &shard.StoppedError{Out: w.out, Done: s.Whole, Of: s.Units, ByOthers: running,
			Interrupts: ctx.Err() != nil || running == 0}
	}
	return nil
}
