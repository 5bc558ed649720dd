package rfm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/mat"
)

// savedConvs returns machines whose models are of every kind.
func savedConvs() []ConvMachine {
	return []ConvMachine{
		{},
		{Kernel: CNTK{Layers: 2, Pooled: true}, Iterations: 1, Task: Classification, Patch: 2},
		{Kernel: CNNGP{Layers: 2}, Iterations: 1, Pad: true, Whole: true, Keep: .3},
		{Kernel: PatchLaplace{Bandwidth: 3}, Iterations: 1, Precision: graph.Double},
		{Kernel: CNTK{Layers: 3}, Layers: 3, Filters: 4, Iterations: 1, Scale: ScaleTrace},
		{Kernel: CNTK{Layers: 2}, Layers: 2, Filters: 3, Linear: true, Patch: 3, Pad: true},
	}
}

// TestConvSaveAndLoad checks that a loaded model has the layers of the saved one and, on the same backend, its
// predictions and patch-AGOP to the bit.
func TestConvSaveAndLoad(t *testing.T) {
	e, x, ctx := bars(1, 9, 7, 1), bars(2, 5, 7, 1).X, context.Background()
	for _, m := range savedConvs() {
		for _, name := range gputest.Backends(t) {
			m.Ridges, m.Backend, m.Threads = []float64{.1}, name, 2
			want := fitConv(t, m, e)
			dir := filepath.Join(t.TempDir(), "model")
			if err := want.Save(dir, map[string]string{"of": "tests"}); err != nil {
				t.Fatal(err)
			}
			got, metadata, err := LoadConvModel(dir, 0)
			if err != nil {
				t.Fatal(err)
			}
			got = got.On(name, 1)
			if metadata["of"] != "tests" || !IsConvModel(dir) || got.Task() != want.Task() ||
				got.Patch() != want.Patch() || len(got.Layers()) != len(want.Layers()) {
				t.Errorf("%+v: got %v of %d layers with %v", m, got.Task(), len(got.Layers()), metadata)
			}
			if !mat.Equal(predictConv(t, got, x), predictConv(t, want, x)) {
				t.Errorf("%+v: predictions of the loaded model differ", m)
			}
			for i, l := range want.Layers() {
				g := got.Layers()[i]
				if g.Kernel != l.Kernel || !mat.Equal(g.Metric.Dense(), l.Metric.Dense()) || l.Filters != nil &&
					!mat.Equal(g.Filters, l.Filters) {
					t.Errorf("%+v: layer %d differs", m, i)
				}
			}
			a, err := want.AGOP(ctx, x)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := got.AGOP(ctx, x); err != nil || !mat.Equal(a.Dense(), b.Dense()) {
				t.Errorf("%+v: the patch-AGOP of the loaded model differs (%v)", m, err)
			}
		}
	}
}

// TestConvLoadRefusesDamage checks that a folder that lacks a file, or whose files do not belong to one model, is
// refused.
func TestConvLoadRefusesDamage(t *testing.T) {
	e := bars(1, 6, 7, 1)
	save := func(ridge float64) string {
		dir := t.TempDir()
		m := ConvMachine{Kernel: CNTK{Layers: 2}, Layers: 2, Filters: 3, Ridges: []float64{ridge}}
		if err := fitConv(t, m, e).Save(dir, nil); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	write := func(text string) func(dir string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, modelFile), []byte(text), 0o666) }
	}
	for name, damage := range map[string]func(dir string) error{
		"no description": func(dir string) error { return os.Remove(filepath.Join(dir, modelFile)) },
		"no arrays":      func(dir string) error { return os.Remove(filepath.Join(dir, arraysFile)) },
		"not JSON":       write("{"),
		"another kind":   write("{}"),
		"cut arrays":     func(dir string) error { return os.Truncate(filepath.Join(dir, arraysFile), 200) },
		"other arrays": func(dir string) error {
			return os.Rename(filepath.Join(save(3), arraysFile), filepath.Join(dir, arraysFile))
		},
		"another kernel":      describe("kernel", "laplace"),
		"no kernel":           describe("kernel", "resnet"),
		"a bandwidth":         describe("bandwidth", 3),
		"another depth":       describe("depth", 1),
		"too deep":            describe("depth", 7),
		"deepest":             describe("depth", 1<<40),
		"another patch":       describe("patch", 5),
		"no patch":            describe("patch", 0),
		"a negative patch":    describe("patch", -3),
		"a patch that wraps":  describe("patch", int64(1<<63-3)),
		"one layer more":      describe("layers", 3),
		"no layers":           describe("layers", 0),
		"another task":        describe("task", "art"),
		"another precision":   describe("precision", 16),
		"more images":         describe("images", 7),
		"negative images":     describe("images", -6),
		"another shape":       describe("shape", []int{7, 1, 7}),
		"a shape that wraps":  describe("shape", []int{1 << 32, 1 << 32, 49}),
		"more outputs":        describe("outputs", 3),
		"the digest of other": describe("sha256", "00"),
		"a changed backend": func(dir string) error { // without a digest this change would go unnoticed
			path := filepath.Join(dir, modelFile)
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, bytes.Replace(text, []byte(`"backend": "`), []byte(`"backend": "g`), 1), 0o666)
		},
	} {
		dir := save(1)
		if err := damage(dir); err != nil {
			t.Fatal(err)
		}
		_, _, err := LoadConvModel(dir, 0)
		var model *ModelError
		var format *weights.FormatError
		if !errors.As(err, &model) && !errors.As(err, &format) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	dir := t.TempDir()
	if err := fitOf(t, Machine{}, normal(random(1), 4, 2), normal(random(2), 4, 1)).Save(dir, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LoadConvModel(dir, 0); err == nil || IsConvModel(dir) {
		t.Errorf("a kernel machine of vectors is taken for one of images (%v)", err)
	}
}

// FuzzLoadConvModel checks that with any description loading gives a model that predicts, or an error.
func FuzzLoadConvModel(f *testing.F) {
	e := bars(1, 3, 5, 1)
	dir := f.TempDir()
	m := ConvMachine{Kernel: CNTK{Layers: 2}, Layers: 2, Filters: 2, Iterations: 1, Ridges: []float64{.1}, Threads: 1}
	if err := fitConv(f, m, e).Save(dir, nil); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, modelFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(unsealed(text))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, modelFile), text, 0o666); err != nil {
			t.Fatal(err)
		}
		m, _, err := LoadConvModel(dir, 0)
		if err != nil {
			return
		}
		if _, err := m.Predict(context.Background(), e.X); err != nil {
			t.Errorf("a model that loads does not predict: %v", err)
		}
	})
}
