package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// shardFlag is the value of --shard: I/N, or I alone.
type shardFlag struct{ index, of int }

// String implements pflag.Value.
func (s *shardFlag) String() string {
	switch {
	case s.index == 0:
		return ""
	case s.of == 0:
		return strconv.Itoa(s.index)
	}
	return fmt.Sprintf("%d/%d", s.index, s.of)
}

// Type implements pflag.Value.
func (s *shardFlag) Type() string { return "I/N" }

// Set implements pflag.Value.
func (s *shardFlag) Set(text string) error {
	index, of, both := strings.Cut(text, "/")
	i, err := strconv.Atoi(index)
	n := 0
	if both && err == nil {
		if n, err = strconv.Atoi(of); n < 1 {
			err = strconv.ErrRange
		}
	}
	if err != nil || i < 1 || both && i > n {
		return fmt.Errorf("want I/N, shard I of N, which count from 1")
	}
	s.index, s.of = i, n
	return nil
}

// taskVariable is the environment variable with the number of a Slurm task in its array: the number of its shard.
// The plan says how many shards there are; a resubmitted array has fewer tasks.
const taskVariable = "SLURM_ARRAY_TASK_ID"

// usesPlan says whether the command works on the plan in --out.
func (a *app) usesPlan(names []string, s shardFlag) bool {
	if s.index > 0 || len(names) > 0 || a.out == "" {
		return s.index > 0
	}
	_, err := os.Stat(filepath.Join(a.out, shard.PlanFile))
	return err == nil
}

// runShard makes a shard of the plan in --out, or all shards. With names, it first writes the plan unless
// it is there.
func (a *app) runShard(ctx context.Context, names []string, f runFlags, s shardFlag) error {
	plan, err := a.shardPlan(names, f, s)
	if err != nil {
		return err
	}
	if s, err = s.orTask(); err != nil {
		return err
	}
	units, err := unitsOf(plan, s)
	if err != nil {
		return err
	}
	if f.backend != "" && f.backend != plan.Backend {
		return usageError{fmt.Errorf("--backend %s: the plan in %s is for the backend %s: leave the flag out", f.backend, a.out,
			plan.Backend)}
	}
	job, err := a.openJob(plan)
	if err != nil {
		return err
	}
	if f.timeOver {
		ctx = withTimeOver(ctx)
	}
	bar := a.progress()
	defer bar.End()
	task := a.slurmTask(plan, f, s)
	w := shard.Worker{
		Plan: plan, Job: job, Out: a.out, Progress: bar.Update,
		Begin: func(u shard.Unit) { bar.Note(u.Name); task.unit = u },
		End: func(u shard.Unit, err error) {
			bar.End()
			if err == nil {
				a.logf("%s: finished", u.Name)
			}
		},
	}
	return task.requeueIfOver(ctx, w.Run(ctx, units))
}

// shardPlan returns the plan in --out, whose number of shards must be that of the flag.
func (a *app) shardPlan(names []string, f runFlags, s shardFlag) (*shard.Plan, error) {
	if err := a.needsOut(); err != nil {
		return nil, err
	}
	if len(names) > 0 && s.of == 0 {
		return nil, usageError{fmt.Errorf("--shard %v with IDs: give the number of shards too, as in --shard %v/8", &s, &s)}
	}
	if len(names) > 0 {
		plan, err := a.planRuns(names, f, s.of)
		if err != nil {
			return nil, err
		}
		if err := plan.Write(a.out); err != nil {
			return nil, err
		}
	}
	plan, err := shard.Read(a.out)
	if err == nil && s.of > 0 && s.of != len(plan.Shards) {
		err = usageError{fmt.Errorf("--shard %v: the plan in %s has %s", &s, a.out, words.Count(len(plan.Shards), "shard"))}
	}
	return plan, err
}

// orTask returns the shard of the flag or, without one, that of Slurm's task.
func (s shardFlag) orTask() (shardFlag, error) {
	task, set := os.LookupEnv(taskVariable)
	if !set || s.index > 0 {
		return s, nil
	}
	i, err := strconv.Atoi(task)
	if err != nil || i < 1 {
		return s, usageError{fmt.Errorf("%s is %q: want the number of a shard", taskVariable, task)}
	}
	s.index = i
	return s, nil
}

// unitsOf returns the units of a shard, or all units if the flag has none.
func unitsOf(plan *shard.Plan, s shardFlag) ([]shard.Unit, error) {
	if s.index == 0 {
		return plan.Units, nil
	}
	return plan.Shard(s.index)
}
