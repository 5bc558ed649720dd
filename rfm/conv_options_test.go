package rfm

import (
	"context"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"gonum.org/v1/gonum/mat"
)

// TestConvInterpolates checks that with a tiny ridge the predictions for training images are their targets.
func TestConvInterpolates(t *testing.T) {
	e := bars(3, 20, 5, 1)
	for _, name := range gputest.Backends(t) {
		var last *ConvIteration
		m := ConvMachine{Kernel: CNTK{Layers: 2}, Ridges: []float64{1e-8}, Iterations: 1, Task: Classification,
			Precision: graph.Double, Backend: name,
			Each: func(it *ConvIteration) error { last = it; return nil }}
		model := fitConv(t, m, e)
		if d := far(predictConv(t, model, e.X), e.Y); !(d < 1e-4) || last.Train.Accuracy != 1 {
			t.Errorf("%s: predictions of training images are off by %v, accuracy %v", name, d, last.Train.Accuracy)
		}
		if s, err := model.Score(context.Background(), e.X, e.Y); err != nil || math.Abs(s.MSE-last.Train.MSE) > 1e-9 {
			t.Errorf("%s: training error %v, fitted %v (%v)", name, s.MSE, last.Train.MSE, err)
		}
	}
}

// TestKernelScale checks that predictions do not depend on the scale of M if the CNTK is divided by its largest
// element. Without the division they do.
func TestKernelScale(t *testing.T) {
	e, x := bars(4, 10, 5, 1), bars(5, 8, 5, 1).X
	predictions := func(m ConvMachine) *mat.Dense {
		m.Ridges, m.Iterations, m.Precision = []float64{.1}, 2, graph.Double
		return predictConv(t, fitConv(t, m, e), x)
	}
	want := predictions(ConvMachine{KernelScale: true})
	for _, s := range []Scale{ScaleTrace, ScaleMax, ScaleFrobenius} {
		if d := far(predictions(ConvMachine{KernelScale: true, Scale: s}), want); d > 1e-9 {
			t.Errorf("%v: predictions are off by %v", s, d)
		}
		if d := far(predictions(ConvMachine{Scale: s}), want); d < 1e-3 {
			t.Errorf("%v: without the division predictions agree", s)
		}
	}
}

// TestConvSample checks that the patch-AGOP of a sample is the mean over exactly that many images, which the seed
// selects.
func TestConvSample(t *testing.T) {
	e := bars(6, 6, 4, 1)
	learned := func(sample int, seed uint64) *mat.SymDense {
		var metric *mat.SymDense
		fitConv(t, ConvMachine{Ridges: []float64{.1}, Iterations: 1, Sample: sample, Seed: seed,
			Precision: graph.Double, Each: func(it *ConvIteration) error {
				metric = it.Metric.Dense()
				return nil
			}}, e)
		return metric
	}
	plain := fitConv(t, ConvMachine{Ridges: []float64{.1}, Precision: graph.Double}, e)
	var singles []*mat.SymDense
	for i := range e.X.Len() {
		m, err := plain.AGOP(context.Background(), e.X.Slice(i, i+1))
		if err != nil {
			t.Fatal(err)
		}
		singles = append(singles, m.Dense())
	}
	drawn := map[int]bool{}
	for seed := range uint64(6) {
		got, matches := learned(2, seed), 0
		for i := range singles {
			for j := range i {
				var mean mat.SymDense
				mean.AddSym(singles[i], singles[j])
				mean.ScaleSym(.5, &mean)
				if far(got, &mean) < 1e-10 {
					matches++
					drawn[i*len(singles)+j] = true
				}
			}
		}
		if matches != 1 || !mat.Equal(got, learned(2, seed)) {
			t.Errorf("seed %d: M is that of %d pairs of images, or not the same again", seed, matches)
		}
	}
	if len(drawn) < 3 {
		t.Errorf("six seeds draw %d samples", len(drawn))
	}
	if !mat.Equal(learned(6, 1), learned(0, 2)) {
		t.Error("a sample of all images differs from all")
	}
}
