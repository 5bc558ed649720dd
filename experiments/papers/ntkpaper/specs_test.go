package ntkpaper

import (
	"maps"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Claims name the datasets that replace the paper's, and none where the paper's are used.
func TestStandIns(t *testing.T) {
	want := map[string]map[study.Scale]map[string]string{
		"ntk/fig2":   {study.Smoke: {mnist: "glyphs"}},
		"ntk/fig4":   {study.Smoke: {mnist: "glyphs", cifar: "glyphs"}},
		"ntk/fig5":   {study.Smoke: {snakes: "glyphs"}, study.Small: {snakes: cifar}},
		"ntk/fig6":   {study.Smoke: {mnist: "glyphs", snakes: "glyphs"}, study.Small: {snakes: cifar}},
		"ntk/table1": {study.Smoke: {mnist: "glyphs"}},
	}
	for _, e := range Experiments() {
		scales, asked := want[e.ID]
		for scale, spec := range e.Specs {
			s, knows := spec.(study.Substituter)
			if !knows {
				t.Fatalf("%s does not know its stand-ins", e.ID)
			}
			if got := s.StandIns(); asked && !maps.Equal(got, scales[scale]) {
				t.Errorf("%s at %s: %v, want %v", e.ID, scale, got, scales[scale])
			}
		}
	}
}

// A baseline with the settings of the network itself has its accuracy. A baseline with another loss is a different
// training.
func TestBaselines(t *testing.T) {
	mse := DescentSpec{.1, 5e-5}
	itself, other := BaselineSpec{"itself", "lenet", "mse", mse}, BaselineSpec{"other", "lenet", "ce", mse}
	s := &GapSpec{Arch: "lenet", Epochs: 6, Batch: 10, Momentum: .9, Network: mse, Linear: []DescentSpec{{.01, 0}},
		Tasks: []GapTask{{Name: "mnist", Data: "glyphs", Train: 60, Test: 300, Widths: []float64{.5},
			Baselines: []BaselineSpec{itself, other}}}}
	o, err := s.Run(t.Context(), study.Setting{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if ahead, gap := o.Value(networkOver(itself)), o.Value(gapFirst.Of("mnist")); ahead != 0 || gap == 0 ||
		o.Value(linearOver(itself)) != -gap || o.Value(baselineTrain(itself)) == o.Value(baselineTrain(other)) {
		t.Errorf("the network is %v points ahead of itself, gap %v: %v", ahead, gap, o.Values)
	}
}

// The measures of a further class are the same as in a run with this class alone.
func TestFurtherClass(t *testing.T) {
	run := func(classes ...string) *study.Outcome {
		s := &BinarySpec{Arch: "lenet", Data: "glyphs", Classes: classes, Train: 40, Test: 60, Widths: []float64{.2},
			SolverWidths: 1, Epochs: 1, Batch: 10, Descent: DescentSpec{Rate: .05}}
		o, err := s.Run(t.Context(), study.Setting{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	both, alone := run("0", "3"), run("3")
	for _, m := range []study.Measure{linearOverSolverFirst, linearTrainShortFirst, gapFirst} {
		if got, want := both.Value(m.Of("3")), alone.Value(m); got != want {
			t.Errorf("%s of class 3: %v, want %v", m.Name(), got, want)
		}
	}
	if both.Value(linearOverSolverFirst) == alone.Value(linearOverSolverFirst) {
		t.Error("both classes have the same measures")
	}
}
