package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// fakeSlurm puts scripts with the names of Slurm's commands on the path. Each call is written as a line to the file
// calls. squeue prints the file queue in the same folder.
func fakeSlurm(t *testing.T) (calls string) {
	t.Helper()
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	for name, script := range map[string]string{
		"sbatch": `[ -e "$dir/crash" ] && { # the job is in the queue, and who submits it dies
			rm "$dir/crash"; echo "101|1|PENDING|None|${*: -2}" >"$dir/queue"; echo x >>"$dir/ids"; kill -9 $PPID; exit; }` +
			"\n" + `[ -e "$dir/full" ] && [ -s "$dir/ids" ] && {
			echo "sbatch: error: QOSMaxSubmitJobPerUserLimit" >&2; exit 1; }` + "\n" +
			`echo x >>"$dir/ids"; echo $((100 + $(wc -l <"$dir/ids")))`,
		"scontrol": `[ "$1" = show ] && echo "MaxArraySize            = 7"; exit 0`,
		"squeue": `[[ " $* " = *" --jobs="* ]] || { cat "$dir/queue"; exit; }
			for a; do case $a in --jobs=*) id=${a#--jobs=};; esac; done
			grep "^$id|" "$dir/queue" || { echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1; }`,
	} {
		text := fmt.Sprintf("#!/bin/bash\ndir=%s\necho \"%s $*\" >>$dir/calls\n%s\n", dir, name, script)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return calls
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSubmitSlurm checks that a submission is recorded, is not submitted twice, and is resumed with the same options.
func TestSubmitSlurm(t *testing.T) {
	calls := fakeSlurm(t)
	queue := filepath.Join(filepath.Dir(calls), "queue")
	put(t, queue, "")
	out := t.TempDir()
	plan := planned(t, out, "--seeds", "5", "--shards", "5")
	args := []string{"--engine", "slurm", "--out", out}
	if code, stdout, stderr := ansatz(t, append([]string{"submit", "--partition", "long", "--setup", "a", "--setup",
		"b", "--time", "2h", "--limit", "3", "--data-dir", "data"}, args...)...); code != exitDone ||
		!strings.Contains(stdout, "5 shards as job 101; job 102 merges") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	sub, err := shard.ReadSubmission(plan, out)
	if err != nil || sub.Mark == "" {
		t.Fatalf("%+v, %v", sub, err)
	}
	want := fmt.Sprintf("sbatch --parsable --array=1-5%%3 %s %s\nsbatch --parsable --dependency=afterany:101 %s %s\n",
		shard.TaskScript(out), sub.Mark, shard.MergeScript(out), sub.Mark)
	if got := contents(t, calls); !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	script := contents(t, shard.TaskScript(out))
	for _, line := range []string{"#SBATCH --partition=long\n", "#SBATCH --time=0-02:00:00\n", "\na\nb\ntrap '' USR1",
		"#SBATCH --signal=B:USR1@120\n"} {
		if !strings.Contains(script, line) {
			t.Errorf("%q is not in %s", line, script)
		}
	}
	// While tasks are in the queue, nothing is submitted without --force.
	put(t, queue, "101|1|COMPLETED|None|job.sh\n101|4|PENDING|Resources|job.sh\n102|N/A|PENDING|Dependency|merge.sh\n")
	if code, _, stderr := ansatz(t, "resume", "--out", out); code != exitUsage ||
		!strings.Contains(stderr, "101_4, 102 are in Slurm's queue") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	var s shard.Status
	if code, stderr := ansatzJSON(t, &s, "status", "--out", out); code != exitDone || s.Job != "101" || s.Active != 2 ||
		s.Shards[3].Task != "pending (Resources)" || s.Shards[4].Task != "not in the queue" {
		t.Errorf("exit %d, %+v: %s", code, s, stderr)
	}
	if code, stdout, stderr := ansatz(t, "status", "--out", out); code != exitDone ||
		!strings.Contains(stdout, "task of job 101") || !strings.Contains(stdout, "2 jobs in Slurm's queue") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := ansatz(t, "resume", "--out", out, "--force", "--limit", "1"); code != exitDone {
		t.Errorf("exit %d: %s", code, stderr)
	}
	sub, err = shard.ReadSubmission(plan, out)
	if err != nil || sub.Job != "103" || sub.Merge != "104" || !slices.Equal(sub.Earlier, []string{"101", "102"}) ||
		!filepath.IsAbs(sub.Options[dataDirOption][0]) {
		t.Errorf("%+v, %v", sub, err)
	}
	// Only the shards that are missing are submitted again, with the same options except those that are given.
	if code, _, stderr := ansatz(t, "run", "--out", out, "--shard", "2/5"); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	put(t, queue, "")
	if code, stdout, stderr := ansatz(t, "resume", "--out", out, "--time", "3h"); code != exitDone ||
		!strings.Contains(stdout, "4 shards as job 105") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	script = contents(t, shard.TaskScript(out))
	if !strings.Contains(contents(t, calls), "--array=1,3-5%1 ") || !strings.Contains(script, "--time=0-03:00:00") ||
		!strings.Contains(script, "\na\nb\ntrap") || !strings.Contains(script, "/data $") {
		t.Errorf("%s\n%s", contents(t, calls), script)
	}
}

// TestSubmitSlurmRefused checks that a job that Slurm refuses is reported, and that what was submitted before it stays
// on record. It also checks a plan with too many shards, and a machine without Slurm.
func TestSubmitSlurmRefused(t *testing.T) {
	calls := fakeSlurm(t)
	dir := filepath.Dir(calls)
	many := t.TempDir()
	planned(t, many, "--seeds", "8", "--shards", "8")
	if code, _, stderr := ansatz(t, "submit", "--engine", "slurm", "--out", many); code != exitUsage ||
		!strings.Contains(stderr, "at most 6 --shards") || strings.Contains(contents(t, calls), "sbatch") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	out := t.TempDir()
	plan := planned(t, out, "--seeds", "2", "--shards", "2")
	put(t, filepath.Join(dir, "full"), "")
	code, _, stderr := ansatz(t, "submit", "--engine", "slurm", "--out", out)
	if sub, err := shard.ReadSubmission(plan, out); code != exitFailed || err != nil || sub.Job != "101" ||
		sub.Merge != "" || !strings.Contains(stderr, "ansatz merge --out "+out) ||
		!strings.Contains(stderr, "QOSMaxSubmit") {
		t.Errorf("exit %d, %+v, %v: %s", code, sub, err, stderr)
	}
	t.Setenv("PATH", t.TempDir())
	if code, stdout, stderr := ansatz(t, "status", "--out", out); code != exitDone ||
		!strings.Contains(stdout, "0 of 2 units") || !strings.Contains(stderr, "no Slurm here") {
		t.Errorf("without Slurm: exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := ansatz(t, "resume", "--out", out); code != exitUsage ||
		!strings.Contains(stderr, "--engine local") {
		t.Errorf("without Slurm: exit %d: %s", code, stderr)
	}
}

// TestSubmitUnrecorded checks that jobs whose submitter was killed before it recorded them are found, and are not
// submitted twice.
func TestSubmitUnrecorded(t *testing.T) {
	calls := fakeSlurm(t)
	queue := filepath.Join(filepath.Dir(calls), "queue")
	put(t, filepath.Join(filepath.Dir(calls), "crash"), "")
	out := t.TempDir()
	plan := planned(t, out, "--seeds", "2", "--shards", "2")
	c, _ := process(t, "submit", "--engine", "slurm", "--out", out)
	if err := c.Run(); err == nil {
		t.Fatal("it was not killed")
	}
	if sub, err := shard.ReadSubmission(plan, out); err != nil || sub == nil || sub.Job != "" || sub.Mark == "" {
		t.Fatalf("%+v, %v", sub, err)
	}
	var s shard.Status
	if code, stderr := ansatzJSON(t, &s, "status", "--out", out); code != exitDone || s.Job != "101" || s.Active != 1 {
		t.Errorf("exit %d, %+v: %s", code, s, stderr)
	}
	for _, command := range []string{"submit", "resume"} {
		if code, _, stderr := ansatz(t, command, "--out", out, "--engine", "slurm"); code != exitUsage ||
			!strings.Contains(stderr, "101_1 is in Slurm's queue") {
			t.Errorf("%s: exit %d: %s", command, code, stderr)
		}
	}
	if n := strings.Count(contents(t, calls), "sbatch "); n != 1 {
		t.Errorf("sbatch was called %d times", n)
	}
	put(t, queue, "") // the job has ended
	if code, stdout, stderr := ansatz(t, "resume", "--out", out); code != exitDone ||
		!strings.Contains(stdout, "2 shards as job 102; job 103 merges") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

// TestSignalDuringSetup checks that SIGUSR1 is remembered if it comes while the setup lines of a task run, and that the
// task is then requeued.
func TestSignalDuringSetup(t *testing.T) {
	calls := fakeSlurm(t)
	out := t.TempDir()
	long(t, out)
	if code, _, stderr := ansatz(t, "submit", "--engine", "slurm", "--out", out, "--setup", "set -eu", "--setup",
		"kill -USR1 $$", "--setup", "true"); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	c := exec.Command("bash", shard.TaskScript(out), "mark")
	c.Env = append(os.Environ(), "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=1", asCommand+"=1")
	said, err := c.CombinedOutput()
	if c.ProcessState.ExitCode() != exitResume || !strings.Contains(contents(t, calls), "scontrol requeue 7_1\n") {
		t.Errorf("%v: %s", err, said)
	}
}

// TestRequeue checks that a task whose time is over asks to be started again, but fails instead after three times
// without progress.
func TestRequeue(t *testing.T) {
	calls := fakeSlurm(t)
	out := t.TempDir()
	plan := long(t, out)
	for i := range 3 {
		c, errs := process(t, "run", "--out", out, "--shard", "1/1", "--requeue")
		c.Env = append(c.Env, "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=1")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "the unit is being made", func() bool {
			return shard.StatusOf(plan,
				out).Shards[0].State == shard.Running
		})
		_ = c.Process.Signal(syscall.SIGUSR1)
		_ = c.Wait()
		asked := strings.Count(contents(t, calls), "scontrol requeue 7_1\n")
		if code := c.ProcessState.ExitCode(); i < 2 && (code != exitResume || asked != i+1) || i == 2 &&
			(code != exitFailed || asked != 2) {
			t.Errorf("time %d: exit %d, %d calls: %s", i, code, asked, errs)
		}
	}
	if s := shard.StatusOf(plan, out).Shards[0]; s.State != shard.Failed || !strings.Contains(s.Error, "--time") {
		t.Errorf("%+v", s)
	}
}
