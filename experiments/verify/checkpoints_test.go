package verify

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// saveNetworks writes a network under each name, with seeds 0, 1 and so on, and returns their folder.
func saveNetworks(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	a, err := models.Lookup("lenet")
	if err != nil {
		t.Fatal(err)
	}
	a.Width = .2
	for i, name := range names {
		n, err := a.InitNetwork(models.Shape{Channels: 1, Height: 28, Width: 28}, 10, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		if err := weights.Save(filepath.Join(dir, name), n.StateDict(), nil); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func checkpointsSpec(weights string) Spec {
	return Spec{DataSpec: input.DataSpec{Data: "glyphs", Seed: 3}, Arch: "lenet", Width: .2, Weights: weights, Images: 12,
		Alignments: "nfa,nfa^0.5", Threads: 1}
}

// Every checkpoint has the results of a verification of its own. Checkpoints are in the order of the numbers in their
// names.
func TestCheckpoints(t *testing.T) {
	dir := saveNetworks(t, "net2_epoch_10.safetensors", "net2_epoch_9.safetensors", "net2_epoch_100.safetensors")
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s := checkpointsSpec(dir)
	if !s.AreCheckpoints() || !checkpointsSpec(filepath.Join(dir, "*_9*")).AreCheckpoints() ||
		checkpointsSpec(filepath.Join(dir, "net2_epoch_9.safetensors")).AreCheckpoints() {
		t.Error("a folder, a pattern or a file is taken for another")
	}
	c, err := NewCheckpoints(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var at []float64
	for i, p := range r.Checkpoints {
		at = append(at, p.At)
		one := s
		one.Weights = p.Weights
		v, err := NewVerification(one)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := v.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if alone.Conventions.WeightsSHA256 != p.SHA256 || *alone.Accuracy != *p.Correct {
			t.Errorf("checkpoint %d: other weights or accuracy", i)
		}
		for k, l := range alone.Layers {
			if *l.Pearson != *p.Layers[k].Pearson || *l.PearsonNull != *p.Layers[k].PearsonNull {
				t.Errorf("checkpoint %d, %s: %v with null %v, alone %v with %v", i, l.Layer, *p.Layers[k].Pearson,
					*p.Layers[k].PearsonNull, *l.Pearson, *l.PearsonNull)
			}
		}
	}
	if !slices.Equal(at, []float64{9, 10, 100}) || r.By != "number in the name" {
		t.Errorf("checkpoints at %v by %q", at, r.By)
	}
	if tables := r.Tables(); len(tables[0].Rows) != 3 || math.IsNaN(tables[0].Rows[0][3].Value) {
		t.Errorf("rows %v", tables[0].Rows)
	}
	page, err := r.Page()
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Sections) != 3 || len(page.Sections[0].Figures) != 6 || len(page.Sections[1].Figures) != 1 {
		t.Errorf("%d sections, %d figures", len(page.Sections), len(page.Sections[0].Figures))
	}
	out := t.TempDir()
	if _, err := r.Save(out); err != nil {
		t.Fatal(err)
	}
	again, err := record.ReadRecord(out, []record.Record{&Record{}, &CheckpointsRecord{}})
	if read, ok := again.(*CheckpointsRecord); err != nil || !ok || read.Checkpoints[2].At != 100 {
		t.Errorf("read again: %v", err)
	}
}

// The name of a folder is not a pattern, and numbers may have any number of digits.
func TestCheckpointFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run[1]")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	want := []string{"9.pth", "10.pth", "1" + strings.Repeat("0", 30) + ".pth", "2" + strings.Repeat("0", 30) + ".pth"}
	for _, name := range append(want, "11.txt") {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	found, err := checkpointsSpec(dir).checkpointFiles()
	if err != nil {
		t.Fatal(err)
	}
	c := &Checkpoints{files: found}
	c.order()
	for i, file := range c.files {
		c.files[i] = filepath.Base(file)
	}
	if !slices.Equal(c.files, want) {
		t.Errorf("%v, want %v", c.files, want)
	}
	c = &Checkpoints{files: []string{"out/best.safetensors", "out/initial.safetensors", "out/last.safetensors"}}
	if c.order(); c.files[0] != "out/initial.safetensors" || c.files[1] != "out/best.safetensors" {
		t.Errorf("the folder of a training: %v", c.files)
	}
}

// If the numbers in the names do not differ, checkpoints are in the order of their names. Patterns that match nothing
// and damaged files are refused by name.
func TestCheckpointsRefuse(t *testing.T) {
	dir := saveNetworks(t, "b_1.safetensors", "a_1.safetensors", "c.safetensors")
	c, err := NewCheckpoints(checkpointsSpec(dir))
	if err != nil {
		t.Fatal(err)
	}
	if c.name(0) != "a_1.safetensors" || !slices.Equal(c.at, []float64{1, 2, 3}) {
		t.Errorf("order %v at %v", c.files, c.at)
	}
	c = &Checkpoints{files: []string{"out/run_1/last.pth", "out/run_12/last.pth", "out/run_2/last.pth"}}
	if c.order(); c.name(1) != "run_2/last.pth" || !slices.Equal(c.at, []float64{1, 2, 12}) {
		t.Errorf("numbers of folders: %v at %v", c.files, c.at)
	}
	c = &Checkpoints{files: []string{"run_5/epoch_1.pth", "run_5/epoch_9.pth", "run_5/initial.pth"}}
	if c.order(); c.name(0) != "initial.pth" || !slices.Equal(c.at, []float64{1, 2, 3}) {
		t.Errorf("the number of the folder that all are in: %v at %v", c.files, c.at)
	}
	for pattern, want := range map[string]string{
		filepath.Join(dir, "*.pth"): "there is no such file of weights",
		filepath.Join(dir, "[*"):    "syntax error in pattern",
		t.TempDir():                 "there is no such file of weights",
	} {
		if _, err := NewCheckpoints(checkpointsSpec(pattern)); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "d.safetensors"), []byte("none"), 0o666); err != nil {
		t.Fatal(err)
	}
	if c, err = NewCheckpoints(checkpointsSpec(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), nil); !input.IsError(err) || !strings.Contains(err.Error(), "d.safetensors") {
		t.Errorf("a damaged file: %v", err)
	}
}

// The record names the normalisation of every checkpoint that was trained with another one than the first.
func TestCheckpointsNormalised(t *testing.T) {
	dir := saveNetworks(t, "epoch_1.safetensors", "epoch_2.safetensors")
	d, err := weights.Open(filepath.Join(dir, "epoch_2.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if err := weights.Save(filepath.Join(dir, "epoch_3.safetensors"), d, map[string]string{input.NormalisationMetadata: "0.25/0.5"}); err != nil {
		t.Fatal(err)
	}
	c, err := NewCheckpoints(checkpointsSpec(dir))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := r.Conventions.Normalise
	if !strings.HasPrefix(got, "dataset (") || strings.Count(got, ";") != 1 ||
		!strings.HasSuffix(got, "; for epoch_3.safetensors given (0.25/0.5)") {
		t.Errorf("%q", got)
	}
}
