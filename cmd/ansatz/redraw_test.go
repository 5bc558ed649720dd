package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// drawnFiles returns the files below dir that are drawn from records, by their paths.
func drawnFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{".html", ".svg", ".png", ".csv", ".pdf"}, filepath.Ext(path)) {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every command's page, figures and tables are drawn again from its record and arrays,
// to the byte, when the weights and all that was drawn are gone.
func TestRedraw(t *testing.T) {
	dir, tables := t.TempDir(), blobs(t, 2, 40)
	weights := filepath.Join(dir, "net", "best.safetensors")
	for _, args := range [][]string{
		{"train", "--arch", "lenet", "--data", "glyphs", "--train", "64", "--test", "20", "--epochs", "2", "--batch", "16",
			"--lr", ".05", "--track-ansatz", "4", "--probe-images", "20", "--out", "net"},
		{"train", "--arch", "mlp:8", "--data", "glyphs", "--train", "40", "--test", "20", "--epochs", "1", "--seeds", "2",
			"--lr", ".05", "--out", "seeds"},
		{"verify", "--arch", "lenet", "--weights", weights, "--data", "glyphs", "--images", "20", "--out", "verify"},
		{"energy", "--arch", "lenet", "--weights", weights, "--data", "glyphs", "--against", "init", "--out", "energy"},
		{"ntk", "--arch", "lenet", "--weights", weights, "--data", "glyphs", "--images", "6", "--out", "ntk"},
		{"rfm", "--data", "bars", "--train", "60", "--test", "40", "--iters", "1", "--select", "last", "--out", "rfm"},
		{"rfm", "--data", "polynomial:rademacher", "--train", "60", "--test", "40", "--iters", "1", "--out", "table"},
		{"convrfm", "--data", "bars", "--train", "40", "--test", "20", "--iters", "1", "--layers", "2", "--filters", "4",
			"--depth", "2", "--out", "convrfm"},
		{"hyperbf", "--data", "bars", "--train", "40", "--test", "20", "--update", "all", "--steps", "5", "--out", "hyperbf"},
		{"hyperbf", "--data", "bars", "--train", "40", "--test", "20", "--update", "gd", "--steps", "5", "--out", "descent"},
		{"linearize", "--arch", "mlp:8", "--data", "glyphs", "--method", "solve", "--train", "30", "--labels", "one:0",
			"--out", "linearize"},
		{"leaderboard", "rfm-table2", "--out", "leaderboard"},
		{"data", "check", "bars", "--out", "check"},
		{"data", "check", filepath.Join(tables, "t0.csv"), "--out", "check-table"},
		{"tabular", "--benchmark", tables, "--iters", "1", "--methods", "rfm,linear", "--out", "tabular"},
		{"cost", "--examples", "20,40", "--features", "4", "--repeats", "1", "--out", "cost"},
		{"cost", "--kernel", "cnngp", "--examples", "2,4", "--depths", "1,2", "--sizes", "8,9", "--pooled-sizes", "8",
			"--channels", "1", "--out", "cost-conv"},
		{"run", "rfm/fig9", "cnfa/fig4", "--scale", "smoke", "--seeds", "2", "--out", "runs"},
		{"report", "runs"},
	} {
		for i, a := range args {
			if i > 0 && args[i-1] == "--out" || a == "runs" {
				args[i] = filepath.Join(dir, a)
			}
		}
		if code, _, stderr := ansatz(t, append(args, "--quiet")...); code != exitDone {
			t.Fatalf("%q: exit %d: %s", args, code, stderr)
		}
	}
	before := drawnFiles(t, dir)
	for path := range before {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Remove(weights), os.RemoveAll(tables)); err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		code, _, stderr := ansatz(t, "report", filepath.Join(dir, f.Name()), "--redraw")
		if code != exitDone || strings.Contains(stderr, "Not drawn") {
			t.Errorf("%s: exit %d: %s", f.Name(), code, stderr)
		}
	}
	after := drawnFiles(t, dir)
	for path, data := range before {
		if !bytes.Equal(after[path], data) {
			t.Errorf("%s: %d bytes drawn, then %d others", path, len(data), len(after[path]))
		}
	}
	if len(before) < 150 {
		t.Errorf("%d drawn files", len(before))
	}
}

// What a folder does not say how to draw is named, and stays as it is.
func TestRedrawLeaves(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := ansatz(t, "data", "check", "bars", "--out", dir); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	before := drawnFiles(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, "arrays")); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(dir, "record.json")
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(map[string]any){
		"arrays":               func(map[string]any) {},
		"does not say of what": func(r map[string]any) { delete(r, "record") },
		"kind \"other\"":       func(r map[string]any) { r["record"] = "other" },
		"cannot unmarshal":     func(r map[string]any) { r["dataset"] = 1 },
		"lacks what its page":  func(r map[string]any) { r["record"], r["page"] = "train-seeds", nil },
	} {
		var r map[string]any
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		change(r)
		changed, err := json.Marshal(r)
		if err == nil {
			err = os.WriteFile(record, changed, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		var redrawn struct {
			Pages int
			Left  []string
		}
		code, stderr := ansatzJSON(t, &redrawn, "report", dir, "--redraw")
		if code != exitDone || redrawn.Pages != 0 || len(redrawn.Left) != 1 || !strings.Contains(redrawn.Left[0], what) {
			t.Errorf("%s: exit %d, %+v: %s", what, code, redrawn, stderr)
		}
	}
	after := drawnFiles(t, dir)
	for path, data := range before {
		if !bytes.Equal(after[path], data) {
			t.Errorf("%s was changed", path)
		}
	}
	for _, args := range [][]string{{"report", t.TempDir(), "--redraw"}, {"report", filepath.Join(dir, "nothere"), "--redraw"}} {
		if code, _, stderr := ansatz(t, args...); code != exitUsage || len(stderr) < 20 {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
	}
}
