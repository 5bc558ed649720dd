package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// drawnFiles returns the files below dir that are drawn from records, by path: pages, figures and tables.
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

// TestRedraw checks that report --redraw draws the pages, figures and tables of every command again, with the same
// bytes, from records and arrays alone: the weights and all that was drawn before are deleted.
func TestRedraw(t *testing.T) {
	dir, tables := t.TempDir(), blobs(t, 2, 40)
	weights := filepath.Join(dir, "net", "best.safetensors")
	for _, args := range [][]string{
		{"train", "--arch", "lenet", "--data", "glyphs", "--train", "64", "--test", "20", "--epochs", "2", "--batch",
			"16",
			"--lr", ".05", "--track-ansatz", "4", "--probe-images", "20", "--out", "net"},
		{"train", "--arch", "mlp:8", "--data", "glyphs", "--train", "40", "--test", "20", "--epochs", "1", "--seeds",
			"2",
			"--lr", ".05", "--out", "seeds"},
		{"verify", "--arch", "lenet", "--weights", weights, "--data", "glyphs", "--images", "20", "--out", "verify"},
		{"energy", "--arch", "lenet", "--weights", weights, "--data", "glyphs", "--against", "init", "--out", "energy"},
		{"ntk", "--arch", "lenet", "--weights", weights, "--data", "glyphs", "--images", "6", "--out", "ntk"},
		{"rfm", "--data", "bars", "--train", "60", "--test", "40", "--iters", "1", "--select", "last", "--out", "rfm"},
		{"rfm", "--data", "polynomial:rademacher", "--train", "60", "--test", "40", "--iters", "1", "--out", "table"},
		{"convrfm", "--data", "bars", "--train", "40", "--test", "20", "--iters", "1", "--layers", "2", "--filters",
			"4",
			"--depth", "2", "--out", "convrfm"},
		{"hyperbf", "--data", "bars", "--train", "40", "--test", "20", "--update", "all", "--steps", "5", "--out",
			"hyperbf"},
		{"hyperbf", "--data", "bars", "--train", "40", "--test", "20", "--update", "gd", "--steps", "5", "--out",
			"descent"},
		{"linearize", "--arch", "mlp:8", "--data", "glyphs", "--method", "solve", "--train", "30", "--labels", "one:0",
			"--out", "linearize"},
		{"linearize", "--arch", "mlp:8", "--data", "glyphs", "--method", "exact", "--train", "30", "--times", "0,1,10",
			"--out", "flow"},
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

// TestRedrawLeaves checks that report --redraw names a page that it cannot draw, because the record or the arrays do
// not suffice, and leaves it as it is.
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
	type object = map[string]json.RawMessage
	for what, change := range map[string]func(object){
		"arrays":                 func(object) {},
		"does not name its kind": func(r object) { delete(r, "record") },
		"kind \"other\"":         func(r object) { r["record"] = []byte(`"other"`) },
		"cannot unmarshal":       func(r object) { r["dataset"] = []byte("1") },
		"lacks what its page": func(r object) {
			r["record"] = []byte(`"train-seeds"`)
			delete(r, "page")
		},
	} {
		if err := os.WriteFile(record, text, 0o666); err != nil {
			t.Fatal(err)
		}
		changeJSON(t, record, change)
		var redrawn struct {
			Pages int
			Left  []string
		}
		code, stderr := ansatzJSON(t, &redrawn, "report", dir, "--redraw")
		if code != exitDone || redrawn.Pages != 0 || len(redrawn.Left) != 1 ||
			!strings.Contains(redrawn.Left[0], what) {
			t.Errorf("%s: exit %d, %+v: %s", what, code, redrawn, stderr)
		}
	}
	after := drawnFiles(t, dir)
	for path, data := range before {
		if !bytes.Equal(after[path], data) {
			t.Errorf("%s was changed", path)
		}
	}
	for _, none := range []string{t.TempDir(), filepath.Join(dir, "nothere")} {
		if code, _, stderr := ansatz(t, "report", none, "--redraw"); code != exitUsage || len(stderr) < 20 {
			t.Errorf("%q: exit %d: %s", none, code, stderr)
		}
	}
}

// changeJSON applies change to the JSON object in a file.
func changeJSON(t *testing.T, path string, change func(map[string]json.RawMessage)) {
	t.Helper()
	var object map[string]json.RawMessage
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &object)
	}
	if err == nil {
		change(object)
		text, err = json.Marshal(object)
	}
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// forPhone matches the drawing of a figure for narrow windows, which a page holds beside the figure.
var forPhone = regexp.MustCompile(`<source media="screen and \(max-width[^>]*>\n?`)

// TestRedrawOldResults checks that older results, which have no descriptions of figures, keep their figures on pages
// that are redrawn. Only the drawing for narrow windows, which needs the description, is missing there.
func TestRedrawOldResults(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := ansatz(t, "run", "rfm/fig3", "--scale", "smoke", "--seeds", "1", "--out", dir,
		"--quiet"); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	before := drawnFiles(t, dir)
	runs, err := filepath.Glob(filepath.Join(dir, "rfm", "fig3", "*", "seed-0"))
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	changeJSON(t, filepath.Join(runs[0], "run.json"), func(r map[string]json.RawMessage) {
		var figures []map[string]any
		if err := json.Unmarshal(r["figures"], &figures); err != nil || len(figures) != 1 {
			t.Fatalf("%s: %v", r["figures"], err)
		}
		delete(figures[0], "description")
		if r["figures"], err = json.Marshal(figures); err != nil {
			t.Fatal(err)
		}
	})
	changeJSON(t, filepath.Join(runs[0], "..", "record.json"),
		func(r map[string]json.RawMessage) { delete(r, "record") })
	for path := range before {
		if filepath.Ext(path) == ".html" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	code, _, stderr := ansatz(t, "report", dir, "--redraw")
	if code != exitDone || strings.Count(stderr, "figures features: report: figure \"features\" has no "+
		"description") != 2 {
		t.Errorf("exit %d: %s", code, stderr)
	}
	after := drawnFiles(t, dir)
	for path, data := range before {
		drawn := after[path]
		if filepath.Ext(path) == ".html" {
			if had, has := len(forPhone.FindAll(data, -1)), len(forPhone.FindAll(drawn, -1)); has != had-1 {
				t.Errorf("%s has %d drawings for narrow windows, want one less than %d", path, has, had)
			}
			data, drawn = forPhone.ReplaceAll(data, nil), forPhone.ReplaceAll(drawn, nil)
		}
		if !bytes.Equal(drawn, data) {
			t.Errorf("%s was changed", path)
		}
	}
}
