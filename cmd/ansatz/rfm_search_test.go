package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/search"
	"gonum.org/v1/gonum/mat"
)

// searched holds the fields of the record of ansatz rfm that the tests read.
type searched struct {
	Trials   []search.Trial `json:"trials"`
	Chosen   []int          `json:"chosen"`
	TestR2   *float64       `json:"test_r2"`
	Accuracy *float64       `json:"test_accuracy"`
	Shares   []struct {
		Feature string `json:"feature"`
	} `json:"importances"`
	Conventions map[string]any `json:"conventions"`
	// Iterations are in the record of a machine that was fitted without a search.
	Iterations []struct {
		TestR2 *float64 `json:"test_r2"`
	} `json:"iterations"`
}

// of returns the trial with the given number.
func (s *searched) of(number int) search.Trial {
	return s.Trials[slices.IndexFunc(s.Trials, func(t search.Trial) bool { return t.Number == number })]
}

// runRFM runs ansatz rfm --json and returns its record.
func runRFM(t *testing.T, flags ...string) *searched {
	t.Helper()
	code, out, errs := ansatz(t, append([]string{"rfm", "--json"}, flags...)...)
	if code != exitDone {
		t.Fatalf("%v: exit %d: %s", flags, code, errs)
	}
	r := &searched{}
	if err := json.Unmarshal([]byte(out), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// twoOfTwenty writes a table of 20 columns, of which a noisy target depends on x3 and x11, and returns its path.
func twoOfTwenty(t *testing.T) string {
	rng := rand.New(rand.NewPCG(1, 9))
	var b strings.Builder
	for k := range 20 {
		fmt.Fprintf(&b, "x%d,", k)
	}
	b.WriteString("y\n")
	for range 320 {
		x := make([]float64, 20)
		for k := range x {
			x[k] = rng.NormFloat64()
			fmt.Fprintf(&b, "%.4f,", x[k])
		}
		fmt.Fprintf(&b, "%.4f\n", x[3]*x[11]+.4*rng.NormFloat64())
	}
	return writeTable(t, b.String())
}

// TestRFMSearch checks that a search finds settings that are better in cross-validation than the defaults, and hardly
// worse on the test rows. The model that it saves must be the one that a fit with these settings saves.
func TestRFMSearch(t *testing.T) {
	path, dir := twoOfTwenty(t), t.TempDir()
	data := []string{"--data", path, "--target", "y"}
	plain := runRFM(t, append(data, "--iters", "3", "--select", "last")...)
	found, again := filepath.Join(dir, "found"), filepath.Join(dir, "again")
	r := runRFM(t, append(data, "--iters", "3", "--search", "14", "--kernel", "laplace", "--model-out", found)...)
	first, best := r.Trials[0], r.of(r.Chosen[0])
	if len(r.Trials) != 14 || first.Kernel != "laplace" || first.Bandwidth != 10 || first.Ridge != 1e-3 || first.Diagonal {
		t.Fatalf("%d trials, the first %v", len(r.Trials), first.Settings)
	}
	for _, trial := range r.Trials {
		if trial.Kernel != "laplace" || trial.Error != "" || trial.Score() > best.Score() {
			t.Errorf("trial %d: %+v", trial.Number, trial)
		}
	}
	if was := *plain.Iterations[3].TestR2; best.Score() < first.Score()+.01 || *r.TestR2 < was-.02 {
		t.Errorf("R² %v by cross-validation with %v, on test rows %v; the defaults have %v and %v", best.Score(),
			best.Settings, *r.TestR2, first.Score(), was)
	}
	if a, b := r.Shares[0].Feature, r.Shares[1].Feature; a+b != "x3x11" && a+b != "x11x3" {
		t.Errorf("the first features are %s and %s", a, b)
	}
	flags := append(append(data, strings.Fields(best.Settings.String())...), "--iters", fmt.Sprint(best.Iteration), "--select",
		"last", "--model-out", again)
	same := runRFM(t, flags...)
	if got := *same.Iterations[best.Iteration].TestR2; math.Abs(got-*r.TestR2) > 1e-6 {
		t.Errorf("the settings have a test R² of %v, the search of %v", got, *r.TestR2)
	}
	for _, name := range []string{"model.json", "model.safetensors"} {
		a, err1 := os.ReadFile(filepath.Join(found, name))
		b, err2 := os.ReadFile(filepath.Join(again, name))
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s of the search is not that of its settings: %v, %v", name, err1, err2)
		}
	}
}

// TestRFMSearchAverage checks that an average predicts the mean of the outputs of its members, which have different
// transforms, even if its folder held a single machine before. A single machine that is saved there later replaces the
// average.
func TestRFMSearchAverage(t *testing.T) {
	path, rows := writeFlowers(t, 160, 0, "a", "b", "colour", "kind"), writeFlowers(t, 57, 0, "kind", "b", "a", "colour")
	dir := fitTable(t, path, "--target", "kind")
	flags := []string{"--data", path, "--target", "kind", "--search", "9", "--iters", "1", "--test-data", rows, "--model-out", dir}
	r := runRFM(t, append(flags, "--average", "4")...)
	transforms := map[string]bool{}
	var mean mat.Dense
	// An average whose members were swapped is refused.
	first, second, aside := filepath.Join(dir, "member-1"), filepath.Join(dir, "member-2"), filepath.Join(dir, "aside")
	swap := func() {
		if err := errors.Join(os.Rename(first, aside), os.Rename(second, first), os.Rename(aside, second)); err != nil {
			t.Fatal(err)
		}
	}
	swap()
	if code, _, errs := ansatz(t, "predict", "--model", dir, "--data", rows); code != exitUsage ||
		!strings.Contains(errs, "is not the member") {
		t.Errorf("members in each other's places: exit %d: %s", code, errs)
	}
	swap()
	for i, number := range r.Chosen {
		transforms[r.of(number).Transform] = true
		out := filepath.Join(t.TempDir(), "outputs.npy")
		_, one := predictCSV(t, filepath.Join(dir, fmt.Sprintf("member-%d", i+1)), rows, "--outputs-out", out)
		outputs := readNPY(t, out)
		if mean.IsEmpty() {
			mean.CloneFrom(outputs)
		} else {
			mean.Add(&mean, outputs)
		}
		if kernel, _ := one["kernel"].(string); kernel != r.of(number).Kernel {
			t.Errorf("member %d has the kernel %s, trial %d %s", i+1, kernel, number, r.of(number).Kernel)
		}
	}
	mean.Scale(1/float64(len(r.Chosen)), &mean)
	out := filepath.Join(t.TempDir(), "outputs.npy")
	_, all := predictCSV(t, dir, rows, "--outputs-out", out)
	if !mat.EqualApprox(readNPY(t, out), &mean, 1e-12) {
		t.Error("the outputs are not the mean of those of the members")
	}
	if got, _ := all["test_accuracy"].(float64); len(r.Chosen) != 4 || len(transforms) < 2 || got != *r.Accuracy || got < .8 {
		t.Errorf("accuracy %v, in the search %v; chosen %v, transforms %v", got, *r.Accuracy, r.Chosen, transforms)
	}
	one := runRFM(t, flags...)
	if _, all := predictCSV(t, dir, rows); all["test_accuracy"] != *one.Accuracy || strings.Contains(all["kernel"].(string), "mean") {
		t.Errorf("after a search for one: %v, want %v", all, *one.Accuracy)
	}
	if err := os.WriteFile(filepath.Join(dir, "ensemble.json"), []byte(`{"kind":"ansatz average of kernel machines, version 1",`+
		`"members":["../other"]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := ansatz(t, "predict", "--model", dir, "--data", rows); code != exitUsage || !strings.Contains(errs, "member") {
		t.Errorf("a member elsewhere: exit %d: %s", code, errs)
	}
}

func readNPY(t *testing.T, path string) *mat.Dense {
	t.Helper()
	m, err := array.ReadNPYMatrix(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRFMSearchGoesOn checks that a longer search continues with the trials in --out, that a search with other settings
// is refused there, and that the page lists all trials.
func TestRFMSearchGoesOn(t *testing.T) {
	path, out := writeFlowers(t, 90, 0, "a", "b", "colour", "price"), filepath.Join(t.TempDir(), "out")
	flags := []string{"--data", path, "--iters", "1", "--diag", "--out", out, "--search"}
	short := runRFM(t, append(flags, "3")...)
	long := runRFM(t, append(flags, "5", "--threads", "2")...)
	whole := runRFM(t, "--data", path, "--iters", "1", "--diag", "--search", "5")
	if len(short.Trials) != 3 || len(long.Trials) != 5 || len(whole.Trials) != 5 {
		t.Fatalf("%d, %d and %d trials", len(short.Trials), len(long.Trials), len(whole.Trials))
	}
	for i, trial := range long.Trials {
		if i < 3 && trial.Seconds != short.Trials[i].Seconds {
			t.Errorf("trial %d was made again", i)
		}
		if a, b := trial, whole.Trials[i]; a.Settings != b.Settings || a.Score() != b.Score() || a.Iteration != b.Iteration {
			t.Errorf("trial %d is %+v, without a folder %+v", i, a, b)
		}
		if !trial.Diagonal {
			t.Errorf("--diag: %v", trial.Settings)
		}
	}
	if *long.TestR2 != *whole.TestR2 {
		t.Errorf("test R² %v, without a folder %v", *long.TestR2, *whole.TestR2)
	}
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	if err != nil || !strings.Contains(string(page), "best so far") || !strings.Contains(string(page), "All trials") {
		t.Errorf("the page: %v", err)
	}
	code, _, errs := ansatz(t, append(append([]string{"rfm"}, flags...), "5", "--folds", "4")...)
	if code != exitUsage || !strings.Contains(errs, "folds was 3, is 4") {
		t.Errorf("another search: exit %d: %s", code, errs)
	}
}

// TestRFMSearchRefused checks that flags that do not go with a search, or need one, are refused with a message that
// says what is wrong.
func TestRFMSearchRefused(t *testing.T) {
	path := writeFlowers(t, 60, 0, "a", "b", "price")
	for _, c := range []struct{ flags, want string }{
		{"--search 5 --leaf 50", "--leaf has no effect beside --search"},
		{"--search 5 --select last", "--select has no effect beside --search"},
		{"--time 5s", "without --search"},
		{"--folds 5", "without --search"},
		{"--search 5 --folds 1", "want 2 at least"},
		{"--search 5 --average 6", "makes fewer trials"},
		{"--search 5 --average 2 --metric-out M.npy", "--metric-out has no effect beside --average"},
		{"--search 5 --kernel lpq:1:2", "q ≤ p"},
		{"--kernel ntk:2 --adaptive", "--adaptive has no effect without --kernel"},
	} {
		code, _, errs := ansatz(t, append([]string{"rfm", "--data", path, "--target", "price"}, strings.Fields(c.flags)...)...)
		if code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d: %s, want %q", c.flags, code, errs, c.want)
		}
	}
}

// TestRFMAdaptive checks that the power of the AGOP and an adaptive bandwidth are in the record of a single machine,
// and that predict is accurate with the machine that was saved.
func TestRFMAdaptive(t *testing.T) {
	path := writeFlowers(t, 120, 0, "a", "b", "colour", "price")
	model := filepath.Join(t.TempDir(), "model")
	r := runRFM(t, "--data", path, "--adaptive", "--agop-power", "0.5", "--kernel", "lpq:1.5:1", "--diag", "--iters", "2",
		"--model-out", model, "--select", "last")
	if r.Conventions["agop_power"] != .5 || !strings.Contains(fmt.Sprint(r.Conventions["adaptive_bandwidth"]), "1 times the median") {
		t.Errorf("conventions %v", r.Conventions)
	}
	_, p := predictCSV(t, model, path)
	if p["kernel"] != "lpq:1.5:1" || p["test_r2"].(float64) < .9 {
		t.Errorf("%v", p)
	}
	code, out, errs := ansatz(t, "rfm", "--data", path, "--adaptive", "--iters", "1")
	if code != exitDone || !strings.Contains(out, "bandwidth") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
