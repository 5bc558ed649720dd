package study

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
)

type keptValue struct {
	Numbers []float64
	Name    string
	hidden  int
}

// Keep returns a kept value, unless it is damaged, or was kept under another name or for another seed, number of
// threads or setting.
func TestKeep(t *testing.T) {
	in := Setting{}.WithCheckpoints(filepath.Join(t.TempDir(), "a")).KeepAll()
	found := 0
	find := func() (*keptValue, error) {
		found++
		return &keptValue{Numbers: []float64{1, math.NaN(), math.Inf(1)}, Name: "x", hidden: 1}, nil
	}
	get := func(in Setting, name string, settings any, want int) {
		t.Helper()
		v, err := Keep(in, name, settings, find)
		if err != nil || v.Name != "x" || len(v.Numbers) != 3 || !math.IsNaN(v.Numbers[1]) || found != want {
			t.Errorf("%+v, %v, found %d times, want %d", v, err, found, want)
		}
	}
	get(in, "a", 1, 1)
	get(in, "a", 1, 1)
	get(in, "b", 1, 2)
	get(in, "a", 2, 3)
	other := in
	other.Seed = 1
	get(other, "a", 1, 4)
	other = in
	other.Threads = 7
	get(other, "a", 1, 5)

	path, err := in.CheckpointPath("a", 1)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, len(text) / 2, len(text) - 1} {
		damaged := bytes.Clone(text)
		damaged[at] ^= 4
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		before := found
		get(in, "a", 1, before+1)
	}
	if err := os.WriteFile(path, text[:5], 0o666); err != nil {
		t.Fatal(err)
	}
	before := found
	get(in, "a", 1, before+1)

	in.keepAll = false // a value that takes no time to find is not kept
	get(in, "c", 1, before+2)
	get(in, "c", 1, before+3)
	get(Setting{}, "a", 1, before+4) // nor is anything without a folder
}
