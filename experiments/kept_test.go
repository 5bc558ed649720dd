package experiments

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/whole"
)

// goesOn runs a seed at scale smoke, stopped again and again after so many reports of
// its progress, until it is whole. It returns how often it was stopped.
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
		var interrupted *InterruptedError
		if !errors.As(err, &interrupted) || stops == 40 {
			t.Fatalf("%s: stopped %d times after %d reports: %v", id, stops, reports, err)
		}
	}
}

// runSeed runs a seed at scale smoke that keeps all that it can.
func runSeed(ctx context.Context, t *testing.T, id, out string, report func()) error {
	t.Helper()
	e, err := All().Find(id)
	if err != nil {
		t.Fatal(err)
	}
	in := Setting{Seed: 3, Threads: 1, keepAll: true, Progress: func(string, int, int) { report() }}
	backend.SetBLASThreads(in.Threads) // as the command does: a benchmark among the seeds changes it for all
	_, err = ExperimentRun{Experiment: e, Scale: Smoke, Seeds: 1, Setting: in, Out: out, Resume: true}.Run(ctx)
	return err
}

// A seed that is stopped goes on from the trainings, machines, solutions and tables that
// it has, and finds the same to the bit. Without what is kept it would never end: it is
// stopped before it is whole each time.
func TestSeedGoesOn(t *testing.T) {
	for _, id := range []string{
		"cnfa/fig1", "cnfa/fig2", "cnfa/fig3", "cnfa/fig4", "cnfa/fig5", "cnfa/fig6", "cnfa/fig9", "cnfa/fig10", "cnfa/features",
		"energy/fig3", "energy/table1", "energy/table3", "hyperbf/table1",
		"rfm/fig1", "rfm/fig3", "rfm/fig4", "rfm/fig5", "rfm/fig6", "rfm/fig7", "rfm/fig8", "rfm/fig9", "rfm/fig10", "rfm/fig11",
		"rfm/fig12", "rfm/fig14", "rfm/fig16", "rfm/lowrank", "rfm/tutorial",
		"ntk/fig2", "ntk/fig6", "ntk/kernel", "ntk/table1", "ntk/threshold",
	} {
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

// sameFound compares all files but those with times, and looks at what the run says of
// being stopped.
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
		case d.Name() == runFile:
			if bytes.Contains(a, []byte(`"resumed"`)) || !bytes.Contains(b, []byte(`"resumed": true`)) {
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

// Without --resume nothing of what was kept is taken.
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
	r, err := ExperimentRun{Experiment: e, Scale: Smoke, Seeds: 1, Setting: Setting{Seed: 3, Threads: 1}, Out: out}.Run(t.Context())
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

// What could not be kept ends a benchmark, and is no result of the method; and it is not
// taken for a file of the user's that is missing.
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
	var kept *keptError
	if !errors.As(err, &kept) || missingFile(err) != "" {
		t.Errorf("%v", err)
	}
	if err := os.Remove(fits[0]); err != nil {
		t.Fatal(err)
	}
	if err := runSeed(t.Context(), t, "rfm/fig5", out, func() {}); err != nil {
		t.Error(err)
	}
	if missing := missingFile(&keptError{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}}); missing != "" {
		t.Error(missing)
	}
}

// What is left of a seed that is whole is removed, and of writers that were killed.
func TestKeptLeft(t *testing.T) {
	const id = "rfm/fig16"
	out := t.TempDir()
	if err := runSeed(t.Context(), t, id, out, func() {}); err != nil {
		t.Fatal(err)
	}
	seed, _ := filepath.Glob(filepath.Join(out, "*", "*", "*", "seed-3"))
	kept := seedFolder(seed[0]).kept()
	left := filepath.Join(kept, "a")
	half := filepath.Join(kept, ".a"+whole.Temporary+"X")
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
	if err := seedFolder(seed[0]).sweepKept(true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half written: %v", err)
	}
	if _, err := os.Stat(left); err != nil {
		t.Error(err)
	}
	// Of what is not of this seed nothing is taken, and it was not resumed.
	if err := os.RemoveAll(seed[0]); err != nil {
		t.Fatal(err)
	}
	if err := runSeed(t.Context(), t, id, out, func() {}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(seed[0], runFile))
	if err != nil || bytes.Contains(text, []byte(`"resumed"`)) {
		t.Errorf("%v: it says that it was resumed", err)
	}
}

func TestContentKey(t *testing.T) {
	a, b := []float32{1, 2, 3}, []float32{4}
	if contentKey(a, b) == contentKey(a[:2], []float32{3, 4}) || contentKey(a, b) != contentKey([]float32{1, 2, 3}, []float32{4}) {
		t.Error("parts are not told apart")
	}
}

type keptValue struct {
	Numbers []float64
	Name    string
	hidden  int
}

// What is kept is taken, unless it is damaged, or of another name, seed or setting.
func TestKeep(t *testing.T) {
	in := Setting{Kept: filepath.Join(t.TempDir(), "a"), keepAll: true}
	found := 0
	find := func() (*keptValue, error) {
		found++
		return &keptValue{Numbers: []float64{1, math.NaN(), math.Inf(1)}, Name: "x", hidden: 1}, nil
	}
	get := func(in Setting, name string, settings any, want int) {
		t.Helper()
		v, err := keep(in, name, settings, find)
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

	path, err := in.keptAt("a", 1)
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

	in.keepAll = false // what takes no time is not kept
	get(in, "c", 1, before+2)
	get(in, "c", 1, before+3)
	get(Setting{}, "a", 1, before+4) // nor is anything without a folder
}

// A training of a seed that is stopped again and again goes on from its checkpoint;
// from a damaged one it begins again.
func TestTrainingGoesOn(t *testing.T) {
	s := quick()
	want, err := newQuick(t, s).Run(t.Context(), TrainRun{})
	if err != nil {
		t.Fatal(err)
	}
	in := Setting{Kept: t.TempDir(), keepAll: true}
	// train trains until so many reports, and returns how many steps it reported.
	train := func(reports int) (r *TrainRecord, steps int, err error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, err = in.training(ctx, newQuick(t, s), "a", TrainRun{Progress: func(p TrainProgress) {
			if reports--; reports == 0 {
				cancel()
			}
			if p.Stage == "training" {
				steps++
			}
		}})
		return r, steps, err
	}
	for stop := 0; ; stop++ {
		got, _, err := train(8)
		if err == nil {
			if stop < 4 || !sameLosses(got, want) {
				t.Errorf("after %d stops %+v, want %+v", stop, got.Epochs, want.Epochs)
			}
			break
		}
		var interrupted *InterruptedError
		if !errors.As(err, &interrupted) || filepath.Dir(interrupted.Checkpoint) != in.Kept || stop > 100 {
			t.Fatalf("stop %d: %v", stop, err)
		}
	}
	// The checkpoint is there at the end, from where nothing is left to do.
	got, steps, err := train(-1)
	if err != nil || steps > 0 || !sameLosses(got, want) {
		t.Errorf("%d steps, %v: %+v", steps, err, got)
	}
	kept, err := filepath.Glob(filepath.Join(in.Kept, "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%q, %v", kept, err)
	}
	text, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(kept[0], text, 0o666); err != nil {
		t.Fatal(err)
	}
	if got, steps, err = train(-1); err != nil || steps < want.Steps || !sameLosses(got, want) {
		t.Errorf("from a damaged file: %v, %d steps: %+v", err, steps, got)
	}
}

func sameLosses(a, b *TrainRecord) bool {
	for i, e := range a.Epochs {
		if e.TrainLoss != b.Epochs[i].TrainLoss || *e.TestLoss != *b.Epochs[i].TestLoss {
			return false
		}
	}
	return len(a.Epochs) == len(b.Epochs) && len(a.Ansatz) == len(b.Ansatz)
}

// A training that ended early has ended where it goes on, too.
func TestEarlyStoppingGoesOn(t *testing.T) {
	s := quick()
	s.Epochs, s.Patience, s.Track, s.Freeze, s.LR = 50, 2, 0, `layers.0`, 1e-12
	s.Optimiser, s.Labels = "sgd", "random"
	out := t.TempDir()
	want, err := newQuick(t, s).Run(t.Context(), TrainRun{Out: out})
	if err != nil {
		t.Fatal(err)
	}
	got, err := newQuick(t, s).Run(t.Context(), TrainRun{Out: out, Resume: true})
	if err != nil || got.Stopped != want.Stopped || len(got.Epochs) != len(want.Epochs) || got.Steps != want.Steps {
		t.Errorf("%v: stopped %s after %d epochs, want %s after %d", err, got.Stopped, len(got.Epochs), want.Stopped, len(want.Epochs))
	}
}
