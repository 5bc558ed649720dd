package tree

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// A tree that was saved and loaded predicts the same bits.
func TestSave(t *testing.T) {
	x, new := draw(400, 4, 1), draw(50, 4, 2)
	m := mustFit(t, Machine{Leaf: leafMachine(), Rows: 100}, x, targets(x, smooth))
	dir := filepath.Join(t.TempDir(), "tree")
	if err := m.Save(dir, map[string]string{"a": "b"}); err != nil {
		t.Fatal(err)
	}
	loaded, metadata, err := Load(dir)
	if err != nil || metadata["a"] != "b" || !Is(dir) {
		t.Fatalf("%v, metadata %v", err, metadata)
	}
	if !mat.Equal(mustPredict(t, loaded, new), mustPredict(t, m, new)) {
		t.Error("the loaded tree predicts something else")
	}
	if !mat.Equal(mat.NewVecDense(4, loaded.Importances()), mat.NewVecDense(4, m.Importances())) {
		t.Error("the loaded tree has other importances")
	}
}

// A changed description is refused, and the error says what is wrong. A leaf of another tree is refused. A tree that
// was saved before there were digests is loaded.
func TestLoadBad(t *testing.T) {
	x := draw(60, 2, 1)
	m := mustFit(t, Machine{Leaf: leafMachine(), Rows: 30, Temperatures: []float64{.1}}, x, targets(x, func(row []float64) float64 { return row[0] }))
	dir := filepath.Join(t.TempDir(), "tree")
	if err := m.Save(dir, nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, modelFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sealed := string(whole)
	body, _, ok := strings.Cut(sealed, ",\n  \"digest\"")
	if !ok {
		t.Fatalf("there is no digest in %s", whole)
	}
	whole = []byte(body + "}") // without a digest, as trees used to be saved
	for _, c := range []struct{ from, to, want string }{
		{modelKind, "something", "kind is"},
		{"regression", "regret", "task is"},
		{`"left":1`, `"left":0`, "node 0"},
		{`"left":1`, `"left":7`, "node 0"},
		{`"leaf":2`, `"leaf":1`, "node 2"},
		{`"features":2`, `"features":3`, "node 0"},
		{`"outputs":1`, `"outputs":2`, "leaf 1"},
		{`"temperature":`, `"temperature":-`, "temperature is"},
		{"{", "", "JSON"},
		{`"leaf_sha256":["`, `"leaf_sha256":["0`, "leaf-0001 is not the one"},
		{`"leaf_sha256":["`, `"leaf_sha256":[],"other":["`, "leaf-0001 is not the one"},
		{string(whole), strings.Replace(sealed, `"temperature":`, `"temperature":1`, 1), "changed after it was written"},
		{string(whole), sealed, ""},
	} {
		text := strings.Replace(string(whole), c.from, c.to, 1)
		if text == string(whole) {
			t.Fatalf("%q is not in %s", c.from, whole)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, err := Load(dir)
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		var bad *rfm.ModelError
		if !errors.As(err, &bad) || c.want != "JSON" && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.to, c.from, err, c.want)
		}
	}
	// A leaf of another tree fits the description, but does not belong to this tree.
	other := filepath.Join(t.TempDir(), "other")
	m = mustFit(t, Machine{Leaf: leafMachine(), Rows: 30, Temperatures: []float64{.1}}, x, targets(x, func(row []float64) float64 { return row[1] }))
	if err := m.Save(other, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(leafFolder(dir, 1)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(leafFolder(other, 1), leafFolder(dir, 1)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "leaf-0002 is not the one") {
		t.Errorf("a leaf of another tree: %v", err)
	}
	if err := os.WriteFile(path, []byte(regexp.MustCompile(`"leaf_sha256":\[[^]]*\]`).ReplaceAllString(string(whole), `"leaf_sha256":null`)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(dir); err != nil {
		t.Errorf("a tree of before there were digests: %v", err)
	}
	if _, _, err := Load(t.TempDir()); err == nil {
		t.Error("an empty folder holds a tree")
	}
}

// Options and examples that cannot be used, and a memory limit that is too small, are refused before the fit.
func TestBadInput(t *testing.T) {
	x := draw(60, 2, 1)
	y := targets(x, func(row []float64) float64 { return row[0] })
	nan := mat.DenseCopyOf(x)
	nan.Set(7, 1, math.NaN())
	good := leafMachine()
	metric := good
	metric.Metric = rfm.Identity(2)
	for name, c := range map[string]struct {
		m    Machine
		x, y *mat.Dense
		want string
	}{
		"no rows":     {Machine{Leaf: good}, x, y, "leaves of 0 rows"},
		"subsample":   {Machine{Leaf: good, Rows: 9, SplitRows: 1}, x, y, "subsample of 1 row"},
		"metric":      {Machine{Leaf: metric, Rows: 9}, x, y, "metric"},
		"temperature": {Machine{Leaf: good, Rows: 9, Temperatures: []float64{math.NaN()}}, x, y, "temperature of NaN"},
		"threads":     {Machine{Leaf: good, Rows: 9, Threads: -1}, x, y, "-1 threads"},
		"NaN":         {Machine{Leaf: good, Rows: 9}, nan, y, "example 7"},
		"targets":     {Machine{Leaf: good, Rows: 9}, x, y.Slice(0, 50, 0, 1).(*mat.Dense), "60 training examples with 50"},
		"nothing":     {Machine{Leaf: good, Rows: 9}, nil, nil, "no training examples"},
		"memory":      {Machine{Leaf: good, Rows: 9, Memory: 1000}, x, y, "there is room for"},
	} {
		_, err := c.m.Fit(t.Context(), c.x, c.y)
		var input interface{ InputError() bool }
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// If memory is short, fewer leaves are fitted at a time.
func TestPlanMemory(t *testing.T) {
	m := Machine{Leaf: leafMachine(), Rows: 4000, Threads: 8}
	free, err := m.Plan(200000, 20, 1)
	if err != nil || free.AtATime != 8 || free.Leaves != 64 {
		t.Fatalf("%+v, %v", free, err)
	}
	m.Memory = free.Bytes - 1
	if less, err := m.Plan(200000, 20, 1); err != nil || less.AtATime != 7 || less.Bytes > m.Memory {
		t.Errorf("%+v, %v", less, err)
	}
}
