package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// askSlurm runs one of Slurm's commands and returns what it prints.
func askSlurm(ctx context.Context, command string, args ...string) (string, error) {
	const patience = time.Minute // a busy controller answers late
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var stderr tail
	c := exec.CommandContext(ctx, command, args...)
	c.Stderr = &stderr
	c.WaitDelay = killAfter
	out, err := c.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", usageError{fmt.Errorf("no Slurm here: %w; --engine local works without it", err)}
	case err != nil && ctx.Err() != nil:
		return "", fmt.Errorf("%s does not answer: %w", command, ctx.Err())
	case err != nil:
		return "", fmt.Errorf("%s: %w: %s", command, err, strings.TrimSpace(string(stderr.text)))
	}
	return string(out), nil
}

// slurmTasks returns the tasks of a submission that Slurm still knows. It adds to the submission the jobs that are
// not on its record; see [shard.Submission.AddMarked].
func slurmTasks(ctx context.Context, sub *shard.Submission) ([]shard.Task, error) {
	squeue := []string{"--noheader", "--array", "--states=all", "--format=" + shard.QueueFormat}
	if sub.HasUnknownJobs() {
		text, err := askSlurm(ctx, "squeue", squeue...)
		if err != nil {
			return nil, err
		}
		sub.AddMarked(shard.ParseQueue(text))
	}
	var all []shard.Task
	for _, id := range sub.Jobs() { // one by one, since squeue fails if it has forgotten an ID
		text, err := askSlurm(ctx, "squeue", append(squeue, "--jobs="+id)...)
		if err != nil && strings.Contains(err.Error(), "Invalid job id") {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, shard.ParseQueue(text)...)
	}
	return all, nil
}
