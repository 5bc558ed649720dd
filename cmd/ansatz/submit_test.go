package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
)

// planned makes a plan of seeds that take less than a second each.
func planned(t *testing.T, out string, more ...string) *shard.Plan {
	t.Helper()
	args := append([]string{"plan", "rfm/fig9", "--scale", "smoke", "--out", out}, more...)
	if code, _, stderr := ansatz(t, args...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	plan, err := shard.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// long makes a plan with one unit, which runs until it is stopped.
func long(t *testing.T, out string) *shard.Plan {
	t.Helper()
	return planned(t, out, "--seeds", "1", "--shards", "1", "--spec", longSpec(t))
}

func longSpec(t *testing.T) string {
	t.Helper()
	spec := filepath.Join(t.TempDir(), "long.toml")
	if err := os.WriteFile(spec, []byte("[net]\nepochs = 10000000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return spec
}

// spoil prevents a unit from being made until mend is called.
func spoil(t *testing.T, out string, u shard.Unit) (mend func()) {
	t.Helper()
	path := filepath.Join(out, "scratch", u.ID)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// until waits until a condition holds: long enough for a busy machine, but not for ever.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(6 * time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("six minutes were not enough until %s", what)
		}
	}
}

// sameResults checks that two folders have the same results of an experiment. It leaves out JSON and HTML files, which
// hold times.
func sameResults(t *testing.T, want, got string) {
	t.Helper()
	same := 0
	err := filepath.Walk(filepath.Join(want, "rfm"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || filepath.Ext(path) == ".json" || filepath.Ext(path) == ".html" {
			return err
		}
		a, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rest, _ := filepath.Rel(want, path)
		if b, err := os.ReadFile(filepath.Join(got, rest)); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v", rest, err)
		}
		same++
		return nil
	})
	if err != nil || same < 4 {
		t.Errorf("%d files: %v", same, err)
	}
}

// unsharded runs the seeds of a plan in one process, and returns the output folder.
func unsharded(t *testing.T, seeds string) string {
	t.Helper()
	out := t.TempDir()
	if code, _, stderr := ansatz(t, "run", "rfm/fig9", "--scale", "smoke", "--seeds", seeds, "--threads", "1",
		"--quiet", "--out", out); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	return out
}

// TestSubmitLocal checks that local processes give the results of a single process. A shard that fails does not stop
// the others, and resume makes only what is missing.
func TestSubmitLocal(t *testing.T) {
	t.Setenv(asCommand, "1")
	out := filepath.Join(t.TempDir(), "a b")
	plan := planned(t, out, "--seeds", "4", "--shards", "3")
	mend := spoil(t, out, plan.Units[2])
	code, stdout, stderr := ansatz(t, "submit", "--out", out, "--jobs", "2")
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "1 of 3 shards failed") ||
		!strings.Contains(stderr, "rfm/fig9, seed 2") || !strings.Contains(stderr, "3 of 4 units are finished") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	var s shard.Status
	if code, stderr := ansatzJSON(t, &s, "status", "--out", out); code != exitDone || s.Done || s.Whole != 3 ||
		len(s.Missing()) != 1 {
		t.Errorf("exit %d, %+v: %s", code, s, stderr)
	}
	mend()
	if code, _, stderr := ansatz(t, "resume", "--out", out); code != exitDone || strings.Count(stderr, ": finished") != 1 {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if sub, err := shard.ReadSubmission(plan, out); err != nil || sub.Engine != localEngine ||
		!slices.Equal(sub.Options["jobs"], []string{"2"}) || len(sub.Shards) != 1 {
		t.Errorf("%+v, %v", sub, err)
	}
	if code, stdout, stderr := ansatz(t, "resume", "--out", out); code != exitDone ||
		!strings.Contains(stdout, "4 of 4 units are complete, and merged") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if err := os.Remove(filepath.Join(out, shard.MergedFile)); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := ansatz(t, "resume", "--out", out); code != exitDone ||
		!strings.Contains(stdout, "Merged") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	sameResults(t, unsharded(t, "4"), out)
}

// TestPlanBackend checks that the shards of a plan compute on its backend, whatever the default is where they run, and
// that they ask Slurm for a GPU only if that backend is gpu.
func TestPlanBackend(t *testing.T) {
	for _, name := range gputest.Backends(t) {
		t.Run(name, func(t *testing.T) {
			t.Setenv(asCommand, "1")
			t.Setenv("ANSATZ_BACKEND", "go")
			out := t.TempDir()
			plan := planned(t, out, "--seeds", "2", "--backend", name)
			if plan.Backend != name || (plan.Device != "") != (name == "gpu") {
				t.Errorf("the plan is for the backend %q, device %q", plan.Backend, plan.Device)
			}
			t.Setenv("ANSATZ_BACKEND", "go") // plan changed it
			var j slurmJobs
			if code, stderr := ansatzJSON(t, &j, "submit", "--engine", "slurm", "--out", out, "--dry-run"); code != exitDone {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			for _, script := range []string{j.Tasks, j.Merge} {
				if strings.Contains(script, "#SBATCH --gres=gpu:1\n") != (name == "gpu") {
					t.Errorf("script:\n%s", script)
				}
			}
			other := map[bool]string{true: "gpu", false: "go"}[name == "go"]
			if code, _, stderr := ansatz(t, "run", "--out", out, "--shard", "1", "--backend", other); code != exitUsage {
				t.Errorf("--backend %s: exit %d: %s", other, code, stderr)
			}
			if code, _, stderr := ansatz(t, "run", "--out", out, "--shard", "1", "--threads", "2"); code != exitUsage ||
				!strings.Contains(stderr, "--threads has no effect without IDs") {
				t.Errorf("--threads 2: exit %d: %s", code, stderr)
			}
			t.Setenv("ANSATZ_BACKEND", "go")
			if code, _, stderr := ansatz(t, "submit", "--out", out); code != exitDone {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			records, err := filepath.Glob(filepath.Join(out, "rfm", "fig9", "*", "seed-*", "run.json"))
			if err != nil || len(records) != 2 {
				t.Fatalf("%d records, %v", len(records), err)
			}
			for _, r := range records {
				if text, err := os.ReadFile(r); err != nil || !strings.Contains(string(text), fmt.Sprintf(`"backend":%q`, name)) {
					t.Errorf("%s, %v:\n%s", r, err, text)
				}
			}
		})
	}
}

// TestSubmitStopped checks that a second submit is refused while the first runs, and that a submit that is stopped
// keeps the units that are complete.
func TestSubmitStopped(t *testing.T) {
	out := t.TempDir()
	plan := planned(t, out, "--seeds", "40", "--shards", "5")
	c, errs := process(t, "submit", "--out", out, "--jobs", "2")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "two units are whole", func() bool { return shard.StatusOf(plan, out).Whole >= 2 })
	if code, _, stderr := ansatz(t, "submit", "--out", out); code != exitUsage || !strings.Contains(stderr, "--force") {
		t.Errorf("a second one: exit %d: %s", code, stderr)
	}
	_ = c.Process.Signal(syscall.SIGTERM)
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitResume || !strings.Contains(errs.String(), "of 40 units are in") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if s := shard.StatusOf(plan, out); s.Whole < 2 || s.Whole == 40 ||
		slices.ContainsFunc(s.Shards, func(s shard.ShardStatus) bool { return s.State == shard.Running }) {
		t.Errorf("%+v", s)
	}
}

// startedBy returns the children of all threads of a process that run a program with arguments of their own. It leaves
// out children with the arguments of the process itself. Each child is at first such a copy of its parent. So is the
// child that the Go runtime makes before its first command, to see whether it can, and that ends at once.
func startedBy(t *testing.T, pid int) []int {
	t.Helper()
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if len(threads) == 0 && runtime.GOOS != "linux" {
		t.Skip("processes cannot be asked for their children here")
	}
	var all []int
	for _, thread := range threads {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))
		for f := range strings.FieldsSeq(string(text)) {
			n, err := strconv.Atoi(f)
			if line := argumentsOf(n); err == nil && len(line) > 0 && !bytes.Equal(line, argumentsOf(pid)) {
				all = append(all, n)
			}
		}
	}
	return all
}

func argumentsOf(pid int) []byte {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // empty for a zombie
	return line
}

// gone reports whether a process has ended with all of its threads. A zombie counts as ended. The first thread may end
// before the others, which hold the locks of the process until they end.
func gone(pid int) bool {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, thread := range threads {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/stat", pid, thread.Name()))
		_, after, _ := strings.Cut(string(text), ") ")
		if after != "" && !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X") {
			return false
		}
	}
	return true
}

// TestChildrenEnd checks that children end if the process that started them is killed, and that their units can be made
// again.
func TestChildrenEnd(t *testing.T) {
	for _, command := range []string{"submit", "run"} {
		out := t.TempDir()
		args := []string{"run", "rfm/fig9", "--scale", "smoke", "--seeds", "2", "--jobs", "2", "--spec", longSpec(t),
			"--memory", "0", "--yes", "--out", out}
		if command == "submit" {
			long(t, out)
			args = []string{"submit", "--out", out}
		}
		c, errs := process(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		var started []int
		until(t, "there is a child", func() bool { started = startedBy(t, c.Process.Pid); return len(started) > 0 })
		if command == "submit" {
			plan, err := shard.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			until(t, "its unit is being made", func() bool {
				return shard.StatusOf(plan,
					out).Shards[0].State == shard.Running
			})
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // it was killed
		for _, pid := range started {
			until(t, command+"'s child has ended", func() bool { return gone(pid) })
		}
		if command == "submit" {
			if code, stdout, _ := ansatz(t, "status", "--out", out); code != exitDone ||
				!strings.Contains(stdout, "waiting") || !strings.Contains(stdout, "ansatz resume") {
				t.Errorf("exit %d: %s%s", code, stdout, errs)
			}
		}
	}
}

// TestResumeAfterKill checks that resume, right after a submitter was killed, waits until its children have ended, and
// then completes the plan.
func TestResumeAfterKill(t *testing.T) {
	t.Setenv(asCommand, "1")
	out := t.TempDir()
	plan := planned(t, out, "--seeds", "4", "--shards", "2")
	c, _ := process(t, "submit", "--out", out, "--jobs", "1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var started []int
	until(t, "a unit is being made", func() bool {
		started = startedBy(t, c.Process.Pid)
		return len(started) > 0 && len(shard.StatusOf(plan, out).Running()) > 0
	})
	// A stopped child cannot end. The test lets it go on once resume waits for it.
	for _, pid := range started {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	said := filepath.Join(t.TempDir(), "said")
	f, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	again, _ := process(t, "resume", "--out", out)
	again.Stderr = f
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "it waits", func() bool { return strings.Contains(contents(t, said), "waiting up to 15s") })
	for _, pid := range started {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	if err := again.Wait(); err != nil || !shard.StatusOf(plan, out).Done {
		t.Errorf("%v: %s", err, contents(t, said))
	}
}

// TestSubmitHangs checks that a process that hangs is killed when its time is over, and that the other shards are made.
func TestSubmitHangs(t *testing.T) {
	t.Parallel() // it waits most of the time
	out := t.TempDir()
	plan := planned(t, out, "--seeds", "3", "--shards", "3")
	c, errs := process(t, "submit", "--out", out, "--jobs", "1", "--time", "10s")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var hung int
	until(t, "a child is stopped", func() bool {
		for _, pid := range startedBy(t, c.Process.Pid) {
			if bytes.Contains(argumentsOf(pid), []byte("\x001/3\x00")) && syscall.Kill(pid, syscall.SIGSTOP) == nil {
				hung = pid
			}
		}
		return hung > 0
	})
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitFailed ||
		!strings.Contains(errs.String(), "shard 1: it took longer than --time 10s") || !gone(hung) {
		t.Errorf("exit %d: %s", code, errs)
	}
	// On a busy machine, one of the other shards may have run out of time too.
	if s := shard.StatusOf(plan, out); !strings.Contains(s.Shards[0].Error, "it took longer than --time 10s") || s.Whole < 1 {
		t.Errorf("%+v", s)
	}
}

// TestSubmitUsage checks that flags that are wrong, or not for the engine, are refused before anything is submitted.
func TestSubmitUsage(t *testing.T) {
	out := t.TempDir()
	if code, _, stderr := ansatz(t, "submit", "--out", out); code != exitUsage ||
		!strings.Contains(stderr, "ansatz plan") {
		t.Errorf("no plan: exit %d: %s", code, stderr)
	}
	planned(t, out, "--seeds", "2")
	calls := fakeSlurm(t)
	put(t, calls, "")
	put(t, filepath.Join(filepath.Dir(calls), "queue"), "")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"want local or slurm", []string{"--engine", "cloud"}},
		{"--partition is not for --engine local", []string{"--partition", "x"}},
		{"--jobs -1", []string{"--jobs", "-1"}},
		{`--time "soon"`, []string{"--time", "soon"}},
		{"takes no argument", []string{"more"}},
		{"--jobs is not for --engine slurm", []string{"--engine", "slurm", "--jobs", "2"}},
		{"not one that ansatz gives", []string{"--engine", "slurm", "--sbatch-arg", "--array=1"}},
		{"must be one line", []string{"--engine", "slurm", "--partition", "a\nb"}},
		{"as soon as it begins", []string{"--engine", "slurm", "--time", "1m", "--signal", "60"}},
	} {
		if code, stdout, stderr := ansatz(t, append([]string{"submit", "--out", out}, c.args...)...); code != exitUsage ||
			stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d: %s%s", c.args, code, stdout, stderr)
		}
	}
	if strings.Contains(contents(t, calls), "sbatch") {
		t.Error("sbatch was called")
	}
	if _, err := os.Stat(filepath.Join(out, shard.SubmissionFile)); err == nil {
		t.Error("a submission was recorded")
	}
}

func TestLocalJobs(t *testing.T) {
	p := &shard.Plan{Maker: shard.Maker{Threads: 1 << 20}, Units: []shard.Unit{{Bytes: 1 << 30}, {Bytes: 2 << 30}}}
	for _, c := range []struct {
		asked, shards int
		free          int64
		want          int
	}{{0, 8, 0, 1}, {4, 8, 9 << 30, 4}, {4, 8, 7 << 30, 0}, {1, 8, 1, 1}, {4, 2, 9 << 30, 2}, {3, 8, 0, 3}} {
		if got, err := localJobs(p, c.asked, c.shards, c.free); got != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
}

// TestSubmitDryRun checks that a dry run shows the scripts and the commands, and writes nothing.
func TestSubmitDryRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "it's")
	planned(t, out, "--seeds", "4", "--shards", "4")
	var j slurmJobs
	args := []string{"submit", "--engine", "slurm", "--out", out, "--dry-run", "--limit", "2", "--data-dir", "/d d",
		"--setup", "module load x", "--sbatch-arg", "--comment=a b"}
	if code, stderr := ansatzJSON(t, &j, args...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	quotedOut := strings.ReplaceAll(out, "it's", `it'\''s`)
	line := fmt.Sprintf("module load x\ntrap '' USR1 # until the program waits for it\nexec %s run --out '%s' "+
		"--shard \"$SLURM_ARRAY_TASK_ID/4\" --requeue --data-dir '/d d' ${ansatz_time_over:+--time-over}\n", self, quotedOut)
	if !strings.HasSuffix(j.Tasks, line) || !strings.HasSuffix(j.Merge,
		fmt.Sprintf("exec %s merge --out '%s' --data-dir '/d d'\n", self, quotedOut)) {
		t.Errorf("%s\n%s\nwant %s", j.Tasks, j.Merge, line)
	}
	if !slices.Equal(j.Array[:4], []string{"--parsable", "--comment=a b", "--array=1-4%2", shard.TaskScript(out)}) ||
		!slices.Contains(j.After, "--dependency=afterany:JOB") {
		t.Errorf("%q, %q", j.Array, j.After)
	}
	// Bash finds no error in the syntax of the scripts.
	for _, script := range []string{j.Tasks, j.Merge} {
		if said, err := exec.Command("bash", "-n", "-c", script).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
	}
	code, stdout, stderr := ansatz(t, args...)
	for _, part := range []string{j.Tasks, j.Merge, "sbatch --parsable '--comment=a b' --array=1-4%2 '" + quotedOut} {
		if code != exitDone || !strings.Contains(stdout, part) {
			t.Errorf("exit %d: %s%s does not have %s", code, stdout, stderr, part)
		}
	}
	var local struct {
		Shards []int
		Jobs   int
	}
	if code, stderr := ansatzJSON(t, &local, "submit", "--out", out, "--dry-run"); code != exitDone ||
		len(local.Shards) != 4 || local.Jobs < 1 {
		t.Errorf("exit %d, %+v: %s", code, local, stderr)
	}
	if names, err := os.ReadDir(out); err != nil || len(names) != 1 {
		t.Errorf("it wrote something: %v, %v", names, err)
	}
}
