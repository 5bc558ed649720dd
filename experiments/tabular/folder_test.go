package tabular

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job/jobtest"
	"github.com/google/go-cmp/cmp"
)

// The results are the same to the bit for any number of threads, and wherever the run is stopped and resumed.
func TestResumed(t *testing.T) {
	dir := tables(t)
	spec := Spec{Benchmark: dir, Iters: 2, Methods: []string{"laplace", "rfm"}, Threads: 1}
	whole := filepath.Join(t.TempDir(), "whole")
	want := timeless(runBenchmark(t, spec, Run{Out: whole}))
	results, err := os.ReadFile(filepath.Join(whole, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, every := range []int{1, 3} {
		out := filepath.Join(t.TempDir(), "cut")
		s := spec
		s.Threads = every
		runs := 0
		var got *Record
		for got == nil {
			runs++
			got = stopAfter(t, s, Run{Out: out, Resume: runs > 1}, every)
		}
		if d := cmp.Diff(want, timeless(got), cmp.AllowUnexported(Record{})); d != "" {
			t.Errorf("stopped every %d: %s", every, d)
		}
		if text, err := os.ReadFile(filepath.Join(out, "results.csv")); err != nil || string(text) != string(results) {
			t.Errorf("stopped every %d: results.csv differs, %v", every, err)
		}
		if every == 1 && runs < 3 { // with more threads, all that is left may be running already
			t.Errorf("%d runs", runs)
		}
	}
}

// stopAfter runs a benchmark and stops it after n results. It returns nil if the run was stopped.
func stopAfter(t *testing.T, s Spec, r Run, n int) *Record {
	t.Helper()
	b, err := OpenBenchmark(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.Progress = func(p Progress) {
		if p.Ended != nil && p.Ended.Error == "" {
			if n--; n == 0 {
				stop()
			}
		}
	}
	record, err := b.Run(ctx, r)
	if err != nil && (!checkpoint.Interrupted(err) || !strings.Contains(err.Error(), "--resume")) {
		t.Fatal(err)
	}
	return record
}

// A folder that holds another run, or a damaged one, is refused.
func TestFolder(t *testing.T) {
	dir, out := tables(t), t.TempDir()
	spec := Spec{Benchmark: dir, Datasets: "^folded$", Methods: []string{"laplace"}}
	runBenchmark(t, spec, Run{Out: out})
	other := spec
	other.Rows, other.Seed = 40, 3
	elsewhere := t.TempDir()
	writeFile(t, "{}", elsewhere, "record.json")
	damaged := t.TempDir()
	writeFile(t, "{", damaged, specFile)
	for _, c := range []struct {
		spec    Spec
		run     Run
		message string
	}{
		{spec, Run{Out: out}, "give --resume to continue"},
		{other, Run{Out: out, Resume: true}, "--rows was not given, is 40; --seed was 0, is 3"},
		{spec, Run{Out: elsewhere}, "another command (record.json)"},
		{spec, Run{Out: damaged, Resume: true}, "cannot be read"},
	} {
		b, err := OpenBenchmark(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{b.Check(c.run), second(b.Run(t.Context(), c.run))} {
			if !input.IsError(err) || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%q: %v", c.message, err)
			}
		}
	}
	b, err := OpenBenchmark(spec)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, "not JSON", out, "records", "folded--laplace.json")
	if _, err := b.Run(t.Context(), Run{Out: out, Resume: true}); !input.IsError(err) ||
		!strings.Contains(err.Error(), "remove it") {
		t.Errorf("a damaged record: %v", err)
	}
}

func second[A, B any](_ A, b B) B { return b }

// After a table has changed it is run again, and the tables that did not change are not.
func TestChangedTable(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	x, y := strip(40, 5)
	uciSet{x: x, y: y}.write(t, dir, "a")
	uciSet{x: x, y: y}.write(t, dir, "b")
	spec := Spec{Benchmark: dir, Methods: []string{"laplace"}}
	runBenchmark(t, spec, Run{Out: out})
	y[0] = 1 - y[0]
	uciSet{x: x, y: y}.write(t, dir, "a")
	swept := jobtest.LeaveTemporary(t, out, filepath.Join(out, "tables"), filepath.Join(out, resultsFolder))
	var ended []string
	runBenchmark(t, spec, Run{Out: out, Resume: true, Progress: func(p Progress) {
		if p.Ended != nil {
			ended = append(ended, p.Dataset)
		}
	}})
	swept()
	if !slices.Equal(ended, []string{"a"}) {
		t.Errorf("%v was done again", ended)
	}
}

// Dataset names that are no valid file names everywhere, or too long, give different paths within the folder.
func TestResultPaths(t *testing.T) {
	f := &folder{dir: "run"}
	seen := map[string]string{}
	for _, name := range []string{"iris", "Iris", "IRIS", "a/b", "a-b", `a\b`, "../../etc/passwd", "", ".", "..", "é",
		strings.Repeat("x", 300), strings.Repeat("x", 301), "con:aux"} {
		path := f.resultPath(name, "rfm")
		key := strings.ToLower(path)
		if other, again := seen[key]; again {
			t.Errorf("%q and %q have one file %s", name, other, path)
		}
		seen[key] = name
		if filepath.Dir(path) != filepath.Join("run", "records") || len(filepath.Base(path)) > 140 {
			t.Errorf("%q: %s", name, path)
		}
	}
}

// FuzzStoredResult resumes a benchmark from a record with any text. The record is refused, or its result can be shown
// on a page.
func FuzzStoredResult(f *testing.F) {
	dir := &folder{dir: f.TempDir()}
	planned := &plannedTable{Member: Member{Name: "t"}, digest: "d"}
	if err := dir.create(Spec{}); err != nil {
		f.Fatal(err)
	}
	score := .5
	whole, err := json.Marshal(storedResult{Dataset: "t", SHA256: "d", Result: Result{
		Method: "rfm", Score: &score, Folds: []float64{.5}, ByFold: []Fold{{Train: 3, Test: 2, Score: .5}},
		Chosen: &Config{},
	}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	for old, new := range map[string]string{`"score":0.5`: `"score":1e999`, `"folds":[`: `"folds":[null,`,
		`"by_fold":[`: `"by_fold":[{},`, `"chosen":{`: `"chosen":null,"x":{`} {
		f.Add(bytes.Replace(whole, []byte(old), []byte(new), 1))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(dir.resultPath("t", "rfm"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := dir.loadResult(planned, "rfm", Spec{})
		if err != nil && !input.IsError(err) {
			t.Fatalf("%v (%T)", err, err)
		}
		if r == nil {
			return
		}
		all := &Record{Spec: Spec{Methods: []string{"rfm"}}, Datasets: []Dataset{{Name: "t", Methods: []Result{r.Result}}}}
		all.Leaderboard = all.Results().Leaderboard(DropMissing)
		if _, err := all.Page(); err != nil {
			t.Fatalf("taken, and then: %v", err)
		}
	})
}

// Results of another backend, which rounds differently, are computed again. Results of another version are kept, and
// the record names the version. While results change there is no record.
func TestResumeKnowsItsMakers(t *testing.T) {
	dir, out := tables(t), t.TempDir()
	spec := Spec{Benchmark: dir, Datasets: "^folded$", Methods: []string{"laplace", "ntk"}}
	runBenchmark(t, spec, Run{Out: out})
	change := func(name, from, to string) {
		path := filepath.Join(out, "records", name)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), from) {
			t.Fatal(err, string(text))
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	own := input.BackendName("")
	change("folded--laplace.json", `"backend": "`+own+`"`, `"backend": "another"`)
	change("folded--ntk.json", `"version": "`, `"version": "old-`)
	var made []string
	r := runBenchmark(t, spec, Run{Out: out, Resume: true, Progress: func(p Progress) {
		if p.Ended != nil {
			made = append(made, p.Ended.Method)
		}
		if _, err := os.Stat(filepath.Join(out, "record.json")); err == nil && p.Stage == "fitting" {
			t.Error("the old record is beside new results")
		}
	}})
	if !slices.Equal(made, []string{"laplace"}) {
		t.Errorf("made again: %v, want laplace", made)
	}
	if len(r.Versions) != 2 || !strings.HasPrefix(r.Versions[0], "old-") {
		t.Errorf("versions %v", r.Versions)
	}
}
