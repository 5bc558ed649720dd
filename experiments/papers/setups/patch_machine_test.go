package setups

import (
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// For each layer, Layers has the iteration with the best validation accuracy after iteration 0, in which M is the
// identity, and Best has the best of all iterations.
func TestFittedPatchesKeep(t *testing.T) {
	f := &FittedPatchMachine{}
	for _, it := range []struct {
		layer, index int
		accuracy     float64
	}{{0, 0, .9}, {0, 1, .5}, {0, 2, .7}, {0, 3, .6}, {1, 0, .4}, {1, 1, .3}, {1, 2, .2}} {
		i := &rfm.ConvIteration{Layer: it.layer, Index: it.index, Metric: rfm.Identity(9),
			Validation: &rfm.Scores{Accuracy: it.accuracy}}
		if err := f.keepIteration(i); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.Layers) != 2 || f.Layers[0].Index != 2 || f.Layers[1].Index != 1 {
		t.Errorf("%+v", f.Layers)
	}
	if f.Best[0].Index != 0 || f.Best[1].Index != 0 {
		t.Errorf("the best are %d and %d", f.Best[0].Index, f.Best[1].Index)
	}
	if f.PlainAccuracy != .9 || f.LearnedAccuracy != .9 || len(f.FirstLayer) != 4 {
		t.Errorf("plain %v, learned %v, %d metrics", f.PlainAccuracy, f.LearnedAccuracy, len(f.FirstLayer))
	}
}

// A fit returns a metric of the right size for every layer, and the metrics of all iterations of the first layer.
func TestPatchMachine(t *testing.T) {
	task := PatchTask{Name: "digits", Data: "glyphs", Size: 9, Train: 20, Validation: 10, Test: 10}
	e, err := task.Open(t.Context(), study.Setting{Seed: 1}, &study.Outcome{})
	if err != nil {
		t.Fatal(err)
	}
	s := PatchMachineSpec{Kernel: "cntk", Depth: 2, Patch: 3, Iterations: 2, Layers: 2, Filters: 5,
		Ridges: []float64{1e-3}}
	f, err := s.Fit(t.Context(), study.Setting{Seed: 1}, e)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Layers) != 2 || f.Metric(0).Dim() != 9 || f.Metric(1).Dim() != 45 ||
		len(f.FirstLayer) != 3 || f.FirstLayer[0].Metric.Trace() != 9 {
		t.Errorf("%d layers, a course of %d", len(f.Layers), len(f.FirstLayer))
	}
	if !(f.PlainAccuracy > 0 && f.LearnedAccuracy >= f.PlainAccuracy && f.TestScores.Accuracy >= 0) {
		t.Errorf("%v, %v, %+v", f.PlainAccuracy, f.LearnedAccuracy, f.TestScores)
	}
	s.Patch = 4 // its patches have no centre, so that responses to them have no pixel
	if _, err := s.Fit(t.Context(), study.Setting{Seed: 1}, e); !input.IsError(err) {
		t.Errorf("a patch of 4: %v", err)
	}
}

// If test images select, the test accuracy of the model is the best of all iterations. If validation images select, its
// validation accuracy is the best. No other images can select.
func TestPatchMachineSelect(t *testing.T) {
	task := PatchTask{Name: "digits", Data: "glyphs", Size: 9, Train: 40, Validation: 60, Test: 60}
	in := study.Setting{Seed: 3}
	e, err := task.Open(t.Context(), in, &study.Outcome{})
	if err != nil {
		t.Fatal(err)
	}
	s := PatchMachineSpec{Kernel: "cntk", Depth: 2, Patch: 3, Iterations: 3, Layers: 1, Ridges: []float64{1e-3, 10}}
	var chosen [2]*FittedPatchMachine
	for k, by := range []string{byTest, byValidation} {
		s.Select = by
		if chosen[k], err = s.Fit(t.Context(), in, e); err != nil || chosen[k].Judges != by {
			t.Fatalf("%s: %v, %v", by, chosen[k], err)
		}
	}
	if f := chosen[0]; f.TestScores.Accuracy != f.LearnedAccuracy {
		t.Errorf("test accuracy %v, the best is %v", f.TestScores.Accuracy, f.LearnedAccuracy)
	}
	f := chosen[1]
	score, err := f.model.Score(t.Context(), e.Images(e.validation).X, e.validation.Y)
	if err != nil || score.Accuracy != f.LearnedAccuracy {
		t.Errorf("validation accuracy %v, the best is %v, %v", score.Accuracy, f.LearnedAccuracy, err)
	}
	s.Select = "training"
	if _, err := s.Fit(t.Context(), in, e); !input.IsError(err) {
		t.Errorf("%s: %v", s.Select, err)
	}
}

func TestPatchMoment(t *testing.T) {
	x := rfm.Images{Height: 4, Width: 5, Channels: 2}
	for i := range 2 * 4 * 5 * 2 {
		x.Pixels = append(x.Pixels, float32(i*i%7)-2)
	}
	const q = 3
	want := mat.NewSymDense(18, nil)
	for n := range 2 {
		px := x.Image(n)
		for row := range 2 {
			for column := range 3 {
				h := mat.NewVecDense(18, nil)
				for k := range 18 {
					c, i, j := k/9, k%9/3, k%3
					h.SetVec(k, float64(px[((row+i)*5+column+j)*2+c]))
				}
				want.SymRankOne(want, .5, h)
			}
		}
	}
	got, err := PatchMoment(t.Context(), x, q)
	if err != nil || !mat.EqualApprox(got.Dense(), want, 1e-9) {
		t.Errorf("%v, %v", got, err)
	}
}
