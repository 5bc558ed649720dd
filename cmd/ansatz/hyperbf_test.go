package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hyperbfJSON runs ansatz hyperbf --json with args and decodes its output.
func hyperbfJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	code, out, errs := ansatz(t, append([]string{"hyperbf", "--json"}, args...)...)
	if code != exitDone {
		t.Fatalf("%v: exit %d: %s", args, code, errs)
	}
	d := json.NewDecoder(strings.NewReader(out))
	if err := d.Decode(into); err != nil || d.More() {
		t.Fatalf("stdout is not one JSON document: %v", err)
	}
}

// smallData holds the flags for two classes of digits that can be learned from a hundred examples.
var smallData = []string{"--data", "glyphs", "--size", "14", "--classes", "0,1", "--train", "100", "--test", "60"}

// TestHyperBFJSON checks that the JSON output of one run, with each kind of update, has the fields of ansatz rfm.
func TestHyperBFJSON(t *testing.T) {
	for _, update := range []string{"agop", "gd", "gd+centres"} {
		var r struct {
			Method      string
			Iterations  []map[string]any
			Selected    int
			Losses      []float64
			Chosen      map[string]float64
			Alike       []map[string]any
			Conventions map[string]any
		}
		length := []string{"--steps", "6", "--solve-every", "2"}
		if update == "agop" {
			length = []string{"--iters", "3"}
		}
		hyperbfJSON(t, &r, slices.Concat([]string{"--update", update, "--centres", "40"}, length, smallData)...)
		if r.Method != update || len(r.Iterations) != 4 || r.Chosen["bandwidth"] != 10 || r.Chosen["ridge"] != 1 {
			t.Fatalf("%s: %+v", update, r)
		}
		for _, it := range r.Iterations {
			for _, key := range []string{"train_accuracy", "validation_accuracy", "test_accuracy", "test_mse", "trace",
				"seconds"} {
				if _, ok := it[key].(float64); !ok {
					t.Errorf("%s: iteration %v has no %s", update, it["iteration"], key)
				}
			}
		}
		if says, _ := r.Conventions["update"].(string); r.Iterations[0]["trace"] != 196. || says == "" ||
			!strings.Contains(r.Conventions["centres"].(string), "40 of") {
			t.Errorf("%s: %v", update, r.Conventions)
		}
		if descends := update != "agop"; descends != (len(r.Losses) == 6) || descends != (len(r.Alike) == 6) ||
			descends != (r.Conventions["optimiser"] != nil) {
			t.Errorf("%s: losses %v, alike %v", update, r.Losses, r.Alike)
		}
		for _, a := range r.Alike {
			for _, key := range []string{"pearson", "pearson_null", "pearson_null_sd", "cosine", "cosine_null",
				"cosine_null_sd"} {
				if v, ok := a[key].(float64); !ok || v < -1 || v > 1 {
					t.Errorf("%s: %s is %v", update, key, a[key])
				}
			}
		}
	}
}

// TestHyperBFComparison checks the comparison of Table 1: four methods, over several seeds that train on different
// examples.
func TestHyperBFComparison(t *testing.T) {
	dir := t.TempDir()
	var r struct {
		Methods []struct {
			Method, Kernel string
			Seeds          int
			Accuracy       float64  `json:"test_accuracy"`
			SD             *float64 `json:"test_accuracy_sd"`
			Alike          []map[string]any
		}
		Differences []struct {
			Of, Less string
			StdErr   *float64
		}
		Runs []struct {
			Method      string
			Seed        uint64
			Tried       []map[string]any
			Chosen      map[string]float64
			Iterations  []map[string]any
			Selected    int
			Conventions map[string]any
		}
	}
	hyperbfJSON(t, &r, append([]string{"--steps", "4", "--iters", "1", "--solve-every", "2", "--bandwidth", "5,10",
		"--ridge", ".1", "--seeds", "2", "--seed", "3", "--out", dir}, smallData...)...)
	var names []string
	for _, m := range r.Methods {
		names = append(names, m.Method+" "+m.Kernel)
		if m.SD == nil || m.Seeds != 2 || m.Accuracy < .5 {
			t.Errorf("%+v", m)
		}
	}
	if got := strings.Join(names, ", "); got != "rfm laplace, agop gaussian, gd gaussian, gd+centres gaussian" {
		t.Errorf("methods %s", got)
	}
	if len(r.Runs) != 8 || r.Runs[4].Seed != 4 || len(r.Differences) != 6 || r.Differences[0].StdErr == nil ||
		len(r.Methods[2].Alike) != 8 {
		t.Errorf("%d runs, differences %+v, alike %+v", len(r.Runs), r.Differences, r.Methods[2].Alike)
	}
	blocks := map[any]bool{}
	for _, run := range r.Runs {
		blocks[run.Conventions["train"]] = true
		best := -1.
		for _, tried := range run.Tried {
			best = max(best, tried["validation_accuracy"].(float64))
		}
		if got := run.Iterations[run.Selected]["validation_accuracy"]; len(run.Tried) != 2 || got != best {
			t.Errorf("%s: chosen with %v, tried %+v", run.Method, got, run.Tried)
		}
	}
	if len(blocks) != 2 {
		t.Errorf("the seeds learn from %v", blocks)
	}
	for _, f := range []string{"report.html", "record.json", "figures/methods.png"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		}
	}
}

// TestHyperBFReportAndPredict checks that predict with the model of a single run finds the test accuracy that was
// recorded for the selected iteration, and that the run writes its report.
func TestHyperBFReportAndPredict(t *testing.T) {
	dir := t.TempDir()
	var r struct {
		Selected   int
		Iterations []struct {
			Accuracy float64 `json:"test_accuracy"`
		}
	}
	hyperbfJSON(t, &r, append([]string{"--update", "gd+centres", "--centres", "30", "--steps", "10", "--rate", ".01",
		"--select", "last", "--out", dir}, smallData...)...)
	code, out, errs := ansatz(t, append([]string{"predict", "--model", filepath.Join(dir, "model"), "--json"},
		smallData...)...)
	var p struct {
		Accuracy float64 `json:"test_accuracy"`
	}
	if err := json.Unmarshal([]byte(out), &p); code != exitDone || err != nil {
		t.Fatalf("exit %d: %v %s", code, err, errs)
	}
	if want := r.Iterations[r.Selected].Accuracy; r.Selected != 2 || p.Accuracy != want {
		t.Errorf("the saved model scores %v, recorded was %v of iteration %d", p.Accuracy, want, r.Selected)
	}
	for _, f := range []string{"report.html", "metric.npy", "figures/methods.png"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	for _, fact := range []string{
		"<dd>M = WᵀW; W starts at I", "<dd>W and the centres by gradient descent", "<dd>gaussian: exp(",
		" threads</dd>",
	} {
		if err != nil || !strings.Contains(string(page), fact) {
			t.Errorf("the page has no %q: %v", fact, err)
		}
	}
	if strings.Contains(string(page), "<dd></dd>") {
		t.Error("the page shows empty facts")
	}
}

func TestHyperBFBadUse(t *testing.T) {
	for want, args := range map[string][]string{
		"--data":                   {},
		"--update \"newton\"":      append([]string{"--update", "newton"}, smallData...),
		"--opt \"lbfgs\"":          append([]string{"--opt", "lbfgs"}, smallData...),
		"--momentum has no effect": append([]string{"--momentum", ".9"}, smallData...),
		"not a multiple":           append([]string{"--steps", "7"}, smallData...),
		"several bandwidths":       append([]string{"--ridge", "1,2", "--select", "last"}, smallData...),
		"--coefficients":           append([]string{"--coefficients", "fixed"}, smallData...),
		"--seeds 2: give --train":  {"--data", "glyphs", "--seeds", "2"},
		"--seeds -1: want":         append([]string{"--seeds", "-1"}, smallData...),
		"999 centres":              append([]string{"--update", "gd", "--centres", "999"}, smallData...),
		"learning rate -1":         append([]string{"--update", "gd", "--rate", "-1"}, smallData...),
		"larger ridge":             append([]string{"--update", "gd", "--ridge", "0"}, smallData...),
		"--iters -1":               append([]string{"--iters", "-1"}, smallData...),
	} {
		if code, _, errs := ansatz(t, append([]string{"hyperbf"}, args...)...); code != exitUsage ||
			!strings.Contains(errs, want) {
			t.Errorf("hyperbf %v: exit %d: %s", args, code, errs)
		}
	}
}
