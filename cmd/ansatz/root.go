package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/usage"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/spf13/cobra"
)

// The exit codes, on which scripts rely.
const (
	exitDone   = study.ExitDone
	exitFailed = study.ExitFailed
	exitUsage  = study.ExitUsage
	exitResume = study.ExitResume
)

// checkedWriter remembers the first error of a writer, so that every command fails if its results could not
// be printed.
type checkedWriter struct {
	to  io.Writer
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// streams holds the writer for results, and that for progress and errors.
type streams struct{ out, err io.Writer }

// app holds what all commands share: the outputs and the persistent flags.
type app struct {
	streams
	dataDir string
	seed    uint64
	threads int
	out     string
	json    bool
	quiet   bool
	command string // the command with the flags that were given
	helpErr error  // set if help was asked for about a command that does not exist
}

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	results := &checkedWriter{to: s.out}
	s.out = results
	a := &app{streams: s}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := cmp.Or(root.ExecuteContext(ctx), a.helpErr)
	if err == nil && results.err != nil {
		err = fmt.Errorf("printing the results: %w", results.err)
	}
	if err == nil {
		return exitDone
	}
	return study.ReportError(a.err, err)
}

// usageError is a mistake in the command line.
type usageError struct{ error }

// newUsageError returns a usage error that ends in a hint at the command's help. Format begins with
// the command's path.
func newUsageError(c *cobra.Command, format string, args ...any) error {
	text := fmt.Sprintf(format, append([]any{c.CommandPath()}, args...)...)
	return usageError{fmt.Errorf("%s\nTry: %s --help", text, c.CommandPath())}
}

func (e usageError) Unwrap() error { return e.error }

// InputError returns true: the user can correct the command line.
func (e usageError) InputError() bool { return true }

// mostThreads is the largest --threads on a machine with fewer processors: OpenMP's runtime ends the process
// if it cannot start that many.
const mostThreads = 256

// root returns the command ansatz with all its commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "ansatz",
		Short: "Do networks learn the features that their average gradient outer product identifies?",
		Long: `ansatz verifies the neural feature ansatz: that the filters' covariance WᵀW of every
layer of a trained network (the CNFM) is proportional to the average gradient outer
product (AGOP) of the network's outputs with respect to what the layer reads.

Results go to stdout, as a table or with --json as one JSON document; progress goes
to stderr. Exit codes: 0 done; 1 failed; 2 wrong usage or bad input; 75 interrupted with
a checkpoint: give the command again, with --resume where it has that flag.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       record.Version(),
		Args:          usage.Unknown,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetVersionTemplate("ansatz {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w\nTry: %s --help", flagcheck.Explain(c, err), c.CommandPath())}
	})
	f := root.PersistentFlags()
	f.StringVar(&a.dataDir, "data-dir", "", "folder of the datasets (default: $ANSATZ_DATA, else the user's cache "+
		"folder)")
	f.Uint64Var(&a.seed, "seed", 0, "seed of all random choices (default: 0)")
	f.IntVar(&a.threads, "threads", 0, "threads to use (default: all cores; in plans 1)")
	flagcheck.OutputFolder(f, &a.out, "out", "folder for the report, its figures and its records")
	f.BoolVar(&a.json, "json", false, "print one JSON document instead of a table")
	f.BoolVar(&a.quiet, "quiet", false, "no progress bar")
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		a.command = flagcheck.CommandLine(c, args)
		if err := flagcheck.CheckValues(c); err != nil {
			return usageError{err}
		}
		if most := max(mostThreads, runtime.NumCPU()); a.threads > most {
			return usageError{fmt.Errorf("--threads %d: want at most %d", a.threads, most)}
		}
		backend.SetBLASThreads(cmp.Or(a.threads, runtime.GOMAXPROCS(0))) // whatever OMP_NUM_THREADS says
		if err := flagcheck.CheckOutputs(c, args); err != nil {
			return usageError{err}
		}
		return nil
	}
	root.AddCommand(a.verify(), a.arch(), a.train(), a.rfm(), a.convrfm(), a.hyperbf(), a.predict(), a.list(), a.runExperiments(),
		a.compare(), a.report(), a.estimates(), a.tabular(),
		a.plan(), a.submit(), a.status(), a.merge(), a.resume(),
		a.leaderboard(), a.energy(), a.ntk(), a.linearize(), a.cost(), a.demo(), a.datasets(), a.doctor())
	usage.Set(root, func(err error) { a.helpErr = err })
	return root
}

// checkOut makes the folder --out, if it is given, in which a command makes folders of its own. Commands
// call it once the input is known to be good, and before anything takes long.
func (a *app) checkOut() error {
	if a.out == "" {
		return nil
	}
	if err := flagcheck.CheckFolder("--out", a.out); err != nil {
		return usageError{err}
	}
	return atomicfile.MakeFolder(a.out)
}

// checkResults is [app.checkOut] for a command whose results are the folder --out itself: it refuses a
// folder that another process writes to, and one that ansatz did not write.
func (a *app) checkResults() error {
	if a.out == "" {
		return nil
	}
	return errors.Join(a.checkOut(), record.CheckOut(a.out))
}

// show prints a record on stdout: as JSON, or its tables and the summary.
func show[T interface{ WriteText(io.Writer) error }](a *app, record any, summary string, tables ...T) error {
	if a.json {
		return a.print(record)
	}
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(a.streams.out)
		}
		if err := t.WriteText(a.streams.out); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(a.streams.out, summary)
	return err
}

// print prints v on stdout as JSON.
func (a *app) print(v any) error {
	e := json.NewEncoder(a.streams.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// saveReport saves a record into --out, if it is given, and prints the path of the report.
func (a *app) saveReport(r any, save func(dir string) (string, error)) error {
	record.SetCommand(r, a.command)
	return a.saveResults("Report", save)
}

// saveResults replaces the results in --out, if it is given, by those that save makes, and prints the
// path that save returns.
func (a *app) saveResults(what string, save func(dir string) (string, error)) error {
	if a.out == "" {
		return nil
	}
	page := ""
	err := record.WriteResults(a.out, func(dir string) error {
		path, err := save(dir)
		if err == nil {
			page, err = filepath.Rel(dir, path)
		}
		return err
	})
	if err == nil {
		fmt.Fprintf(a.err, "%s: %s\n", what, filepath.Join(a.out, page))
	}
	return err
}

// logf writes a line to stderr, unless --quiet is given.
func (a *app) logf(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// tty returns the terminal for progress.
func (a *app) tty() progress.Terminal {
	return progress.Terminal{W: a.err, On: progress.IsTerminal(a.err) && !a.quiet, Logf: a.logf}
}

// progress returns a bar for some work. It shows nothing unless stderr is a terminal.
func (a *app) progress() *progress.Bar { return progress.NewBar(a.tty()) }

// withBar does some work with a bar that shows its progress, and removes the bar.
func withBar[R any](a *app, work func(*progress.Bar) (R, error)) (R, error) {
	bar := a.progress()
	defer bar.End()
	return work(bar)
}

// runAndShow does a command's work with a bar, prints its record and saves it, even if printing failed.
func runAndShow[R interface {
	Summary() string
	Tables() []T
}, T interface{ WriteText(io.Writer) error }](a *app, work func(*progress.Bar) (R, error), save func(R) error) error {
	record, err := withBar(a, work)
	if err != nil {
		return err
	}
	return errors.Join(show(a, record, record.Summary(), record.Tables()...), save(record))
}
