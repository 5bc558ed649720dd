package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// must runs a command and fails the test if the command fails.
func must(t *testing.T, args ...string) {
	t.Helper()
	if code, out, stderr := ansatz(t, args...); code != exitDone {
		t.Fatalf("%q: exit %d: %s%s", args, code, out, stderr)
	}
}

// submitMissing makes a plan, runs its two shards, the second one first, merges them, and returns the output folder.
func submitMissing(t *testing.T, kind string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	must(t, append([]string{"plan", kind, "--out", out, "--shards", "2", "--seed", "3", "--threads", "1"}, flags...)...)
	must(t, "run", "--out", out, "--shard", "2/2", "--quiet")
	must(t, "run", "--out", out, "--shard", "1/2", "--quiet")
	must(t, "merge", "--out", out)
	return out
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestPlanKinds checks that plans that run in shards give the results of the commands: networks, the verification of
// one of them, kernel matrices, and a tangent kernel.
func TestPlanKinds(t *testing.T) {
	network := []string{"--data", "glyphs", "--train", "100", "--test", "20", "--epochs", "1", "--batch", "25"}
	nets := submitMissing(t, "train", append(network, "--arch", "lenet", "--widths", ".2,.3")...)
	trained, one := filepath.Join(t.TempDir(), "trained"), filepath.Join(t.TempDir(), "one")
	must(t, append(network, "train", "--arch", "lenet", "--width", ".3", "--threads", "1", "--seed", "3", "--out", trained,
		"--quiet")...)
	weights := filepath.Join(nets, "glyphs", "lenet-width-0.3", "seed-3", "best.safetensors")
	if !bytes.Equal(read(t, weights), read(t, trained, "best.safetensors")) ||
		!strings.Contains(string(read(t, nets, "sweep.csv")), "lenet") {
		t.Error("a network of a plan has other weights")
	}

	verify := []string{"--arch", "lenet", "--width", ".3", "--weights", weights, "--data", "glyphs", "--images", "6",
		"--groups", "3", "--null-draws", "2"}
	merged := submitMissing(t, "verify", verify...)
	must(t, append(verify, "verify", "--threads", "1", "--seed", "3", "--out", one, "--quiet")...)
	if a, b := recordOnly(t, read(t, merged, "record.json")), recordOnly(t, read(t, one, "record.json")); a != b {
		t.Errorf("merged\n%s\nin one\n%s", a, b)
	}

	images := []string{"--data", "glyphs", "--size", "9", "--train", "70", "--test", "20", "--depth", "2", "--iters",
		"0", "--threads", "1", "--seed", "3", "--quiet"}
	merged = submitMissing(t, "convrfm", images[:12]...)
	must(t, append(images, "convrfm", "--kernel-out", filepath.Join(one, "kernel.npy"), "--out", one)...)
	if !bytes.Equal(read(t, merged, "kernel.npy"), read(t, one, "kernel.npy")) {
		t.Error("the merged kernel matrix has other bytes")
	}
	known := t.TempDir()
	must(t, append(images, "convrfm", "--kernel-in", merged, "--out", known)...)
	if a, b := read(t, known, "tables", "iterations.csv"), read(t, one, "tables", "iterations.csv"); !bytes.Equal(
		withoutLastColumn(a), withoutLastColumn(b)) {
		t.Errorf("with the merged kernels\n%s\nwithout\n%s", a, b)
	}

	ntk := []string{"--data", "glyphs", "--arch", "lenet", "--width", ".2", "--images", "9", "--batch", "2"}
	merged = submitMissing(t, "ntk", ntk...)
	must(t, append(ntk, "ntk", "--threads", "1", "--seed", "3", "--gram-out", filepath.Join(one, "gram.npy"),
		"--quiet")...)
	if !bytes.Equal(read(t, merged, "gram.npy"), read(t, one, "gram.npy")) {
		t.Error("the merged tangent kernel has other bytes")
	}
}

// withoutLastColumn returns a CSV table without its last column, which gives seconds.
func withoutLastColumn(table []byte) []byte {
	var all []byte
	for line := range bytes.Lines(table) {
		all = append(all, line[:bytes.LastIndexByte(line, ',')]...)
	}
	return all
}

// recordOnly returns a record without the seconds that it took.
func recordOnly(t *testing.T, text []byte) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "seconds")
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestPlanKindsMistakes(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new")
	for _, c := range []struct{ args, want string }{
		{"verify --data glyphs --weights w", "--arch"},
		{"verify --arch lenet --data glyphs --weights none.safetensors", "none.safetensors"},
		{"convrfm --train 5", "--data"},
		{"convrfm --data glyphs --depth 0", "--depth 0"},
		{"ntk --data glyphs", "--arch"},
		{"ntk --data glyphs --arch lenet --images -1", "--images -1"},
		{"ntk --data glyphs --arch lenet --weights none.safetensors", "none.safetensors"},
		{"tabular", "--benchmark"},
		{"train --data glyphs --epochs 1", "--arch"},
		{"train --data glyphs --arch lenet", "--epochs"},
		{"train --data glyphs --arch lenet --archs lenet --epochs 1", "take one of them"},
		{"train --data glyphs --arch lenet --widths 1,0 --epochs 1", "--widths 0"},
		{"train --data glyphs --arch lenet --seeds 0 --epochs 1", "--seeds 0"},
		{"train more", "takes no argument"},
		{"trian", "trian"},
	} {
		args := append(append([]string{"plan"}, strings.Fields(c.args)...), "--out", out)
		if code, _, stderr := ansatz(t, args...); code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d: %s", c.args, code, stderr)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a folder was made")
	}
	must(t, "plan", "cnfa/fig1", "--scale", "smoke", "--seeds", "2", "--out", out) // an experiment, not a command
}
