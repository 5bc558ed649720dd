package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
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
	memory      float64 // in GiB; 0 is unlimited
	memoryGiven bool    // false stands for the free memory
	onlySeeds   bool    // this process is a job of another ansatz run
	requeue     bool    // this process is a task that ansatz submitted to Slurm
	timeOver    bool    // Slurm sent SIGUSR1 before this process began
	settle      bool    // add seeds until every claim is decided
	maxSeeds    int     // with settle
	backend     string
}

func (a *app) runExperiments() *cobra.Command {
	var f runFlags
	var shard shardFlag
	c := &cobra.Command{
		Use:   "run ID...",
		Short: "Run the papers' experiments, and check their claims",
		Long: `run reproduces figures and tables of the papers, and judges their claims: each holds, fails or
is inconclusive. Thresholds were written before the experiments were run; a verdict needs at
least three seeds.

ansatz list shows the IDs. A paper (cnfa), a pattern ('energy/table*') or the word all selects
several, which are run in the order of their cost; IDs alone are run in the given order. Failed
experiments do not block the others: they are named at the end, and the exit code is 1.

--scale smoke is a functional test of seconds and gives no verdicts; small takes minutes on two
cores; medium, which few experiments have, takes hours; paper has the paper's settings. A TOML
file, --spec, changes settings of a scale; ansatz list --json shows them.

Time and memory are estimated from measurements before the start. A run that would not fit into
memory is refused, and one of more than an hour needs --yes, or an answer on a terminal. --jobs
runs several seeds at once, each in a process with its share of --threads, which uses cores
better than threads do.

The experiment theory checks the statements of all papers, one a line that ends in holds or fails.
It takes one seed by default, since exact statements need no more.

Each seed writes OUT/ID/HASH/seed-K, complete or not at all: run.json, metrics.csv, matrices as
.npy, figures and tables. OUT is --out, by default out, and HASH that of the settings.
OUT/ID/HASH/report.html is the page over the seeds. --resume skips finished seeds and continues an
interrupted one from its last checkpoint; kernel machines and tables that it had finished are kept.
ansatz compare OUT prints the table of all claims.

--until-settled adds seeds until every claim holds or fails, up to --max-seeds: 3, 5, 9, 15, 20. The
numbers are planned beforehand, and the error of 5 % is shared among them, so that intervals are
wider: a claim is decided wrongly with a probability of at most 5 %, however often one looks.

--shard I/N runs only shard I of N of the plan in --out, which may be of any kind (see ansatz
plan). With IDs it makes that plan if there is none; without IDs and without --shard it runs the
shard of SLURM_ARRAY_TASK_ID, or else all. Finished units are kept; ansatz merge merges them.`,
		Example: `  ansatz run rfm/fig7 --seeds 3
  ansatz run theory
  ansatz run rfm/fig6 rfm/fig8 --scale small --seeds 5 --resume
  ansatz run cnfa 'energy/table*' --jobs 2 --resume
  ansatz run all --scale smoke --seeds 1
  ansatz run rfm/fig14 --until-settled --max-seeds 20
  ansatz run rfm/fig7 --spec changes.toml --json
  ansatz run rfm/fig7 --shard 2/3 --out out/fig7`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, names []string) error {
			if err := setBackend(f.backend); err != nil {
				return err
			}
			if a.usesPlan(names, shard) {
				if err := flagcheck.CheckWithoutIDs(c); err != nil && len(names) == 0 {
					return usageError{err}
				}
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
	flags.Var(&shard, "shard", "run shard I of N of the plan in --out")
	backendFlag(flags, &f.backend)
	flags.BoolVar(&f.resume, "resume", false, "continue interrupted runs in --out, and keep finished ones")
	flags.IntVar(&f.jobs, "jobs", 1, "seeds to run at once; they share --threads")
	flags.BoolVar(&f.settle, "until-settled", false, "add seeds until every claim holds or fails, at most --max-seeds")
	flags.IntVar(&f.maxSeeds, "max-seeds", 20, "with --until-settled, the most seeds of an experiment")
	flags.BoolVar(&f.yes, "yes", false, "do not ask before long runs")
	flags.Float64Var(&f.memory, "memory", 0, "most memory to use, in GiB; 0 is unlimited (default: the free memory)")
	flags.BoolVar(&f.onlySeeds, "only-seeds", false, "only make seeds; another process writes the page over them and "+
		"prints")
	flags.BoolVar(&f.requeue, "requeue", false, "on SIGUSR1 ask Slurm to start this task again")
	flags.BoolVar(&f.timeOver, timeOverFlag, false, "begin as if SIGUSR1 had come already")
	_ = flags.MarkHidden("only-seeds") // fails only for unknown flags
	_ = flags.MarkHidden("requeue")
	_ = flags.MarkHidden(timeOverFlag)
	return c
}

// seedFlags adds the flags that select seeds of experiments.
func seedFlags(flags *pflag.FlagSet, f *runFlags) {
	flags.StringVar(&f.scale, "scale", string(study.Small), "smoke, small, medium or paper")
	flags.StringVar(&f.spec, "spec", "", "TOML `file` of settings that change the scale's; for one experiment")
	flags.IntVar(&f.seeds, "seeds", study.MinSeeds, "number of seeds, from --seed on (default: the "+
		"experiment's own at the scale, which ansatz list --json shows)")
}

// someExperiments accepts names of experiments.
var someExperiments = someArgs("the name of an experiment: ansatz list shows them")

// setBackend makes a backend the default of this process and of those that it starts, unless it is "".
func setBackend(name string) error {
	if err := input.CheckBackend(name); err != nil || name == "" {
		return err
	}
	return os.Setenv("ANSATZ_BACKEND", name)
}

// check returns a usage error if a flag is out of range.
func (f runFlags) check() error {
	switch {
	case f.jobs < 1:
		return usageError{fmt.Errorf("--jobs %d: want at least 1", f.jobs)}
	case !(f.memory >= 0):
		return usageError{fmt.Errorf("--memory %v: want a number of GiB, or 0 for no limit", f.memory)}
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
	w := &runWork{app: a, flags: f, threads: cmp.Or(a.threads, runtime.GOMAXPROCS(0))}
	for i := range runs {
		runs[i].Setting.Progress = w.update
	}
	var looks study.Looks
	var err error
	if f.settle {
		if looks, err = f.planLooks(runs); err != nil {
			return err
		}
	}
	plan, err := study.NewPlan(atMost(runs, looks))
	if err != nil {
		return err
	}
	if !f.onlySeeds {
		if err := a.admit(ctx, plan, f, w.threads); err != nil {
			return err
		}
	}
	if err := a.checkOut(); err != nil {
		return err
	}
	if f.settle {
		err = w.settle(ctx, runs, looks)
	} else {
		err = w.makeRuns(ctx, runs)
	}
	var failed *study.FailedError
	if a.json && !f.onlySeeds && (err == nil || errors.As(err, &failed)) {
		return errors.Join(a.print(newRunJSON(w.shown, failed)), err)
	}
	return err
}

// runWork is the state of a command run.
type runWork struct {
	*app
	flags   runFlags
	plan    *study.Plan
	threads int // for all jobs
	bars    *progress.Batch
	shown   []*study.Record
	// undecided holds the experiments with undecided claims in this look of --until-settled, nil in other runs;
	// again is true from the second look on, last in the last.
	undecided   map[string]bool
	again, last bool
}

// update shows the progress of the seed that this process makes.
func (w *runWork) update(stage string, done, total int) {
	if w.bars != nil {
		w.bars.Update(stage, done, total)
	}
}

// makeRuns makes the seeds of runs, and shows each experiment once all its seeds are there.
func (w *runWork) makeRuns(ctx context.Context, runs []study.Run) (err error) {
	if w.plan, err = study.NewPlan(runs); err != nil {
		return err
	}
	if w.flags.onlySeeds {
		return w.makeSeeds(ctx)
	}
	w.bars = progress.NewBatch(w.tty(), w.plan, w.flags.jobs, w.threads)
	defer w.bars.Close()
	for _, s := range w.plan.There {
		if !w.again {
			w.logf("%s, seed %d: there already", s.Run.Experiment.ID, s.Seed)
		}
	}
	b := &study.Batch{Plan: w.plan, Jobs: w.flags.jobs, Begin: w.bars.Begin, End: w.bars.End, Show: w.show}
	if w.flags.jobs > 1 {
		b.Make = w.makeInChild
	}
	return b.Run(ctx)
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

// show prints the record of an experiment, unless more seeds are to be added.
func (w *runWork) show(r *study.Record) (err error) {
	if w.goesOn(r) {
		return nil
	}
	w.bars.Print(func() {
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
