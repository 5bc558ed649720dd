package main

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/spf13/cobra"
)

func (a *app) merge() *cobra.Command {
	return &cobra.Command{
		Use:   "merge --out DIR",
		Short: "Put together what the shards of a plan made",
		Long: `merge checks every unit of the plan in DIR, and leaves in DIR what one process would have left
there: the same bits, whatever the number of shards and the order in which they ended. Units that
are missing, damaged (their files have not the checksums with which they were written) or foreign
(of another plan, version, backend or other data) are named, and nothing is merged.`,
		Example: `  ansatz merge --out out/fig1`,
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			plan, err := a.readPlan()
			if err != nil {
				return err
			}
			return a.mergePlan(c.Context(), plan)
		},
	}
}

// openJob opens the job of a plan, and sets the threads of OpenBLAS to those of the plan.
func (a *app) openJob(plan *shard.Plan) (shard.Job, error) {
	job, err := experiments.OpenJob(plan, job.Setting{DataDir: a.dataDir})
	if err == nil {
		backend.SetBLASThreads(plan.Threads)
	}
	return job, err
}

// mergePlan merges the units of a plan and reports it.
func (a *app) mergePlan(ctx context.Context, plan *shard.Plan) error {
	job, err := a.openJob(plan)
	if err != nil {
		return err
	}
	if err := shard.Merge(ctx, plan, job, a.out); err != nil {
		if ctx.Err() != nil {
			return &checkpoint.InterruptedError{Checkpoint: a.out}
		}
		return err
	}
	if a.json {
		return a.print(shard.StatusOf(plan, a.out))
	}
	_, err = fmt.Fprintf(a.streams.out, "Merged %s: %s\n", plan.Title, a.out)
	return err
}
