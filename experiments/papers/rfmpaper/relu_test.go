package rfmpaper

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// trainedOnProduct is a small network that was trained on a product of two of 40
// features.
func trainedOnProduct(
	t *testing.T, depth int,
) (n *setups.TrainedNetwork, train, validation rfm.Examples, d *backend.Device) {
	t.Helper()
	train, err := drawPolynomial(table.Product(), 300, 1, "train")
	if err != nil {
		t.Fatal(err)
	}
	validation, err = drawPolynomial(table.Product(), 100, 1, "validation")
	if err != nil {
		t.Fatal(err)
	}
	spec := setups.NetworkSpec{Width: 24, FirstStd: 1e-3, Rate: .1, Batch: 10, Epochs: 15}
	if n, err = spec.Train(t.Context(), depth, train, validation, study.Setting{Seed: 3}); err != nil {
		t.Fatal(err)
	}
	if d, err = backend.Open(backend.Options{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return n, train, validation, d
}

// A kernel of what the first layer sees is the kernel in the metric W₁ᵀW₁.
func TestThroughFirstIsTheMetric(t *testing.T) {
	n, train, validation, _ := trainedOnProduct(t, 1)
	w := setups.FirstFilters(n.Net)
	for _, k := range []rfm.Kernel{rfm.Laplace{}, rfm.NTK{Depth: 2}} {
		for _, scale := range []float64{1, .05} {
			var m mat.SymDense
			m.ScaleSym(1/scale, setups.NetworkMetric(n.Net).Dense())
			direct, err := kernelScores(t.Context(), study.Setting{}, "",
				rfm.Machine{Kernel: k, Ridge: 1e-3, Metric: rfm.FullMetric(&m)}, train, validation)
			if err != nil {
				t.Fatal(err)
			}
			project := func(e rfm.Examples) rfm.Examples {
				return rfm.Examples{
					X: setups.ApplyFirstLayer(w, e.X, scale), Y: e.Y,
				}
			}
			seen, err := kernelScores(t.Context(), study.Setting{}, "", rfm.Machine{Kernel: k, Ridge: 1e-3}, project(train),
				project(validation))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(direct[0].R2-seen[0].R2) > 1e-4 {
				t.Errorf("%v, scale %g: R² %.6f in the metric, %.6f through W₁", k, scale, direct[0].R2, seen[0].R2)
			}
		}
	}
}

// The epoch that is kept is the best on the validation rows, and a training is a
// function of its seed.
func TestNetworkKeepsTheBestEpoch(t *testing.T) {
	n, _, validation, d := trainedOnProduct(t, 2)
	best := slices.Index(n.ValidationMSE, slices.Min(n.ValidationMSE))
	s, err := setups.ScoreNetwork(t.Context(), d, n.Net, validation, rfm.Regression)
	if err != nil || n.BestEpoch != best+1 || s.MSE != n.ValidationMSE[best] {
		t.Errorf("epoch %d of error %v, want %d of %v; %v", n.BestEpoch, s.MSE, best+1, n.ValidationMSE[best], err)
	}
	if len(n.TrainMSE) != 15 || n.TrainMSE[14] >= n.TrainMSE[0] {
		t.Errorf("training errors %v", n.TrainMSE)
	}
	again, _, _, _ := trainedOnProduct(t, 2)
	if !slices.Equal(again.ValidationMSE, n.ValidationMSE) {
		t.Error("the same seed gave another network")
	}
	if sd := stat.StdDev(setups.FirstFilters(n.Initial).RawMatrix().Data, nil); math.Abs(sd-1e-3) > 1e-4 {
		t.Errorf("the first layer started with standard deviation %v", sd)
	}
}

// The AGOP at the first layer is that of gradients by differences.
func TestFirstMomentByDifferences(t *testing.T) {
	n, train, _, d := trainedOnProduct(t, 2)
	x := mat.DenseCopyOf(train.X.Slice(0, 7, 0, 40))
	f, err := setups.AlignFeatures(t.Context(), d, n.Net, x, true, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	const h = 1e-2
	for _, j := range []int{0, 1, 5} {
		var g []float64
		for i := range 7 {
			up, down := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
			up.Set(i, j, x.At(i, j)+h)
			down.Set(i, j, x.At(i, j)-h)
			a, err := setups.PredictNetwork(t.Context(), d, n.Net, up)
			if err != nil {
				t.Fatal(err)
			}
			b, err := setups.PredictNetwork(t.Context(), d, n.Net, down)
			if err != nil {
				t.Fatal(err)
			}
			g = append(g, (a.At(i, 0)-b.At(i, 0))/(2*h))
		}
		if want := stat.PopVariance(g, nil); math.Abs(f.AGOP[j]-want) > .03*want+1e-6 {
			t.Errorf("element %d of the centred AGOP is %.3g, want %.3g", j, f.AGOP[j], want)
		}
	}
}

func TestPredictNetworkInBatches(t *testing.T) {
	n, err := setups.NetworkSpec{Width: 3}.Architecture(1).InitNetwork(models.Shape{Channels: 2, Height: 1, Width: 1},
		2, 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	x := mat.NewDense(setups.PredictBatch+5, 2, nil)
	for i := range setups.PredictBatch + 5 {
		x.SetRow(i, []float64{float64(i) / 100, 1})
	}
	all, err := setups.PredictNetwork(t.Context(), d, n, x)
	if err != nil {
		t.Fatal(err)
	}
	tail, err := setups.PredictNetwork(t.Context(), d, n,
		mat.DenseCopyOf(x.Slice(setups.PredictBatch-1, setups.PredictBatch+5, 0, 2)))
	if err != nil || !mat.EqualApprox(all.Slice(setups.PredictBatch-1, setups.PredictBatch+5, 0, 2), tail, 1e-5) {
		t.Errorf("%v; rows differ with the batch", err)
	}
}

func TestNetworkSpecRefuses(t *testing.T) {
	e := rfm.Examples{X: mat.NewDense(2, 1, nil), Y: mat.NewDense(2, 1, nil)}
	for _, s := range []setups.NetworkSpec{
		{Epochs: 1}, {Width: 1}, {Width: 1, Epochs: 1, Batch: -1}, {Width: 1, Epochs: 1, Rate: -1},
	} {
		if _, err := s.Train(t.Context(), 1, e, e, study.Setting{}); !input.IsError(err) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
