package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runFlags are the flags of the command run.
type runFlags struct {
	scale, spec string
	seeds       int
	seedsGiven  bool // false leaves the number of seeds to the experiments
	resume      bool
	jobs        int
	yes         bool
	memory      float64 // in GiB
	memoryGiven bool    // false stands for the free memory
	onlySeeds   bool    // this process is a job of another ansatz run
	requeue     bool    // this process is a task that ansatz submitted to Slurm
	timeOver    bool    // whose time was about to be over before this process began
}

func (a *app) runExperiments() *cobra.Command {
	var f runFlags
	var shard shardFlag
	c := &cobra.Command{
		Use:   "run ID...",
		Short: "Run the papers' experiments, and check their claims",
		Long: `run makes figures and tables of the papers again, and says of each claim whether it holds,
fails, or cannot be told. A claim has its threshold before it is run; it takes three seeds
to hold or fail.

An ID is as ansatz list shows it. A paper (cnfa), a pattern ('energy/table*') and all stand
for all of theirs, which are run in the order of their cost; IDs alone are run as they are
given. What fails does not keep the others from being run: in the end it is said, and the
exit code is 1.

--scale smoke takes seconds and shows nothing but that it runs; small takes minutes on two
cores; paper is what the paper did. Settings of a scale are changed by a TOML file, --spec;
ansatz list --json shows what there are.

Before anything is run, time and memory are estimated from what was measured. What would
not fit into memory is refused, and what takes more than an hour needs --yes, or an answer
on a terminal. --jobs runs several seeds at once, each in a process of its own with its
share of --threads, which uses cores better than threads do.

theory is the statements of all papers, one a line that ends in holds or fails, and takes one
seed unless told otherwise: what is exact needs no more.

Each seed leaves OUT/ID/HASH/seed-K, whole or not at all: run.json, metrics.csv, matrices as
.npy, figures and tables. OUT/ID/HASH/report.html is the page over the seeds. With --resume
seeds that are there are not run again, and one that was interrupted goes on: from the last
checkpoint of a training, and with the machines and tables that it has. ansatz compare OUT is the
table of all claims.

--shard I/N makes a part alone, shard I of N of the plan in --out, which may be of any kind (see
ansatz plan). Given IDs it makes that plan if it is not there; without IDs and without --shard,
the shard is the one that SLURM_ARRAY_TASK_ID says, else all are made. What is whole is taken as
it is; ansatz merge puts the parts together.`,
		Example: `  ansatz run rfm/fig7
  ansatz run theory
  ansatz run rfm/fig6 rfm/fig8 --scale small --seeds 5 --resume
  ansatz run cnfa 'energy/table*' --jobs 2 --resume
  ansatz run all --scale smoke --seeds 1
  ansatz run rfm/fig7 --spec changes.toml --json
  ansatz run rfm/fig7 --shard 2/3 --out out/fig7`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, names []string) error {
			if a.usesPlan(names, shard) {
				f.seedsGiven = c.Flags().Changed("seeds")
				return a.runShard(c.Context(), names, f, shard)
			}
			if err := someExperiments(c, names); err != nil {
				return err
			}
			f.seedsGiven, f.memoryGiven = c.Flags().Changed("seeds"), c.Flags().Changed("memory")
			runs, err := a.experimentRuns(names, f)
			if err != nil {
				return err
			}
			return a.runAll(c.Context(), runs, f)
		},
	}
	flags := c.Flags()
	seedFlags(flags, &f)
	flags.Var(&shard, "shard", "make shard I of N of the plan in --out")
	flags.BoolVar(&f.resume, "resume", false, "go on with the runs in --out: take what is whole as it is")
	flags.IntVar(&f.jobs, "jobs", 1, "seeds to run at once, which share --threads")
	flags.BoolVar(&f.yes, "yes", false, "do not ask before what takes long")
	flags.Float64Var(&f.memory, "memory", 0, "memory that may be taken, in GiB; 0 is any (default what is free)")
	flags.BoolVar(&f.onlySeeds, "only-seeds", false, "leave the page over the seeds, and what is shown, to another "+
		"process")
	flags.BoolVar(&f.requeue, "requeue", false, "on SIGUSR1 ask Slurm to start this task again")
	flags.BoolVar(&f.timeOver, timeOverFlag, false, "begin as if SIGUSR1 had come already")
	_ = flags.MarkHidden("only-seeds") // fails only for unknown flags
	_ = flags.MarkHidden("requeue")
	_ = flags.MarkHidden(timeOverFlag)
	return c
}

// seedFlags adds the flags that select seeds of experiments.
func seedFlags(flags *pflag.FlagSet, f *runFlags) {
	flags.StringVar(&f.scale, "scale", string(study.Small), "smoke, small or paper")
	flags.StringVar(&f.spec, "spec", "", "TOML file of settings that are other than the scale's; for one experiment")
	flags.IntVar(&f.seeds, "seeds", study.MinSeeds, "number of seeds, from --seed on; for theory 1 by default")
}

// someExperiments accepts names of experiments.
var someExperiments = someArgs("the name of an experiment: ansatz list shows them")

// check returns a usage error if a flag is out of range.
func (f runFlags) check() error {
	switch {
	case f.jobs < 1:
		return usageError{fmt.Errorf("--jobs %d: want at least 1", f.jobs)}
	case !(f.memory >= 0):
		return usageError{fmt.Errorf("--memory %v: want GiB, or 0 for any number", f.memory)}
	}
	return nil
}

// experimentRuns returns the runs that names and flags select, with all settings checked.
func (a *app) experimentRuns(names []string, f runFlags) ([]study.Run, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if a.out == "" {
		a.out = "out"
	}
	return experiments.All().Runs(study.Request{
		Names: names, Scale: f.scale, SpecFile: f.spec, Seeds: f.seeds, DefaultSeeds: !f.seedsGiven,
		Out: a.out, Resume: f.resume,
		Setting: study.Setting{Seed: a.seed, DataDir: a.dataDir, Threads: a.threads},
	})
}

// runAll makes the runs and shows their results.
func (a *app) runAll(ctx context.Context, runs []study.Run, f runFlags) error {
	threads := cmp.Or(a.threads, runtime.GOMAXPROCS(0))
	w := &runWork{app: a, flags: f, threads: threads}
	for i := range runs {
		runs[i].Setting.Progress = w.update
	}
	var err error
	if w.plan, err = study.NewPlan(runs); err != nil {
		return err
	}
	if !f.onlySeeds {
		if err := a.admit(ctx, w.plan, f, threads); err != nil {
			return err
		}
	}
	if err := a.checkOut(); err != nil {
		return err
	}
	return w.run(ctx)
}

// runWork is the state of a command run.
type runWork struct {
	*app
	flags   runFlags
	plan    *study.Plan
	threads int // for all jobs
	bars    *batchBars
	shown   []*study.Record
}

// update shows the progress of the seed that this process makes.
func (w *runWork) update(stage string, done, total int) {
	if w.bars != nil {
		w.bars.update(stage, done, total)
	}
}

// run makes the seeds and shows each experiment once all its seeds are there.
func (w *runWork) run(ctx context.Context) error {
	if w.flags.onlySeeds {
		return w.makeSeeds(ctx)
	}
	w.bars = w.batchBars(w.plan, w.flags.jobs, w.threads)
	defer w.bars.close()
	for _, s := range w.plan.There {
		w.logf("%s, seed %d: there already", s.Run.Experiment.ID, s.Seed)
	}
	b := &study.Batch{Plan: w.plan, Jobs: w.flags.jobs, Begin: w.bars.begin, End: w.bars.end, Show: w.show}
	if w.flags.jobs > 1 {
		b.Make = w.makeInChild
	}
	err := b.Run(ctx)
	w.bars.close()
	var failed *study.FailedError
	if a := w.app; a.json && (err == nil || errors.As(err, &failed)) {
		return errors.Join(a.print(newRunJSON(w.shown, failed)), err)
	}
	return err
}

// makeSeeds makes the seeds in this process and shows nothing.
func (w *runWork) makeSeeds(ctx context.Context) error {
	for _, s := range w.plan.Seeds {
		err := s.Make(ctx)
		if err != nil && ctx.Err() != nil {
			return &checkpoint.InterruptedError{Checkpoint: w.out}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runJSON is the output of the command run with --json.
type runJSON struct {
	Experiments []*study.Record `json:"experiments"`
	Failed      []failedJSON    `json:"failed,omitempty"`
}

type failedJSON struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

func newRunJSON(shown []*study.Record, failed *study.FailedError) runJSON {
	out := runJSON{Experiments: shown}
	if failed != nil {
		for _, f := range failed.Failed {
			out.Failed = append(out.Failed, failedJSON{f.ID, f.Err.Error()})
		}
	}
	return out
}

// show prints the record of an experiment.
func (w *runWork) show(r *study.Record) (err error) {
	w.bars.print(func() {
		if !w.json {
			if len(w.shown) > 0 {
				fmt.Fprintln(w.streams.out)
			}
			err = r.WriteText(w.streams.out)
		}
		if r.Report != "" {
			fmt.Fprintln(w.err, "Report:", r.Report)
		}
	})
	w.shown = append(w.shown, r)
	return err
}
