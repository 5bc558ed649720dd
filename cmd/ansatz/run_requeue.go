package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// slurmTask is the task of Slurm that this process runs in. Only tasks that ansatz submitted are requeued.
type slurmTask struct {
	*app
	id      string // for scontrol; "" if the task is never requeued
	attempt *shard.Attempt
	unit    shard.Unit // the one being made
}

// timeOverFlag is the flag that the script of a task gives if SIGUSR1 came before the program began.
const timeOverFlag = "time-over"

// arrayVariable is the environment variable with the job ID of the task's array.
const arrayVariable = "SLURM_ARRAY_JOB_ID"

// slurmTask returns the task that this process runs in.
func (a *app) slurmTask(plan *shard.Plan, f runFlags, s shardFlag) *slurmTask {
	array, number := os.Getenv(arrayVariable), os.Getenv(taskVariable)
	if !f.requeue || s.index == 0 || array == "" || number == "" {
		return &slurmTask{app: a}
	}
	return &slurmTask{app: a, id: array + "_" + number, attempt: shard.BeginAttempt(plan, a.out, s.index, array)}
}

// requeueIfOver asks Slurm to start the task again if its time was over before its shard was complete; err
// is the error of the shard. It asks while the process still runs, since the merging job could begin as
// soon as the task has ended.
func (t *slurmTask) requeueIfOver(ctx context.Context, err error) error {
	if err == nil || t.id == "" || !timeOver(ctx) {
		return err
	}
	if stalled := t.attempt.Again(t.unit); stalled != nil {
		return stalled
	}
	fmt.Fprintln(t.err, "The time of this task is over. It is requeued.")
	said, failed := exec.Command("scontrol", "requeue", t.id).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(failed, &exit) && exit.ExitCode() < 0 {
		return err // Slurm killed scontrol together with the task
	}
	if failed != nil {
		fmt.Fprintf(t.err, "scontrol requeue %s: %v: %s; ansatz resume goes on\n", t.id, failed,
			strings.TrimSpace(string(said)))
	}
	return err
}
