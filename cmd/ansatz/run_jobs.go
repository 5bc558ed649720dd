package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// makeInChild makes a seed in a process of its own.
func (w *runWork) makeInChild(ctx context.Context, s study.PlannedSeed) error {
	stderr, err := runChild(ctx, w.jobArgs(s))
	code, exited := exitCode(err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case exited && code == exitResume:
		return &checkpoint.InterruptedError{Checkpoint: w.out}
	case exited && code == exitUsage:
		return &input.Error{Err: errors.New(stderr.message())}
	case stderr == nil || stderr.message() == "":
		return err // the process could not be started, or was killed
	}
	return errors.New(stderr.message())
}

// jobArgs returns the arguments of the process that makes a seed.
func (w *runWork) jobArgs(s study.PlannedSeed) []string {
	args := []string{
		"run", s.Run.Experiment.ID, "--only-seeds", "--scale", w.flags.scale, "--seed",
		strconv.FormatUint(s.Seed, 10), "--seeds", "1",
		"--threads", strconv.Itoa(max(1, w.threads/w.flags.jobs)), "--out", w.out, "--quiet",
	}
	if w.flags.resume {
		args = append(args, "--resume")
	}
	if w.flags.spec != "" {
		args = append(args, "--spec", w.flags.spec)
	}
	if w.dataDir != "" {
		args = append(args, "--data-dir", w.dataDir)
	}
	return args
}
