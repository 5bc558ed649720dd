package main

import (
	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/spread"
	"github.com/spf13/cobra"
)

func (a *app) status() *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:   "status --out DIR",
		Short: "How far the shards of a plan are",
		Long: `status shows, for every shard of the plan in DIR that is not whole, how many of its units are
made, and which is being made or why one failed. A unit is running as long as its process holds
the unit's lock; no clock decides.`,
		Example: `  ansatz status --out out/fig1
  ansatz status --out out/fig1 --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			plan, err := a.readPlan()
			if err != nil {
				return err
			}
			s := spread.StatusOf(plan, a.out)
			t := experiments.StatusTable(s, all)
			return show(a, s, experiments.StatusSummary(s, a.out), &t)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "show shards that are whole too")
	return c
}

// readPlan reads the plan in --out.
func (a *app) readPlan() (*spread.Plan, error) {
	if err := a.needsOut(); err != nil {
		return nil, err
	}
	return spread.Read(a.out)
}
