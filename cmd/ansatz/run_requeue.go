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

// slurmTask is a task that ansatz submitted, or any other process, which is never
// requeued.
type slurmTask struct {
	*app
	id      string // as scontrol knows it; "" is no task
	attempt *shard.Attempt
	unit    shard.Unit // that is being made
}

// arrayVariable is where Slurm says which array the process is a task of.
const arrayVariable = "SLURM_ARRAY_JOB_ID"

func (a *app) slurmTask(plan *shard.Plan, f runFlags, s shardFlag) *slurmTask {
	array, number := os.Getenv(arrayVariable), os.Getenv(taskVariable)
	if !f.requeue || s.index == 0 || array == "" || number == "" {
		return &slurmTask{app: a}
	}
	return &slurmTask{app: a, id: array + "_" + number, attempt: shard.BeginAttempt(plan, a.out, s.index, array)}
}

// ended has the task started again if its time was over before its shard was whole.
// What Slurm is asked for it does while the process still runs: a task that is over
// would let the job begin that merges. err is what came of the shard.
func (t *slurmTask) ended(ctx context.Context, err error) error {
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
		return err // Slurm ended it with the task that it requeues
	}
	if failed != nil {
		fmt.Fprintf(t.err, "scontrol requeue %s: %v: %s; ansatz resume goes on\n", t.id, failed,
			strings.TrimSpace(string(said)))
	}
	return err
}
