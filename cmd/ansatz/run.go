package main

import (
	"context"
	"fmt"
	"os"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/spf13/cobra"
)

// runFlags are the flags of the command run.
type runFlags struct {
	scale, spec string
	seeds       int
	seedsGiven  bool // else as many as an experiment has by default
	resume      bool
}

func (a *app) runExperiments() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run ID...",
		Short: "Run the papers' experiments, and check their claims",
		Long: `run makes figures and tables of the papers again, and says of each claim whether it holds,
fails, or cannot be told. A claim has its threshold before it is run; it takes three seeds
to hold or fail.

--scale smoke takes seconds and shows nothing but that it runs; small takes minutes on two
cores; paper is what the paper did. Settings of a scale are changed by a TOML file, --spec;
ansatz list --json shows what there are.

theory is the statements of all papers, one a line that ends in holds or fails, and takes one
seed unless told otherwise: what is exact needs no more.

Each seed leaves OUT/ID/HASH/seed-K, whole or not at all: run.json, metrics.csv, matrices as
.npy, figures and tables. OUT/ID/HASH/report.html is the page over the seeds. With --resume
seeds that are there are not run again.`,
		Example: "  ansatz run rfm/fig7\n  ansatz run theory\n  ansatz run rfm/fig6 rfm/fig8 --scale small --seeds 5 --resume\n  ansatz run rfm/fig7 --spec changes.toml --json",
		Args:    someExperiments,
		RunE: func(c *cobra.Command, ids []string) error {
			f.seedsGiven = c.Flags().Changed("seeds")
			runs, err := a.experimentRuns(ids, f)
			if err != nil {
				return err
			}
			return a.runAll(c.Context(), runs)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.scale, "scale", string(experiments.Small), "smoke, small or paper")
	flags.StringVar(&f.spec, "spec", "", "TOML file of settings that are other than the scale's; for one experiment")
	flags.IntVar(&f.seeds, "seeds", experiments.MinSeeds, "number of seeds, from --seed on; for theory 1 by default")
	flags.BoolVar(&f.resume, "resume", false, "take what is whole in --out as it is")
	return c
}

// someExperiments refuses no arguments.
func someExperiments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError{fmt.Errorf("%s needs the name of an experiment: ansatz list shows them\nTry: %s --help", c.CommandPath(), c.CommandPath())}
	}
	return nil
}

// experimentRuns says what to run, once all of it is known to be good.
func (a *app) experimentRuns(ids []string, f runFlags) ([]experiments.ExperimentRun, error) {
	scale, err := experiments.ParseScale(f.scale)
	if err != nil {
		return nil, err
	}
	if f.spec != "" && len(ids) > 1 {
		return nil, usageError{fmt.Errorf("--spec is for one experiment, not %d", len(ids))}
	}
	if a.out == "" {
		a.out = "out"
	}
	var runs []experiments.ExperimentRun
	for _, id := range ids {
		e, err := experiments.FindExperiment(id)
		if err != nil {
			return nil, err
		}
		r := experiments.ExperimentRun{
			Experiment: e, Scale: scale, Seeds: f.seeds, Out: a.out, Resume: f.resume,
			Setting: experiments.Setting{Seed: a.seed, DataDir: a.dataDir, Threads: a.threads},
		}
		if !f.seedsGiven {
			r.Seeds = e.DefaultSeeds()
		}
		if r.Spec, err = readSpec(e, scale, f.spec); err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// readSpec is the spec of a scale, with the changes in a file, "" for none.
func readSpec(e *experiments.Experiment, scale experiments.Scale, path string) (experiments.Spec, error) {
	s, err := e.SpecAt(scale)
	if err != nil || path == "" {
		return s, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, usageError{fmt.Errorf("--spec: %w", err)}
	}
	return s, experiments.Overlay(s, string(text))
}

// runAll runs one experiment after the other and shows what each found.
func (a *app) runAll(ctx context.Context, runs []experiments.ExperimentRun) error {
	if err := a.checkOut(); err != nil {
		return err
	}
	var all struct {
		Experiments []*experiments.ExperimentRecord `json:"experiments"`
	}
	for i, r := range runs {
		bar := a.progress()
		r.Setting.Progress = bar.at
		r.Begin = func(seed uint64, there bool) {
			bar.end()
			a.say("%s, seed %d%s", r.Experiment.ID, seed, map[bool]string{true: ": there already"}[there])
		}
		record, err := r.Run(ctx)
		bar.end()
		if err != nil {
			return err
		}
		all.Experiments = append(all.Experiments, record)
		if !a.json {
			if i > 0 {
				fmt.Fprintln(a.streams.out)
			}
			if err := a.showExperiment(record); err != nil {
				return err
			}
		}
		fmt.Fprintln(a.err, "Report:", record.Report)
	}
	if a.json {
		return a.print(all)
	}
	return nil
}

// showExperiment prints the tables of an experiment; of one about statements these,
// one a line, as scripts read them.
func (a *app) showExperiment(r *experiments.ExperimentRecord) error {
	if len(r.Statements) == 0 {
		return show(a, r, r.Summary(), r.AllTables()...)
	}
	for _, line := range r.Lines() {
		fmt.Fprintln(a.streams.out, line)
	}
	_, err := fmt.Fprintln(a.streams.out, r.Summary())
	return err
}
