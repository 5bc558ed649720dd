package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// writeFlowers writes a table with the given columns and returns its path. Column a has the given mean. The kind is yes
// where a is above a threshold, which is lower for red rows, and the price grows with a.
func writeFlowers(t *testing.T, rows int, mean float64, columns ...string) string {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(rows), 1))
	text := strings.Join(columns, ",") + "\n"
	for range rows {
		a, b := mean+r.NormFloat64(), r.NormFloat64()
		colour := []string{"red", "green", "blue"}[r.IntN(3)]
		kind := "no"
		if a > .2 || colour == "red" && a > -.3 {
			kind = "yes"
		}
		values := map[string]string{"a": fmt.Sprintf("%.4f", a), "b": fmt.Sprintf("%.4f", b), "colour": colour,
			"kind": kind, "price": fmt.Sprintf("%.3f", 400+30*a), "extra": "x"}
		line := make([]string, len(columns))
		for i, c := range columns {
			line[i] = values[c]
		}
		text += strings.Join(line, ",") + "\n"
	}
	return writeTable(t, text)
}

// fitTable fits a kernel machine to a table and returns the folder of the model.
func fitTable(t *testing.T, path string, flags ...string) string {
	t.Helper()
	model := filepath.Join(t.TempDir(), "model")
	code, _, errs := ansatz(t, append([]string{"rfm", "--data", path, "--iters", "1", "--model-out", model},
		flags...)...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	return model
}

// predictCSV runs predict on a table, and returns the rows of the predictions, the header among them, and the JSON
// record.
func predictCSV(t *testing.T, model, path string, flags ...string) (rows [][]string, record map[string]any) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.csv")
	code, out, errs := ansatz(t, append([]string{"predict", "--model", model, "--data", path, "--json",
		"--predictions", file}, flags...)...)
	if code != exitDone {
		t.Fatalf("%s: exit %d: %s", path, code, errs)
	}
	if err := json.Unmarshal([]byte(out), &record); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err = csv.NewReader(strings.NewReader(string(text))).ReadAll(); err != nil {
		t.Fatal(err)
	}
	return rows, record
}

// TestPredictNewRows checks what a saved model predicts for new rows. Without targets and with permuted columns, the
// predictions are the same; a row alone has the same prediction as among others; and rows with another mean are
// predicted well.
func TestPredictNewRows(t *testing.T) {
	model := fitTable(t, writeFlowers(t, 200, 0, "a", "b", "colour", "kind"))
	want, record := predictCSV(t, model, writeFlowers(t, 100, 0, "a", "b", "colour", "kind"))
	if got := strings.Join(want[0], ","); got != "row,prediction,p_no,p_yes" || len(want) != 101 {
		t.Fatalf("%d lines, header %s", len(want), got)
	}
	if record["test_accuracy"].(float64) < .9 || record["scored"] != nil || record["notes"] != nil ||
		record["target"] != "kind" {
		t.Errorf("record %v", record)
	}
	for _, line := range want[1:] {
		no, _ := strconv.ParseFloat(line[2], 64)
		yes, _ := strconv.ParseFloat(line[3], 64)
		if no < 0 || yes < 0 || math.Abs(no+yes-1) > 1e-12 || (line[1] == "yes") != (yes > no) && yes != no {
			t.Errorf("shares of %v", line)
		}
	}
	got, record := predictCSV(t, model, writeFlowers(t, 100, 0, "extra", "colour", "b", "a"))
	if fmt.Sprint(got) != fmt.Sprint(want) || record["test_accuracy"] != nil || record["scored"] != 0. ||
		!strings.Contains(fmt.Sprint(record["notes"]), "ignored: extra") {
		t.Errorf("permuted columns: other predictions, or %v", record)
	}
	_, far := predictCSV(t, model, writeFlowers(t, 300, 1.2, "a", "b", "colour", "kind"))
	if far["test_accuracy"].(float64) < .9 {
		t.Errorf("a population with other means is predicted to %v", far["test_accuracy"])
	}
	text, err := os.ReadFile(writeFlowers(t, 100, 0, "a", "b", "colour"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, i := range []int{1, 57} {
		one, _ := predictCSV(t, model, writeTable(t, lines[0]+"\n"+lines[i]+"\n"))
		if fmt.Sprint(one[1][1:]) != fmt.Sprint(want[i][1:]) {
			t.Errorf("row %d alone: %v, among others %v", i, one[1], want[i])
		}
	}
}

// TestPredictUnits checks that predictions of a regression are in the unit of the target, and that a fit with
// --test-data records the same test error as predict for that file.
func TestPredictUnits(t *testing.T) {
	train, test := writeFlowers(t, 200, 0, "a", "b", "price"), writeFlowers(t, 90, 1, "price", "b", "a")
	for _, flags := range [][]string{{"--unit-sphere", "--transform", "quantile"}, nil} {
		model := filepath.Join(t.TempDir(), "model")
		_, its := rfmJSON(t, append([]string{"--data", train, "--test-data", test, "--iters", "1", "--select", "last",
			"--model-out", model}, flags...)...)
		rows, record := predictCSV(t, model, test, "--id", "b")
		if want := its[1]["test_mse"].(float64); math.Abs(record["test_mse"].(float64)-want) > 1e-4*want {
			t.Errorf("%v: predict scores %v, the fit recorded %v", flags, record["test_mse"], want)
		}
		text, err := os.ReadFile(test)
		if err != nil {
			t.Fatal(err)
		}
		mse := 0.
		for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
			y, _ := strconv.ParseFloat(strings.Split(line, ",")[0], 64)
			f, _ := strconv.ParseFloat(rows[i+1][2], 64)
			mse += (y - f) * (y - f) / 90
		}
		if want := record["test_mse"].(float64); math.Abs(mse-want) > 1e-6*want || rows[0][1] != "id" {
			t.Errorf("%v: the squared error of the file is %v, of the record %v", flags, mse, want)
		}
	}
}

func TestPredictOnStdout(t *testing.T) {
	path := writeFlowers(t, 60, 0, "a", "kind")
	model := fitTable(t, path)
	code, out, errs := ansatz(t, "predict", "--model", model, "--data", path, "--predictions", "-")
	if code != exitDone || !strings.HasPrefix(out, "row,prediction,p_no,p_yes\n1,") || strings.Count(out, "\n") != 61 ||
		!strings.Contains(errs, "these rows are those of the table of the fit") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// TestPredictRefuses checks that predict refuses data and flags that do not suit the model, and says why.
func TestPredictRefuses(t *testing.T) {
	path := writeFlowers(t, 60, 0, "a", "b", "kind")
	model := fitTable(t, path)
	old := filepath.Join(t.TempDir(), "old")
	if err := os.CopyFS(old, os.DirFS(model)); err != nil {
		t.Fatal(err)
	}
	dropPipeline(t, old)
	images := filepath.Join(t.TempDir(), "images")
	if code, _, errs := ansatz(t, "rfm", "--data", "glyphs", "--size", "8", "--grey", "--normalise", "dataset",
		"--train", "60", "--test", "20", "--iters", "0", "--model-out", images); code != exitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, c := range []struct {
		want  string
		model string
		flags []string
	}{
		{"no column b", model, []string{"--data", writeFlowers(t, 9, 0, "a", "kind")}},
		{"fit it again", old, []string{"--data", path}},
		{"--transform standard", model, []string{"--data", path, "--transform", "quantile"}},
		{"predicts kind", model, []string{"--data", path, "--target", "a"}},
		{"all rows", model, []string{"--data", path, "--train", "10"}},
		{"without it", model, []string{"--data", path, "--unit-sphere"}},
		{"as --data", model, []string{"--data", path, "--test-data", path}},
		{"set of images", model, []string{"--data", "glyphs"}},
		{"nofile: there is no such file", model, []string{"--data", "nofile"}},
		{"call a CSV file .csv or pipe it into --data -", model, []string{"--data", filepath.Join(model, "model.json")}},
		{"set of images", images, []string{"--data", path}},
		{"--id", model, []string{"--data", path, "--id", "name"}},
		{"--json", model, []string{"--data", path, "--predictions", "-", "--json"}},
		{"--predictions or --outputs-out", model, []string{"--data", path, "--out", t.TempDir()}},
		{"no folder", model, []string{"--data", path, "--predictions", "/nothere/p.csv"}},
		{"give the --size", images, []string{"--data", "glyphs", "--size", "10"}},
		{"--normalise none", images, []string{"--data", "glyphs", "--normalise", "none"}},
		{"--classes 1,2", images, []string{"--data", "glyphs", "--classes", "1,2"}},
		{"without it", images, []string{"--data", "glyphs", "--unit-sphere"}},
	} {
		code, _, errs := ansatz(t, append([]string{"predict", "--model", c.model}, c.flags...)...)
		if code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d: %s", c.flags, code, errs)
		}
	}
	// A model of images stores their size, normalisation and whether they are grey. An older model that stores none of
	// these predicts the same if flags give them.
	rows, record := predictCSV(t, images, "glyphs", "--test", "20")
	dropPipeline(t, images)
	again, _ := predictCSV(t, images, "glyphs", "--test", "20", "--train", "60", "--size", "8", "--grey", "--normalise",
		"dataset")
	if len(rows) != 21 || fmt.Sprint(rows) != fmt.Sprint(again) || record["test_accuracy"] == nil {
		t.Errorf("%d lines, %v", len(rows), record)
	}
	code, _, errs := ansatz(t, "predict", "--model", images, "--data", "glyphs", "--size", "8", "--grey")
	if code != exitUsage || !strings.Contains(errs, "--normalise") {
		t.Errorf("an older model with another normalisation: exit %d: %s", code, errs)
	}
}

// dropPipeline turns a saved model into one of an older version, which saved no pipeline.
func dropPipeline(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "model.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var model map[string]any
	if err := json.Unmarshal(text, &model); err != nil {
		t.Fatal(err)
	}
	delete(model["metadata"].(map[string]any), "pipeline")
	delete(model, "digest") // older versions saved no digest of the description either
	if text, err = json.Marshal(model); err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPredictUnlabelledImages checks that images without labels are predicted as those with labels, and not scored, but
// that a fit refuses them as test images.
func TestPredictUnlabelledImages(t *testing.T) {
	dir := t.TempDir()
	fill := func(path string, r *rand.Rand, level int) {
		px := []byte("P5 8 8 255\n")
		for range 64 {
			px = append(px, byte(level+r.IntN(100)))
		}
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, px, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		level := 150 * (i % 2)
		fill(fmt.Sprintf("train/%s/%d.pgm", []string{"dark", "light"}[i%2], i), r, level)
		fill(fmt.Sprintf("new/%02d.pgm", i), r, level)
		fill(fmt.Sprintf("test/%s/%d.pgm", []string{"dark", "light"}[i%2], i), r, level)
	}
	train, fresh := filepath.Join(dir, "train"), filepath.Join(dir, "new")
	for _, command := range []string{"rfm", "convrfm"} {
		model := filepath.Join(t.TempDir(), "model")
		fit := []string{command, "--data", train, "--iters", "1", "--size", "8"}
		if code, _, errs := ansatz(t, append(fit, "--model-out", model)...); code != exitDone {
			t.Fatalf("%s: exit %d: %s", command, code, errs)
		}
		rows, record := predictCSV(t, model, train, "--test-data", fresh)
		if len(rows) != 13 || record["test_accuracy"] != nil || record["scored"] != 0. || record["data"] != fresh {
			t.Fatalf("%s: %d rows, %v", command, len(rows), record)
		}
		for i, row := range rows[1:] {
			if class := []string{"dark", "light"}[i%2]; row[1] != fmt.Sprintf("%02d.pgm", i) || row[2] != class {
				t.Errorf("%s: image %d, %s, is %s, want %s", command, i+1, row[1], row[2], class)
			}
		}
		rows, _ = predictCSV(t, model, train, "--test-data", filepath.Join(dir, "test")) // in an order that is drawn
		var files []string
		for _, row := range rows[1:] {
			files = append(files, row[1])
			if !strings.HasPrefix(row[1], row[2]+"/") {
				t.Errorf("%s: %s is %s", command, row[1], row[2])
			}
		}
		if slices.IsSorted(files) || rows[0][1] != "file" {
			t.Errorf("%s: %s: %v", command, rows[0], files)
		}
		if code, _, errs := ansatz(t, append(fit, "--test-data", fresh)...); code != exitUsage ||
			!strings.Contains(errs, "have no labels") {
			t.Errorf("%s: exit %d: %s", command, code, errs)
		}
	}
}
