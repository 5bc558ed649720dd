package study

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// RunCommand prints what the experiment found. Its exit code says whether the user or the experiment caused an error.
func TestRunCommand(t *testing.T) {
	out, ran := t.TempDir(), 0
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("level = 3.0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const smoke = "toys/one at scale smoke over 3 seeds. 4 claims: 3 are inconclusive, 1 was not attempted.\n" +
		"Scale smoke is never judged"
	mine := toy(&toySpec{ran: &ran})
	mine.Figure = ""
	faulty := toy(&toySpec{})
	faulty.Title = ""
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		of           *Experiment
		ctx          context.Context
		args         string
		code         int
		stdout, errs string
	}{
		{mine, nil, "--help", ExitDone, "toys/one  A toy", ""},
		{mine, nil, "--scale smoke --out " + out, ExitDone, smoke, "Report: "},
		{mine, nil, "toys/one --resume --out " + out, ExitDone, "inconclusive", "seed 0: there already"},
		{mine, nil, "toys/one --seeds 2 --threads 1 --seed 7 --out " + out, ExitDone, "over 2 seeds", "seed 8"},
		{mine, stopped, "--seed 20 --out " + out, ExitResume, "", "--resume"},
		{mine, nil, "toys/one toys/none", ExitUsage, "", "no experiment is called toys/none (did you mean toys/one?)\n"},
		{mine, nil, "--seeds many", ExitUsage, "", "--help"},
		{mine, nil, "--seeds 0 --out " + out, ExitUsage, "", "want 1 to 100000"},
		{mine, nil, "--threads -1", ExitUsage, "", "--threads -1"},
		{mine, nil, "--scale huge", ExitUsage, "", "want smoke, small, medium or paper"},
		{mine, nil, "--spec nothere.toml", ExitUsage, "", "--spec: open nothere.toml"},
		{mine, nil, "--out " + file, ExitUsage, "", "give a folder"},
		{faulty, nil, "--scale smoke", ExitUsage, "", "it has no Title"},
		{toy(&toySpec{Fail: true, ran: &ran}), nil, "--out " + out, ExitFailed, "", "it failed"},
	} {
		if c.ctx == nil {
			c.ctx = t.Context()
		}
		var stdout, stderr bytes.Buffer
		code := RunCommand(c.ctx, Catalogue{c.of}, strings.Fields(c.args), &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.errs) {
			t.Errorf("%s: exit code %d, want %d\n%s%s", c.args, code, c.code, stdout.String(), stderr.String())
		}
	}
	if pages, _ := filepath.Glob(filepath.Join(out, "toys", "one", "*", "report.html")); len(pages) == 0 {
		t.Error("there is no page")
	}
}

// A program sets OpenBLAS's threads even without --threads, so that its numbers do not depend on the environment.
func TestRunCommandSetsBLASThreads(t *testing.T) {
	defer backend.SetBLASThreads(backend.BLASThreads())
	before := runtime.GOMAXPROCS(0) + 1
	backend.SetBLASThreads(before)
	if backend.BLASThreads() != before {
		t.Skip("this build has no OpenBLAS")
	}
	args := strings.Fields("--scale smoke --out " + t.TempDir())
	var out bytes.Buffer
	if code := RunCommand(t.Context(), Catalogue{toy(&toySpec{ran: new(int)})}, args, &out, &out); code != ExitDone {
		t.Fatalf("exit code %d\n%s", code, out.String())
	}
	if got := backend.BLASThreads(); got != runtime.GOMAXPROCS(0) {
		t.Errorf("%d threads, want %d", got, runtime.GOMAXPROCS(0))
	}
}
