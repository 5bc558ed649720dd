package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// realSlurm starts a Slurm cluster of two nodes on this machine. It skips the test if it cannot.
func realSlurm(t *testing.T) {
	t.Helper()
	up := filepath.Join(os.Getenv("ANSATZ_SHARED"), "slurm", "slurm-up.sh")
	if _, err := os.Stat(up); os.Getenv("ANSATZ_SHARED") == "" || err != nil || os.Getuid() != 0 {
		t.Skip("it needs root, and slurm/slurm-up.sh in $ANSATZ_SHARED, as .ci/run has them")
	}
	t.Setenv("SLURM_TEST_DIR", filepath.Join(os.TempDir(), fmt.Sprintf("ansatz-slurm-%d", os.Getpid())))
	t.Setenv("SLURM_TEST_PORT", fmt.Sprint(freePorts(t)))
	t.Cleanup(func() { // also after a start that failed
		if said, err := exec.Command(filepath.Join(filepath.Dir(up), "slurm-down.sh"),
			"-x").CombinedOutput(); err != nil {
			t.Errorf("slurm-down.sh: %v: %s", err, said)
		}
	})
	said, err := exec.Command(up).Output()
	_, conf, ok := strings.Cut(string(said), "SLURM_CONF=")
	if err != nil || !ok {
		t.Fatalf("slurm-up.sh: %v: %s", err, said)
	}
	t.Setenv("SLURM_CONF", strings.TrimSpace(conf))
	t.Setenv(asCommand, "1") // in the tasks, this binary is ansatz
}

// freePorts returns the first of three consecutive ports on which no process listens.
func freePorts(t *testing.T) int {
	t.Helper()
	for first := 21000; first < 30000; first += 3 {
		free := true
		for i := range 3 {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+i))
			if err != nil {
				free = false
				break
			}
			_ = l.Close() // so that Slurm can use it
		}
		if free {
			return first
		}
	}
	t.Fatal("no free ports")
	return 0
}

// submitted submits the plan in a folder with a command, and returns the record of the submission.
func submitted(t *testing.T, plan *shard.Plan, out string, args ...string) *shard.Submission {
	t.Helper()
	if code, _, stderr := ansatz(t, append(args, "--out", out)...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	sub, err := shard.ReadSubmission(plan, out)
	if err != nil || sub == nil || sub.Job == "" || sub.Merge == "" {
		t.Fatalf("%+v, %v", sub, err)
	}
	return sub
}

// tasksOf asks Slurm for the tasks of a submission.
func tasksOf(t *testing.T, sub *shard.Submission) []shard.Task {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tasks, err := slurmTasks(ctx, sub)
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// over waits until no task of a submission runs or waits in the queue.
func over(t *testing.T, sub *shard.Submission) {
	t.Helper()
	until(t, "job "+sub.Merge+" is over", func() bool {
		return !slices.ContainsFunc(tasksOf(t, sub), shard.Task.Active)
	})
}

// isDone checks that a plan is complete and merged. If it is not, the logs of its tasks are shown.
func isDone(t *testing.T, out string) {
	t.Helper()
	code, stdout, stderr := ansatz(t, "status", "--out", out, "--json")
	if code != exitDone || !strings.Contains(strings.ReplaceAll(stdout, " ", ""), `"done":true`) {
		logs, _ := filepath.Glob(filepath.Join(shard.LogFolder(out), "*"))
		for _, l := range logs {
			t.Logf("%s:\n%s", l, contents(t, l))
		}
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
}

// TestSlurm submits plans to a real Slurm cluster of two nodes.
func TestSlurm(t *testing.T) {
	realSlurm(t)
	whole := unsharded(t, "4")

	// No more tasks run at once than --limit allows, and the merged results are those of one process.
	t.Run("limit", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), `50% "odd" 'path' #1`)
		plan := planned(t, out, "--seeds", "4", "--shards", "4")
		sub := submitted(t, plan, out, "submit", "--engine", "slurm", "--limit", "1", "--time", "20m", "--setup",
			"export SOMETHING='a b'")
		most := 0
		until(t, "all are done", func() bool {
			running, active := 0, false
			for _, task := range tasksOf(t, sub) {
				active = active || task.Active()
				if task.State == "RUNNING" && task.Shard > 0 {
					running++
				}
			}
			most = max(most, running)
			return !active
		})
		if most != 1 {
			t.Errorf("%d tasks ran at once", most)
		}
		isDone(t, out)
		sameResults(t, whole, out)
	})

	// Jobs without a record, as after a crash of the submitting process, are found by their mark.
	t.Run("unrecorded", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "a b")
		plan := planned(t, out, "--seeds", "2", "--shards", "2")
		sub := submitted(t, plan, out, "submit", "--engine", "slurm", "--sbatch-arg", "--hold")
		without := *sub
		without.Job, without.Merge = "", ""
		if err := without.Write(out); err != nil {
			t.Fatal(err)
		}
		if tasksOf(t, &without); without.Job != sub.Job || without.Merge != sub.Merge {
			t.Errorf("%+v, want %+v", without, sub)
		}
		if code, _, stderr := ansatz(t, "resume", "--out", out); code != exitUsage ||
			!strings.Contains(stderr, sub.Job+"_1, ") {
			t.Errorf("exit %d: %s", code, stderr)
		}
		slurm(t, "scancel", sub.Job, sub.Merge)
	})

	// A signal that arrives while the setup lines run is not lost.
	t.Run("setup", func(t *testing.T) {
		out := t.TempDir()
		plan := planned(t, out, "--seeds", "1", "--shards", "1")
		sub := submitted(t, plan, out, "submit", "--engine", "slurm", "--setup", "touch '"+out+"/begun'; sleep 3")
		until(t, "the setup runs", func() bool { _, err := os.Stat(filepath.Join(out, "begun")); return err == nil })
		slurm(t, "scancel", "--batch", "--signal=USR1", sub.Job+"_1")
		until(t, "it is requeued", func() bool {
			return slices.Contains(tasksOf(t, sub), shard.Task{Job: sub.Job, Shard: 1, State: "PENDING",
				Reason: "BeginTime", Command: shard.TaskScript(out) + " " + sub.Mark})
		})
		slurm(t, "scancel", sub.Job, sub.Merge)
	})

	// If a task fails, the merge job ends and says what is missing. Only that is submitted again.
	t.Run("failure", func(t *testing.T) {
		out := t.TempDir()
		plan := planned(t, out, "--seeds", "4", "--shards", "4")
		mend := spoil(t, out, plan.Units[2])
		sub := submitted(t, plan, out, "submit", "--engine", "slurm")
		over(t, sub)
		log := contents(t, filepath.Join(shard.LogFolder(out), "merge-"+sub.Merge+".out"))
		if !strings.Contains(log, "shard 3, rfm/fig9, seed 2") || !strings.Contains(log, "missing: it failed") ||
			strings.Contains(log, "seed 1") {
			t.Error(log)
		}
		failed := shard.Task{Job: sub.Job, Shard: 3, State: "FAILED", Reason: "NonZeroExitCode",
			Command: shard.TaskScript(out) + " " + sub.Mark}
		if tasks := tasksOf(t, sub); !slices.Contains(tasks, failed) {
			t.Errorf("%+v", tasks)
		}
		mend()
		sub = submitted(t, plan, out, "resume")
		if !slices.Equal(sub.Shards, []int{3}) {
			t.Errorf("shards %d were submitted again", sub.Shards)
		}
		over(t, sub)
		isDone(t, out)
		sameResults(t, whole, out)
	})

	// A task whose time is nearly over is requeued, and continues after the units that are complete.
	t.Run("requeue", func(t *testing.T) {
		out := t.TempDir()
		plan := planned(t, out, "--seeds", "10", "--shards", "1")
		sub := submitted(t, plan, out, "submit", "--engine", "slurm")
		task := sub.Job + "_1"
		until(t, "two units are whole", func() bool { return shard.StatusOf(plan, out).Whole >= 2 })
		slurm(t, "scancel", "--batch", "--signal=USR1", task) // as Slurm does shortly before the time is over
		until(t, "it is requeued", func() bool {
			return slices.Contains(tasksOf(t, sub), shard.Task{Job: sub.Job, Shard: 1, State: "PENDING",
				Reason: "BeginTime", Command: shard.TaskScript(out) + " " + sub.Mark})
		})
		if s := shard.StatusOf(plan, out); s.Whole < 2 || s.Whole == s.Units {
			t.Errorf("%d units are whole", s.Whole)
		}
		// Slurm starts the task again after two minutes. If it is told to do so at once, it may take the end of the
		// first process for the end of the second.
		over(t, sub)
		isDone(t, out)
		log := contents(t, filepath.Join(shard.LogFolder(out), task+".out"))
		for i := range 10 {
			if n := strings.Count(log, fmt.Sprintf("seed %d: finished\n", i)); n != 1 {
				t.Errorf("seed %d was made %d times:\n%s", i, n, log)
			}
		}
	})
}

// slurm runs one of Slurm's commands.
func slurm(t *testing.T, command string, args ...string) {
	t.Helper()
	if said, err := exec.Command(command, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, said)
	}
}
