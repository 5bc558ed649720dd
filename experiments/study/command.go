package study

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/tomlfile"
)

// Exit codes of a program that runs experiments.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2  // wrong usage or bad input
	ExitResume = 75 // interrupted with a checkpoint: run again with --resume
)

// ReportError writes an error for the user of a program and returns the exit code for it.
func ReportError(w io.Writer, err error) int {
	if checkpoint.Interrupted(err) {
		fmt.Fprintln(w, strings.TrimSpace(err.Error()))
		return ExitResume
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(w, "Interrupted: there is no checkpoint to go on from.")
		return ExitFailed
	}
	fmt.Fprintln(w, "Error:", strings.TrimSpace(err.Error()))
	if input.IsError(err) {
		return ExitUsage
	}
	return ExitFailed
}

// Request holds the runs and options that a user asks for.
type Request struct {
	Names        []string // see [Selection]
	Scale        string
	SpecFile     string // TOML file whose settings override the scale's; "" for none
	Seeds        int
	DefaultSeeds bool // each experiment's own number, in place of Seeds
	Out          string
	Resume       bool
	Setting      Setting
}

// Runs returns the runs that a request asks for. Unless every name is an ID, they are sorted by cost. If a run is
// impossible, the error is an [*input.Error].
func (c Catalogue) Runs(q Request) ([]Run, error) {
	scale, err := ParseScale(q.Scale)
	if err != nil {
		return nil, err
	}
	selected, exact, err := c.Select(Selection{Names: q.Names})
	if err != nil {
		return nil, err
	}
	if q.SpecFile != "" && len(selected) > 1 {
		return nil, input.Errorf("--spec is for one experiment, not %d", len(selected))
	}
	if !exact {
		SortByCost(selected, scale)
	}
	var runs []Run
	for _, e := range selected {
		if _, there := e.Source().Specs[scale]; !there && !exact && scale == Medium {
			continue // scale medium: a pattern stands for the experiments that have it
		}
		r := Run{Experiment: e, Scale: scale, Seeds: q.Seeds, Out: q.Out, Resume: q.Resume, Setting: q.Setting}
		if q.DefaultSeeds {
			r.Seeds = e.DefaultSeeds(scale)
		}
		if q.SpecFile != "" {
			text, err := tomlfile.Read(q.SpecFile)
			if err != nil {
				return nil, input.Errorf("--spec: %w", err)
			}
			if r.Spec, err = e.SpecWith(scale, string(text)); err != nil {
				return nil, err
			}
		}
		runs = append(runs, r)
	}
	if len(runs) == 0 && len(selected) > 0 {
		return nil, input.Errorf("none of these experiments has settings at scale %s: %s", scale,
			otherScales(selected...))
	}
	return runs, nil
}

// Main is the main function of a program that runs experiments of its own: [RunCommand] with
// the arguments of the process, until a signal interrupts it. It ends the process.
func Main(c Catalogue) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := RunCommand(ctx, c, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// RunCommand runs the experiments that the arguments of a command line select, and returns the exit code. Verdicts and
// tables go to stdout, progress and errors to stderr, and records and pages into the folder --out. A catalogue with
// faults is an error, see [Catalogue.Check].
func RunCommand(ctx context.Context, c Catalogue, args []string, stdout, stderr io.Writer) int {
	if err := runCommand(ctx, c, args, stdout, stderr); err != nil {
		return ReportError(stderr, err)
	}
	return ExitDone
}

func runCommand(ctx context.Context, c Catalogue, args []string, stdout, stderr io.Writer) error {
	if err := c.Check(); err != nil {
		return err
	}
	q, err := c.parseArgs(args, stdout)
	if err != nil || q == nil {
		return err
	}
	backend.SetBLASThreads(cmp.Or(q.Setting.Threads, runtime.GOMAXPROCS(0)))
	q.Setting.Progress = reportStages(stderr)
	runs, err := c.Runs(*q)
	if err != nil {
		return err
	}
	for i := range runs {
		runs[i].Program = filepath.Base(os.Args[0])
	}
	plan, err := NewPlan(runs)
	if err != nil {
		return err
	}
	if err := atomicfile.MakeFolder(q.Out); err != nil {
		return input.Errorf("--out: %w: give a folder that can be written to", err)
	}
	for _, s := range plan.There {
		fmt.Fprintf(stderr, "%s, seed %d: there already\n", s.Run.Experiment.ID, s.Seed)
	}
	begin := func(s PlannedSeed) { fmt.Fprintf(stderr, "%s, seed %d\n", s.Run.Experiment.ID, s.Seed) }
	show := func(r *Record) error {
		if err := r.WriteText(stdout); err != nil {
			return err
		}
		if r.Scale == Smoke {
			fmt.Fprintln(stdout, "Scale smoke is never judged: it is a functional test and gives no verdicts. "+
				"Take --scale small.")
		}
		if r.Report != "" {
			fmt.Fprintln(stderr, "Report:", r.Report)
		}
		return nil
	}
	return (&Batch{Plan: plan, Begin: begin, Show: show}).Run(ctx)
}

// parseArgs reads a command line, in which flags may stand before and after names. If help was asked for, it writes
// the help and returns nil.
func (c Catalogue) parseArgs(args []string, stdout io.Writer) (*Request, error) {
	program := filepath.Base(os.Args[0])
	f := flag.NewFlagSet(program, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	q := &Request{}
	f.StringVar(&q.Scale, "scale", string(Small), "smoke, small, medium or paper")
	f.IntVar(&q.Seeds, "seeds", MinSeeds, "number of seeds, from --seed on (default: the experiment's own)")
	f.Uint64Var(&q.Setting.Seed, "seed", 0, "first seed")
	f.StringVar(&q.Out, "out", "out", "folder for records, figures and pages")
	f.BoolVar(&q.Resume, "resume", false, "continue interrupted runs in --out, and keep finished ones")
	f.IntVar(&q.Setting.Threads, "threads", 0, "threads to use (default: all cores)")
	f.StringVar(&q.SpecFile, "spec", "", "TOML file of settings that change the scale's; for one experiment")
	f.StringVar(&q.Setting.DataDir, "data-dir", "",
		"folder of the datasets (default: $ANSATZ_DATA, else the user's cache folder)")
	for {
		switch err := f.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return nil, c.writeHelp(f, stdout)
		case err != nil:
			return nil, input.Errorf("%w\nTry: %s --help", err, program)
		}
		if f.NArg() == 0 {
			break
		}
		q.Names, args = append(q.Names, f.Arg(0)), f.Args()[1:]
	}
	q.DefaultSeeds = true
	f.Visit(func(set *flag.Flag) { q.DefaultSeeds = q.DefaultSeeds && set.Name != "seeds" })
	if q.Setting.Threads < 0 {
		return nil, input.Errorf("--threads %d: want at least 1", q.Setting.Threads)
	}
	for _, name := range q.Names {
		if _, _, err := c.named(name); err != nil {
			return nil, input.Errorf("no experiment is called %s%s\nTry: %s --help", name, c.hint(name, c.ids()), program)
		}
	}
	return q, nil
}

// writeHelp writes the usage of a program that runs a catalogue.
func (c Catalogue) writeHelp(f *flag.FlagSet, w io.Writer) error {
	fmt.Fprintf(w, `%[1]s runs experiments over several seeds and says of each claim whether it holds, fails, or is
inconclusive. A claim has its threshold before it is run, and takes three seeds to hold or fail.

Usage:
  %[1]s [ID...] [flags]

Examples:
  %[1]s --scale smoke --out out
  %[1]s %[2]s --scale small --seeds 5 --resume

Experiments, all of which are run unless IDs are given:
`, f.Name(), c[0].ID)
	for _, e := range c {
		fmt.Fprintf(w, "  %s  %s\n", e.ID, e.Title)
	}
	fmt.Fprintln(w, "\nFlags:")
	f.VisitAll(func(l *flag.Flag) {
		text := l.Usage
		if l.DefValue != "" && !strings.Contains(text, "default") && l.DefValue != "false" {
			text += fmt.Sprintf(" (default: %s)", l.DefValue)
		}
		fmt.Fprintf(w, "  --%-9s %s\n", l.Name, text)
	})
	_, err := fmt.Fprintln(w,
		"\nExit codes: 0 done; 1 failed; 2 wrong usage or bad input; 75 interrupted, go on with --resume.")
	return err
}

// stageEvery is the least time between two progress reports.
const stageEvery = 5 * time.Second

// reportStages returns a function that writes the current stage of a seed, once every stageEvery at most.
func reportStages(w io.Writer) func(stage string, done, total int) {
	last := time.Now()
	return func(stage string, done, total int) {
		if time.Since(last) < stageEvery {
			return
		}
		last = time.Now()
		fmt.Fprintf(w, "  %s: %d of %d\n", cmp.Or(stage, "working"), done, total)
	}
}
