package train

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/models"
	"gorgonia.org/tensor"
)

// A forged checkpoint, with a correct digest, is refused if the training could not be resumed from it.
func TestResumeForged(t *testing.T) {
	s, dir := quick(), t.TempDir()
	s.Epochs, s.Track = 2, 8
	if _, err := newQuick(t, s).Run(t.Context(), Run{Out: dir}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, record.TrainingFile)
	state, notes, err := models.OpenCheckpoint(path)
	if err != nil {
		t.Fatal(err)
	}
	s.Epochs = 3
	resume := func(notes map[string]string) error {
		t.Helper()
		if err := models.SaveCheckpoint(path, state, notes); err != nil {
			t.Fatal(err)
		}
		_, err := newQuick(t, s).Run(t.Context(), Run{Out: dir, Resume: true})
		return err
	}
	for change, want := range map[string]string{
		`"Step":0 "Step":-1`:                 "-1 steps",
		`"Step":0 "Step":3`:                  "3 steps",
		`"epoch":2 "epoch":9`:                "epoch 9 is in the place of epoch 2",
		`"Best":{"epoch": "Best":{"epoch":7`: "is the best of 2",
		`"Best": "best":null,"x":`:           "none of 2 epochs",
		`"Correct":0 "Correct":5`:            "5 of 0 images",
		`"layers":[ "layers":[{},`:           "layers, want",
		`"step":8 "step":0`:                  "after that at step 0",
		`"Epochs":[ "Epochs":"`:              "its state",
	} {
		old, new, _ := strings.Cut(change, " ")
		forged := maps.Clone(notes)
		if forged["state"] = strings.Replace(notes["state"], old, new, 1); forged["state"] == notes["state"] {
			t.Fatalf("the state has no %s: %s", old, notes["state"])
		}
		if err := resume(forged); !input.IsError(err) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
	whole, _ := state.Get("steps")
	state.Set("steps", tensor.New(tensor.FromScalar(int64(-8))))
	if err := resume(notes); !input.IsError(err) || !strings.Contains(err.Error(), "after -8 steps") {
		t.Errorf("a negative number of steps: %v", err)
	}
	state.Set("steps", whole)
	if err := resume(notes); err != nil {
		t.Errorf("what was not changed: %v", err)
	}
}

// FuzzTrainState checks that a state is refused unless its counts are consistent.
func FuzzTrainState(f *testing.F) {
	plan := expectedState{perEpoch: 8, taken: 19, layers: []string{"conv", "fc"}}
	layers := []TrackedLayerRecord{{Layer: "conv"}, {Layer: "fc"}}
	whole, err := json.Marshal(trainState{
		Epochs: []EpochRecord{{Epoch: 1, TrainLoss: 2}, {Epoch: 2, TrainLoss: 1}},
		Position: models.Position{Step: 3, Running: models.Score{Images: 96, Correct: 5, Loss: 99}, Seconds: 1,
			SecondsPerStep: .1},
		Best:   &BestRecord{Epoch: 2, Loss: 1},
		Ansatz: []AnsatzPoint{{Step: 0, Layers: layers}, {Step: 8, Layers: layers}},
	})
	if err != nil {
		f.Fatal(err)
	}
	read := func(text string) (s trainState, err error) {
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			return s, err
		}
		return s, s.check(plan)
	}
	if _, err := read(string(whole)); err != nil {
		f.Fatal(err)
	}
	f.Add(string(whole))
	f.Add(string(whole[:len(whole)/2]))
	for _, text := range []string{
		"null", "{}", `{"Step":1e99}`, `{"Epochs":[null,null]}`, `{"Ansatz":` + strings.Repeat("[", 10001),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := read(text)
		if err != nil {
			return
		}
		if len(s.Epochs)*plan.perEpoch+s.Step != plan.taken || s.Best == nil || s.Best.Epoch > len(s.Epochs) {
			t.Fatalf("%q is %+v", text, s)
		}
		r := Record{Epochs: s.Epochs, Best: s.Best, Ansatz: s.Ansatz}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}
