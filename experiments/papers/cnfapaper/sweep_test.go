package cnfapaper

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// openFew are a few images for a sweep.
func openFew(t *testing.T, name string, seed uint64, s setups.SweepImages) *setups.SweepExamples {
	t.Helper()
	o := &study.Outcome{}
	e, err := setups.OpenSweep(t.Context(), study.Setting{Seed: seed}, name, 0, s, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Data) != 3 {
		t.Errorf("noted %+v", o.Data)
	}
	return e
}

// The images of a seed are stretches of the set: none is in two parts, seeds
// whose turns are the same have the same, and others have others.
func TestOpenSweep(t *testing.T) {
	s := setups.SweepImages{Train: 6, Validation: 4, Test: 5, Draws: 2}
	e := openFew(t, "glyphs", 0, s)
	if e.Train.X.Len() != 6 || e.Validation.X.Len() != 4 || e.Test.X.Len() != 5 || linalg.RowCount(e.Test.Y) != 5 ||
		len(e.Classes) != 10 {
		t.Fatalf("%d, %d, %d images", e.Train.X.Len(), e.Validation.X.Len(), e.Test.X.Len())
	}
	var seen [][]float32
	for _, x := range []rfm.Images{e.Train.X, e.Validation.X, e.Test.X} {
		for i := range x.Len() {
			if slices.ContainsFunc(seen, func(px []float32) bool { return slices.Equal(px, x.Image(i)) }) {
				t.Error("an image is there twice")
			}
			seen = append(seen, x.Image(i))
		}
	}
	// The frame of a digit does not depend on how many draws there are.
	long := openFew(t, "bars", 3, setups.SweepImages{Train: 16, Validation: 4, Test: 5, Draws: 1})
	later := openFew(t, "bars", 3, s)
	if !slices.Equal(later.Train.X.Pixels, long.Train.X.Pixels[10*16*32:16*16*32]) {
		t.Error("the second stretch does not follow the first")
	}
	for _, bad := range []struct {
		name string
		s    setups.SweepImages
	}{
		{"glyphs", setups.SweepImages{}}, {"glyphs", setups.SweepImages{Train: 1, Validation: 1, Test: 1}},
		{"nothere", s}, {"deadleaves:disks", s},
	} {
		if _, err := setups.OpenSweep(t.Context(), (study.Setting{}), bad.name, 0, bad.s,
			&study.Outcome{}); !input.IsError(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// climbed is a ladder on bars.
func climbed(t *testing.T, s setups.MachinesSpec, e *setups.SweepExamples) *setups.FittedMachines {
	t.Helper()
	l, err := s.Fit(t.Context(), study.Setting{Seed: 1}, e, true)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A ladder is what its machines would be, each fitted by itself.
func TestLadder(t *testing.T) {
	e := openFew(t, "bars", 1, setups.SweepImages{Train: 30, Validation: 20, Test: 30, Draws: 1})
	s := setups.MachinesSpec{Depth: 2, Layers: 2, Patch: 3, Filters: 5, Iterations: 2, Ridges: []float64{1e-5, 1e-2}}
	l := climbed(t, s, e)
	if len(l.Machines) != 3 || len(l.First) != 3 {
		t.Fatalf("%d machines, %d iterations", len(l.Machines), len(l.First))
	}
	for k, r := range l.Machines {
		m := s.Machine()
		m.Validation, m.Layers = &e.Validation, max(k, 1)
		if k == 0 {
			m.Iterations = 0
		}
		model, err := study.Setting{Seed: 1}.FitConv(t.Context(), "", m, e.Train)
		if err != nil {
			t.Fatal(err)
		}
		test, err := model.Score(t.Context(), e.Test.X, e.Test.Y)
		if err != nil {
			t.Fatal(err)
		}
		if r.Layers != k || test.Accuracy != r.Test.Accuracy || math.Abs(test.MSE-r.Test.MSE) > 1e-9 {
			t.Errorf("%d layers: the machine has %+v, the rung %+v", k, test, r)
		}
		if !slices.Contains(s.Ridges, r.Ridge) || r.Iteration > s.Iterations {
			t.Errorf("%d layers: %+v", k, r)
		}
	}
	if a, b := l.First[0], l.Machines[0].Test; a != b &&
		!(math.IsNaN(a.R2) && a.Accuracy == b.Accuracy && a.MSE == b.MSE) {
		t.Errorf("iteration 0 has %+v, the CNTK %+v", a, b)
	}
	if a, b := l.First[l.Machines[1].Iteration], l.Machines[1].Test; a.Accuracy != b.Accuracy || a.MSE != b.MSE {
		t.Errorf("the chosen iteration has %+v, ConvRFM %+v", a, b)
	}
	for _, bad := range []setups.MachinesSpec{
		{}, {Depth: 2, Layers: 3, Iterations: 1, Ridges: []float64{1}},
		{Depth: 9, Layers: 1, Iterations: 1, Ridges: []float64{1}},
	} {
		if _, err := bad.Fit(t.Context(), study.Setting{}, e, false); !input.IsError(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// The paper's way chooses on the test images, which then are the validation's.
func TestPaperModeChoosesOnTest(t *testing.T) {
	e := openFew(t, "bars", 2, setups.SweepImages{Train: 24, Validation: 12, Test: 18, Draws: 1})
	s := setups.SweepSpec{
		Machines:  setups.MachinesSpec{Depth: 2, Layers: 1, Patch: 3, Filters: 4, Iterations: 1, Ridges: []float64{1e-3}},
		Net:       setups.SweepNetwork{Width: .05, Rate: 1e-2, Batch: 8, Epochs: 3},
		PaperMode: true,
	}
	c, err := s.Compare(t.Context(), study.Setting{}, e, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Machines {
		if r.Valid.Accuracy != r.Test.Accuracy {
			t.Errorf("%s was chosen by %v, tested %v", setups.MachineName(r.Layers), r.Valid.Accuracy, r.Test.Accuracy)
		}
	}
	if c.Net.Validation != c.Net.Test || c.Net.Epoch < 1 || c.Net.Epoch > 3 {
		t.Errorf("the network: %+v", c.Net)
	}
}

// A network learns what it is shown, and nothing that is not asked for is
// trained.
func TestSweepNetwork(t *testing.T) {
	e := openFew(t, "bars:noise=0.01", 1, setups.SweepImages{Train: 60, Validation: 20, Test: 40, Draws: 1})
	before := slices.Clone(e.Train.X.Pixels)
	n, err := setups.SweepNetwork{Width: .25, Rate: 3e-3, Batch: 10, Epochs: 15}.Train(t.Context(), study.Setting{}, 2,
		e)
	if err != nil {
		t.Fatal(err)
	}
	if n.Test < .95 {
		t.Errorf("bars almost without noise are learned to %v", n.Test)
	}
	if !slices.Equal(before, e.Train.X.Pixels) {
		t.Error("the images were changed")
	}
	for _, bad := range []setups.SweepNetwork{
		{}, {Width: 1, Rate: 1, Batch: 0, Epochs: 1}, {Width: 1, Rate: 1, Batch: 1},
	} {
		if _, err := bad.Train(t.Context(), study.Setting{}, 2, e); !input.IsError(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := (setups.SweepNetwork{Width: 1, Rate: .1, Batch: 4, Epochs: 1}).Train(t.Context(), study.Setting{}, 9,
		e); !input.IsError(err) {
		t.Errorf("a depth that no network has: %v", err)
	}
}

// found makes what was compared from test accuracies: of the machines, with
// those on the validation images, and of the network.
func found(net float64, test, valid []float64) *setups.SweepResult {
	c := &setups.SweepResult{FittedMachines: &setups.FittedMachines{}, Net: &setups.NetworkAccuracies{Test: net}}
	for k := range test {
		c.Machines = append(c.Machines, setups.FittedMachine{
			Layers: k, Ridge: 1e-5, Test: rfm.Scores{Accuracy: test[k]}, Valid: rfm.Scores{Accuracy: valid[k]},
		})
	}
	return c
}

func TestNoiseClaims(t *testing.T) {
	c := found(.9, []float64{.5, .6, .55, .7}, []float64{0, 0, 0, 0})
	c.First = []rfm.Scores{{Accuracy: .5, MSE: .07}, {Accuracy: .58}, {Accuracy: .6}, {Accuracy: .57}}
	o := &study.Outcome{Values: map[string]float64{}}
	NoiseTask{Name: "bars"}.setMeasures(c, 10, o)
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

// Deep ConvRFM is the machine that the validation images prefer, not the best on
// the test images; a claim about sets whose network is better is of them alone.
func TestSetsClaims(t *testing.T) {
	r := &setsResult{layers: 3, names: []string{"a", "b"}, all: []*setups.SweepResult{
		found(.9, []float64{.5, .6, .7, .8}, []float64{.9, .9, .6, .5}),
		found(.4, []float64{.5, .4, .3, .6}, []float64{.9, .9, .2, .5}),
	}}
	if deepAccuracy(r.all[0]) != .7 || deepAccuracy(r.all[1]) != .6 {
		t.Errorf("deep ones have %v and %v", deepAccuracy(r.all[0]), deepAccuracy(r.all[1]))
	}
	v := map[string]float64{}
	r.setMeasures(v)
	for name, want := range map[string]float64{
		"convrfm_gain_mean": 0, "deep_gain_mean": .15, "gain_share": .75, "follows_net": .1, "layers_gain_mean": .2,
	} {
		if math.Abs(v[name]-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, v[name], want)
		}
	}
	r.all = r.all[1:]
	if r.setMeasures(v); !math.IsNaN(v["follows_net"]) {
		t.Errorf("no network is better, and yet %v", v["follows_net"])
	}
	o := &study.Outcome{}
	r.names = r.names[1:]
	r.addTables(o)
	if len(o.Tables[0].Rows) != 5 || len(o.Charts) != 2 || len(o.Charts[1].Series[0].Y) != 4 {
		t.Errorf("%d rows, %d charts", len(o.Tables[0].Rows), len(o.Charts))
	}
}

// A set that is not here is left out and said; none at all is an error.
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
