package main

import (
	"errors"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/spf13/cobra"
)

// estimates is for those who change ansatz.
func (a *app) estimates() *cobra.Command {
	jobs := false
	c := &cobra.Command{
		Use:    "estimates DIR...",
		Hidden: true,
		Short:  "The tables of what experiments and jobs take",
		Long: `estimates prints experiments/costs.csv anew from what ansatz run left in folders; what is not in
them is as it was. ansatz run and list estimate time and memory from it.

With --jobs it prints experiments/need/points.csv, from which ansatz plan estimates: jobs that are
not in it are measured, one after another on one thread. The machine is to do nothing else. Their
data is that of --data-dir: MNIST, CIFAR-10 and a folder uci of tables.`,
		Example: `  ansatz estimates out/costs > /tmp/costs.csv && mv /tmp/costs.csv experiments/costs.csv
  ansatz estimates --jobs --data-dir ~/data > /tmp/points.csv && mv /tmp/points.csv experiments/need/points.csv`,
		RunE: func(c *cobra.Command, dirs []string) error {
			switch {
			case jobs && len(dirs) == 0 && a.dataDir != "":
				return experiments.MeasureNeeds(c.Context(), a.streams.out, a.dataDir, func(name string, done, total int) { a.say("%d/%d %s", done+1, total, name) })
			case jobs:
				return usageError{errors.New("--jobs takes no folder but --data-dir")}
			case len(dirs) == 0:
				return someFolder(c, dirs)
			}
			return experiments.WriteCosts(a.streams.out, dirs)
		},
	}
	c.Flags().BoolVar(&jobs, "jobs", false, "measure jobs")
	return c
}
