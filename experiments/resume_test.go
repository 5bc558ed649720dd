package experiments

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// A run that is stopped returns an InterruptedError and keeps the seeds that are done. When it is resumed it does not
// run these again.
func TestExperimentInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, err := All().Find("rfm/fig9")
	if err != nil {
		t.Fatal(err)
	}
	begun := 0
	r := study.Run{Experiment: e, Scale: study.Smoke, Seeds: 2, Out: t.TempDir(), Begin: func(uint64, bool) {
		if begun++; begun == 2 {
			cancel()
		}
	}}
	_, err = r.Run(ctx)
	var stopped *checkpoint.InterruptedError
	if !errors.As(err, &stopped) {
		t.Fatalf("%v", err)
	}
	there := 0
	r.Resume, r.Begin = true, func(_ uint64, is bool) {
		if is {
			there++
		}
	}
	if _, err := r.Run(t.Context()); err != nil || there != 1 {
		t.Errorf("going on: %d seeds were there, %v", there, err)
	}
}

// TestKeptLeft checks what becomes of the folder of parts that a seed kept. Beside a complete seed it is removed.
// SweepAll removes the half-written files of writers that were killed, and no others. A seed that finds only files of
// other origin in it does not count as resumed.
func TestKeptLeft(t *testing.T) {
	const id = "rfm/fig16"
	out := t.TempDir()
	if err := runSeed(t.Context(), t, id, out, func() {}); err != nil {
		t.Fatal(err)
	}
	seed, _ := filepath.Glob(filepath.Join(out, "*", "*", "*", "seed-3"))
	kept := filepath.Join(filepath.Dir(seed[0]), ".seed-3.kept")
	left := filepath.Join(kept, "a")
	half := filepath.Join(kept, atomicfile.TemporaryName("a"))
	leave := func() {
		t.Helper()
		if err := errors.Join(os.MkdirAll(kept, 0o777), os.WriteFile(left, nil, 0o666), os.WriteFile(half, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	if err := runSeed(t.Context(), t, id, out, func() {}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kept); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("beside a whole seed: %v", err)
	}
	leave()
	if err := atomicfile.SweepAll(kept); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half written: %v", err)
	}
	if _, err := os.Stat(left); err != nil {
		t.Error(err)
	}
	// The seed uses nothing from a folder that holds no parts of it, and is not recorded as resumed.
	if err := os.RemoveAll(seed[0]); err != nil {
		t.Fatal(err)
	}
	if err := runSeed(t.Context(), t, id, out, func() {}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(seed[0], study.RunFile))
	if err != nil || bytes.Contains(text, []byte(`"resumed"`)) {
		t.Errorf("%v: it says that it was resumed", err)
	}
}

// A network that is trained beside a kernel machine continues from the epoch in which it was stopped: no epoch is
// trained twice, and the results are the same to the bit.
func TestNetworkBesideMachineGoesOn(t *testing.T) {
	for _, id := range []string{"rfm/fig3", "rfm/fig7", "rfm/fig8", "rfm/fig9", "cnfa/fig5"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			undisturbed, stopped := t.TempDir(), t.TempDir()
			total, err := runNetworks(t, id, undisturbed, 0)
			if err != nil || total < 2 {
				t.Fatalf("%d epochs, %v", total, err)
			}
			first, err := runNetworks(t, id, stopped, 1)
			var interrupted *checkpoint.InterruptedError
			if !errors.As(err, &interrupted) || first != 1 {
				t.Fatalf("stopped after %d epochs: %v", first, err)
			}
			second, err := runNetworks(t, id, stopped, 0)
			if err != nil || first+second != total {
				t.Errorf("%d and %d epochs, want %d: %v", first, second, total, err)
			}
			sameFound(t, undisturbed, stopped)
		})
	}
}

// If a part of a benchmark cannot be saved, the benchmark ends with a SaveError: the failure does not count as a result
// of the method. It is not reported as a missing file of the user's either.
func TestNotKept(t *testing.T) {
	out := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := runSeed(ctx, t, "rfm/fig5", out, func() {
		if n++; n == 20 {
			cancel()
		}
	})
	fits, _ := filepath.Glob(filepath.Join(out, "*", "*", "*", ".seed-3.kept", "*", "fits"))
	if err == nil || len(fits) == 0 {
		t.Fatalf("%v: nothing was kept", err)
	}
	if err := errors.Join(os.RemoveAll(fits[0]), os.WriteFile(fits[0], nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	err = runSeed(t.Context(), t, "rfm/fig5", out, func() {})
	var kept *checkpoint.SaveError
	if !errors.As(err, &kept) || input.MissingFile(err) != "" {
		t.Errorf("%v", err)
	}
	if err := os.Remove(fits[0]); err != nil {
		t.Fatal(err)
	}
	if err := runSeed(t.Context(), t, "rfm/fig5", out, func() {}); err != nil {
		t.Error(err)
	}
	if missing := input.MissingFile(&checkpoint.SaveError{Err: &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}}); missing != "" {
		t.Error(missing)
	}
}

// Without --resume a seed starts anew: it uses nothing that an earlier run kept, and removes it.
func TestSeedBeginsAnew(t *testing.T) {
	const id = "cnfa/fig1"
	out := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	if err := runSeed(ctx, t, id, out, cancel); err == nil {
		t.Fatal("it was not stopped")
	}
	kept, _ := filepath.Glob(filepath.Join(out, "*", "*", "*", ".seed-3.kept", "*"))
	if len(kept) == 0 {
		t.Fatal("nothing was kept")
	}
	e, _ := All().Find(id)
	r, err := study.Run{Experiment: e, Scale: study.Smoke, Seeds: 1, Setting: study.Setting{Seed: 3, Threads: 1}, Out: out}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Made()[0].Resumed {
		t.Error("it went on")
	}
	if _, err := os.Stat(filepath.Dir(kept[0])); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was kept is there: %v", err)
	}
}

// begunAgain lists the experiments whose seeds keep no parts: they take seconds, or train a network for a few steps.
var begunAgain = []string{"energy/fig5", "energy/fig5b", "rfm/table1", "theory"}

// A seed that is stopped again and again continues from the trainings, machines, solutions and tables that it has kept,
// and its results are the same to the bit. Each attempt is stopped after three quarters of the progress reports of an
// undisturbed run, so that a seed that kept nothing would never end. Of the experiments whose specs have the same type,
// only the first is run.
func TestSeedGoesOn(t *testing.T) {
	seen := map[reflect.Type]bool{}
	for _, e := range All() {
		kind := reflect.TypeOf(e.Specs[study.Smoke])
		if kind == nil || seen[kind] || slices.Contains(begunAgain, e.ID) {
			continue
		}
		seen[kind] = true
		id := e.ID
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			undisturbed, stopped, reports := t.TempDir(), t.TempDir(), 0
			if err := runSeed(t.Context(), t, id, undisturbed, func() { reports++ }); err != nil {
				t.Fatal(err)
			}
			if stops := goesOn(t, id, stopped, reports*3/4); stops < 1 {
				t.Errorf("stopped %d times", stops)
			}
			sameFound(t, undisturbed, stopped)
		})
	}
}

// goesOn runs a seed at scale smoke and stops it after the given number of progress reports, again and again, until it
// completes. It returns how often it stopped the seed.
func goesOn(t *testing.T, id, out string, reports int) int {
	t.Helper()
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		err := runSeed(ctx, t, id, out, func() {
			if n++; n == reports {
				cancel()
			}
		})
		cancel()
		if err == nil {
			return stops
		}
		var interrupted *checkpoint.InterruptedError
		if !errors.As(err, &interrupted) || stops == 40 {
			t.Fatalf("%s: stopped %d times after %d reports: %v", id, stops, reports, err)
		}
	}
}

// runNetworks runs a seed at scale smoke. It stops the seed when the given number of epochs of networks have ended, or
// never for 0. It returns the number of epochs that have ended.
func runNetworks(t *testing.T, id, out string, stop int) (epochs int, err error) {
	t.Helper()
	e, err := All().Find(id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in := study.Setting{Seed: 3, Threads: 1, Progress: func(stage string, _, _ int) {
		if !strings.Contains(stage, "training the network") {
			return
		}
		if epochs++; epochs == stop {
			cancel()
		}
	}}
	backend.SetBLASThreads(in.Threads)
	_, err = study.Run{Experiment: e, Scale: study.Smoke, Seeds: 1, Setting: in.KeepAll(), Out: out, Resume: true}.Run(ctx)
	return epochs, err
}

// runSeed runs a seed at scale smoke that resumes and keeps everything that it can. It calls report at each report of
// progress.
func runSeed(ctx context.Context, t *testing.T, id, out string, report func()) error {
	t.Helper()
	e, err := All().Find(id)
	if err != nil {
		t.Fatal(err)
	}
	in := study.Setting{Seed: 3, Threads: 1, Progress: func(string, int, int) { report() }}
	backend.SetBLASThreads(in.Threads) // as the command does: a benchmark changes it for the whole process
	_, err = study.Run{Experiment: e, Scale: study.Smoke, Seeds: 1, Setting: in.KeepAll(), Out: out, Resume: true}.Run(ctx)
	return err
}

// sameFound checks that the files of two runs are equal, apart from pages and JSON files, which hold times. It also
// checks that only the second run is recorded as resumed and that it left no kept parts behind.
func sameFound(t *testing.T, want, got string) {
	t.Helper()
	same := 0
	err := filepath.WalkDir(want, func(path string, d fs.DirEntry, err error) error {
		rest, _ := filepath.Rel(want, path)
		there := filepath.Join(got, rest)
		if err != nil || d.IsDir() || filepath.Ext(path) == ".html" {
			return err
		}
		a, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(there)
		switch {
		case err != nil:
			return err
		case d.Name() == study.RunFile:
			if bytes.Contains(a, []byte(`"resumed"`)) || !bytes.Contains(b, []byte(`"resumed":true`)) {
				t.Errorf("%s: who was stopped", rest)
			}
		case filepath.Ext(path) == ".json":
		case !bytes.Equal(a, b):
			t.Errorf("%s differs", rest)
		default:
			same++
		}
		return nil
	})
	if err != nil || same < 2 {
		t.Errorf("%d files: %v", same, err)
	}
	if left, _ := filepath.Glob(filepath.Join(got, "*", "*", "*", ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
