package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// slurmJobs holds the scripts of the two jobs of a submission, and the arguments of sbatch for them.
type slurmJobs struct {
	Tasks string `json:"tasks"` // the script of the array
	Merge string `json:"merge"` // the script of the merging job
	// Array and After are the arguments of sbatch for the two jobs, which end in the submission's mark. The
	// last but two of After is the dependency; callSbatch puts the ID of the array into it.
	Array []string `json:"array"`
	After []string `json:"after"`
}

// submitSlurm submits an array that makes shards, and a job that merges. Earlier is the last submission, or
// nil.
func (a *app) submitSlurm(
	ctx context.Context, plan *shard.Plan, f *submitFlags, earlier *shard.Submission, shards []int,
) error {
	sub, err := a.newSubmission(ctx, plan, f, earlier, shards)
	if err != nil {
		return err
	}
	jobs, err := a.newSlurmJobs(plan, f.slurmFor(plan), sub)
	if err != nil {
		return err
	}
	config, err := askSlurm(ctx, "scontrol", "show", "config")
	if err != nil && !f.dryRun { // a dry run needs no Slurm
		return err
	}
	if err := shard.CheckArray(shards, shard.ArraySize(config)); err != nil {
		return err
	}
	if f.dryRun {
		return a.showJobs(jobs)
	}
	if err := shard.WriteScripts(a.out, jobs.Tasks, jobs.Merge); err != nil {
		return err
	}
	return a.callSbatch(ctx, jobs, sub)
}

// newSlurmJobs returns the jobs that make the submission's shards. It writes nothing.
func (a *app) newSlurmJobs(plan *shard.Plan, s shard.Slurm, sub *shard.Submission) (*slurmJobs, error) {
	if err := s.Check(a.out); err != nil {
		return nil, err
	}
	data := ""
	if a.dataDir != "" {
		data = " " + commandLine("--data-dir", a.dataDir)
	}
	task := fmt.Sprintf(`%s --shard "$%s/%d" --requeue%s`, commandLine(sub.Program, "run", "--out", a.out),
		taskVariable, len(plan.Shards), data)
	merge := commandLine(sub.Program, "merge", "--out", a.out) + data
	args := append([]string{"--parsable"}, s.Args...)
	return &slurmJobs{
		Tasks: s.Tasks(a.out, task, "--"+timeOverFlag), Merge: s.Merge(a.out, merge),
		Array: append(slices.Clone(args), "--array="+shard.Array(sub.Shards, s.Most), shard.TaskScript(a.out), sub.Mark),
		After: append(slices.Clone(args), afterAny+"JOB", shard.MergeScript(a.out), sub.Mark),
	}, nil
}

// afterAny makes a job begin once all tasks of an array have ended, in whatever way. With afterok it would
// wait for ever if a task failed.
const afterAny = "--dependency=afterany:"

// commandLine returns a command for a shell.
func commandLine(words ...string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = flagcheck.Quote(w)
	}
	return strings.Join(all, " ")
}

// showJobs prints the scripts and the commands of a dry run.
func (a *app) showJobs(j *slurmJobs) error {
	if a.json {
		return a.print(j)
	}
	_, err := fmt.Fprintf(a.streams.out, "%s:\n\n%s\n%s:\n\n%s\nCommands:\n\n%s\n%s\n",
		shard.TaskScript(a.out), j.Tasks, shard.MergeScript(a.out), j.Merge,
		"sbatch "+commandLine(j.Array...), "sbatch "+commandLine(j.After...))
	return err
}

// callSbatch submits both jobs and records their IDs. It first writes a record with the mark of the jobs, which
// finds them if this process ends meanwhile, or if sbatch fails with the job in the queue.
func (a *app) callSbatch(ctx context.Context, j *slurmJobs, sub *shard.Submission) error {
	err := sub.Write(a.out)
	if err != nil {
		return err
	}
	if sub.Job, err = submitJob(ctx, j.Array); err != nil {
		return err
	}
	if err := sub.Write(a.out); err != nil {
		return fmt.Errorf("job %s was submitted, but no record of it could be written: %w", sub.Job, err)
	}
	after := slices.Clone(j.After)
	after[len(after)-3] = afterAny + sub.Job
	if sub.Merge, err = submitJob(ctx, after); err != nil {
		return fmt.Errorf("job %s was submitted, but not the one that merges: %w; once it is over, ansatz merge "+
			"--out %s", sub.Job, err, flagcheck.Quote(a.out))
	}
	if err := sub.Write(a.out); err != nil {
		return fmt.Errorf("jobs %s and %s were submitted, but no record of the second could be written: %w", sub.Job,
			sub.Merge, err)
	}
	if a.json {
		return a.print(sub)
	}
	_, err = fmt.Fprintf(a.streams.out, "Submitted %s as job %s; job %s merges the results. Logs: %s. Next: ansatz "+
		"status --out %s\n",
		words.Count(len(sub.Shards), "shard"), sub.Job, sub.Merge, shard.LogFolder(a.out), flagcheck.Quote(a.out))
	return err
}

// submitJob calls sbatch and returns the ID of the job.
func submitJob(ctx context.Context, args []string) (string, error) {
	answer, err := askSlurm(ctx, "sbatch", args...)
	if err != nil {
		return "", err
	}
	return shard.JobID(answer)
}
