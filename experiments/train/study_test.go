package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// A training that was stopped early does not train further if it is resumed.
func TestEarlyStoppingGoesOn(t *testing.T) {
	s := quick()
	s.Epochs, s.Patience, s.Track, s.Freeze, s.LR = 50, 2, 0, `layers.0`, 1e-12
	s.Optimiser, s.Labels = "sgd", "random"
	out := t.TempDir()
	want, err := newQuick(t, s).Run(t.Context(), Run{Out: out})
	if err != nil {
		t.Fatal(err)
	}
	got, err := newQuick(t, s).Run(t.Context(), Run{Out: out, Resume: true})
	if err != nil || got.Stopped != want.Stopped || len(got.Epochs) != len(want.Epochs) || got.Steps != want.Steps {
		t.Errorf("%v: stopped %s after %d epochs, want %s after %d", err, got.Stopped, len(got.Epochs), want.Stopped,
			len(want.Epochs))
	}
}

// A training of a seed that is stopped again and again is resumed from its checkpoint. From a damaged checkpoint it
// starts again.
func TestTrainingGoesOn(t *testing.T) {
	s := quick()
	want, err := newQuick(t, s).Run(t.Context(), Run{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in := study.Setting{}.WithCheckpoints(dir).KeepAll()
	// train stops after the given number of reports, and returns how many reports were of training steps.
	train := func(reports int) (r *Record, steps int, err error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, err = RunInSeed(ctx, in, newQuick(t, s), "a", Run{Progress: func(p Progress) {
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
		var interrupted *checkpoint.InterruptedError
		if !errors.As(err, &interrupted) || filepath.Dir(interrupted.Checkpoint) != dir || stop > 100 {
			t.Fatalf("stop %d: %v", stop, err)
		}
	}
	// The checkpoint is kept at the end, and nothing is left to do from it.
	got, steps, err := train(-1)
	if err != nil || steps > 0 || !sameLosses(got, want) {
		t.Errorf("%d steps, %v: %+v", steps, err, got)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "*"))
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

func sameLosses(a, b *Record) bool {
	for i, e := range a.Epochs {
		if e.TrainLoss != b.Epochs[i].TrainLoss || *e.TestLoss != *b.Epochs[i].TestLoss {
			return false
		}
	}
	return len(a.Epochs) == len(b.Epochs) && len(a.Ansatz) == len(b.Ansatz)
}
