package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/spf13/cobra"
)

func (a *app) submit() *cobra.Command {
	var f submitFlags
	c := &cobra.Command{
		Use:   "submit --engine local|slurm --out DIR",
		Short: "Run the shards of a plan, by local processes or Slurm, and merge them",
		Long: `submit runs the unfinished shards of the plan in DIR, and then merges all of them.

--engine local runs them on this machine, --jobs at once, each in its own process. A shard that
fails, or takes longer than --time, does not block the others. Ctrl-C stops all; finished units
are kept.

--engine slurm submits an array with a task for each shard, at most --limit of them running at
once, and a job after it that merges, or names what is missing. The scripts are DIR/slurm/job.sh
and merge.sh, the logs are in DIR/slurm/logs, by job and task. Shortly before the end of its time
(--signal) a task saves finished units and its checkpoint and is requeued, unless it made no
progress. Tasks have the working folder and the environment of submit; --setup lines come before
the program ('set -e' among them makes a task fail with them), and --sbatch-arg applies to both
jobs and overrides the other options.

submit is refused while the plan is running. --force permits it, and leaves units that other
processes run to them. The options are kept in DIR/submission.json, for ansatz resume.`,
		Example: `  ansatz submit --out out/fig1
  ansatz submit --out out/fig1 --jobs 8 --time 2h
  ansatz submit --out out/fig1 --engine slurm --partition long --time 12h --limit 50
  ansatz submit --out out/fig1 --engine slurm --setup 'module load openblas' --sbatch-arg --mail-type=FAIL --dry-run`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			plan, sub, err := a.readSubmitted()
			if err != nil {
				return err
			}
			return a.submitMissing(c.Context(), plan, &f, sub)
		},
	}
	f.add(c)
	return c
}

func (a *app) resume() *cobra.Command {
	var f submitFlags
	c := &cobra.Command{
		Use:   "resume --out DIR",
		Short: "Resume unfinished work of a plan",
		Long: `resume runs the unfinished shards of the plan in DIR and merges, as ansatz submit does, with the
engine and the options of the last submission; flags replace them. A plan that was never submitted
runs in local processes. If all shards are finished it merges, and if all is merged it says so.`,
		Example: `  ansatz resume --out out/fig1
  ansatz resume --out out/fig1 --time 24h
  ansatz resume --out out/fig1 --engine local --jobs 2`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			plan, sub, err := a.readSubmitted()
			if err != nil {
				return err
			}
			if sub != nil {
				if !c.Flags().Changed("engine") {
					f.engine = sub.Engine
				}
				if dir := sub.Options[dataDirOption]; a.dataDir == "" && len(dir) > 0 {
					a.dataDir = dir[0]
				}
				if err := f.restore(sub); err != nil {
					return err
				}
			}
			return a.submitMissing(c.Context(), plan, &f, sub)
		},
	}
	f.add(c)
	return c
}

// readSubmitted reads the plan in --out and its last submission, which is nil if there is none. It makes the
// folders of flags absolute, for processes that run elsewhere.
func (a *app) readSubmitted() (*shard.Plan, *shard.Submission, error) {
	plan, err := a.readPlan()
	if err != nil {
		return nil, nil, err
	}
	if a.out, err = filepath.Abs(a.out); err != nil {
		return nil, nil, err
	}
	if a.dataDir != "" {
		if a.dataDir, err = filepath.Abs(a.dataDir); err != nil {
			return nil, nil, err
		}
	}
	sub, err := shard.ReadSubmission(plan, a.out)
	return plan, sub, err
}

// submitMissing submits the missing shards of a plan, and merges all. Sub is the last submission, or nil.
func (a *app) submitMissing(ctx context.Context, plan *shard.Plan, f *submitFlags, sub *shard.Submission) error {
	if err := f.check(); err != nil {
		return err
	}
	submit := func() error {
		s := shard.StatusOf(plan, a.out)
		if s.Whole < s.Units && !f.force && !f.dryRun {
			if err := a.checkIdle(ctx, plan, f.engine, sub); err != nil {
				return err
			}
			s = shard.StatusOf(plan, a.out) // meanwhile more units may be whole
		}
		switch {
		case s.Done, s.Whole == s.Units && f.dryRun:
			return a.printStatus(s) // says what comes next
		case s.Whole == s.Units:
			return a.mergePlan(ctx, plan)
		}
		a.warnOfDisk(plan)
		if f.engine == slurmEngine {
			return a.submitSlurm(ctx, plan, f, sub, s.Missing())
		}
		return a.submitLocal(ctx, plan, f, sub, s.Missing())
	}
	if f.force || f.dryRun {
		return submit()
	}
	return shard.AsSubmitter(a.out, submit)
}

// printStatus prints the status of a plan of which no shard is left to submit.
func (a *app) printStatus(s *shard.Status) error {
	if a.json {
		return a.print(s)
	}
	_, err := fmt.Fprintln(a.streams.out, job.StatusSummary(s, flagcheck.Quote(a.out)))
	return err
}
