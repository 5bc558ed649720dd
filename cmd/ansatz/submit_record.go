package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// newSubmission returns the record of what is about to be submitted. Earlier is the last submission, or nil.
func (a *app) newSubmission(
	ctx context.Context, plan *shard.Plan, f *submitFlags, earlier *shard.Submission, shards []int,
) (*shard.Submission, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s := &shard.Submission{
		Plan: plan.Hash, Engine: f.engine, Options: f.givenOptions(a.dataDir), Program: self, Folder: folder,
		When: time.Now().UTC().Truncate(time.Second), Shards: shards,
	}
	if f.engine == slurmEngine {
		s.Mark = "ansatz-" + rand.Text()
	}
	if earlier != nil && (f.force || f.engine == localEngine) { // else none is active
		s.Earlier, err = activeJobs(ctx, earlier)
	}
	if err != nil && f.engine == localEngine { // Slurm is not needed now; it may be asked later
		s.Earlier, err = earlier.Jobs(), nil
	}
	return s, err
}

// activeJobs returns the jobs of a submission that are not over.
func activeJobs(ctx context.Context, sub *shard.Submission) ([]string, error) {
	tasks, err := slurmTasks(ctx, sub)
	var ids []string
	for _, t := range tasks {
		if t.Active() && !slices.Contains(ids, t.Job) {
			ids = append(ids, t.Job)
		}
	}
	return ids, err
}

// orphansEnd is how long the processes of a submit that was killed may take to end: they notice at once, and
// are killed after killAfter.
const orphansEnd = killAfter + 5*time.Second

// runningUnits returns the units of the plan that are being made. This process holds the submitter's lock: if
// the last submission was local, its process has ended, and the processes that it started are about to end.
// runningUnits waits for them.
func (a *app) runningUnits(ctx context.Context, plan *shard.Plan, sub *shard.Submission) []string {
	by := shard.StatusOf(plan, a.out).Running()
	if len(by) == 0 || sub == nil || sub.Engine != localEngine {
		return by
	}
	a.logf("%s being made, perhaps by processes of a submit that was killed: waiting up to %v for them to end",
		joinSome(by), orphansEnd)
	const poll = 100 * time.Millisecond
	for range orphansEnd / poll {
		select {
		case <-ctx.Done():
			return by
		case <-time.After(poll):
		}
		if by = shard.StatusOf(plan, a.out).Running(); len(by) == 0 {
			break
		}
	}
	return by
}

// checkIdle returns a [*shard.BusyError] if shards of the plan are being made or are queued.
func (a *app) checkIdle(ctx context.Context, plan *shard.Plan, engine string, sub *shard.Submission) error {
	by := a.runningUnits(ctx, plan, sub)
	if len(by) > 0 {
		return &shard.InputError{Err: &shard.BusyError{Out: a.out, By: joinSome(by) + " being made"}}
	}
	if sub == nil || len(sub.Jobs()) == 0 && !sub.HasUnknownJobs() {
		return nil
	}
	tasks, err := slurmTasks(ctx, sub)
	if err != nil && engine == localEngine {
		a.logf("Whether Slurm runs shards of the plan is unknown: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	for _, t := range tasks {
		if t.Active() {
			by = append(by, taskName(t))
		}
	}
	if len(by) > 0 {
		return &shard.InputError{Err: &shard.BusyError{Out: a.out, By: joinSome(by) + " in Slurm's queue"}}
	}
	return nil
}

// taskName returns the ID of a task in Slurm's commands.
func taskName(t shard.Task) string {
	if t.Shard == 0 {
		return t.Job
	}
	return fmt.Sprintf("%s_%d", t.Job, t.Shard)
}

// joinSome joins the first elements of a list, says how many more there are, and ends in is or are.
func joinSome(list []string) string {
	if len(list) == 1 {
		return list[0] + " is"
	}
	return words.Some(list, 3) + " are"
}
