package train

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job/jobtest"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// quick returns the spec of a training that takes a few seconds at most.
func quick() Spec {
	return Spec{
		Arch: "cnn-max", Width: .1, Data: "glyphs", Train: 230, Test: 60, Validation: 30, Epochs: 3, Batch: 32,
		Optimiser: "adam", LR: .003, Crop: 2, Flip: true, Track: 5, ProbeImages: 40, Seed: 4,
	}
}

func newQuick(t *testing.T, s Spec) *Training {
	t.Helper()
	tr, err := NewTraining(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func sum(t *testing.T, path string) [32]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

func TestTrain(t *testing.T) {
	s, dir := quick(), filepath.Join(t.TempDir(), "new", "run")
	tr := newQuick(t, s)
	var stages = map[string]bool{}
	ended := 0
	r, err := tr.Run(t.Context(), Run{Out: dir, Progress: func(p Progress) {
		stages[p.Stage] = true
		if p.Ended != nil {
			ended++
		}
		if p.Done > p.Total || p.Epoch > p.Epochs {
			t.Errorf("progress %+v", p)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Epochs) != 3 || ended != 3 || r.Steps != 21 || r.Parameters != tr.net.Size() || !(r.SecondsPerStep > 0) ||
		r.Stopped != "after 3 epochs" {
		t.Errorf("%d epochs, %d ended, %d steps, %d parameters, %v s a step, stopped %q", len(r.Epochs), ended,
			r.Steps, r.Parameters, r.SecondsPerStep, r.Stopped)
	}
	for _, stage := range []string{"training", "validating", "testing", "measuring"} {
		if !stages[stage] {
			t.Errorf("no progress of %s", stage)
		}
	}
	best := math.Inf(1)
	for _, e := range r.Epochs {
		if e.ValidationLoss == nil || e.TestLoss == nil || *e.TestAccuracy < 0 || *e.TestAccuracy > 1 {
			t.Fatalf("epoch %+v", e)
		}
		best = min(best, *e.ValidationLoss)
	}
	if r.Best == nil || r.Best.Loss != best {
		t.Errorf("best %+v, the smallest validation loss is %v", r.Best, best)
	}
	for _, f := range []string{
		"report.html", "record.json", "history.csv", "ansatz.csv", "run.checkpoint", "initial.safetensors",
		"best.safetensors", "last.safetensors",
		"figures/loss.svg", "figures/accuracy.png", "figures/excess-w.svg", "figures/excess-w-minus-w0.svg",
		"figures/layer-1.png", "tables/history.csv",
	} {
		if info, err := os.Stat(filepath.Join(dir, f)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
	checkTracked(t, tr, r)
	checkBest(t, tr, r)
}

// checkTracked compares the tracked ansatz with a verification of the same weights.
func checkTracked(t *testing.T, tr *Training, r *Record) {
	t.Helper()
	var steps []int
	for _, p := range r.Ansatz {
		steps = append(steps, p.Step)
		for _, l := range p.Layers {
			if undefined := l.Change.Undefined != ""; undefined != (p.Step == 0) {
				t.Errorf("step %d, %s: W − W₀ %q", p.Step, l.Layer, l.Change.Undefined)
			}
			if l.W.PearsonNull == nil || l.W.Excess == nil || p.Step > 0 && l.Change.PearsonNull == nil {
				t.Errorf("step %d, %s: no null", p.Step, l.Layer)
			}
		}
	}
	if want := []int{0, 5, 10, 15, 20, 21}; !slices.Equal(steps, want) {
		t.Errorf("measured at %v, want %v", steps, want)
	}
	last := r.Ansatz[len(r.Ansatz)-1].Layers
	checkExplored(t, r)
	for _, c := range cnfmKinds {
		v, err := verify.NewVerification(verify.Spec{
			DataSpec: input.DataSpec{Data: "glyphs", Seed: 4}, Arch: "cnn-max", Width: .1, Weights: r.LastWeights,
			InitWeights: r.InitialWeights,
			MinusInit:   c.name == "w-minus-w0", Images: 40,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := v.Source.Loader.Normalisation.String(), tr.data.Normalisation.String(); got != want {
			t.Errorf("verified with normalisation %s, trained with %s", got, want)
		}
		verified, err := v.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range verified.Layers {
			got := c.of(last[i])
			if math.Abs(*got.Pearson-*l.Pearson) > 1e-6 || math.Abs(*got.Cosine-*l.Cosine) > 1e-6 ||
				math.Abs(*last[i].PearsonInit-*l.PearsonInit) > 1e-6 {
				t.Errorf("%s with %s: tracked %v, verified %v", l.Layer, c.label, *got.Pearson, *l.Pearson)
			}
		}
	}
}

// checkBest evaluates the best weights again.
func checkBest(t *testing.T, tr *Training, r *Record) {
	t.Helper()
	d, err := weights.Open(r.Weights)
	if err != nil {
		t.Fatal(err)
	}
	n, err := tr.net.Arch.Load(d, tr.net.Input)
	if err != nil {
		t.Fatal(err)
	}
	again := *tr
	again.net = n
	s, err := again.newSession(Run{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	loss, _, err := s.evaluate(t.Context(), "validating", tr.data.Validation, data.Augmentation{})
	if err != nil || math.Abs(*loss-r.Best.Loss) > 1e-6 {
		t.Errorf("the best weights have validation loss %v, recorded is %v: %v", *loss, r.Best.Loss, err)
	}
}

// checkExplored compares the explorer with the measurements of the ansatz, with W and with W − W₀.
func checkExplored(t *testing.T, r *Record) {
	t.Helper()
	doc := r.page.Explorer
	if measures := 4 + len(trackedStatements()) - 1; doc == nil || len(doc.Times) != len(r.Ansatz) ||
		len(doc.Measures) != measures {
		t.Fatalf("the explorer has not %d times and %d measures", len(r.Ansatz), measures)
	}
	for i, p := range r.Ansatz {
		for j, l := range p.Layers {
			got := doc.Layers[j].Points[i]
			if *got.Values[0].Value != explorer.Round(*l.W.Pearson) || got.CNFM == nil {
				t.Errorf("%s at %s: %+v, measured %v", l.Layer, doc.Times[i], got.Values[0], *l.W.Pearson)
			}
			for k, a := range l.Alignments[1:] {
				if v := got.Values[4+k].Value; (v == nil) != (a.Value == nil) || v != nil && *v != explorer.Round(*a.Value) {
					t.Errorf("%s at %s: %s is %v in the explorer", l.Layer, doc.Times[i], a.Name, v)
				}
			}
			if change := got.Values[2].Value; p.Step == 0 && change != nil ||
				p.Step > 0 && *change != explorer.Round(*l.Change.Pearson) {
				t.Errorf("%s at %s: the change is %+v", l.Layer, doc.Times[i], got.Values[2])
			}
		}
	}
}

// TestExploredTimes checks that of many measurements the explorer keeps some at equal distances, and the last.
func TestExploredTimes(t *testing.T) {
	s := quick()
	s.Epochs, s.Track, s.ProbeImages, s.Steps = 8, 1, 5, 47
	r, err := newQuick(t, s).Run(t.Context(), Run{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Ansatz) != 48 || r.Final().Epoch == 0 {
		t.Fatalf("%d measurements", len(r.Ansatz))
	}
	var want []string
	for _, step := range append(steps(0, 46, 3), 47) {
		want = append(want, fmt.Sprintf("step %d, epoch %.3g", step, r.Ansatz[step].Epoch))
	}
	if got := r.page.Explorer.Times; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// steps returns the numbers from first to last in steps of every.
func steps(first, last, every int) (all []int) {
	for i := first; i <= last; i += every {
		all = append(all, i)
	}
	return all
}

// A run that is stopped at any point and resumed ends with the same weights, to the bit, and with the same history
// except for the times.
func TestTrainResume(t *testing.T) {
	s := quick()
	for _, opt := range []string{"sgd", "adadelta"} {
		s.Optimiser, s.LR = opt, .01
		whole := t.TempDir()
		want, err := newQuick(t, s).Run(t.Context(), Run{Out: whole})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for stop := 0; ; stop++ {
			ctx, cancel := context.WithCancel(t.Context())
			reports := 0
			got, err := newQuick(t, s).Run(ctx,
				Run{Out: dir, Resume: stop > 0, Every: time.Nanosecond, Progress: func(Progress) {
					if reports++; reports == 8 {
						cancel()
					}
				}})
			cancel()
			if err == nil {
				for _, f := range []string{
					"initial.safetensors", "best.safetensors", "last.safetensors", "ansatz.csv",
				} {
					if sum(t, filepath.Join(dir, f)) != sum(t, filepath.Join(whole, f)) {
						t.Errorf("%s: %s is not what the whole run has, after %d stops", opt, f, stop)
					}
				}
				if !reflect.DeepEqual(got.page, want.page) {
					t.Errorf("%s: another explorer after %d stops", opt, stop)
				}
				if len(got.Epochs) != len(want.Epochs) {
					t.Fatalf("%s: %d epochs, want %d", opt, len(got.Epochs), len(want.Epochs))
				}
				for i, e := range got.Epochs {
					e.Seconds = want.Epochs[i].Seconds
					if !reflect.DeepEqual(e, want.Epochs[i]) || *got.Best != *want.Best {
						t.Errorf("%s: epoch %d: %+v, want %+v", opt, i+1, e, want.Epochs[i])
					}
				}
				if stop < 4 {
					t.Errorf("%s: only stopped %d times", opt, stop)
				}
				break
			}
			var interrupted *checkpoint.InterruptedError
			if !errors.As(err, &interrupted) || stop > 100 {
				t.Fatalf("%s, stop %d: %v", opt, stop, err)
			}
		}
	}
}

// TestBestAfterCheckpoint checks a run that was killed after it had written best weights of an epoch that its checkpoint
// does not have: resumed, it ends as the whole run does, unless it is to end before that epoch.
func TestBestAfterCheckpoint(t *testing.T) {
	s, whole, dir := Spec{Arch: "mlp:8", Data: "glyphs", Train: 60, Test: 20, Epochs: 3, Batch: 10, LR: .05, Seed: 3}, t.TempDir(),
		t.TempDir()
	want, err := newQuick(t, s).Run(t.Context(), Run{Out: whole})
	if err != nil {
		t.Fatal(err)
	}
	if want.Best.Epoch != s.Epochs {
		t.Fatalf("epoch %d is the best, want the last", want.Best.Epoch)
	}
	less := s
	less.Epochs = 1
	if _, err := newQuick(t, less).Run(t.Context(), Run{Out: dir}); err != nil {
		t.Fatal(err)
	}
	best, err := os.ReadFile(filepath.Join(whole, bestFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, bestFile), best, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = newQuick(t, less).Run(t.Context(), Run{Out: dir, Resume: true})
	if !input.IsError(err) || !strings.Contains(err.Error(), "which this run would not reach: give at least --epochs") {
		t.Error(err)
	}
	if _, err := newQuick(t, s).Run(t.Context(), Run{Out: dir, Resume: true}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{bestFile, lastFile} {
		if sum(t, filepath.Join(dir, name)) != sum(t, filepath.Join(whole, name)) {
			t.Errorf("%s is not what the whole run has", name)
		}
	}
}

// TestTrainFolder checks which runs can be resumed: with the same settings or more epochs, but not with other settings
// or from a damaged checkpoint.
func TestTrainFolder(t *testing.T) {
	s, dir := quick(), t.TempDir()
	s.Epochs, s.Track = 1, 0
	if _, err := newQuick(t, s).Run(t.Context(), Run{Out: dir, Resume: true}); err != nil {
		t.Fatalf("--resume where nothing was begun: %v", err)
	}
	for _, c := range []struct {
		want   string
		resume bool
		change func(*Spec)
	}{
		{"holds a run already", false, func(*Spec) {}},
		{`--opt was "adam", is "sgd"`, true, func(s *Spec) { s.Optimiser = "sgd" }},
		{`--arch was "cnn-max", is "cnn-avg"`, true, func(s *Spec) { s.Arch = "cnn-avg" }},
		{"--epochs was 1, is 2", true, func(s *Spec) { s.Schedule = "cosine"; s.Epochs = 2 }},
		{"--crop was 2, is not given", true, func(s *Spec) { s.Crop = 0 }},
	} {
		changed := s
		c.change(&changed)
		err := newQuick(t, changed).Check(Run{Out: dir, Resume: c.resume})
		if !input.IsError(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	s.Epochs = 3 // more epochs
	swept := jobtest.LeaveTemporary(t, dir, filepath.Join(dir, "figures"))
	r, err := newQuick(t, s).Run(t.Context(), Run{Out: dir, Resume: true})
	if err != nil || len(r.Epochs) != 3 {
		t.Fatalf("two more epochs: %v", err)
	}
	swept()
	whole, err := newQuick(t, s).Run(t.Context(), Run{Out: t.TempDir()})
	if err != nil || sum(t, whole.LastWeights) != sum(t, r.LastWeights) {
		t.Errorf("3 epochs in two goes are not 3 epochs: %v", err)
	}
	again, err := newQuick(t, s).Run(t.Context(), Run{Out: dir, Resume: true})
	if err != nil || again.SecondsPerStep != r.SecondsPerStep || len(again.Epochs) != 3 {
		t.Errorf("a run that had ended: %v", err)
	}
	bad := filepath.Join(dir, record.TrainingFile)
	text, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 4
	if err := os.WriteFile(bad, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := newQuick(t, s).Check(Run{Out: dir, Resume: true}); !input.IsError(err) ||
		!strings.Contains(err.Error(), "damaged") {
		t.Errorf("a checkpoint with a flipped bit: %v", err)
	}
}

// A run that was stopped between the weights of its first epoch and its first checkpoint begins again with --resume.
func TestStoppedBeforeFirstCheckpoint(t *testing.T) {
	s, dir := quick(), t.TempDir()
	s.Epochs, s.Track = 1, 0
	if _, err := newQuick(t, s).Run(t.Context(), Run{Out: dir}); err != nil {
		t.Fatal(err)
	}
	want := sum(t, filepath.Join(dir, lastFile))
	for _, name := range []string{record.TrainingFile, record.FileName, "report.html"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := newQuick(t, s).Check(Run{Out: dir}); !input.IsError(err) {
		t.Errorf("without --resume: %v", err)
	}
	if _, err := newQuick(t, s).Run(t.Context(), Run{Out: dir, Resume: true}); err != nil ||
		sum(t, filepath.Join(dir, lastFile)) != want {
		t.Errorf("with --resume: %v", err)
	}
}

// A run that is resumed restores the file of the weights before training if it was changed or removed. If one of its
// files is not a regular file, the run is refused.
func TestResumeRestoresInitial(t *testing.T) {
	s, dir := quick(), t.TempDir()
	s.Epochs, s.Track = 1, 0
	if _, err := newQuick(t, s).Run(t.Context(), Run{Out: dir}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, InitialFile)
	want := sum(t, path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-3] ^= 4
	last, err := os.ReadFile(filepath.Join(dir, lastFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{text, last, text[:9], nil} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if content != nil {
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r, err := newQuick(t, s).Run(t.Context(), Run{Out: dir, Resume: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", want); sum(t, path) != want || r.WeightsSHA256[InitialFile] != got {
			t.Errorf("with %d bytes in its place: %s, want %s", len(content), r.WeightsSHA256[InitialFile], got)
		}
	}
	for _, name := range []string{InitialFile, record.TrainingFile, lastFile} {
		pipe := filepath.Join(dir, name)
		if err := errors.Join(os.Rename(pipe, pipe+".kept"), syscall.Mkfifo(pipe, 0o666)); err != nil {
			t.Skip(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- newQuick(t, s).Check(Run{Out: dir, Resume: true}) }()
		select {
		case err := <-ended:
			if !input.IsError(err) || !strings.Contains(err.Error(), name+": want a regular file") {
				t.Errorf("%s is a pipe: %v", name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s is a pipe: it waits for somebody to write there", name)
		}
		if err := os.Rename(pipe+".kept", pipe); err != nil {
			t.Fatal(err)
		}
	}
}

// If a training diverges, the error says at which step, and the last checkpoint has finite weights.
func TestTrainDiverges(t *testing.T) {
	s, dir := quick(), t.TempDir()
	s.Optimiser, s.LR, s.Momentum, s.Schedule, s.Track = "sgd", .05, .9, "step:1:1e30", 0
	_, err := newQuick(t, s).Run(t.Context(), Run{Out: dir})
	var diverged *models.DivergedError
	if !errors.As(err, &diverged) || !strings.Contains(err.Error(), "of epoch 2") ||
		!strings.Contains(err.Error(), "the weights after epoch 1") {
		t.Fatalf("%v", err)
	}
	state, _, err := models.OpenCheckpoint(filepath.Join(dir, record.TrainingFile))
	if err != nil || len(state.NaNs()) > 0 {
		t.Errorf("the checkpoint: %v", err)
	}
	linear := s
	linear.Linearized, linear.Loss, dir = true, "mse", t.TempDir()
	_, err = newQuick(t, linear).Run(t.Context(), Run{Out: dir})
	if want := "the u after epoch 1 in " + filepath.Join(dir, "last-tangents.safetensors"); !errors.As(err, &diverged) ||
		!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "--init-weights") {
		t.Errorf("%v, want %s", err, want)
	}
	s.Schedule, s.LR = "", 1e30
	_, err = newQuick(t, s).Run(t.Context(), Run{Out: t.TempDir()})
	if !errors.As(err, &diverged) || !strings.Contains(err.Error(), "no checkpoint yet") {
		t.Errorf("%v", err)
	}
}

func TestEarlyStopping(t *testing.T) {
	s := quick()
	s.Epochs, s.Patience, s.Track, s.Freeze, s.LR = 50, 2, 0, `layers.0`, 1e-12
	s.Optimiser, s.Labels = "sgd", "random"
	r, err := newQuick(t, s).Run(t.Context(), Run{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Epochs); n != r.Best.Epoch+2 || !strings.HasPrefix(r.Stopped, "early") {
		t.Errorf("stopped %s after %d epochs, the best was %d", r.Stopped, n, r.Best.Epoch)
	}
	s.Epochs = len(r.Epochs)
	if r, err = newQuick(t, s).Run(t.Context(), Run{}); err != nil {
		t.Fatal(err)
	}
	if want := "after " + words.Count(s.Epochs, "epoch"); r.Stopped != want {
		t.Errorf("stopped %s, want %s: the last epoch is not early", r.Stopped, want)
	}
}

// With TestLast the test images are evaluated only after the last epoch, and the training is the same.
func TestTestLast(t *testing.T) {
	s := quick()
	s.Track = 0
	want, err := newQuick(t, s).Run(t.Context(), Run{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := newQuick(t, s).Run(t.Context(), Run{TestLast: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range got.Epochs {
		last := i == s.Epochs-1
		if (e.TestAccuracy != nil) != last || (e.TestLoss != nil) != last || e.TrainLoss != want.Epochs[i].TrainLoss ||
			*e.ValidationLoss != *want.Epochs[i].ValidationLoss {
			t.Errorf("epoch %d: %+v, want %+v with a test score in the last", i, e, want.Epochs[i])
		}
	}
	if a, b := *got.Final(), *want.Final(); *a.TestLoss != *b.TestLoss || *a.TestAccuracy != *b.TestAccuracy {
		t.Errorf("tested %v and %v, want %v and %v", *a.TestLoss, *a.TestAccuracy, *b.TestLoss, *b.TestAccuracy)
	}
}

// --steps ends a training within an epoch. Resumed with more steps, it is the same training.
func TestSteps(t *testing.T) {
	s, dir := quick(), t.TempDir()
	s.Steps, s.Track = 3, 0
	r, err := newQuick(t, s).Run(t.Context(), Run{Out: dir})
	if err != nil || r.Steps != 3 || len(r.Epochs) != 1 || r.Epochs[0].TestLoss != nil || r.Stopped != "after 3 steps" {
		t.Fatalf("%+v, %v", r, err)
	}
	s.Steps = 9
	if r, err = newQuick(t, s).Run(t.Context(), Run{Out: dir, Resume: true}); err != nil || r.Steps != 9 ||
		len(r.Epochs) != 2 || r.Epochs[1].TestLoss == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	whole, err := newQuick(t, s).Run(t.Context(), Run{Out: t.TempDir()})
	if err != nil || sum(t, whole.LastWeights) != sum(t, r.LastWeights) {
		t.Errorf("9 steps in two goes are not 9 steps: %v", err)
	}
}

func TestTrainSeeds(t *testing.T) {
	s, dir := quick(), t.TempDir()
	s.Epochs, s.Track = 2, 100
	var begun []uint64
	r, err := RunSeeds(t.Context(), s, 3, Run{Out: dir}, func(seed uint64) { begun = append(begun, seed) })
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 3 || len(begun) != 3 || begun[2] != 6 || len(r.Epochs) != 2 {
		t.Fatalf("%d runs of %v, %d epochs", len(r.Runs), begun, len(r.Epochs))
	}
	mean, sd := 0., 0.
	for _, run := range r.Runs {
		mean += *run.Epochs[1].TestLoss / 3
	}
	for _, run := range r.Runs {
		sd += math.Pow(*run.Epochs[1].TestLoss-mean, 2) / 2
	}
	if math.Abs(*r.Epochs[1].TestLoss-mean) > 1e-12 || math.Abs(*r.Epochs[1].TestLossSD-math.Sqrt(sd)) > 1e-12 ||
		sd == 0 {
		t.Errorf("test loss %v ± %v, want %v ± %v", *r.Epochs[1].TestLoss, *r.Epochs[1].TestLossSD, mean, math.Sqrt(sd))
	}
	for _, f := range []string{"report.html", "record.json", "tables/seeds.csv", "tables/ansatz-over-seeds.csv",
		"seed-5/best.safetensors"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		}
	}
}

// Labels by a principal component make classes of equal size. The digest of the data depends on the labels.
func TestTrainLabels(t *testing.T) {
	s := quick()
	s.Validation, s.Labels, s.Train = 0, "pc:2", 300
	tr := newQuick(t, s)
	counts := make([]int, 10)
	px := make([]float32, tr.data.Train.Shape().Pixels())
	for i := range tr.data.Train.Len() {
		l, err := tr.data.Train.Read(i, px)
		if err != nil {
			t.Fatal(err)
		}
		counts[l]++
	}
	for c, n := range counts {
		if n != 30 {
			t.Errorf("class %d has %d images: %v", c, n, counts)
		}
	}
	plain := s
	plain.Labels = "true"
	if tr.conv.DataSHA256 == newQuick(t, plain).conv.DataSHA256 {
		t.Error("other labels have the same digest")
	}
}

// A linear CNN has one output, which learns the labels 0 and 1 of two classes.
func TestTrainOneOutput(t *testing.T) {
	s := Spec{Arch: "linear-cnn:5", Data: "glyphs", Classes: "1,0", Train: 300, Test: 80, Epochs: 2, Batch: 32, LR: 1,
		Loss: "mse", Momentum: .9, Track: 1000}
	tr := newQuick(t, s)
	if c := tr.data.Train.Classes(); tr.data.Train.Len() != 300 || c[0] != "1" || c[1] != "0" {
		t.Fatalf("%d images of %v", tr.data.Train.Len(), c)
	}
	r, err := tr.Run(t.Context(), Run{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Ansatz[0].Accuracy != nil || !strings.Contains(r.Conventions.Loss, "above 1/2") ||
		*r.Final().TestAccuracy > 1 {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct {
		want   string
		change func(*Spec)
	}{
		{"--loss mse on two classes", func(s *Spec) { s.Loss = "ce" }},
		{"--loss mse on two classes", func(s *Spec) { s.Classes = "" }},
		{"different classes of glyphs", func(s *Spec) { s.Classes = "1,1" }},
		{"different classes of glyphs", func(s *Spec) { s.Classes = "1,x" }},
	} {
		bad := s
		c.change(&bad)
		if _, err := NewTraining(t.Context(), bad); !input.IsError(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestParseComponentLabels(t *testing.T) {
	for text, want := range map[string]labelling{
		"pc:2":                    {component: 2, patch: 3},
		"pc:2:5":                  {component: 2, patch: 5},
		"pc:2:signed":             {component: 2, patch: 3, signed: true},
		"pc:2:5:uncentred":        {component: 2, patch: 5, uncentred: true},
		"pc:2:5:uncentred:signed": {component: 2, patch: 5, uncentred: true, signed: true},
	} {
		want.kind = componentLabels
		if got, err := parseLabelling(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"pc:2:", "pc:signed", "pc:2:signed:uncentred", "pc:2:5:7", "pc:2:signed:signed"} {
		if _, err := parseLabelling(text); !input.IsError(err) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Several classes are labelled 1 and all others 0, or the labels are random.
func TestSomeClassesAgainstTheRest(t *testing.T) {
	open := func(labels string) (got, truth []int) {
		s := Spec{Arch: "cnn1", Data: "glyphs", Epochs: 1, Train: 200, Test: 50, Labels: labels, Seed: 3}
		tr, err := NewTraining(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = data.Labels(tr.Images().Train); err != nil {
			t.Fatal(err)
		}
		if names := tr.Images().Test.Classes(); len(names) != 2 || tr.Network().Classes != 2 {
			t.Fatalf("%s: classes %q, %d outputs", labels, names, tr.Network().Classes)
		}
		s.Labels = "true"
		if tr, err = NewTraining(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		truth, err = data.Labels(tr.Images().Train)
		if err != nil {
			t.Fatal(err)
		}
		return got, truth
	}
	for labels, random := range map[string]bool{"some:1,4,7": false, "some:1,4,7:random": true} {
		got, truth := open(labels)
		wrong := 0
		for i, label := range truth {
			if (got[i] == 1) != (label == 1 || label == 4 || label == 7) {
				wrong++
			}
		}
		if random != (wrong > 50) || !random && wrong > 0 {
			t.Errorf("%s: %d of %d images have the other label", labels, wrong, len(got))
		}
	}
	s := Spec{Arch: "cnn1", Data: "glyphs", Epochs: 1, Train: 20, Labels: "some:1,nobody"}
	if _, err := NewTraining(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("a class that is not there: %v", err)
	}
}

// The images that are drawn depend on the seed of the draw, and not on the seed of the training.
func TestDrawnImages(t *testing.T) {
	digest := func(draw, seed uint64) string {
		s := Spec{Arch: "cnn1", Data: "glyphs", Epochs: 1, Train: 20, Test: 10, Classes: "0,1,2", Draw: draw,
			Seed: seed}
		tr, err := NewTraining(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if n := tr.Images().Train.Len(); n != 20 {
			t.Fatalf("%d images", n)
		}
		in, err := tr.inputs()
		if err != nil {
			t.Fatal(err)
		}
		return in.Data[trainImages] + in.Data[testImages]
	}
	if digest(5, 1) != digest(5, 2) || digest(5, 1) == digest(6, 1) {
		t.Error("the images are not a function of the seed of the draw")
	}
}

func FuzzParseLabelling(f *testing.F) {
	for _, text := range []string{"true", "random", "pc:3", "pc:3:5", "pc:", "true:1", "pc:1:0",
		"pc:3:5:uncentred:signed"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parseLabelling(text)
		if err != nil && !input.IsError(err) || err == nil && l.kind == "pc" && (l.component < 1 || l.patch < 1) {
			t.Errorf("%q: %+v, %v", text, l, err)
		}
	})
}

// A learning rate that falls to almost 0 after the first epoch leaves the weights as they are after that epoch.
func TestScheduleIsApplied(t *testing.T) {
	s := quick()
	s.Optimiser, s.LR, s.Track, s.Validation, s.Crop, s.Flip = "sgd", .05, 0, 0, 0, false
	s.Epochs = 1
	one, err := newQuick(t, s).Run(t.Context(), Run{Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.Epochs, s.Schedule = 3, "milestones:1:1e-30"
	three, err := newQuick(t, s).Run(t.Context(), Run{Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	a, err := weights.Open(one.LastWeights)
	if err != nil {
		t.Fatal(err)
	}
	b, err := weights.Open(three.LastWeights)
	if err != nil || a.SHA256() != b.SHA256() {
		t.Errorf("the weights moved at a rate of 5e-32: %v", err)
	}
	if r := three.Epochs; r[0].LR != .05 || r[1].LR > 1e-31 || a.SHA256() == initialOf(t, one).SHA256() {
		t.Errorf("rates %v and %v", r[0].LR, r[1].LR)
	}
	// The loss of an epoch is its own: two epochs with the same weights have the same loss.
	if r := three.Epochs; math.Abs(r[1].TrainLoss-r[2].TrainLoss) > 1e-6 ||
		math.Abs(r[0].TrainLoss-r[1].TrainLoss) < 1e-5 {
		t.Errorf("losses %v, %v, %v", r[0].TrainLoss, r[1].TrainLoss, r[2].TrainLoss)
	}
}

// Only adamw takes the weight decay out of the gradient.
func TestOptimisers(t *testing.T) {
	for name, want := range map[string]models.Optimiser{
		"sgd": models.SGD{LR: .1, Momentum: .5, WeightDecay: .2}, "adam": models.Adam{LR: .001, WeightDecay: .2},
		"adamw":    models.Adam{LR: .001, WeightDecay: .2, Decoupled: true},
		"adadelta": models.Adadelta{LR: 1, WeightDecay: .2},
	} {
		s := Spec{Epochs: 1, Optimiser: name, WeightDecay: .2}
		if name == "sgd" {
			s.Momentum = .5
		}
		if p, err := s.WithDefaults().plan(); err != nil || p.Options.Optimiser != want {
			t.Errorf("%s: %v, want %v; %v", name, p.Options.Optimiser, want, err)
		}
	}
}

func initialOf(t *testing.T, r *Record) *weights.StateDict {
	t.Helper()
	d, err := weights.Open(r.InitialWeights)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
