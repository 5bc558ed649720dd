package main

import (
	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/spf13/cobra"
)

func (a *app) demo() *cobra.Command {
	var s experiments.DemoSpec
	c := &cobra.Command{
		Use:   "demo",
		Short: "Train a small network on generated digits and verify it before and after",
		Long: `demo needs no file: it draws digits from fonts, trains a small convolutional network on
them and measures the ansatz at every layer, at initialisation and after training, each
with its null. That takes less than a minute on two cores. With --out it writes the report.`,
		Example: "  ansatz demo --out out/demo\n  ansatz demo --seed 3 --json",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s.Seed, s.Threads = a.seed, a.threads
			if err := s.Check(); err != nil {
				return err
			}
			if err := a.checkResults(); err != nil {
				return err
			}
			return runAndShow(a, func(bar *progress.Bar) (*experiments.Demo, error) {
				return experiments.RunDemo(c.Context(), s, bar.Update)
			}, func(d *experiments.Demo) error { return a.saveReport(d, d.Save) })
		},
	}
	f := c.Flags()
	f.IntVar(&s.Epochs, "epochs", 0, "passes over the training images (default: 8)")
	f.IntVar(&s.Train, "train", 0, "training images (default: 10000)")
	f.IntVar(&s.Images, "images", 0, "test images (default: 1000)")
	backendFlag(f, &s.Backend)
	return c
}
