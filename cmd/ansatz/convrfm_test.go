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

// glyphs12 holds the flags for a few small images of digits and a kernel of depth 2.
var glyphs12 = []string{"--data", "glyphs", "--size", "12", "--train", "40", "--test", "20", "--depth", "2"}

// convResult holds the fields of the JSON output of ansatz convrfm that the tests read.
type convResult struct {
	Data, Kernel              string
	Depth, Patch, Train, Test int
	Layers                    []convLayer
	Iterations                []map[string]any
	Selected                  int
	Seconds                   float64
	Conventions               map[string]any
}

type convLayer struct {
	Layer, Depth, Channels int
	Kernel                 string
	Iterations             []map[string]any
	Selected               int
}

// convJSON runs ansatz convrfm --json with args and returns its output.
func convJSON(t *testing.T, args ...string) (r convResult) {
	t.Helper()
	code, out, errs := ansatz(t, append([]string{"convrfm", "--json"}, args...)...)
	if code != exitDone || errs != "" && !strings.HasPrefix(errs, "Report: ") {
		t.Fatalf("%v: exit %d: %s", args, code, errs)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %v in %s", args, err, out)
	}
	return r
}

func shapeOf(t *testing.T, path string) string {
	t.Helper()
	a, err := array.ReadNPY(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(a.Shape)
}

// TestConvRFMJSON checks what users' scripts rely on: the fields of the JSON output, and the shapes of the arrays in
// the output files.
func TestConvRFMJSON(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	r := convJSON(t, append(glyphs12, "--iters", "1", "--ridge", "1e-4,1e-2", "--metric-out", at("M.npy"),
		"--kernel-out", at("K.npy"), "--features-out", at("F.npy"))...)
	if r.Data != "glyphs" || r.Kernel != "cntk" || r.Depth != 2 || r.Patch != 3 || r.Train != 40 || r.Test != 20 ||
		r.Seconds <= 0 {
		t.Errorf("%+v", r)
	}
	if len(r.Layers) != 1 || len(r.Iterations) != 2 || fmt.Sprint(r.Layers[0].Iterations) != fmt.Sprint(r.Iterations) ||
		r.Layers[0].Selected != r.Selected {
		t.Fatalf("layers %+v beside iterations %v", r.Layers, r.Iterations)
	}
	if l := r.Layers[0]; l.Layer != 1 || l.Kernel != "cntk" || l.Depth != 2 || l.Channels != 1 {
		t.Errorf("layer %+v", l)
	}
	for i, it := range r.Iterations {
		for _, key := range []string{"ridge", "train_accuracy", "validation_accuracy", "test_accuracy", "test_mse",
			"trace", "seconds"} {
			if _, ok := it[key].(float64); !ok {
				t.Errorf("iteration %d has no %s", i, key)
			}
		}
		if _, ok := it["test_r2"]; ok || it["iteration"] != float64(i) || it["solution"] == nil {
			t.Errorf("iteration %d: %v", i, it)
		}
	}
	if r.Iterations[0]["trace"] != 9. {
		t.Errorf("M = I of 9 elements has the trace %v", r.Iterations[0]["trace"])
	}
	for key, want := range map[string]string{
		"validation": "the next 10 of the train split", "train": "the first 40", "select": "validation images",
		"scale":  "frobenius",
		"kernel": "CNTK of 2", "padding": "VALID", "kernel_scale": "max", "ridges": "[0.0001 0.01]", "inputs": "[0,1]",
	} {
		if got := fmt.Sprint(r.Conventions[key]); !strings.Contains(got, want) {
			t.Errorf("convention %s is %q, want %q", key, got, want)
		}
	}
	for name, want := range map[string]string{"M.npy": "[9 9]", "K.npy": "[40 40]", "F.npy": "[40 12 12 1]"} {
		if got := shapeOf(t, at(name)); got != want {
			t.Errorf("%s has the shape %s, want %s", name, got, want)
		}
	}
}

// TestConvRFMFilesAreOfTheLastIteration checks that --metric-out writes the metric of the last iteration, whichever
// iteration is selected, and that --kernel-out writes the kernel without the division by --kernel-scale.
func TestConvRFMFilesAreOfTheLastIteration(t *testing.T) {
	dir := t.TempDir()
	var metrics, kernels [2][]float64
	for i, scale := range []string{"max", "none"} {
		m, k := filepath.Join(dir, scale+"-M.npy"), filepath.Join(dir, scale+"-K.npy")
		r := convJSON(t, append(glyphs12, "--iters", "1", "--kernel-scale", scale, "--scale", "none", "--ridge", "0",
			"--metric-out", m, "--kernel-out", k)...)
		a, err := array.ReadNPY(m)
		if err != nil {
			t.Fatal(err)
		}
		metrics[i] = a.Float64s()
		trace := 0.
		for j := range 9 {
			trace += metrics[i][10*j]
		}
		if want := r.Iterations[1]["trace"].(float64); trace < want*(1-1e-9) || trace > want*(1+1e-9) {
			t.Errorf("the trace of the metric is %v, that of the last iteration's %v", trace, want)
		}
		if a, err = array.ReadNPY(k); err != nil {
			t.Fatal(err)
		}
		kernels[i] = a.Float64s()
	}
	// Without a ridge, neither α·K nor M depends on the scale of K, so both runs must write the same kernel.
	for j, want := range kernels[1] {
		if got := kernels[0][j]; got < want*.99 || got > want*1.01 {
			t.Fatalf("entry %d of the kernel is %v where it is divided for the regression, %v where it is not", j, got,
				want)
		}
	}
}

// TestDeepConvRFM checks that the record lists every layer, and that the inputs of a layer have as many channels as the
// layer before has filters.
func TestDeepConvRFM(t *testing.T) {
	dir := t.TempDir()
	features := filepath.Join(dir, "F.npy")
	r := convJSON(t, append(glyphs12, "--iters", "1", "--layers", "2", "--filters", "5", "--features-out", features,
		"--out", dir)...)
	if len(r.Layers) != 2 || r.Layers[0].Depth != 2 || r.Layers[1].Depth != 1 || r.Layers[1].Channels != 5 ||
		len(r.Layers[1].Iterations) != 2 {
		t.Fatalf("layers %+v", r.Layers)
	}
	if fmt.Sprint(r.Layers[1].Iterations) != fmt.Sprint(r.Iterations) {
		t.Error("the iterations are not those of the last layer")
	}
	if got := shapeOf(t, features); got != "[40 10 10 5]" {
		t.Errorf("features of shape %s", got)
	}
	for name, want := range map[string]string{"metric-layer1.npy": "[9 9]", "metric-layer2.npy": "[45 45]",
		"metric.npy": "[45 45]"} {
		if got := shapeOf(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s has the shape %s, want %s", name, got, want)
		}
	}
	for _, f := range []string{"report.html", "record.json", "figures/spectrum.png", "figures/iterations-layer2.png",
		"model/model.json"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		}
	}
}

// TestConvRFMSelection checks that the conventions say how the iteration and the ridge were selected, and that
// validation images are held out only if they select something.
func TestConvRFMSelection(t *testing.T) {
	for name, c := range map[string]struct {
		flags      []string
		choice     string
		validation bool
	}{
		"validation":        {[]string{"--iters", "1"}, "on the validation images", true},
		"given number":      {[]string{"--iters", "0", "--validation", "7"}, "on the validation images", true},
		"last":              {[]string{"--iters", "1", "--select", "last"}, "nothing is chosen", false},
		"nothing to choose": {[]string{"--iters", "0"}, "nothing is chosen", false},
		"paper": {[]string{"--iters", "1", "--ridge", "1e-5,1e-1", "--paper-mode"},
			"test images: as published, a leak", false},
	} {
		r := convJSON(t, append(glyphs12, c.flags...)...)
		if got := fmt.Sprint(r.Conventions["select"]); !strings.Contains(got, c.choice) {
			t.Errorf("%s: selected by %q", name, got)
		}
		for _, it := range r.Iterations {
			if _, ok := it["validation_accuracy"]; ok != c.validation {
				t.Errorf("%s: validation accuracy %v", name, it["validation_accuracy"])
			}
			if _, ok := it["test_accuracy"].(float64); !ok {
				t.Errorf("%s: no test accuracy", name)
			}
		}
		if _, ok := r.Conventions["validation"]; ok != c.validation || r.Train != 40 {
			t.Errorf("%s: validation images %v, %d training images", name, r.Conventions["validation"], r.Train)
		}
		if name == "last" && r.Selected != 1 {
			t.Errorf("selected %d", r.Selected)
		}
	}
	_, out, _ := ansatz(t, append([]string{"convrfm", "--iters", "1", "--paper-mode"}, glyphs12...)...)
	if !strings.Contains(out, "Beware") {
		t.Errorf("the table says nothing of the leak:\n%s", out)
	}
}

// TestConvRFMKernels checks that convrfm runs with every kernel, with padding and with the choices of the published
// code, and that the conventions record each of them.
func TestConvRFMKernels(t *testing.T) {
	small := []string{"--data", "glyphs", "--size", "8", "--train", "20", "--test", "10", "--iters", "1"}
	for _, c := range []struct {
		flags     []string
		key, want string
		depth     int
	}{
		{[]string{"--kernel", "laplace"}, "scale", "trace", 1},
		{[]string{"--kernel", "laplace", "--bandwidth", "2", "--scale", "none"}, "bandwidth", "2", 1},
		{[]string{"--kernel", "cnngp"}, "scale", "frobenius", 1},
		{[]string{"--kernel", "cntk-gap", "--depth", "1"}, "kernel", "averaged", 1},
		{nil, "kernel", "CNTK of 3", 3},
		{[]string{"--pad", "--depth", "2"}, "padding", "zeros", 2},
		{[]string{"--patch", "5", "--depth", "1"}, "metric", "M^½h", 1},
		{[]string{"--patches-by", "metric"}, "metric", "seen as Mh", 3},
		{[]string{"--keep", ".25"}, "eigenvalues", "25 %", 3},
		{[]string{"--agop-sample", "5"}, "agop", "5 training images", 3},
		{[]string{"--layers", "2", "--filters", "3", "--linear-features"}, "features", "without ReLU", 3},
		{[]string{"--precision", "64", "--backend", "go"}, "precision", "float64", 3},
	} {
		r := convJSON(t, append(small, c.flags...)...)
		if got := fmt.Sprint(r.Conventions[c.key]); !strings.Contains(got, c.want) || r.Depth != c.depth {
			t.Errorf("%v: depth %d, %s %q", c.flags, r.Depth, c.key, got)
		}
	}
}

// TestConvRFMBadUse checks that flags that are wrong or do not go together are refused, with a message that says what
// to change.
func TestConvRFMBadUse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "--data"},
		{"--data nothere", "nothere"},
		{"--data polynomial:hermite", "ansatz rfm"},
		{"--data uci121:iris", "ansatz rfm"},
		{"--data glyphs --unit-sphere", "unit-sphere"},
		{"--data glyphs --kernel ntk", "cntk"},
		{"--data glyphs --kernel laplace --depth 2", "one layer"},
		{"--data glyphs --bandwidth 2", "bandwidth"},
		{"--data glyphs --bandwidth 0 --kernel laplace", "--bandwidth"},
		{"--data glyphs --bandwidth -1 --kernel laplace", "bandwidth"},
		{"--data glyphs --depth -2", "--depth"},
		{"--data glyphs --depth 0", "--depth"},
		{"--data glyphs --depth 14", "--size"},
		{"--data glyphs --size 6", "--depth"},
		{"--data glyphs --size 2 --depth 1", "too small"},
		{"--data glyphs --patch 4 --pad", "odd"},
		{"--data glyphs --patch -3", "--patch"},
		{"--data glyphs --layers 4", "--depth"},
		{"--data glyphs --layers 2 --kernel laplace", "--layers"},
		{"--data glyphs --filters 0", "--filters"},
		{"--data glyphs --filters 9223372036854775807 --layers 2", "--filters"},
		{"--data glyphs --train 10 --validation 9223372036854775807", "--validation"},
		{"--data glyphs --iters -1", "--iters"},
		{"--data glyphs --ridge -1", "--ridge"},
		{"--data glyphs --ridge 1e-3,1e-2 --select last", "--ridge"},
		{"--data glyphs --select last --validation 5", "--validation"},
		{"--data glyphs --select first", "--select"},
		{"--data glyphs --paper-mode --select last", "--paper-mode"},
		{"--data glyphs --paper-mode --validation 4", "--paper-mode"},
		{"--data glyphs --keep 1.5", "--keep"},
		{"--data glyphs --scale max", "--scale"},
		{"--data glyphs --kernel-scale trace", "--kernel-scale"},
		{"--data glyphs --patches-by cube", "--patches-by"},
		{"--data glyphs --precision 16", "--precision"},
		{"--data glyphs --train -4", "--train"},
		{"--data glyphs --train 10 --metric-out /nothere/M.npy", "/nothere"},
		{"--data glyphs --train 10 --kernel-out /nothere/K.npy", "/nothere"},
		{"--data glyphs --train 10 --features-out /nothere/F.npy", "/nothere"},
		{"--data glyphs stray", "stray"},
	} {
		if code, _, errs := ansatz(t, append([]string{"convrfm"}, strings.Fields(c.args)...)...); code != exitUsage ||
			!strings.Contains(errs, c.want) {
			t.Errorf("convrfm %s: exit %d: %s", c.args, code, errs)
		}
	}
}
