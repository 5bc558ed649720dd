package main

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/spf13/cobra"
)

func (a *app) merge() *cobra.Command {
	return &cobra.Command{
		Use:   "merge --out DIR",
		Short: "Merge the results of a plan's shards",
		Long: `merge checks every unit of the plan in DIR and merges them in DIR. The result is that of one
process, bit for bit, whatever the number of shards and the order in which they ended. If units
are missing, damaged (their checksums differ) or foreign (from another plan, version, backend or
other data), they are named and nothing is merged.`,
		Example: `  ansatz merge --out out/fig1
  ansatz merge --out out/cntk-10000 --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			plan, err := a.readPlan()
			if err != nil {
				return err
			}
			return a.mergePlan(c.Context(), plan)
		},
	}
}

// openJob opens the job of a plan. It sets the plan's backend, if it is built in, and its number of OpenBLAS threads.
func (a *app) openJob(plan *shard.Plan) (shard.Job, error) {
	if input.CheckBackend(plan.Backend) == nil {
		if err := setBackend(plan.Backend); err != nil {
			return nil, err
		}
	}
	job, err := experiments.OpenJob(plan, job.Setting{DataDir: a.dataDir})
	if err == nil {
		backend.SetBLASThreads(plan.Threads)
	}
	return job, err
}

// mergePlan merges the units of a plan, and prints that it did.
func (a *app) mergePlan(ctx context.Context, plan *shard.Plan) error {
	job, err := a.openJob(plan)
	if err != nil {
		return err
	}
	if err := shard.Merge(ctx, plan, job, a.out); err != nil {
		return err
	}
	if a.json {
		return a.print(shard.StatusOf(plan, a.out))
	}
	_, err = fmt.Fprintf(a.streams.out, "Merged %s: %s\n", plan.Title, a.out)
	return err
}
