package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

// rfmResult holds fields of the JSON output of ansatz rfm that the tests read, besides the measures.
type rfmResult struct {
	Iterations  []struct{ Trace float64 }
	Selected    int
	Conventions map[string]any
}

// rfmJSON runs ansatz rfm --json with args and returns its output. It returns the iterations as maps too, which show
// which fields there are.
func rfmJSON(t *testing.T, args ...string) (r rfmResult, iterations []map[string]any) {
	t.Helper()
	code, out, errs := ansatz(t, append([]string{"rfm", "--json", "--quiet"}, args...)...)
	if code != exitDone || errs != "" {
		t.Fatalf("%v: exit %d: %s", args, code, errs)
	}
	var raw struct{ Iterations []map[string]any }
	for _, into := range []any{&r, &raw} {
		if err := json.Unmarshal([]byte(out), into); err != nil {
			t.Fatalf("%v: %v in %s", args, err, out)
		}
	}
	return r, raw.Iterations
}

func TestRFMOnImages(t *testing.T) {
	dir := t.TempDir()
	metric := filepath.Join(dir, "M.npy")
	r, its := rfmJSON(t, "--data", "glyphs", "--train", "200", "--test", "100", "--iters", "2", "--select", "last",
		"--metric-out", metric)
	if len(its) != 3 || r.Selected != 2 || r.Iterations[0].Trace != 784 {
		t.Fatalf("%d iterations, selected %d, trace %v at first", len(its), r.Selected, r.Iterations[0].Trace)
	}
	for _, it := range its {
		for _, key := range []string{"train_accuracy", "test_accuracy", "test_mse", "trace", "seconds"} {
			if _, ok := it[key].(float64); !ok {
				t.Errorf("iteration %v has no %s", it["iteration"], key)
			}
		}
		for _, key := range []string{"test_r2", "validation_accuracy"} {
			if _, ok := it[key]; ok {
				t.Errorf("iteration %v of a classification, the last selected, has a %s", it["iteration"], key)
			}
		}
	}
	if r.Conventions["kernel"] != "laplace: exp(−‖x − z‖_M/L)" || r.Conventions["bandwidth"] != 10. ||
		r.Conventions["ridge"] != 1e-3 {
		t.Errorf("conventions: %v", r.Conventions)
	}
	m, err := array.ReadNPY(metric)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(m.Shape) != "[784 784]" {
		t.Errorf("the metric has the shape %v", m.Shape)
	}
}

// writeTable writes a CSV file and returns its path.
func writeTable(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// rowsOfTwoClasses returns n lines of a table, each made by row.
func rowsOfTwoClasses(n int, row func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

// TestRFMOddTables checks that unusual tables either work or are refused with a reason.
func TestRFMOddTables(t *testing.T) {
	two := func(i int) string { return map[bool]string{true: "yes", false: "no"}[i%2 == 0] }
	for name, c := range map[string]struct {
		text   string
		flags  []string
		refuse string
	}{
		"constant column": {text: "a,b,y\n" + rowsOfTwoClasses(30,
			func(i int) string { return fmt.Sprintf("%d,7,%s", (i%2)*3+i%5, two(i)) })},
		"equal rows with different labels, no ridge": {flags: []string{"--ridge", "0"},
			text: "a,b,y\n" + rowsOfTwoClasses(30, func(i int) string { return fmt.Sprintf("1,%d,%s", i%3, two(i)) })},
		"missing values": {text: "a,b,y\n" + rowsOfTwoClasses(30, func(i int) string {
			return fmt.Sprintf("%d,%s,%s", i%2, map[bool]string{true: "?", false: "4"}[i%7 == 0], two(i))
		})},
		"more columns than rows": {text: "a,b,c,d,e,f,g,h,i,j,k,l,m,y\n" + rowsOfTwoClasses(10, func(i int) string {
			return strings.Repeat(fmt.Sprintf("%d,", i), 13) + two(i)
		})},
		"a row of zeros on the unit sphere": {flags: []string{"--unit-sphere", "--transform", "none"},
			text: "a,b,y\n0,0,yes\n" + rowsOfTwoClasses(29, func(i int) string {
				return fmt.Sprintf("%d,1,%s", i%2,
					two(i))
			})},
		"labels as text": {text: "a,colour\n" + rowsOfTwoClasses(30,
			func(i int) string { return fmt.Sprintf("%d,%s", i%3, []string{"red", "green", "blue"}[i%3]) })},
		"one class only": {text: "a,y\n" + rowsOfTwoClasses(30,
			func(i int) string { return fmt.Sprintf("%d,yes", i) }), refuse: "one class"},
		"one training row": {flags: []string{"--train", "1", "--select", "last"}, refuse: "the row to fit has one class", text: "a,y\n" +
			rowsOfTwoClasses(30, func(i int) string { return fmt.Sprintf("%d,%s", i%2, two(i)) })},
		"one training row to hold out of": {flags: []string{"--train", "1"}, refuse: "the row to fit has one class",
			text: "a,y\n" + rowsOfTwoClasses(30, func(i int) string { return fmt.Sprintf("%d,%s", i%2, two(i)) })},
		"a regression": {text: "a,y\n" + rowsOfTwoClasses(30,
			func(i int) string { return fmt.Sprintf("%d,%g", i%7, 1.5*float64(i%7)+.25) })},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeTable(t, c.text)
			args := append([]string{"--data", path, "--iters", "2"}, c.flags...)
			if c.refuse == "" {
				rfmJSON(t, args...)
				return
			}
			code, _, errs := ansatz(t, append([]string{"rfm"}, args...)...)
			if code != exitUsage || !strings.Contains(errs, c.refuse) {
				t.Errorf("exit %d: %s", code, errs)
			}
		})
	}
}

func TestRFMBadUse(t *testing.T) {
	table := writeTable(t, "a,y\n1,yes\n2,no\n3,yes\n4,no\n5,yes\n6,no\n")
	for _, args := range [][]string{
		{}, {"--data", "nothere"}, {"--data", "polynomial:nothere"}, {"--data", table, "--kernel", "laplac"},
		{"--data", table, "--bandwidth", "-1"},
		{"--data", table, "--ridge", "-1"}, {"--data", table, "--iters", "-1"}, {"--data", table, "--scale", "min"},
		{"--data", table, "--select", "first"},
		{"--data", table, "--solver", "lu"}, {"--data", table, "--train", "100"}, {"--data", table, "--target", "z"},
		{"--data", table, "--grey"},
		{"--data", table, "--precision", "16"}, {"--data", table, "--transform", "log"},
		{"--data", "glyphs", "--target", "y"}, {"--data", "glyphs", "--train", "-4"},
		{"--data", table, "--bandwidth", "0"}, {"--data", table, "--holdout", "0"},
		{"--data", table, "--metric-out", "/nothere/M.npy"},
		{"--data", "glyphs", "--classes", "0,nothere"}, {"--data", "polynomial:hermite", "--target", "y"},
		{"--data", table, "stray"},
	} {
		if code, _, errs := ansatz(t, append([]string{"rfm"}, args...)...); code != exitUsage ||
			len(strings.TrimSpace(errs)) < 20 {
			t.Errorf("rfm %v: exit %d: %s", args, code, errs)
		}
	}
}

// TestRFMReportAndPredict checks that rfm writes its report, and that predict with the saved model finds the recorded
// test accuracy.
func TestRFMReportAndPredict(t *testing.T) {
	dir := t.TempDir()
	data := []string{"--data", "glyphs", "--train", "150", "--test", "80", "--unit-sphere"}
	code, out, errs := ansatz(t, append([]string{"rfm", "--iters", "1", "--out", dir}, data...)...)
	if code != exitDone || !strings.Contains(out, "Iteration 0") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	var record struct {
		Selected   int
		Iterations []struct {
			Accuracy float64 `json:"test_accuracy"`
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "record.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &record); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"report.html", "metric.npy", "figures/features.png"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		}
	}
	code, out, errs = ansatz(t, append([]string{"predict", "--model", filepath.Join(dir, "model"), "--json"},
		data...)...)
	var p struct {
		Accuracy float64 `json:"test_accuracy"`
	}
	if err := json.Unmarshal([]byte(out), &p); code != exitDone || err != nil {
		t.Fatalf("exit %d: %v %s", code, err, errs)
	}
	if want := record.Iterations[record.Selected].Accuracy; p.Accuracy != want {
		t.Errorf("the saved model scores %v, recorded was %v", p.Accuracy, want)
	}
	if code, _, errs = ansatz(t, "predict", "--model", dir, "--data", "glyphs"); code != exitUsage {
		t.Errorf("a folder without a model: exit %d: %s", code, errs)
	}
	if code, _, errs = ansatz(t, "predict", "--model", filepath.Join(dir, "model"), "--data",
		"bars"); code != exitUsage {
		t.Errorf("other features: exit %d: %s", code, errs)
	}
}

func TestCost(t *testing.T) {
	code, out, errs := ansatz(t, "cost", "--examples", "20,40", "--features", "3,5", "--repeats", "1", "--json")
	var r struct {
		Points []struct {
			N     int
			AGOP  float64 `json:"agop_seconds"`
			Bytes int64
		}
	}
	if err := json.Unmarshal([]byte(out), &r); code != exitDone || err != nil {
		t.Fatalf("exit %d: %v %s", code, err, errs)
	}
	if len(r.Points) != 4 || r.Points[3].N != 40 || r.Points[3].AGOP <= 0 || r.Points[3].Bytes <= 0 {
		t.Errorf("got %+v", r.Points)
	}
	if code, _, errs := ansatz(t, "cost", "--examples", "40,20"); code != exitUsage {
		t.Errorf("sizes that fall: exit %d: %s", code, errs)
	}
}

// TestHyperBFSeedsHaveAllClasses checks that the training examples of a seed are drawn at random, so that they have all
// classes even if a table is sorted by class.
func TestHyperBFSeedsHaveAllClasses(t *testing.T) {
	path := writeTable(t, "a,b,y\n"+rowsOfTwoClasses(90, func(i int) string {
		return fmt.Sprintf("%d,%d,%d", i/30, i%7,
			i/30)
	}))
	code, out, errs := ansatz(t, "hyperbf", "--data", path, "--classify", "--update", "agop", "--bandwidth", "1",
		"--ridge", ".01", "--iters", "1", "--train", "25", "--seeds", "3", "--json")
	var r struct {
		Methods []struct {
			Accuracy float64 `json:"test_accuracy"`
		}
	}
	if err := json.Unmarshal([]byte(out), &r); code != exitDone || err != nil || len(r.Methods) == 0 {
		t.Fatalf("exit %d: %v %s %s", code, err, errs, out)
	}
	if r.Methods[0].Accuracy < .9 {
		t.Errorf("a separable table is learned to %v", r.Methods[0].Accuracy)
	}
	if code, _, errs := ansatz(t, "hyperbf", "--data", "glyphs", "--balanced", "--train", "25", "--seeds", "3",
		"--update", "agop"); code != exitUsage || !strings.Contains(errs, "70 training examples") {
		t.Errorf("more examples than there are: exit %d: %s", code, errs)
	}
}
