package main

import (
	"context"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/spf13/cobra"
)

func (a *app) status() *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:   "status --out DIR",
		Short: "Show the progress of a plan's shards",
		Long: `status shows, for every unfinished shard of the plan in DIR, how many of its units are finished,
which one is running, and why one failed. A unit is running as long as its process holds the
unit's lock; no clock decides. For a plan that was submitted to Slurm it shows the state of the
tasks by squeue, and where their logs are.`,
		Example: `  ansatz status --out out/fig1
  ansatz status --out out/fig1 --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			plan, err := a.readPlan()
			if err != nil {
				return err
			}
			s := shard.StatusOf(plan, a.out)
			a.addTasks(c.Context(), plan, s)
			t := job.StatusTable(s, all)
			return show(a, s, job.StatusSummary(s, flagcheck.Quote(a.out)), &t)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "show finished shards too")
	return c
}

// addTasks adds the states of Slurm's tasks, if the plan was submitted to Slurm.
func (a *app) addTasks(ctx context.Context, plan *shard.Plan, s *shard.Status) {
	sub, err := shard.ReadSubmission(plan, a.out)
	if err == nil && (sub == nil || len(sub.Jobs()) == 0 && !sub.HasUnknownJobs() || s.Done) {
		return
	}
	var tasks []shard.Task
	if err == nil {
		tasks, err = slurmTasks(ctx, sub)
	}
	if err != nil {
		a.logf("The state of its Slurm tasks is unknown: %v", err)
		return
	}
	s.AddTasks(sub, tasks, a.out)
}

// readPlan reads the plan in --out.
func (a *app) readPlan() (*shard.Plan, error) {
	if err := a.needsOut(); err != nil {
		return nil, err
	}
	return shard.Read(a.out)
}
