package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"

	"github.com/ansatz-lab/ansatz/experiments/calibrate"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/spf13/cobra"
)

// estimates returns a hidden command, for developers of ansatz.
func (a *app) estimates() *cobra.Command {
	var jobs, variants, scale bool
	var job string
	c := &cobra.Command{
		Use:    "estimates DIR...",
		Hidden: true,
		Short:  "Measure and print the costs of experiments and jobs",
		Long: `estimates prints experiments/cost/measured/costs.csv, updated from the results of ansatz run in
folders. ansatz run, list and plan estimate time and memory from it.

With --jobs it prints experiments/cost/points.csv, from which ansatz plan estimates: jobs that are
not in it are measured, one after another on one thread. The machine should be idle otherwise. The
data is in --data-dir: MNIST, CIFAR-10 and a folder uci of tables.

With --scale it prints results/SCALE.md: time and memory at the papers' scale by these tables.

With --variants it runs the settings on which estimates are checked, for all or the named
experiments, and writes to --out; estimates OUT then puts their costs into costs.csv.`,
		Example: `  ansatz estimates out/costs > /tmp/costs.csv && mv /tmp/costs.csv experiments/cost/measured/costs.csv
  ansatz estimates --jobs --data-dir ~/data > /tmp/points.csv && mv /tmp/points.csv experiments/cost/points.csv
  ansatz estimates --variants --out out/costs`,
		RunE: func(c *cobra.Command, args []string) error {
			modes := 0
			for _, name := range []string{"jobs", "job", "variants", "scale"} {
				if c.Flags().Changed(name) {
					modes++
				}
			}
			switch {
			case modes > 1:
				return usageError{errors.New("of --jobs, --job, --variants and --scale at most one can be given")}
			case jobs && len(args) == 0 && a.dataDir != "":
				return calibrate.MeasureNeeds(c.Context(), a.streams.out, a.dataDir, a.measureApart(c.Context()))
			case job != "":
				u, err := calibrate.MeasureNeed(c.Context(), a.dataDir, job)
				return errors.Join(err, json.NewEncoder(a.streams.out).Encode(u))
			case jobs:
				return usageError{errors.New("--jobs needs --data-dir and takes no other folder")}
			case variants && a.out != "":
				return calibrate.MeasureVariants(c.Context(), a.dataDir, a.out, args,
					func(name string) { a.logf("%s", name) })
			case scale:
				return calibrate.WriteScale(a.streams.out)
			case len(args) == 0:
				return someFolder(c, args)
			}
			return calibrate.WriteCosts(a.streams.out, args)
		},
	}
	c.Flags().BoolVar(&jobs, "jobs", false, "measure jobs")
	c.Flags().StringVar(&job, "job", "", "measure one job in this process")
	c.Flags().BoolVar(&variants, "variants", false, "run the settings on which estimates are checked")
	c.Flags().BoolVar(&scale, "scale", false, "write the costs at the papers' scale")
	return c
}

// measureApart returns a function that measures a job in a process of its own, so that earlier jobs leave
// nothing in its memory.
func (a *app) measureApart(ctx context.Context) func(name string, done, total int) (*record.Usage, error) {
	return func(name string, done, total int) (*record.Usage, error) {
		a.logf("%d/%d %s", done+1, total, name)
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		c := exec.CommandContext(ctx, self, "estimates", "--job", name, "--data-dir", a.dataDir)
		c.Stderr = a.streams.err
		text, err := c.Output()
		if err != nil {
			return nil, err
		}
		u := &record.Usage{}
		return u, json.Unmarshal(text, u)
	}
}
