package rfm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestSaveAndLoad(t *testing.T) {
	x, y := twoDirections(1, 40, 5)
	for _, m := range []Machine{
		{Iterations: 1, Select: Last, Ridge: 1e-3},
		{Iterations: 1, Select: Last, Diagonal: true, Kernel: Gaussian{3}, Task: Classification},
		{Kernel: NTK{3}, Ridge: 1, Precision: 1},
		{Kernel: Exponential{2, 1.3}, Ridge: 1},
	} {
		want := fitOf(t, m, x, y)
		dir := filepath.Join(t.TempDir(), "model")
		if err := want.Save(dir, map[string]string{"of": "tests"}); err != nil {
			t.Fatal(err)
		}
		got, metadata, err := LoadModel(dir)
		if err != nil {
			t.Fatal(err)
		}
		if metadata["of"] != "tests" || got.Kernel().String() != want.Kernel().String() ||
			Bandwidth(got.Kernel()) != Bandwidth(want.Kernel()) || got.Task() != want.Task() {
			t.Errorf("got %v, %v with %v, want %v, %v", got.Kernel(), got.Task(), metadata, want.Kernel(), want.Task())
		}
		a, err := want.Predict(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		b, err := got.Predict(context.Background(), x)
		if err != nil || !mat.Equal(a, b) {
			t.Errorf("%v: predictions of the loaded model differ (%v)", m.Kernel, err)
		}
	}
}

// describe returns a function that sets a key in the description of a saved model, without updating its digest.
func describe(key string, value any) func(dir string) error {
	return func(dir string) error {
		path, s := filepath.Join(dir, modelFile), map[string]any{}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		s[key] = value
		delete(s, "digest") // descriptions used to have no digest
		if text, err = json.Marshal(s); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o666)
	}
}

// TestLoadRefusesDamage checks that a folder that lacks a file, or whose files do not belong to one model, is refused.
func TestLoadRefusesDamage(t *testing.T) {
	x, y := twoDirections(2, 10, 3)
	save := func(m Machine) string {
		dir := t.TempDir()
		if err := fitOf(t, m, x, y).Save(dir, nil); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for name, damage := range map[string]func(dir string) error{
		"no description": func(dir string) error { return os.Remove(filepath.Join(dir, modelFile)) },
		"no arrays":      func(dir string) error { return os.Remove(filepath.Join(dir, arraysFile)) },
		"not JSON": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, modelFile),
				[]byte("{"), 0o666)
		},
		"another kind": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, modelFile),
				[]byte("{}"), 0o666)
		},
		"another task":        describe("task", "art"),
		"another precision":   describe("precision", 7),
		"the digest of other": describe("sha256", "00"),
		"cut arrays":          func(dir string) error { return os.Truncate(filepath.Join(dir, arraysFile), 200) },
		"other arrays": func(dir string) error {
			return os.Rename(filepath.Join(save(Machine{Ridge: 3}), arraysFile), filepath.Join(dir, arraysFile))
		},
	} {
		dir := save(Machine{})
		if err := damage(dir); err != nil {
			t.Fatal(err)
		}
		if _, _, err := LoadModel(dir); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// A changed description is refused because of its digest. A model that was saved before descriptions had digests is
// loaded.
func TestLoadRefusesChangedDescription(t *testing.T) {
	x, y := twoDirections(2, 10, 3)
	dir := t.TempDir()
	path := filepath.Join(dir, modelFile)
	if err := fitOf(t, Machine{Kernel: Laplace{Bandwidth: 7.5}}, x, y).Save(dir, map[string]string{"of": "tests"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text []byte) error {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, err := LoadModel(dir)
		return err
	}
	for _, change := range [][2]string{{"7.5", "8.5"}, {`"of": "tests"`, `"of": "others"`}} {
		changed := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1)
		var bad *ModelError
		if err := write(changed); bytes.Equal(changed, text) || !errors.As(err, &bad) ||
			!strings.Contains(err.Error(), "changed after it was written") {
			t.Errorf("%s: %v", change[1], err)
		}
	}
	if err := write(unsealed(text)); err != nil {
		t.Errorf("a model without a digest of its description: %v", err)
	}
}

// unsealed returns a description without its digest, as it was before descriptions had any.
func unsealed(text []byte) []byte {
	return append(bytes.Clone(text[:bytes.LastIndex(text, []byte(",\n  \"digest\""))]), "}\n"...)
}

// FuzzLoadModel checks that with any description loading gives a model that predicts, or an error.
func FuzzLoadModel(f *testing.F) {
	x, y := twoDirections(3, 6, 2)
	dir := f.TempDir()
	if err := fitOf(f, Machine{Iterations: 1, Select: Last}, x, y).Save(dir, nil); err != nil {
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
		if m, _, err := LoadModel(dir); err == nil {
			if _, err := m.Predict(context.Background(), x); err != nil {
				t.Errorf("a model that loads does not predict: %v", err)
			}
		}
	})
}

// TestPredictRows checks that the outputs of a row are the same alone and among other rows.
func TestPredictRows(t *testing.T) {
	x, y := twoDirections(4, 300, 6)
	m := fitOf(t, Machine{Iterations: 1, Select: Last, Ridge: 1e-3}, x, y)
	all, err := m.PredictRows(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][2]int{{0, 1}, {7, 8}, {100, 150}, {299, 300}} {
		some := mat.DenseCopyOf(x.Slice(part[0], part[1], 0, 6))
		got, err := m.PredictRows(context.Background(), some)
		if err != nil || !mat.Equal(got, all.Slice(part[0], part[1], 0, 2)) {
			t.Errorf("rows %v: other outputs than among all (%v)", part, err)
		}
	}
}
