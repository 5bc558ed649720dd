package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/spf13/cobra"
)

// planFlags are the flags of all kinds of plans.
type planFlags struct {
	*app
	shards   int
	commands bool // --print
}

func (a *app) plan() *cobra.Command {
	var f runFlags
	p := planFlags{app: a}
	c := &cobra.Command{
		Use:   "plan ID... --out DIR",
		Short: "Divide work into shards, for several processes or machines",
		Long: `plan writes DIR/plan.json: units of work, divided into shards of about equal time. Nothing is
computed yet. The ID of a unit is a digest of everything that its result depends on. A unit of
an experiment is a seed. Other work has plan commands with the flags of the command that does
it alone: verify is divided by groups of images, convrfm by tiles of the kernel matrices, ntk
by blocks of the tangent kernel, tabular by tables, and train by networks.

Any process on any machine that sees DIR can run a shard: ansatz run --out DIR --shard I/N.
ansatz submit runs all of them, by local processes or Slurm, ansatz status shows their progress,
ansatz resume runs unfinished ones, and ansatz merge merges the results, bit for bit those of
one process.

Every unit runs with --threads threads on every machine, 1 unless the flag is given, and on the
backend of the plan, for gpu on a GPU of the same name. Another version of ansatz is refused.

--print prints the command of each unfinished shard, one a line, for GNU parallel, xargs or
another scheduler.`,
		Example: `  ansatz plan cnfa/fig1 --seeds 5 --out out/fig1
  ansatz plan all --scale small --shards 100 --out out/all
  ansatz plan cnfa/fig9 --backend gpu --out out/fig9
  ansatz plan 'energy/*' --out out/energy --print | parallel -j 8
  ansatz plan train --arch vgg11 --data cifar10 --epochs 30 --widths .25,.5,1 --seeds 3 --out out/vgg
  ansatz plan --out out/energy --print | xargs -d '\n' -P 4 -n 1 sh -c`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, names []string) error {
			f.seedsGiven = c.Flags().Changed("seeds")
			if len(names) == 0 {
				if err := flagcheck.CheckWithoutIDs(c); err != nil {
					return usageError{err}
				}
				return p.showWritten()
			}
			if err := setBackend(f.backend); err != nil {
				return err
			}
			return p.write(a.planRuns(names, f, p.shards))
		},
	}
	seedFlags(c.Flags(), &f)
	backendFlag(c.Flags(), &f.backend)
	p.add(c)
	c.AddCommand(a.planVerify(&p), a.planConvRFM(&p), a.planNTK(&p), a.planTabular(&p), a.planTrain(&p))
	return c
}

func (p *planFlags) add(c *cobra.Command) {
	f := c.PersistentFlags()
	f.IntVar(&p.shards, "shards", 0, "number of shards (default: half an hour of work each, or up to 16 for "+
		"little work)")
	f.BoolVar(&p.commands, "print", false, "print the command of each unfinished shard, one a line")
}

// planRuns plans the seeds of experiments.
func (a *app) planRuns(names []string, f runFlags, shards int) (*shard.Plan, error) {
	if f.jobs == 0 {
		f.jobs = 1
	}
	out := a.out
	runs, err := a.experimentRuns(names, f)
	if a.out = out; err != nil {
		return nil, err
	}
	return study.PlanRuns(runs, a.threads, shards)
}

// needsOut returns a usage error if --out is not given.
func (a *app) needsOut() error {
	if a.out == "" {
		return usageError{errors.New("--out is needed: the folder of the plan")}
	}
	return nil
}

// write writes a plan into --out and shows it, unless there is an error.
func (p *planFlags) write(plan *shard.Plan, err error) error {
	if err != nil {
		return err
	}
	if err := errors.Join(p.needsOut(), p.checkOut()); err != nil {
		return err
	}
	if err := plan.Write(p.out); err != nil {
		return err
	}
	p.warnOfDisk(plan)
	return p.show(plan)
}

// writeDivided is write for a plan whose merged results have the page of a command, ansatz verify for ansatz plan verify.
func (p *planFlags) writeDivided(plan *shard.Plan, err error) error {
	if err == nil {
		plan.Command = flagcheck.Divided(p.command, plan.Threads)
	}
	return p.write(plan, err)
}

// warnOfDisk logs a warning if the disk has too little room for the missing units of a plan.
func (a *app) warnOfDisk(plan *shard.Plan) {
	if warning := job.DiskWarning(plan, a.out); warning != "" {
		a.logf("%s", warning)
	}
}

// showWritten shows the plan in --out.
func (p *planFlags) showWritten() error {
	if err := p.needsOut(); err != nil {
		return err
	}
	plan, err := shard.Read(p.out)
	if errors.Is(err, fs.ErrNotExist) {
		err = usageError{fmt.Errorf("%w\nTry: ansatz plan --help", err)}
	}
	if err != nil {
		return err
	}
	return p.show(plan)
}

// show prints the commands of a plan, its JSON or its table.
func (p *planFlags) show(plan *shard.Plan) error {
	switch {
	case p.commands:
		return p.printCommands(plan)
	case p.json:
		return p.print(plan)
	}
	t := job.PlanTable(plan)
	return show(p.app, plan, job.PlanSummary(plan, flagcheck.Quote(p.out)), &t)
}

// printCommands prints the command of each shard that is not complete.
func (a *app) printCommands(plan *shard.Plan) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, shard := range shard.StatusOf(plan, a.out).Missing() {
		args := append([]string{self}, a.shardArgs(plan, shard)...)
		if _, err := fmt.Fprintln(a.streams.out, commandLine(args...)); err != nil {
			return err
		}
	}
	a.logf("Then: ansatz merge --out %s", flagcheck.Quote(a.out))
	return nil
}

// shardArgs returns the arguments with which a process makes a shard.
func (a *app) shardArgs(plan *shard.Plan, shard int) []string {
	args := []string{"run", "--out", a.out, "--shard", fmt.Sprintf("%d/%d", shard, len(plan.Shards)), "--quiet"}
	if a.dataDir != "" {
		args = append(args, "--data-dir", a.dataDir)
	}
	return args
}
