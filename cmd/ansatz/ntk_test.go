package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

// TestNTKJSON checks what users' scripts rely on: the JSON output and the files.
func TestNTKJSON(t *testing.T) {
	arch, file := smallFiles(t)
	dir := t.TempDir()
	gram, out := filepath.Join(dir, "gram.npy"), filepath.Join(dir, "out")
	args := []string{"ntk", "--arch", arch, "--data", "glyphs", "--images", "3", "--gram-out", gram, "--out", out}
	code, stdout, errs := ansatz(t, append(args, "--json")...)
	if code != exitDone || !strings.Contains(errs, "report.html") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var r map[string]any
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]float64{"rows": 30, "parameters": 5*25 + 5 + 50 + 10, "images": 3,
		"outputs": 10} {
		if r[key] != want {
			t.Errorf("%s is %v, want %v", key, r[key], want)
		}
	}
	for _, key := range []string{"effective_rank", "effective_rank_gram", "condition", "seconds", "eigen_seconds"} {
		if v, ok := r[key].(float64); !ok || v <= 0 {
			t.Errorf("%s is %v", key, r[key])
		}
	}
	if _, there := r["change"]; there || r["conventions"] == nil || r["diagonal"] == nil {
		t.Errorf("%v", r)
	}
	if k, err := array.ReadNPY(gram); err != nil || k.Len() != 900 {
		t.Errorf("the kernel: %v", err)
	}
	for _, name := range []string{"report.html", "record.json", "figures/singular-values.svg", "tables/kernel.csv"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	code, stdout, errs = ansatz(t, "ntk", "--arch", arch, "--data", "glyphs", "--images", "3", "--weights", file,
		"--init-weights", file)
	if code != exitDone || !strings.Contains(stdout, "before training") ||
		!strings.Contains(stdout, "changed the kernel by 0.0 %") {
		t.Errorf("exit %d: %s%s", code, stdout, errs)
	}
}

// TestNTKBadInput checks that every mistake gives exit code 2 and a message that says what to do, and prints nothing on
// stdout.
func TestNTKBadInput(t *testing.T) {
	arch, file := smallFiles(t)
	with := func(more ...string) []string {
		return append([]string{"ntk", "--arch", arch, "--data", "glyphs", "--images", "3"}, more...)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"needs --data", []string{"ntk", "--arch", arch}},
		{"--images 0: want at least 1", with("--images", "0")},
		{"--images -1: want at least 1", with("--images", "-1")},
		{"--outputs 0: want at least 1", with("--outputs", "0")},
		{"there is no folder", with("--gram-out", filepath.Join(arch, "no", "gram.npy"))},
		{"missing", []string{"ntk", "--arch", "lenet", "--data", "glyphs", "--weights", file}},
		{"want a number above 0", with("--width", "0")},
		{"takes no argument", with("glyphs")},
		{"would fit", []string{"ntk", "--arch", "lenet", "--width", "2000", "--data", "glyphs", "--images", "3"}},
	} {
		if code, out, errs := ansatz(t, c.args...); code != exitUsage || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d: %s", c.args, code, errs)
		}
	}
}
