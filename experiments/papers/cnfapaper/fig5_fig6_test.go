package cnfapaper

import (
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// sweepResult returns a comparison with known accuracies: that of the network on the test images, and those of the
// machines on the test and the validation images.
func sweepResult(net float64, test, valid []float64) *setups.SweepResult {
	c := &setups.SweepResult{FittedMachines: &setups.FittedMachines{}, Net: &setups.NetworkAccuracies{Test: net}}
	for k := range test {
		c.Machines = append(c.Machines, setups.FittedMachine{
			Layers: k, Ridge: 1e-5, Test: rfm.Scores{Accuracy: test[k]}, Valid: rfm.Scores{Accuracy: valid[k]},
		})
	}
	return c
}

func TestNoiseClaims(t *testing.T) {
	c := sweepResult(.9, []float64{.5, .6, .55, .7}, []float64{0, 0, 0, 0})
	c.First = []rfm.Scores{{Accuracy: .5, MSE: .07}, {Accuracy: .58}, {Accuracy: .6}, {Accuracy: .57}}
	o := &study.Outcome{}
	names := setups.SweepSpec{Machines: setups.MachinesSpec{Layers: 3}}.Names()
	NoiseTask{Name: "bars"}.setMeasures(c, names, o)
	NoiseTask{Name: "bars"}.addIterations(c.First, 10, o)
	for name, want := range map[string]float64{
		"bars_convrfm_gain": .1, "bars_deep2_gain": -.05, "bars_deep3_gain": .15, "bars_net_gain": .4,
		"bars_iterations_gain": .07,
		"bars_accuracy_cntk":   .5, "bars_accuracy_deep_convrfm_3_layers": .7, "bars_accuracy_cnn": .9,
	} {
		if got := o.Values[name]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := o.Tables[0].Rows[0][2].Value; math.Abs(got-.7) > 1e-12 {
		t.Errorf("a squared error of .07 an output is %v an image, want .7", got)
	}
	for at, want := range map[string]string{
		"bars": "bars:noise=0.5", "noisydigits:mnist": "noisydigits:mnist,noise=0.5",
	} {
		if got := (NoiseTask{Data: at}).dataAt(.5); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A task without deep machines has an undefined gain of the deep machine.
func TestNoiseWithoutDeepMachines(t *testing.T) {
	o := &study.Outcome{}
	c := sweepResult(.9, []float64{.5, .6}, []float64{0, 0})
	c.First = []rfm.Scores{{Accuracy: .5}, {Accuracy: .6}}
	NoiseTask{Name: "digits"}.setMeasures(c, nil, o)
	if v, set := o.Values["digits_deep2_gain"]; !set || !math.IsNaN(v) {
		t.Errorf("%v", o.Values)
	}
}

// The accuracy of Deep ConvRFM is that of the deep machine with the best validation accuracy, not the best test
// accuracy. The claim about sets on which the network is better counts only those sets.
func TestSetsClaims(t *testing.T) {
	found := []setResult{
		{"a", sweepResult(.9, []float64{.5, .6, .7, .8}, []float64{.9, .9, .6, .5})},
		{"b", sweepResult(.4, []float64{.5, .4, .3, .6}, []float64{.9, .9, .2, .5})},
	}
	if a, b := found[0].deepAccuracy(), found[1].deepAccuracy(); a != .7 || b != .6 {
		t.Errorf("deep ones have %v and %v", a, b)
	}
	o := &study.Outcome{}
	setSetsMeasures(found, o)
	for name, want := range map[string]float64{
		"convrfm_gain_mean": 0, "deep_gain_mean": .15, "gain_share": .75, "follows_net": .1, "layers_gain_mean": .2,
	} {
		if got := o.Values[name]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if setSetsMeasures(found[1:], o); !math.IsNaN(o.Value(followsNet)) {
		t.Errorf("no network is better, and yet %v", o.Value(followsNet))
	}
	addSetsFigures(found[1:], setups.SweepSpec{Machines: setups.MachinesSpec{Layers: 3}}, o)
	if len(o.Tables[0].Rows) != 5 || len(o.Charts) != 2 || len(o.Charts[1].Series[0].Y) != 4 {
		t.Errorf("%d rows, %d charts", len(o.Tables[0].Rows), len(o.Charts))
	}
	if y := o.Charts[1].Series[0].Y; y[0] != 0 || math.Abs(y[2]+20) > 1e-9 {
		t.Errorf("gains of %v percentage points", y)
	}
}

// A dataset that is missing is left out with a note. If all are missing, the run fails.
func TestSetsNotHere(t *testing.T) {
	s := *fig6().Specs[study.Smoke].(*SetsSpec)
	s.Sets = append([]SweepTask{{"SVHN", "svhn", 0}}, s.Sets[0])
	o, err := s.Run(t.Context(), study.Setting{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "SVHN") || len(o.Charts[0].Labels) != 1 {
		t.Errorf("notes %q, sets %q", o.Notes, o.Charts[0].Labels)
	}
	s.Sets = s.Sets[:1]
	if _, err := s.Run(t.Context(), study.Setting{DataDir: t.TempDir()}); !input.IsError(err) {
		t.Errorf("no set: %v", err)
	}
}
