package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// estimate is a measure in the JSON output, with its interval.
type estimate struct {
	Name             string
	Value, Low, High float64
}

// tableResult holds the fields that the tests read of a fit to a table, and of predictions for one.
type tableResult struct {
	Measures    []estimate
	Importances []struct {
		Feature string
		Share   float64
		Spread  *float64
	}
	Directions []struct{ Share float64 }
	Slope      float64 `json:"calibration_slope"`
	Accuracy   float64 `json:"test_accuracy"`
}

func (r tableResult) measure(t *testing.T, name string) estimate {
	t.Helper()
	for _, m := range r.Measures {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no %s among %v", name, r.Measures)
	return estimate{}
}

// TestMeasuresOfATable checks the measures and the importances of a fit, and that the measures of predictions for other
// rows are those that follow from the CSV file of the predictions.
func TestMeasuresOfATable(t *testing.T) {
	path, new := writeFlowers(t, 400, 0, "a", "b", "colour", "kind"), writeFlowers(t, 300, 0, "a", "b", "colour", "kind")
	model := filepath.Join(t.TempDir(), "model")
	code, out, errs := ansatz(t, "rfm", "--data", path, "--target", "kind", "--iters", "2", "--refits", "3", "--model-out",
		model, "--json", "--quiet")
	var r tableResult
	if err := json.Unmarshal([]byte(out), &r); code != exitDone || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, errs)
	}
	if a := r.measure(t, "auc"); a.Value < .95 || a.Low > a.Value || a.High < a.Value || !(r.Slope > 0) {
		t.Errorf("%+v, slope %v", a, r.Slope)
	}
	if i := r.Importances; len(i) != 3 || i[0].Feature != "a" || i[0].Share < .5 || i[0].Spread == nil ||
		!(*i[0].Spread > 0 && *i[0].Spread < .2) || len(r.Directions) == 0 {
		t.Errorf("importances %+v, directions %+v", i, r.Directions)
	}
	rows, record := predictCSV(t, model, new)
	var p tableResult
	text, _ := json.Marshal(record)
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	labels := column(t, new, "kind")
	loss, right := 0., 0
	for i, row := range rows[1:] { // row, prediction, p_no, p_yes
		yes, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		if labels[i] == "yes" {
			loss -= math.Log(yes) / 300
		} else {
			loss -= math.Log(1-yes) / 300
		}
		if row[1] == labels[i] {
			right++
		}
	}
	if got := p.measure(t, "log_loss").Value; math.Abs(got-loss) > 1e-9 {
		t.Errorf("a log-loss of %v, the file says %v", got, loss)
	}
	if got := p.measure(t, "accuracy").Value; math.Abs(got-float64(right)/300) > 1e-9 || math.Abs(got-p.Accuracy) > 1e-12 {
		t.Errorf("an accuracy of %v, the file says %d of 300, the record %v", got, right, p.Accuracy)
	}
}

// column returns the values of a column of a CSV file that has no quotes.
func column(t *testing.T, path, name string) (values []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for k, c := range strings.Split(lines[0], ",") {
		if c != name {
			continue
		}
		for _, line := range lines[1:] {
			values = append(values, strings.Split(line, ",")[k])
		}
	}
	return values
}

// TestClassWeights checks that a saved model predicts a class more often if it was fitted with a cost a hundred times
// as large for overlooking that class, and that the probabilities are the same.
func TestClassWeights(t *testing.T) {
	path := writeFlowers(t, 300, 0, "b", "colour", "kind") // without column a, the kinds are hard to predict
	plain := fitTable(t, path, "--target", "kind")
	weighted := fitTable(t, path, "--target", "kind", "--class-weights", "yes=100")
	rows, _ := predictCSV(t, plain, path)
	costly, record := predictCSV(t, weighted, path)
	accuracy := record["measures"].([]any)[0].(map[string]any)
	if accuracy["name"] != "accuracy" || record["test_accuracy"] != accuracy["value"] {
		t.Errorf("test_accuracy is %v, of the predictions %v", record["test_accuracy"], accuracy)
	}
	yes := func(rows [][]string) (n int) {
		for _, row := range rows {
			if row[1] == "yes" {
				n++
			}
		}
		return n
	}
	if a, b := yes(rows), yes(costly); b <= a {
		t.Errorf("%d of %d are yes, with weights %d", a, len(rows), b)
	}
	for i := range rows {
		if rows[i][2] != costly[i][2] {
			t.Fatalf("row %d: a probability of %s, with weights %s", i, rows[i][2], costly[i][2])
		}
	}
}

// TestSplitOut checks that --split-out writes the part of every row, and that a column with these parts gives the same
// test score.
func TestSplitOut(t *testing.T) {
	path := writeFlowers(t, 200, 0, "a", "b", "colour", "price")
	parts := filepath.Join(t.TempDir(), "parts.csv")
	code, out, errs := ansatz(t, "rfm", "--data", path, "--target", "price", "--iters", "1", "--split-out", parts, "--json",
		"--quiet")
	var first, second tableResult
	if err := json.Unmarshal([]byte(out), &first); code != exitDone || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, errs)
	}
	part := column(t, parts, "part")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := range lines {
		lines[i] += "," + append([]string{"part"}, part...)[i]
	}
	with := writeTable(t, strings.Join(lines, "\n")+"\n")
	code, out, errs = ansatz(t, "rfm", "--data", with, "--target", "price", "--iters", "1", "--split-column", "part", "--json",
		"--quiet")
	if err := json.Unmarshal([]byte(out), &second); code != exitDone || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, errs)
	}
	if a, b := first.measure(t, "rmse"), second.measure(t, "rmse"); a != b || !(a.Value > 0) {
		t.Errorf("%+v, then %+v", a, b)
	}
}

// TestSplitColumnWithLast checks that validation rows are refused if nothing is selected.
func TestSplitColumnWithLast(t *testing.T) {
	text := "a,part,y\n"
	for i := range 30 {
		text += strconv.Itoa(i) + "," + []string{"train", "validation", "test"}[i%3] + "," + strconv.Itoa(i*i) + "\n"
	}
	path := writeTable(t, text)
	for _, more := range [][]string{nil, {"--leaf", "10"}} {
		args := append([]string{"rfm", "--data", path, "--split-column", "part", "--iters", "0", "--quiet"}, more...)
		if code, _, errs := ansatz(t, append(args, "--select", "last")...); code != exitUsage || !strings.Contains(errs, "says validation for 10") {
			t.Errorf("%v: exit %d: %s", more, code, errs)
		}
		if code, _, errs := ansatz(t, args...); code != exitDone {
			t.Errorf("%v: exit %d: %s", more, code, errs)
		}
	}
}

func TestTableFlagsRefused(t *testing.T) {
	path := writeFlowers(t, 60, 0, "a", "b", "colour", "kind")
	for want, args := range map[string][]string{
		"is for classes":              {"--target", "a", "--class-weights", "balanced"},
		"there is no class":           {"--target", "kind", "--class-weights", "maybe=2"},
		"--refits is for one machine": {"--target", "kind", "--refits", "2", "--leaf", "20"},
		"has no column":               {"--target", "kind", "--ignore", "c"},
	} {
		code, _, errs := ansatz(t, append([]string{"rfm", "--data", path, "--iters", "0"}, args...)...)
		if code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d: %s", args, code, errs)
		}
	}
	code, _, errs := ansatz(t, "rfm", "--data", "glyphs", "--train", "30", "--test", "10", "--iters", "0", "--split-out",
		filepath.Join(t.TempDir(), "p.csv"))
	if code != exitUsage || !strings.Contains(errs, "is for tables") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
