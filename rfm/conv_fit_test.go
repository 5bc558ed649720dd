package rfm

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// bars returns images of noise with a horizontal or a vertical bar, which are their two classes.
func bars(seed uint64, n, side int, noise float32) ImageExamples {
	x, rng, labels := randomImages(seed, n, side, side, 1), random(seed+1000), make([]int, n)
	for i := range n {
		labels[i] = i % 2
		at := rng.IntN(side)
		for k, px := 0, x.Image(i); k < len(px); k++ {
			px[k] *= noise
			if labels[i] == 0 && k/side == at || labels[i] == 1 && k%side == at {
				px[k]++
			}
		}
	}
	return ImageExamples{x, OneHot(labels, 2)}
}

func fitConv(t testing.TB, m ConvMachine, e ImageExamples) *ConvModel {
	t.Helper()
	model, err := m.Fit(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func predictConv(t testing.TB, m *ConvModel, x Images) *mat.Dense {
	t.Helper()
	out, err := m.Predict(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// naiveMetric returns the M that a machine with these options makes from an AGOP, by an eigendecomposition.
func naiveMetric(t *testing.T, m ConvMachine, agop *mat.SymDense) *mat.Dense {
	t.Helper()
	var e mat.EigenSym
	if !e.Factorize(agop, true) {
		t.Fatal("no eigendecomposition")
	}
	var q, out mat.Dense
	e.VectorsTo(&q)
	values := e.Values(nil)
	for i := range values {
		if m.Keep > 0 && i < len(values)-int(math.Ceil(m.Keep*float64(len(values)))) {
			values[i] = 0
		}
	}
	out.Mul(&q, mat.NewDiagDense(len(values), values))
	out.Mul(&out, q.T())
	by := 1.
	switch m.Scale {
	case ScaleFrobenius:
		by = mat.Norm(&out, 2)
	case ScaleTrace:
		by = mat.Trace(&out) / float64(len(values))
	case ScaleMax:
		by = mat.Max(&out)
	}
	out.Scale(1/by, &out)
	return &out
}

// naiveRegression solves the regression with every ridge by LU. It returns the predictions of the best for the
// validation images, its ridge and its score.
func naiveRegression(t *testing.T, m ConvMachine, metric *Metric,
	e ImageExamples) (best *mat.Dense, ridge float64, score Scores) {
	t.Helper()
	a := naiveOf(t, e.X, 3, m.Kernel.Depth(), m.Pad, metric, m.Whole)
	u := a.seeAll(e.X)
	k, cross := a.matrix(m.Kernel, u, u), a.matrix(m.Kernel, a.seeAll(m.Validation.X), u)
	if m.KernelScale {
		by := mat.Max(k)
		k.Scale(1/by, k)
		cross.Scale(1/by, cross)
	}
	for _, r := range m.Ridges {
		shifted := mat.DenseCopyOf(k)
		for i := range u {
			shifted.Set(i, i, k.At(i, i)+r)
		}
		var alpha, predictions mat.Dense
		if err := alpha.Solve(shifted, e.Y); err != nil {
			t.Fatal(err)
		}
		predictions.Mul(cross, &alpha)
		s, err := m.Task.Score(&predictions, m.Validation.Y)
		if err != nil {
			t.Fatal(err)
		}
		if best == nil || s.Better(score) {
			best, ridge, score = &predictions, r, s
		}
	}
	return best, ridge, score
}

// TestConvRFM compares every iteration with Algorithm 1 written out. M is the patch-AGOP of the previous predictor by
// central differences, thresholded and scaled. The ridge is the best of all, and the predictions are those of its
// regression.
func TestConvRFM(t *testing.T) {
	for _, m := range []ConvMachine{
		{},
		{Task: Classification, Scale: ScaleFrobenius, KernelScale: true},
		{Scale: ScaleTrace, Keep: .4},
		{Scale: ScaleMax, Whole: true},
		{Kernel: CNNGP{Layers: 1}, Keep: 1},
		{Kernel: PatchLaplace{Bandwidth: 1}, Scale: ScaleTrace},
		{Kernel: CNTK{Layers: 2}, Pad: true, Scale: ScaleFrobenius},
	} {
		if m.Kernel == nil {
			m.Kernel = CNTK{Layers: 1}
		}
		n, side := 6, 4
		if m.Pad {
			n, side = 4, 3
		}
		e, v := bars(1, n, side, .8), bars(2, 9, side, .8)
		m.Ridges, m.Iterations, m.Validation, m.Precision = []float64{1e4, 10, 1e-3, .1, 1}, 2, &v, graph.Double
		name := fmt.Sprintf("%+v", m)
		var before *ConvModel
		var metric *Metric
		ridges := 0
		m.Each = func(it *ConvIteration) error {
			if before != nil {
				a := naiveOf(t, e.X, 3, m.Kernel.Depth(), m.Pad, metric, m.Whole)
				want := naiveMetric(t, m, a.agop(m.Kernel, e.X, e.X, before.Coefficients(), 2e-4))
				if d := far(it.Metric.Dense(), want); !(d < 1e-5) {
					t.Errorf("%s, iteration %d: M is off by %v", name, it.Index, d)
				}
				agop, err := before.AGOP(context.Background(), e.X)
				if err != nil {
					return err
				}
				if m.Keep == 0 && far(m.Scale.scale(agop).Dense(), it.Metric.Dense()) > 1e-12 {
					t.Errorf("%s, iteration %d: M is not the patch-AGOP of the model before", name, it.Index)
				}
			}
			want, ridge, score := naiveRegression(t, m, it.Metric, e)
			if got := predictConv(t, it.Model(), v.X); !(far(got, want) < 1e-7) || it.Ridge != ridge {
				t.Errorf("%s, iteration %d: ridge %v, want %v; predictions are off by %v",
					name, it.Index, it.Ridge, ridge, far(got, want))
			}
			if math.Abs(it.Validation.MSE-score.MSE) > 1e-7 {
				t.Errorf("%s, iteration %d: validation error %v, want %v", name, it.Index, it.Validation.MSE, score.MSE)
			}
			if ridge != m.Ridges[0] {
				ridges++
			}
			before, metric = it.Model(), it.Metric
			return nil
		}
		fitConv(t, m, e)
		if ridges == 0 {
			t.Errorf("%s: the first ridge is always the best, which tests nothing", name)
		}
	}
}

// TestConvSelects checks that the model is that of the iteration that does best on validation images or, without any,
// that of the last iteration.
func TestConvSelects(t *testing.T) {
	notLast := 0
	for seed := range uint64(8) {
		e, v := bars(seed, 12, 5, 3), bars(seed+100, 30, 5, 3)
		var best, last *ConvIteration
		m := ConvMachine{Ridges: []float64{1e-2}, Iterations: 3, Scale: ScaleTrace, Task: Classification,
			Validation: &v, Each: func(it *ConvIteration) error {
				if last = it; best == nil || it.Validation.Better(*best.Validation) {
					best = it
				}
				return nil
			}}
		if got := fitConv(t, m, e); got != best.Model() {
			t.Errorf("seed %d: the model is not that of iteration %d, the best", seed, best.Index)
		}
		if best != last {
			notLast++
		}
		best, m.Validation = nil, nil
		m.Each = func(it *ConvIteration) error {
			if last = it; it.Validation != nil {
				t.Error("a score of no validation images")
			}
			return nil
		}
		if got := fitConv(t, m, e); got != last.Model() || last.Index != 3 {
			t.Errorf("seed %d: the model is not that of the last iteration", seed)
		}
	}
	if notLast == 0 {
		t.Error("the last iteration is always the best, which tests nothing")
	}
}
