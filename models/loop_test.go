package models

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// labelledRows returns n examples of the brightness task with labels.
func labelledRows(n, batch int) *Rows {
	px, labels := newBrightness().batch(n)
	return &Rows{Pixels: px, Size: 36, Labels: labels, Batch: batch, Seed: 5}
}

// regressionRows returns the examples of labelledRows with the targets (label, 1 − label) in place of the labels.
func regressionRows(n, batch int) *Rows {
	r := labelledRows(n, batch)
	for _, l := range r.Labels {
		r.Targets = append(r.Targets, float32(l), float32(1-l))
	}
	r.Labels = nil
	return r
}

// losses is the State of the loops in this file.
type losses struct {
	Position
	Epochs []float64
}

// newLoop returns a loop of three epochs that notes their losses and keeps the weights after the second epoch as the
// best.
func newLoop(t *testing.T, b Batches, loss Loss) (*Loop, *losses) {
	t.Helper()
	s := &losses{}
	l := &Loop{
		Trainer: newTrainer(t, smallNet(t), TrainOptions{Batch: 8, Optimiser: Adam{LR: .01}, Loss: loss, Seed: 2}),
		Batches: b, Epochs: 3, State: s, Rate: func(epoch int) float64 { return .01 / float64(1+epoch) },
	}
	l.EndEpoch = func(context.Context) error {
		if s.Epochs = append(s.Epochs, s.Running.MeanLoss()); l.Epoch() == 1 {
			l.KeepBest()
		}
		return nil
	}
	return l, s
}

// TestLoopGoesOn checks that a loop that is stopped again and again, after a step or during EndEpoch, and resumed each
// time, ends with the same weights, state and best weights, bit for bit.
func TestLoopGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		batches Batches
		loss    Loss
	}{
		"classification": {labelledRows(20, 8), CrossEntropy},
		"regression":     {regressionRows(20, 8), MeanSquaredError},
		"full batch":     {regressionRows(8, 0), MeanSquaredError},
	} {
		t.Run(name, func(t *testing.T) {
			whole, want := newLoop(t, c.batches, c.loss)
			if err := whole.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			path, stopped := filepath.Join(t.TempDir(), "checkpoint"), errors.New("stopped")
			for stop := 0; ; stop++ {
				l, got := newLoop(t, c.batches, c.loss)
				l.Path = path
				resumed, err := l.Resume()
				if err != nil || resumed != (stop > 0) {
					t.Fatalf("stop %d: resumed %v, %v", stop, resumed, err)
				}
				// Odd runs stop after a step, even ones in EndEpoch.
				end, before := l.EndEpoch, l.Trainer.Steps()
				l.EndEpoch = func(ctx context.Context) error {
					err := end(ctx)
					if stop%2 == 0 && l.Trainer.Steps() > before {
						got.Epochs = append(got.Epochs, -1) // this change must not reach the checkpoint
						return stopped
					}
					return err
				}
				l.AfterStep = func(context.Context) error {
					if stop%2 == 1 {
						return stopped
					}
					return nil
				}
				err = l.Run(t.Context())
				if errors.Is(err, stopped) {
					if err := l.Save(); err != nil || stop > 40 {
						t.Fatal(stop, err)
					}
					continue
				}
				if err != nil || stop < 3 {
					t.Fatalf("stopped %d times, %v", stop, err)
				}
				if !slices.Equal(got.Epochs, want.Epochs) || len(got.Epochs) != 3 {
					t.Errorf("losses %v, want %v", got.Epochs, want.Epochs)
				}
				if l.Trainer.State().SHA256() != whole.Trainer.State().SHA256() {
					t.Error("other weights")
				}
				if a, b := l.Best.StateDict().SHA256(), whole.Best.StateDict().SHA256(); a != b ||
					a == l.Trainer.net.StateDict().SHA256() {
					t.Error("other best weights")
				}
				break
			}
		})
	}
}

// TestLoopGoesOnWithPrefix checks that the best weights of a network that is read from a part of another one's file, and thus
// has a prefix, are found in its checkpoint, which has no prefix.
func TestLoopGoesOnWithPrefix(t *testing.T) {
	l, _ := newLoop(t, labelledRows(20, 8), CrossEntropy)
	l.Path = filepath.Join(t.TempDir(), "checkpoint")
	l.Trainer.net.Arch.Prefix = "model."
	if err := errors.Join(l.Run(t.Context()), l.Save()); err != nil {
		t.Fatal(err)
	}
	other, _ := newLoop(t, labelledRows(20, 8), CrossEntropy)
	other.Path, other.Trainer.net.Arch.Prefix = l.Path, "model."
	if ok, err := other.Resume(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if other.Best.StateDict().SHA256() != l.Best.StateDict().SHA256() {
		t.Error("other best weights")
	}
}

// TestLoopEnds checks that Steps can end a training within an epoch, that the caller can end it by setting Stopped, and
// that Begin is called once, before the first step.
func TestLoopEnds(t *testing.T) {
	l, s := newLoop(t, labelledRows(20, 8), CrossEntropy)
	l.Steps = 4
	began := 0
	l.Begin = func(context.Context) error { began++; return nil }
	if err := l.Run(t.Context()); err != nil || l.Trainer.Steps() != 4 || s.Step != 1 || l.Epoch() != 1 ||
		l.Stopped != "after 4 steps" || began != 1 {
		t.Errorf("%d steps, %+v, %q, %v", l.Trainer.Steps(), s.Position, l.Stopped, err)
	}
	l, s = newLoop(t, labelledRows(20, 8), CrossEntropy)
	l.EndEpoch = func(context.Context) error { l.Stopped = "enough"; return nil }
	if err := l.Run(t.Context()); err != nil || l.Trainer.Steps() != 3 || s.Step != 0 || l.Epoch() != 1 {
		t.Errorf("%d steps, %+v, %v", l.Trainer.Steps(), s.Position, err)
	}
	if l.SecondsPerStep() <= 0 {
		t.Error("the steps took no time")
	}
	const pause = 50 * time.Millisecond // of a measurement after every step
	l, _ = newLoop(t, labelledRows(20, 8), CrossEntropy)
	l.AfterStep = func(context.Context) error { time.Sleep(pause); return nil }
	epoch := 0.
	l.EndEpoch = func(context.Context) error { epoch = l.Position().Seconds; l.Stopped = "enough"; return nil }
	if err := l.Run(t.Context()); err != nil || l.SecondsPerStep() >= pause.Seconds() || epoch < 3*pause.Seconds() {
		t.Errorf("steps of %v s, an epoch of %v s, %v", l.SecondsPerStep(), epoch, err)
	}
	failed := errors.New("x")
	l.Begin, l.Stopped = func(context.Context) error { return failed }, ""
	if err := l.Run(t.Context()); !errors.Is(err, failed) || l.Trainer.Steps() != 3 {
		t.Errorf("%d steps, %v", l.Trainer.Steps(), err)
	}
}

// TestLoopSaves checks that checkpoints are saved when they are due, and that Saved returns the position of the last
// one.
func TestLoopSaves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	for _, c := range []struct {
		every     time.Duration
		eachEpoch bool
		epochs    int // in the last checkpoint, -1 for none
		step      int
	}{{time.Hour, false, -1, 0}, {time.Hour, true, 1, 0}, {time.Nanosecond, false, 1, 2}} {
		l, _ := newLoop(t, labelledRows(20, 8), CrossEntropy)
		l.Path, l.Every, l.EachEpoch, l.Steps = path, c.every, c.eachEpoch, 5
		l.Notes = map[string]string{"who": "me"}
		if err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		epochs, step, ok := l.Saved()
		if ok != (c.epochs >= 0) || ok && (epochs != c.epochs || step != c.step) {
			t.Errorf("every %v: after %d epochs and %d steps, %v", c.every, epochs, step, ok)
		}
		_, notes, err := OpenCheckpoint(path)
		if ok != (err == nil) || ok && notes["who"] != "me" {
			t.Errorf("every %v: %v, %v", c.every, notes, err)
		}
	}
}

// TestLoopSavesSeldom checks that epochs which are short beside the writing of a checkpoint are saved now and then, and that
// EndEpoch knows.
func TestLoopSavesSeldom(t *testing.T) {
	l, _ := newLoop(t, labelledRows(20, 8), CrossEntropy)
	l.Path, l.Every, l.EachEpoch, l.Epochs = filepath.Join(t.TempDir(), "checkpoint"), time.Hour, true, 3
	var saves []bool
	l.EndEpoch = func(context.Context) error {
		saves = append(saves, l.SavesEpoch)
		return nil
	}
	l.AfterStep = func(context.Context) error {
		if l.saved.exists {
			l.saved.writing = time.Hour
		}
		return nil
	}
	if err := l.Run(t.Context()); err != nil || !slices.Equal(saves, []bool{true, false, false}) {
		t.Errorf("saved after the epochs: %v, %v", saves, err)
	}
	if epochs, _, ok := l.Saved(); !ok || epochs != 1 {
		t.Errorf("the last checkpoint is of %d epochs, %v", epochs, ok)
	}
}

// TestLoopRefuses checks that Resume returns an error for a checkpoint that is damaged, that Accept refuses, whose
// position does not fit the batches, or that has the best weights of another network. If the checkpoint is optional,
// Resume ignores one that is damaged or refused.
func TestLoopRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	first, _ := newLoop(t, labelledRows(20, 8), CrossEntropy)
	first.Path, first.Steps = path, 4
	if err := errors.Join(first.Run(t.Context()), first.Save()); err != nil {
		t.Fatal(err)
	}
	resume := func(change func(*Loop)) (bool, error) {
		l, _ := newLoop(t, labelledRows(20, 8), CrossEntropy)
		l.Path = path
		change(l)
		resumed, err := l.Resume()
		if steps := l.Trainer.Steps(); err == nil && (steps == 4) != resumed {
			t.Errorf("resumed %v after %d steps", resumed, steps)
		}
		return resumed, err
	}
	refuse := func(l *Loop) { l.Accept = func(map[string]string) error { return errors.New("another") } }
	optional := func(l *Loop) { l.Optional = true }
	var bad *CheckpointError
	if resumed, err := resume(func(*Loop) {}); err != nil || !resumed {
		t.Error(resumed, err)
	}
	if _, err := resume(refuse); err == nil || err.Error() != "another" {
		t.Error(err)
	}
	if resumed, err := resume(func(l *Loop) { refuse(l); optional(l) }); err != nil || resumed {
		t.Error(resumed, err)
	}
	if _, err := resume(func(l *Loop) { l.Batches = labelledRows(20, 4) }); !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), "1 steps of an epoch of 5") {
		t.Error("batches of 4:", err)
	}
	state, notes, err := OpenCheckpoint(path)
	if err != nil {
		t.Fatal(err)
	}
	some, _ := state.Get("steps")
	state.Set(bestPrefix+"nobody", some)
	if err := SaveCheckpoint(path, state, notes); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(func(*Loop) {}); !errors.As(err, &bad) || !strings.Contains(err.Error(), "best weights") {
		t.Error("best weights of another network:", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(func(*Loop) {}); !errors.As(err, &bad) || !strings.Contains(err.Error(), "damaged") {
		t.Error("a damaged file:", err)
	}
	if resumed, err := resume(optional); err != nil || resumed {
		t.Error("a damaged file that is optional:", resumed, err)
	}
}

// TestLoopNotFinite checks that a state with a NaN is not saved. Save returns an error for it, unless the checkpoint is
// optional.
func TestLoopNotFinite(t *testing.T) {
	l, s := newLoop(t, labelledRows(20, 8), CrossEntropy)
	l.Path, s.Epochs = filepath.Join(t.TempDir(), "checkpoint"), []float64{math.NaN()}
	var bad *NotFiniteError
	if err := l.Save(); !errors.As(err, &bad) {
		t.Error(err)
	}
	l.Optional = true
	if err := l.Save(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(l.Path); err == nil {
		t.Error("it was saved")
	}
}

func TestPositionCheck(t *testing.T) {
	running := Score{Images: 3, Correct: 1, Loss: 2}
	for _, c := range []struct {
		p           Position
		taken, want int // epochs; -1 for an error
	}{
		{Position{}, 0, 0}, {Position{}, 14, 2}, {Position{Step: 3, Running: running}, 17, 2},
		{Position{Step: 7, Running: running}, 14, 1},
		{Position{Step: -1, Running: running}, 6, -1}, {Position{Step: 8, Running: running}, 8, -1},
		{Position{Step: 3, Running: running}, 16, -1},
		{Position{Step: 7, Running: running}, 0, -1}, {Position{Step: 3}, 17, -1}, {Position{Running: running}, 14, -1},
		{Position{Step: 3, Running: Score{Images: 3, Correct: 4}}, 17, -1},
	} {
		got, err := c.p.Check(7, c.taken)
		if (err != nil) != (c.want < 0) || err == nil && got != c.want {
			t.Errorf("%+v after %d steps: %d, %v, want %d", c.p, c.taken, got, err, c.want)
		}
	}
}

// TestRows checks that every epoch has each row once, in a random order of its own, and that an epoch that is read from
// a later batch on has the same order.
func TestRows(t *testing.T) {
	r := &Rows{Size: 2, Batch: 4, Seed: 1}
	for i := range 10 {
		r.Pixels, r.Labels = append(r.Pixels, float32(i), float32(-i)), append(r.Labels, i)
		r.Targets = append(r.Targets, float32(i), 0, float32(i))
	}
	read := func(epoch, from int) (labels []int) {
		for b, err := range r.Epoch(t.Context(), epoch, from) {
			if err != nil {
				t.Fatal(err)
			}
			for k, l := range b.Labels {
				v := float32(l)
				if !slices.Equal(b.Pixels[2*k:2*k+2], []float32{v, -v}) ||
					!slices.Equal(b.Targets[3*k:3*k+3], []float32{v, 0, v}) {
					t.Fatalf("row %d has pixels %v and targets %v", l, b.Pixels, b.Targets)
				}
			}
			labels = append(labels, b.Labels...)
		}
		return labels
	}
	first, second := read(0, 0), read(1, 0)
	if slices.Equal(first, second) || !slices.Equal(read(0, 0), first) || r.Steps() != 3 || r.Len() != 10 {
		t.Errorf("%v and %v in %d steps", first, second, r.Steps())
	}
	if !slices.Equal(read(1, 2), second[8:]) || len(read(1, 3)) != 0 {
		t.Errorf("from batch 2: %v, want %v", read(1, 2), second[8:])
	}
	slices.Sort(second)
	if r.InOrder = true; !slices.Equal(second, read(7, 0)) {
		t.Errorf("in order: %v and %v", second, read(7, 0))
	}
	for _, batch := range []int{0, 10, 11} {
		if r.Batch = batch; r.Steps() != 1 || r.BatchSize() != 10 {
			t.Errorf("batches of %d: %d in %d steps", batch, r.BatchSize(), r.Steps())
		}
	}
}

// TestEvaluateAll checks that the score of all batches is the sum of the scores of parts, whatever their size.
func TestEvaluateAll(t *testing.T) {
	l, _ := newLoop(t, labelledRows(20, 8), CrossEntropy)
	rows := labelledRows(20, 8)
	rows.InOrder = true
	var told []int
	got, err := l.Trainer.EvaluateAll(t.Context(), rows, func(s Score) { told = append(told, s.Images) })
	if err != nil {
		t.Fatal(err)
	}
	var want Score
	for i := 0; i < 20; i += 5 {
		s, err := l.Trainer.Evaluate(t.Context(), rows.Pixels[i*36:(i+5)*36], rows.Labels[i:i+5])
		if err != nil {
			t.Fatal(err)
		}
		want.Add(s)
	}
	if got.Images != 20 || got.Correct != want.Correct || math.Abs(got.Loss-want.Loss) > 1e-4 ||
		!slices.Equal(told, []int{8, 16, 20}) {
		t.Errorf("%+v, want %+v; told %v", got, want, told)
	}
}

// FuzzPosition checks that a position that Check accepts lies within an epoch and fits the number of steps.
func FuzzPosition(f *testing.F) {
	f.Add(`{"Step":3,"Running":{"Images":96,"Correct":5,"Loss":99}}`, 8, 19)
	f.Add(`{"Step":-1}`, 8, 0)
	f.Fuzz(func(t *testing.T, text string, perEpoch, taken int) {
		var p Position
		if perEpoch < 1 || taken < 0 || json.Unmarshal([]byte(text), &p) != nil {
			return
		}
		if ended, err := p.Check(perEpoch, taken); err == nil &&
			(ended < 0 || ended*perEpoch+p.Step != taken || p.Step > perEpoch) {
			t.Errorf("%+v: %d epochs of %d, %d steps", p, ended, perEpoch, taken)
		}
	})
}
