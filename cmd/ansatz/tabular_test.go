package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// blobs writes a folder with small tables of two classes, and returns the folder.
func blobs(t *testing.T, tables, rows int) string {
	t.Helper()
	dir := t.TempDir()
	for k := range tables {
		rng := rand.New(rand.NewPCG(uint64(k), 1))
		var b strings.Builder
		b.WriteString("x,y,class\n")
		for i := range rows {
			fmt.Fprintf(&b, "%g,%g,%s\n", rng.NormFloat64()+float64(2*(i%2)), rng.NormFloat64(),
				[]string{"a", "b"}[i%2])
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("t%d.csv", k)), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestTabularJSON checks the JSON output, which users' scripts rely on.
func TestTabularJSON(t *testing.T) {
	dir, out := blobs(t, 2, 40), filepath.Join(t.TempDir(), "run")
	code, stdout, errs := ansatz(t, "tabular", "--benchmark", dir, "--iters", "1", "--methods", "rfm,laplace", "--json",
		"--out", out)
	if code != exitDone || !strings.Contains(errs, "report.html") || !strings.Contains(errs, "4 of 4: ") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var r struct {
		Benchmark string
		Datasets  []struct {
			Name                    string
			Rows, Features, Classes int
			Methods                 []struct {
				Method  string
				Score   float64
				Folds   []float64
				Chosen  map[string]any
				Seconds float64
			}
		}
		Leaderboard []map[string]any
		Conventions map[string]any
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	if err := d.Decode(&r); err != nil || d.More() {
		t.Fatalf("stdout is not one JSON document: %v", err)
	}
	leak, _ := r.Conventions["leak"].(string)
	if r.Benchmark != dir || len(r.Datasets) != 2 || len(r.Leaderboard) != 2 || leak == "" {
		t.Errorf("%+v", r)
	}
	for _, s := range r.Datasets {
		if s.Rows != 40 || s.Features != 2 || s.Classes != 2 || len(s.Methods) != 2 {
			t.Errorf("%+v", s)
		}
		for _, m := range s.Methods {
			if len(m.Folds) != 4 || m.Score <= .5 || m.Score > 1 || m.Chosen["ridge"] == nil || m.Seconds <= 0 {
				t.Errorf("%+v", m)
			}
		}
	}
	for _, s := range r.Leaderboard {
		for _, key := range []string{"method", "average", "p90", "p95", "pma", "pma_sd", "friedman", "adtm"} {
			if s[key] == nil {
				t.Errorf("no %s in %v", key, s)
			}
		}
	}
	code, stdout, errs = ansatz(t, "leaderboard", filepath.Join(out, "results.csv"))
	if code != exitDone || !strings.Contains(stdout, "2 methods on 2 datasets") {
		t.Errorf("leaderboard of results.csv: exit %d: %s%s", code, stdout, errs)
	}
}

// waitsFor is a writer that closes seen once text was written.
type waitsFor struct {
	text    string
	written strings.Builder
	seen    chan struct{}
}

func (w *waitsFor) Write(b []byte) (int, error) {
	before := strings.Contains(w.written.String(), w.text)
	w.written.Write(b)
	if !before && strings.Contains(w.written.String(), w.text) {
		close(w.seen)
	}
	return len(b), nil
}

// TestTabularStopped checks that a run that is stopped or killed after every result, and resumed, ends with the results
// of an undisturbed run. A run that is stopped exits with code 75.
func TestTabularStopped(t *testing.T) {
	dir := blobs(t, 2, 120)
	args := func(out string, more ...string) []string {
		return append([]string{"tabular", "--benchmark", dir, "--iters", "2", "--methods", "rfm,laplace", "--threads",
			"1", "--out", out}, more...)
	}
	whole, cut := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "cut")
	if code, _, errs := ansatz(t, args(whole)...); code != exitDone {
		t.Fatal(errs)
	}
	stopped := 0
	for n := 1; n <= 4; n++ {
		var resume []string
		if n > 1 {
			resume = []string{"--resume"}
		}
		c, _ := process(t, args(cut, resume...)...)
		w := &waitsFor{text: fmt.Sprintf("%d of 4: ", n), seen: make(chan struct{})}
		c.Stderr = w
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		var err error
		select {
		case err = <-ended:
		case <-w.seen:
			_ = c.Process.Signal([]os.Signal{syscall.SIGINT, syscall.SIGKILL}[n%2])
			err = <-ended
		}
		switch code := c.ProcessState.ExitCode(); {
		case code == exitResume:
			stopped++
		case err != nil && c.ProcessState.Exited():
			t.Fatalf("exit %d: %s", code, w.written.String())
		}
	}
	if stopped == 0 {
		t.Error("no run was stopped with a checkpoint")
	}
	if code, _, errs := ansatz(t, args(cut, "--resume")...); code != exitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, f := range []string{"results.csv", "tables/folds.csv", "tables/leaderboard.csv"} {
		a, err := os.ReadFile(filepath.Join(whole, f))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(cut, f)); err != nil || string(a) != string(b) {
			t.Errorf("%s differs: %v", f, err)
		}
	}
	if code, _, errs := ansatz(t, args(cut)...); code != exitUsage || !strings.Contains(errs, "--resume") {
		t.Errorf("into a folder that holds a run: exit %d: %s", code, errs)
	}
}

// TestTabularOthers checks that tabular and leaderboard both show the results of another program on the same splits
// beside ours.
func TestTabularOthers(t *testing.T) {
	dir, out := blobs(t, 2, 40), filepath.Join(t.TempDir(), "mine")
	splits, run, others := filepath.Join(out, "splits"), filepath.Join(out, "run"), filepath.Join(out, "majority.csv")
	args := []string{"tabular", "--benchmark", dir, "--iters", "1", "--methods", "laplace", "--out", run}
	for _, a := range [][]string{args, {"tabular", "--benchmark", dir, "--splits-out", splits}} {
		if code, _, errs := ansatz(t, a...); code != exitDone {
			t.Fatalf("%v: exit %d: %s", a, code, errs)
		}
	}
	rows, err := os.ReadFile(filepath.Join(splits, "splits.csv"))
	if n := strings.Count(string(rows), "\n"); err != nil || n != 1+2*4*40 {
		t.Errorf("%d lines, %v", n, err)
	}
	if err := os.WriteFile(others, []byte("dataset,majority\nt0,.5\nt1,.5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, a := range [][]string{append(args, "--resume", "--others", others),
		{"leaderboard", filepath.Join(run, "results.csv"), others}} {
		code, stdout, errs := ansatz(t, append(a, "--json")...)
		var r struct {
			Others      []struct{ File, SHA256 string }
			Leaderboard []struct{ Method, From string }
		}
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != exitDone {
			t.Fatalf("%v: exit %d: %v: %s", a, code, err, errs)
		}
		if len(r.Leaderboard) != 2 || r.Leaderboard[1].Method != "majority" || r.Leaderboard[1].From != "mine/majority.csv" ||
			len(r.Others) != 1 || r.Others[0].File != others || len(r.Others[0].SHA256) != 64 {
			t.Errorf("%v: %+v", a, r)
		}
	}
}

func TestTabularUsage(t *testing.T) {
	dir := blobs(t, 1, 20)
	bad := filepath.Join(dir, "bad.csv")
	if err := os.WriteFile(bad, []byte("dataset,a\nx,1\ny,much\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(t.TempDir(), "good.csv")
	if err := os.WriteFile(good, []byte("dataset,a\nx,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	numeric, made := filepath.Join(t.TempDir(), "numeric.csv"), filepath.Join(t.TempDir(), "made")
	if err := os.WriteFile(numeric, []byte("a,y\n1,.5\n2,1.5\n3,2.5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for message, args := range map[string][]string{
		"no table of the benchmark can":  {"tabular", "--benchmark", numeric, "--out", made},
		"needs --benchmark":              {"tabular"},
		"takes no argument":              {"tabular", "more", "--benchmark", dir},
		"want some of rfm":               {"tabular", "--benchmark", dir, "--methods", "magic"},
		"uci121, grinsztajn or the path": {"tabular", "--benchmark", "nowhere"},
		"needs a table of results":       {"leaderboard"},
		"no dataset in common":           {"leaderboard", "rfm-table3", good},
		"is no table of":                 {"tabular", "--benchmark", dir, "--others", good},
		"--methods has no effect beside": {"tabular", "--benchmark", dir, "--splits-out", "s", "--methods", "rfm"},
		"--out has no effect beside":     {"tabular", "--benchmark", dir, "--splits-out", "s", "--out", "o"},
		"or one of rfm-table2":           {"leaderboard", "nowhere.csv"},
		`line 3: at byte`:                {"leaderboard", bad},
		"want drop or impute":            {"leaderboard", "rfm-table2", "--missing", "forget"},
	} {
		code, out, errs := ansatz(t, args...)
		if code != exitUsage || !strings.Contains(errs, message) || out != "" {
			t.Errorf("%v: exit %d: %s%s", args, code, out, errs)
		}
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("a benchmark without a usable table leaves a folder")
	}
}

func TestLeaderboardJSON(t *testing.T) {
	out := t.TempDir()
	code, stdout, errs := ansatz(t, "leaderboard", "rfm-table2", "--json", "--out", out)
	var r struct {
		Leaderboard []map[string]any
		Figure      []struct {
			Figure, Measure, Method, Printed string
			Dropped, Imputed                 float64
			DroppedVerdict                   string `json:"dropped_verdict"`
			ImputedVerdict                   string `json:"imputed_verdict"`
		}
		Conventions map[string]any
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != exitDone ||
		!strings.Contains(errs, "report.html") {
		t.Fatalf("exit %d: %v: %s", code, err, errs)
	}
	if len(r.Leaderboard) != 7 || len(r.Figure) != 35 {
		t.Errorf("%d methods, %d numbers", len(r.Leaderboard), len(r.Figure))
	}
	found := 0
	for _, f := range r.Figure {
		if f.Measure != "average" || f.Method != "XGBoost" {
			continue
		}
		if found++; f.Printed != "0.780" || f.DroppedVerdict != "differs" || f.ImputedVerdict != "agrees" {
			t.Errorf("%+v", f)
		}
	}
	if found != 1 {
		t.Errorf("%d averages of XGBoost", found)
	}
}
