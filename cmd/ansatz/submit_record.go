package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// submission is the record of what is about to be submitted, after what was submitted
// earlier, nil for nothing.
func (a *app) submission(
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
		Plan: plan.Hash, Engine: f.engine, Options: f.keep(a.dataDir), Program: self, Folder: folder,
		When: time.Now().UTC().Truncate(time.Second), Shards: shards,
	}
	if earlier != nil && f.force {
		s.Earlier, err = activeJobs(ctx, earlier)
	}
	return s, err
}

// activeJobs are the jobs of a submission that are not over.
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

// checkIdle refuses to submit what is being made, or waits to be.
func (a *app) checkIdle(ctx context.Context, s *shard.Status, engine string, sub *shard.Submission) error {
	var by []string
	for _, one := range s.Shards {
		if one.State == shard.Running {
			by = append(by, one.Now)
		}
	}
	if len(by) > 0 {
		return &shard.InputError{Err: &shard.BusyError{Out: a.out, By: some(by) + " being made"}}
	}
	if sub == nil || len(sub.Jobs()) == 0 {
		return nil
	}
	tasks, err := slurmTasks(ctx, sub)
	if err != nil && engine == localEngine {
		a.say("Whether Slurm makes shards of it cannot be told: %v", err)
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
		return &shard.InputError{Err: &shard.BusyError{Out: a.out, By: some(by) + " in Slurm's queue"}}
	}
	return nil
}

// taskName is as Slurm's commands know it.
func taskName(t shard.Task) string {
	if t.Shard == 0 {
		return t.Job
	}
	return fmt.Sprintf("%s_%d", t.Job, t.Shard)
}

// some of a list, and how many more, with the verb.
func some(list []string) string {
	const most = 3
	if len(list) == 1 {
		return list[0] + " is"
	}
	s := strings.Join(list[:min(most, len(list))], ", ")
	if more := len(list) - most; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s + " are"
}
