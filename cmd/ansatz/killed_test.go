package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestKilledTraining checks that a training can be killed and resumed from its last checkpoint.
func TestKilledTraining(t *testing.T) {
	arch, _ := smallFiles(t)
	faulty{
		prepare:  nothing,
		args:     func(dir string) []string { return trainArgs(arch, filepath.Join(dir, "run"), "--resume") },
		finished: regexp.MustCompile(`initial\.safetensors$`),
	}.test(t)
}

// TestKilledKernelFits checks that tabular, if it is killed and resumed, keeps the fits that were finished.
func TestKilledKernelFits(t *testing.T) {
	tables := t.TempDir()
	writeTables(t, tables)
	faulty{
		prepare: nothing,
		args: func(dir string) []string {
			return []string{"tabular", "--benchmark", tables, "--methods", "rfm,laplace", "--seed", "3", "--threads",
				"1", "--resume", "--quiet", "--out", filepath.Join(dir, "run")}
		},
		finished: regexp.MustCompile(`records/.*\.json$`),
	}.test(t)
}

// writeTables writes three small tables of two classes to a folder.
func writeTables(t *testing.T, dir string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	for k := range 3 {
		var b strings.Builder
		b.WriteString("a,b,c,class\n")
		for range 60 {
			x, y, z := rng.Float64(), rng.Float64(), rng.Float64()
			class := "no"
			if x*y > .25 {
				class = "yes"
			}
			fmt.Fprintf(&b, "%.3f,%.3f,%.3f,%s\n", x, y, z, class)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("table%d.csv", k)), []byte(b.String()),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// plannedSeeds makes a plan of seeds that run quickly in a folder.
func plannedSeeds(t *testing.T, dir string) {
	t.Helper()
	if code, _, errs := ansatz(t, "plan", "rfm/fig9", "rfm/fig3", "--scale", "smoke", "--seeds", "2", "--out",
		dir); code != exitDone {
		t.Fatal(errs)
	}
}

// TestKilledAGOP checks that a plan of verify, if it is killed and run again, keeps the groups of images that were
// finished, computes the others, and merges them to the same AGOP.
func TestKilledAGOP(t *testing.T) {
	arch, file := smallFiles(t)
	faulty{
		prepare: func(t *testing.T, dir string) {
			t.Helper()
			args := []string{"plan", "verify", "--arch", arch, "--weights", file, "--data", "glyphs", "--images",
				"2000", "--groups", "8", "--out", dir}
			if code, _, errs := ansatz(t, args...); code != exitDone {
				t.Fatal(errs)
			}
		},
		args:     func(dir string) []string { return []string{"run", "--out", dir, "--quiet"} },
		finished: regexp.MustCompile(`^units/`),
	}.test(t)
}

// TestKilledShard checks that run, if it is killed and run again, keeps the units of a plan that were finished.
func TestKilledShard(t *testing.T) {
	faulty{
		prepare:  plannedSeeds,
		args:     func(dir string) []string { return []string{"run", "--out", dir, "--quiet"} },
		finished: regexp.MustCompile(`^units/`),
	}.test(t)
}

// longer is a spec of energy/fig7 with two trainings that take more than the second from which a result is kept.
const longer = `
[training]
epochs = 400

[[networks]]
name = "random"
arch = "cnn2"
width = 0.1
data = "deadleaves"
labels = "random"
epochs = 3

[[networks]]
name = "true"
arch = "cnn2"
width = 0.1
data = "deadleaves"

[[networks]]
name = "by component 2"
arch = "cnn2"
width = 0.1
data = "deadleaves"
labels = "pc:2:uncentred"

[[pairs]]
group = "true"
a = "true"
b = "random"

[[pairs]]
group = "pc"
panel = "component-2"
a = "by component 2"
b = "random"
`

// TestKilledSeed checks that a seed of an experiment, if it is killed and resumed, goes on from the trainings that were finished.
func TestKilledSeed(t *testing.T) {
	spec := filepath.Join(t.TempDir(), "longer.toml")
	if err := os.WriteFile(spec, []byte(longer), 0o666); err != nil {
		t.Fatal(err)
	}
	faulty{
		prepare: nothing,
		args: func(dir string) []string {
			return []string{"run", "energy/fig7", "--scale", "smoke", "--spec", spec, "--seeds", "1", "--threads", "1",
				"--yes", "--resume", "--quiet", "--out", filepath.Join(dir, "run")}
		},
		finished: regexp.MustCompile(`/seed-\d+/`),
	}.test(t)
}

// TestKilledMerge checks that merge can be run again after it was killed.
func TestKilledMerge(t *testing.T) {
	made := t.TempDir()
	plannedAndMade(t, made)
	faulty{
		prepare: func(t *testing.T, dir string) {
			t.Helper()
			if err := os.CopyFS(dir, os.DirFS(made)); err != nil {
				t.Fatal(err)
			}
		},
		args:     func(dir string) []string { return []string{"merge", "--out", dir} },
		finished: regexp.MustCompile(`^units/|/seed-\d+/`),
	}.test(t)
}

// TestKilledReport checks that a report that is killed while it replaces earlier pages leaves only complete pages.
func TestKilledReport(t *testing.T) {
	made := t.TempDir()
	if code, _, errs := ansatz(t, "run", "rfm/fig9", "rfm/fig3", "--scale", "smoke", "--seeds", "1", "--out",
		made); code != exitDone {
		t.Fatal(errs)
	}
	faulty{
		prepare: func(t *testing.T, dir string) {
			t.Helper()
			if err := os.CopyFS(dir, os.DirFS(made)); err != nil {
				t.Fatal(err)
			}
		},
		args: func(dir string) []string {
			return []string{"report", dir, "--index", filepath.Join(dir, "README.md"), "--quiet"}
		},
		finished: regexp.MustCompile(`/seed-\d+/`),
	}.test(t)
}
