package main

import (
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/spf13/cobra"
)

func (a *app) cost() *cobra.Command {
	var s experiments.RFMCostSpec
	c := &cobra.Command{
		Use:   "cost",
		Short: "What an iteration of ansatz rfm costs, by examples and features",
		Long: `Times the kernel matrix, the regression, the AGOP and predictions on Gaussian inputs of
growing numbers and dimensions, and draws them. The times mean something on a machine that
does nothing else.`,
		Example: `  ansatz cost --out out/cost
  ansatz cost --examples 500,1000,2000 --features 32,512 --repeats 1`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s.Seed, s.Threads = a.seed, a.threads
			cost, err := experiments.NewRFMCost(s)
			if err != nil {
				return err
			}
			if err := a.checkOut(); err != nil {
				return err
			}
			bar := a.progress()
			record, err := cost.Run(c.Context(), func(done, total int) { bar.at("timing", done, total) })
			bar.end()
			if err != nil {
				return err
			}
			err = show(a, record, record.Summary(), record.Tables()...)
			if a.out == "" {
				return err
			}
			path, saved := record.Save(c.Context(), a.out)
			if saved == nil {
				fmt.Fprintln(a.err, "Report:", path)
			}
			return errors.Join(err, saved)
		},
	}
	f := c.Flags()
	f.IntSliceVar(&s.Examples, "examples", nil, "numbers of examples, rising (default 500,1000,2000,4000,8000)")
	f.IntSliceVar(&s.Features, "features", nil, "numbers of features, rising (default 32,128,512,2048)")
	f.IntVar(&s.Outputs, "outputs", 0, "outputs (default 10)")
	f.IntVar(&s.Repeats, "repeats", 0, "times that each is measured, of which the least counts (default 3)")
	f.StringVar(&s.Backend, "backend", "", "native or go (default: native where it is built in)")
	return c
}
