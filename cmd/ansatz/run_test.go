package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	var l struct {
		Experiments []struct {
			ID, Paper, Title string
			Claims           int
		}
	}
	if code, stderr := ansatzJSON(t, &l, "list"); code != exitDone || l.Experiments == nil {
		t.Errorf("exit %d, %+v: %s", code, l, stderr)
	}
	if code, out, _ := ansatz(t, "list"); code != exitDone || len(out) == 0 {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestRunBadUse(t *testing.T) {
	for _, args := range [][]string{
		{}, {"nothere/fig1"}, {"rfm/fig7", "--scale", "huge"}, {"rfm/fig7", "--spec", "nothere.toml"},
		{"rfm/fig7", "--seeds", "0", "--scale", "smoke"},
		{"list", "mnist"},
	} {
		code, _, stderr := ansatz(t, append([]string{"run", "--out", t.TempDir()}, args...)...)
		if code != exitUsage || len(stderr) < 20 {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
	}
	if code, _, stderr := ansatz(t, "run", "rfm/fig7", "rfm/fig6", "--spec", "x.toml", "--out", t.TempDir()); code != exitUsage ||
		!strings.Contains(stderr, "--spec is for one experiment, not 2") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestRunExperiment checks that run writes the files that its help describes, and takes settings from a file.
func TestRunExperiment(t *testing.T) {
	dir := t.TempDir()
	spec := filepath.Join(dir, "changes.toml")
	if err := os.WriteFile(spec, []byte("train = 60\n[net]\nepochs = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var r struct {
		Experiments []struct {
			ID, Report string
			Hash       string `json:"spec_hash"`
			Spec       struct {
				Train int
				Net   struct{ Epochs, Width int }
			}
			Claims []struct{ Verdict string }
		}
	}
	args := []string{"run", "rfm/fig9", "--scale", "smoke", "--seeds", "1", "--seed", "4", "--out", dir, "--spec", spec}
	code, stderr := ansatzJSON(t, &r, args...)
	if code != exitDone || len(r.Experiments) != 1 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	e := r.Experiments[0]
	if e.ID != "rfm/fig9" || e.Spec.Train != 60 || e.Spec.Net.Epochs != 1 || e.Spec.Net.Width == 0 ||
		len(e.Claims) == 0 || e.Claims[0].Verdict != "inconclusive" {
		t.Errorf("%+v", e)
	}
	for _, name := range []string{"report.html", "record.json", "seed-4/run.json", "seed-4/metrics.csv",
		"seed-4/diagonals.npy", "seed-4/figures/spurious.png"} {
		if _, err := os.Stat(filepath.Join(dir, "rfm", "fig9", e.Hash, name)); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(spec, []byte("training = 60\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := ansatz(t, args...); code != exitUsage {
		t.Errorf("an unknown setting: exit %d: %s", code, stderr)
	}
}

// TestRunTheory checks that run theory prints one statement a line, with its verdict at the end, and that the same seed
// gives the same text. It runs one seed unless told otherwise.
func TestRunTheory(t *testing.T) {
	dir := t.TempDir()
	args := []string{"run", "theory", "--scale", "smoke", "--seed", "5", "--out", dir}
	code, out, stderr := ansatz(t, args...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	count := map[string]int{}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines[:len(lines)-1] { // the last is the summary
		words := strings.Fields(line)
		count[words[len(words)-1]]++
		count[words[0]]++
	}
	if n := count["holds"] + count["fails"]; count["holds"] < 12 || n != len(lines)-1 ||
		strings.Count(strings.ToLower(out), "holds") != count["holds"] {
		t.Errorf("%v in %d lines", count, len(lines))
	}
	for _, paper := range []string{"cnfa", "rfm", "hyperbf", "energy", "ntk"} {
		if count[paper] == 0 {
			t.Errorf("no statement of %s", paper)
		}
	}
	var r struct {
		Experiments []struct {
			Report     string
			Seeds      []int
			Statements []struct{ Paper, Statement, Verdict, Want string }
		}
	}
	if code, stderr := ansatzJSON(t, &r, append(args, "--resume")...); code != exitDone ||
		!strings.Contains(stderr, "there already") {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	e := r.Experiments[0]
	if len(e.Statements) != len(lines)-1 || len(e.Seeds) != 1 || e.Statements[0].Paper != "cnfa" ||
		e.Statements[0].Verdict != "holds" || e.Statements[0].Want == "" {
		t.Errorf("%+v", e)
	}
	if _, err := os.Stat(e.Report); err != nil {
		t.Error(err)
	}
	if code, again, _ := ansatz(t, args...); code != exitDone || again != out {
		t.Errorf("exit %d: another run with the same seed says\n%s\nnot\n%s", code, again, out)
	}
}
