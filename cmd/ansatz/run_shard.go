package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// shardFlag is I/N, or I alone.
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

// taskVariable is where Slurm says which task of an array a process is. How many
// there are the plan says: a resubmitted array has fewer.
const taskVariable = "SLURM_ARRAY_TASK_ID"

// planned says whether the command is about the plan in --out.
func (a *app) planned(names []string, s shardFlag) bool {
	if s.index > 0 || len(names) > 0 || a.out == "" {
		return s.index > 0
	}
	_, err := os.Stat(filepath.Join(a.out, shard.PlanFile))
	return err == nil
}

// runShard makes a shard of the plan in --out, or all of it. With names it makes that
// plan first, unless it is there.
func (a *app) runShard(ctx context.Context, names []string, f runFlags, s shardFlag) error {
	plan, err := a.shardPlan(names, f, s)
	if err != nil {
		return err
	}
	if s, err = s.orOfTask(); err != nil {
		return err
	}
	units, err := unitsOf(plan, s)
	if err != nil {
		return err
	}
	job, err := a.openJob(plan)
	if err != nil {
		return err
	}
	bar := a.progress()
	defer bar.end()
	task := a.slurmTask(plan, f, s)
	w := shard.Worker{
		Plan: plan, Job: job, Out: a.out, Progress: bar.at,
		Begin: func(u shard.Unit) { bar.note(u.Name); task.unit = u },
		End:   func(u shard.Unit, err error) { bar.end(); a.tellUnit(u, err) },
	}
	return task.ended(ctx, w.Run(ctx, units))
}

func (a *app) tellUnit(u shard.Unit, err error) {
	if err == nil {
		a.say("%s: made", u.Name)
	}
}

// shardPlan is the plan in --out. Its number of shards must be the one that is given.
func (a *app) shardPlan(names []string, f runFlags, s shardFlag) (*shard.Plan, error) {
	if err := a.needsOut(); err != nil {
		return nil, err
	}
	if len(names) > 0 && s.of > 0 {
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
		err = usageError{fmt.Errorf("--shard %v: the plan in %s has %d shards", &s, a.out, len(plan.Shards))}
	}
	return plan, err
}

// orOfTask is the shard that Slurm says, if the flag says none.
func (s shardFlag) orOfTask() (shardFlag, error) {
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

// unitsOf are those of a shard; without one all.
func unitsOf(plan *shard.Plan, s shardFlag) ([]shard.Unit, error) {
	if s.index == 0 {
		return plan.Units, nil
	}
	return plan.Shard(s.index)
}
