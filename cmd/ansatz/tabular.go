package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) tabular() *cobra.Command {
	var s tabular.Spec
	var r tabular.Run
	var splits string
	c := &cobra.Command{
		Use:   "tabular --benchmark uci121|grinsztajn|PATH",
		Short: "Compare recursive feature machines with other kernel machines on many tables",
		Long: `tabular runs methods on every table of a benchmark and compares them by average,
Friedman rank, P90, P95, PMA and ADTM: the 121 classification sets or the tabular
benchmark of the data folder (see ansatz data list), or any table, folder of tables
(ARFF, CSV, Parquet, NPZ) or folder with folders in the layout of the 121 sets.

The protocol of the 121 sets takes the published folds, or draws four. In each, ridge,
iterations, scaling to norm 1, and full or diagonal M are chosen on a part of the training
rows, and M is learned from the training rows alone. --paper-mode follows the published
procedure: everything is chosen, and M learned, once on the tuning split, whose rows are test rows
of the folds; its scores are optimistic, and the record says so.

The grinsztajn protocol chooses among --configs configurations, drawn by seed, by the mean
validation score over --repeats random splits; it does regressions too.

Tables and methods run in parallel, one on each of --threads, and the results do not depend
on how many. The folder --out, by default out/tabular-NAME, gets a record for each, results.csv
(which ansatz leaderboard reads), record.json and report.html. A run that was stopped continues
with --resume.

--splits-out writes the tables, and which of their rows every fold trains, validates and
tests on, for other programs; nothing is fitted then. --others adds the results of such
programs, CSV files as ansatz leaderboard reads them, to the table and the measures.`,
		Example: `  ansatz tabular --benchmark uci121 --out out/uci
  ansatz tabular --benchmark uci121 --paper-mode --out out/uci-paper
  ansatz tabular --benchmark tables/ --rows 2000 --methods rfm,laplace --json
  ansatz tabular --benchmark grinsztajn --datasets '^clf_num/' --configs 40 --repeats 5
  ansatz tabular --benchmark houses.csv --target price --protocol grinsztajn --size large
  ansatz tabular --benchmark uci121 --out out/uci --resume
  ansatz tabular --benchmark uci121 --splits-out out/splits
  ansatz tabular --benchmark uci121 --out out/uci --resume --others forest.csv,boosting.csv`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.completeTabular(c, &s); err != nil {
				return err
			}
			switch {
			case splits != "" && a.out != "":
				return newUsageError(c, "%s: --out has no effect beside --splits-out: take one of them")
			case splits != "":
				return a.writeSplits(c.Context(), s, splits)
			}
			r.Out, r.Command = a.out, a.command
			if r.Out == "" {
				r.Out = filepath.Join("out", "tabular-"+filepath.Base(s.Benchmark))
			}
			return a.runTabular(c.Context(), s, r)
		},
	}
	tabularFlags(c.Flags(), &s)
	f := c.Flags()
	f.BoolVar(&r.Resume, "resume", false, "continue the interrupted run in --out")
	f.StringSliceVar(&r.Others, "others", nil, "CSV files with the scores of other methods on the same tables")
	missingFlag(f, &r.Missing)
	flagcheck.OutputFolder(f, &splits, "splits-out", "folder for the tables and the rows of every fold; fits nothing")
	return c
}

// writeSplits writes the splits of a benchmark into a folder.
func (a *app) writeSplits(ctx context.Context, s tabular.Spec, dir string) error {
	t, err := tabular.OpenBenchmark(s)
	if err != nil {
		return err
	}
	splits, err := t.WriteSplits(ctx, dir)
	if err != nil {
		return err
	}
	return show[*report.Table](a, splits, splits.Summary())
}

// completeTabular sets the fields of persistent flags. It returns a usage error if a flag is missing.
func (a *app) completeTabular(c *cobra.Command, s *tabular.Spec) error {
	s.Dir, s.Seed, s.Threads = a.dataDir, a.seed, a.threads
	return required(c, "benchmark")
}

// tabularFlags adds the flags of a benchmark.
func tabularFlags(f *pflag.FlagSet, s *tabular.Spec) {
	f.StringVar(&s.Benchmark, "benchmark", "", "uci121, grinsztajn, or the path of a table or of a folder of tables")
	f.StringVar(&s.Protocol, "protocol", "", "uci121 or grinsztajn (default: the benchmark's, uci121 for a path)")
	f.StringVar(&s.Datasets, "datasets", "", "regular expression of the tables to take (default: all)")
	f.StringSliceVar(&s.Methods, "methods", nil, "some of "+strings.Join(tabular.Methods(),
		",")+" (default: rfm,laplace,ntk)")
	f.IntVar(&s.Rows, "rows", 0, "rows of a table at most, drawn by seed in proportion to the classes (default: "+
		"all)")
	f.StringVar(&s.Target, "target", "", "column to predict, of your own tables (default: the one named class, else the last)")
	f.BoolVar(&s.Classify, "classify", false, "treat whole numbers to predict as classes")
	f.IntVar(&s.Iters, "iters", 0, "largest number of iterations that learn features (default: 5)")
	f.BoolVar(&s.PaperMode, "paper-mode", false, "follow the published procedure of the 121 sets, with its leak")
	f.IntVar(&s.Configs, "configs", 0, "configurations to try, in the grinsztajn protocol (default: 20)")
	f.IntVar(&s.Repeats, "repeats", 0, "random splits, in the grinsztajn protocol (default: 3)")
	f.StringVar(&s.Size, "size", "", "medium (at most 10000 training rows, default) or large (50000), in the "+
		"grinsztajn protocol")
	precisionFlags(f, &s.Precision, &s.Backend)
}

func (a *app) runTabular(ctx context.Context, s tabular.Spec, r tabular.Run) error {
	t, err := tabular.OpenBenchmark(s)
	if err != nil {
		return err
	}
	if err := t.Check(r); err != nil {
		return err
	}
	return runAndShow(a, func(bar *progress.Bar) (*tabular.Record, error) {
		r.Progress = a.tabularProgress(bar)
		return t.Run(ctx, r)
	}, func(record *tabular.Record) error {
		a.printReportPath(r.Out)
		if failed := len(record.Failures()); failed > 0 {
			return fmt.Errorf("%d of the benchmark's tables or methods failed: mend the causes, then give --resume", failed)
		}
		return nil
	})
}

// tabularProgress returns a function that shows a bar with the time left or, away from a terminal, a line
// for every result. The bar counts thousandths of the work.
func (a *app) tabularProgress(bar *progress.Bar) func(tabular.Progress) {
	return func(p tabular.Progress) {
		if p.Stage == "reading" {
			if bar.Update(p.Stage, p.Done, p.Total); p.About != "" {
				a.logf("%s: %s.", p.Dataset, p.About)
			}
			return
		}
		bar.Note(fmt.Sprintf("%d of %d done", p.Done, p.Total))
		bar.Update(p.Stage, int(1000*p.Work), 1000)
		if e := p.Ended; e != nil && !bar.Shown() {
			text := "failed: " + e.Error
			if e.Score != nil {
				text = fmt.Sprintf("%.4f (%s); %.1f s", *e.Score, e.Chosen, e.Seconds)
			}
			a.logf("%d of %d: %s on %s: %s", p.Done, p.Total, e.Method, p.Dataset, text)
		}
	}
}
