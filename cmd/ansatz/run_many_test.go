package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// runsJSON holds the fields of the JSON output of ansatz run that the tests read.
type runsJSON struct {
	Experiments []struct{ ID, Report string }
	Failed      []struct{ ID, Error string }
}

func (r runsJSON) ids() []string {
	var ids []string
	for _, e := range r.Experiments {
		ids = append(ids, e.ID)
	}
	return ids
}

// TestRunSeveral checks that an experiment that fails does not keep the others from running, and is named at the end.
func TestRunSeveral(t *testing.T) {
	dir := t.TempDir()
	inTheWay := filepath.Join(dir, "rfm", "tutorial")
	if err := os.MkdirAll(filepath.Dir(inTheWay), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(inTheWay, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "rfm/lowrank", "rfm/tut*", "rfm/fig9", "--scale", "smoke", "--seeds", "1", "--out", dir}
	var r runsJSON
	code, out, stderr := ansatz(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if code != exitFailed || len(r.ids()) != 2 || len(r.Failed) != 1 || r.Failed[0].ID != "rfm/tutorial" ||
		r.Failed[0].Error == "" {
		t.Errorf("exit %d, %+v", code, r)
	}
	if !strings.Contains(stderr, "1 of 3 experiments failed") ||
		!strings.Contains(stderr, "3 experiments, 3 seeds to run") ||
		!strings.Contains(stderr, "rfm/lowrank, seed 0\n") {
		t.Error(stderr)
	}
	// With --resume, only the experiment that failed is run.
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	code, out, stderr = ansatz(t, append(args, "--resume")...)
	if code != exitDone || strings.Count(stderr, "there already") != 2 ||
		!strings.Contains(stderr, "1 experiment, 1 seed to run") || strings.Count(out, "Claims of the paper") != 3 {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestRunOrder checks that experiments run in the order in which their IDs are given, and that a pattern stands for all
// that match. Those of a pattern run in the order of their costs, which the test does not check.
func TestRunOrder(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want []string }{
		{[]string{"rfm/tutorial", "rfm/lowrank"}, []string{"rfm/tutorial", "rfm/lowrank"}},
		{[]string{"rfm/lowrank", "rfm/tutorial"}, []string{"rfm/lowrank", "rfm/tutorial"}},
		{[]string{"rfm/[lt][ou]*"}, []string{"rfm/tutorial", "rfm/lowrank"}},
	} {
		var r runsJSON
		code, stderr := ansatzJSON(t, &r, append([]string{"run", "--scale", "smoke", "--seeds", "1", "--resume",
			"--out", dir}, c.args...)...)
		got := r.ids()
		if len(c.args) == 1 {
			slices.Sort(got) // their costs are measured anew now and then
			slices.Reverse(got)
		}
		if code != exitDone || !slices.Equal(got, c.want) {
			t.Errorf("%q: exit %d, %q: %s", c.args, code, got, stderr)
		}
	}
}

// TestRunRefused checks that experiments that take long or need too much memory are refused before a folder is made.
func TestRunRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, c := range []struct{ args, want []string }{
		{[]string{"cnfa", "--scale", "paper", "--memory", "0"}, []string{"days", "--yes"}},
		{[]string{"theory", "--scale", "paper"}, []string{"is unknown", "--yes"}},
		{[]string{"rfm/fig9", "--scale", "smoke", "--memory", ".001"},
			[]string{"rfm/fig9", "1 MiB are free", "--memory 0"}},
		{[]string{"rfm/fig9", "--memory", "-1"}, []string{"--memory -1"}},
		{[]string{"rfm/fig9", "--jobs", "0"}, []string{"--jobs 0"}},
	} {
		code, _, stderr := ansatz(t, append([]string{"run", "--out", dir}, c.args...)...)
		for _, part := range c.want {
			if code != exitUsage || !strings.Contains(stderr, part) {
				t.Errorf("%q: exit %d: %s", c.args, code, stderr)
			}
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("it made a folder")
	}
}

func TestConfirm(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "Yes\n": true, "\n": false, "": false, "no\n": false,
		"yy\n": false} {
		var asked bytes.Buffer
		if got := confirm(t.Context(), strings.NewReader(answer), &asked, "Run it? "); got != want ||
			asked.String() != "Run it? " {
			t.Errorf("%q: %t", answer, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never, _ := io.Pipe()
	if confirm(ctx, never, io.Discard, "?") {
		t.Error("interrupted, and taken for a yes")
	}
}

// TestRunJobs checks that experiments that run at the same time give the results of those that run one after another,
// with as many threads each.
func TestRunJobs(t *testing.T) {
	t.Setenv(asCommand, "1")
	one, two := t.TempDir(), t.TempDir()
	args := []string{"run", "rfm/lowrank", "rfm/tutorial", "--scale", "smoke", "--seeds", "2"}
	if code, _, stderr := ansatz(t, append(args, "--threads", "1", "--out", one)...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var r runsJSON
	if code, stderr := ansatzJSON(t, &r, append(args, "--threads", "2", "--jobs", "2", "--out",
		two)...); code != exitDone || !slices.Equal(r.ids(), []string{"rfm/lowrank", "rfm/tutorial"}) {
		t.Fatalf("exit %d, %+v: %s", code, r, stderr)
	}
	same := 0
	err := filepath.Walk(one, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || filepath.Ext(path) == ".json" || filepath.Ext(path) == ".html" { // hold times
			return err
		}
		a, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rest, _ := filepath.Rel(one, path)
		if b, err := os.ReadFile(filepath.Join(two, rest)); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v", rest, err)
		}
		same++
		return nil
	})
	if err != nil || same < 10 {
		t.Errorf("%d files: %v", same, err)
	}
}

// TestRunJobsSpec checks that the processes of --jobs take the settings of --spec.
func TestRunJobsSpec(t *testing.T) {
	t.Setenv(asCommand, "1")
	dir := t.TempDir()
	spec := filepath.Join(dir, "changes.toml")
	if err := os.WriteFile(spec, []byte("train = 120\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var r runsJSON
	code, stderr := ansatzJSON(t, &r, "run", "rfm/tutorial", "--scale", "smoke", "--seeds", "2", "--jobs", "2", "--spec", spec,
		"--out", dir)
	if code != exitDone || !slices.Equal(r.ids(), []string{"rfm/tutorial"}) {
		t.Errorf("exit %d, %+v: %s", code, r, stderr)
	}
}

// TestRunJobsFail checks that the error of a job is reported by the process that started it.
func TestRunJobsFail(t *testing.T) {
	t.Setenv(asCommand, "1")
	dir := t.TempDir()
	code, _, stderr := ansatz(t, "run", "ntk/fig2", "--scale", "small", "--data-dir", dir, "--jobs", "2", "--memory",
		"0", "--out", dir)
	if code != exitUsage || !strings.Contains(stderr, "ntk/fig2, seed") || !strings.Contains(stderr, "data get") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestRunStopped checks that run, if it is stopped, says how many seeds are done, leaves no incomplete seed, and
// continues with --resume.
func TestRunStopped(t *testing.T) {
	for _, more := range [][]string{nil, {"--jobs", "2"}} {
		dir := t.TempDir()
		args := append([]string{"run", "rfm/tutorial", "rfm/lowrank", "--scale", "smoke", "--seeds", "40", "--json",
			"--out", dir}, more...)
		c, errs := process(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		done := func() int {
			seeds, _ := filepath.Glob(filepath.Join(dir, "rfm", "*", "*", "seed-*", "run.json"))
			return len(seeds)
		}
		for deadline := time.Now().Add(time.Minute); done() < 2 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
		if code := c.ProcessState.ExitCode(); code != exitResume ||
			!strings.Contains(errs.String(), "of 80 seeds are in "+dir) ||
			!strings.Contains(errs.String(), "--resume") {
			t.Errorf("exit %d: %s", code, errs)
		}
		// The checkpoints of an interrupted seed stay until the seed is complete.
		left, _ := filepath.Glob(filepath.Join(dir, "rfm", "*", "*", ".*"))
		if left = slices.DeleteFunc(left, func(path string) bool {
			return strings.HasSuffix(path,
				".kept")
		}); len(left) > 0 {
			t.Errorf("it left %q", left)
		}
		args[slices.Index(args, "40")] = "3"
		var r runsJSON
		if code, stderr := ansatzJSON(t, &r, append(args[:len(args)-len(more)], "--resume")...); code != exitDone ||
			len(r.Experiments) != 2 || !strings.Contains(stderr, "there already") {
			t.Errorf("exit %d: %s", code, stderr)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "rfm", "*", "*", ".seed-[012].kept")); len(left) > 0 {
			t.Errorf("beside whole seeds there is %q", left)
		}
	}
}
