package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun checks that results with other settings than today's, and those with a version that no commit has, are
// reported, and that a damaged file is an error.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	all, err := readResults(filepath.Join("..", "..", "results"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Fatalf("%d results of experiments in results/", len(all))
	}
	for i, hash := range []string{"0123456789ab", all[0].hash} {
		folder := filepath.Join(dir, "cnfa", "features", hash, "seed-0")
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		text := `{"machine": {"version": "` + []string{"0000000", "(devel)"}[i] + `"}}`
		if err := os.WriteFile(filepath.Join(folder, "run.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	stale, err := run(&b, dir, false)
	if err != nil || !stale || strings.Count(b.String(), "\n") != 2 ||
		strings.Count(b.String(), "made with other settings") != 1 || strings.Count(b.String(), "made at an unknown commit") != 1 {
		t.Errorf("stale %v, %v:\n%s", stale, err, b.String())
	}
	if err := os.WriteFile(filepath.Join(dir, "cnfa", "features", "0123456789ab", "seed-0", "run.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(&b, dir, false); err == nil {
		t.Error("a damaged run.json is no error")
	}
}

// TestDifferentValue checks that the first value that differs between two runs is named, and that a difference as small
// as that of sums in another order is none.
func TestDifferentValue(t *testing.T) {
	now := map[string]float64{"a": 1, "b": 2}
	for want, then := range map[string]map[string]float64{
		"":                           {"a": 1 + 1e-9, "b": 2},
		"b is 2, was 2.1":            {"a": 1, "b": 2.1},
		"b is 2, was 0":              {"a": 1},
		"2 values in the place of 3": {"a": 1, "b": 2, "c": 3},
		"a is 1, was 3":              {"a": 3, "b": 4},
	} {
		if got := differentValue(now, then); got != want {
			t.Errorf("%v: %q, want %q", then, got, want)
		}
	}
	if differentValue(nil, nil) == "" {
		t.Error("runs without values are the same")
	}
}

// TestSources checks that an experiment depends on packages that compute, but neither on those that draw nor on tests.
func TestSources(t *testing.T) {
	h := &history{packages: map[string][]string{}}
	folders, err := h.folders(module + "/experiments/papers/rfmpaper")
	if err != nil {
		t.Fatal(err)
	}
	all := " " + strings.Join(folders, " ") + " "
	for folder, want := range map[string]bool{
		"rfm": true, "graph": true, "graph/backend": true, "experiments/papers/rfmpaper": true, "experiments/report": false,
		"experiments/report/draw": false, "experiments/study": false, "cmd/ansatz": false,
	} {
		if strings.Contains(all, " "+folder+" ") != want {
			t.Errorf("%s: want %v in %v", folder, want, folders)
		}
	}
	for file, want := range map[string]bool{
		"graph/op.go": true, "graph/op_test.go": false, "graph/backend/kernels.c": true, "docs/json.md": false,
	} {
		if isSource(file) != want {
			t.Errorf("%s: want %v", file, want)
		}
	}
}
