package setups

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// trainedOnProduct returns a small network that was trained on a product of two of 40 features, with its examples and a
// device.
func trainedOnProduct(
	t *testing.T, depth int,
) (n *TrainedNetwork, train, validation rfm.Examples, d *backend.Device) {
	t.Helper()
	p := table.Product()
	draw := func(rows int, stream string) rfm.Examples {
		s, err := p.Generate(rows, 1, stream)
		if err != nil {
			t.Fatal(err)
		}
		return rfm.Examples{X: s.X, Y: mat.NewDense(rows, 1, s.Y)}
	}
	train, validation = draw(300, "train"), draw(100, "validation")
	spec := NetworkSpec{Width: 24, FirstStd: 1e-3, Rate: .1, Batch: 10, Epochs: 15}
	n, err := spec.Train(t.Context(), depth, train, validation, study.Setting{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if d, err = backend.Open(backend.Options{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return n, train, validation, d
}

// A kernel on the outputs of the first layer equals the kernel with the metric W₁ᵀW₁.
func TestApplyFirstLayer(t *testing.T) {
	n, train, validation, _ := trainedOnProduct(t, 1)
	score := func(m rfm.Machine, x, test *mat.Dense) float64 {
		m.Ridge, m.Select = 1e-3, rfm.Last
		model, err := m.Fit(t.Context(), x, train.Y)
		if err != nil {
			t.Fatal(err)
		}
		s, err := model.Score(t.Context(), test, validation.Y)
		if err != nil {
			t.Fatal(err)
		}
		return s.R2
	}
	w := FirstFilters(n.Net)
	for _, k := range []rfm.Kernel{rfm.Laplace{}, rfm.NTK{Depth: 2}} {
		for _, scale := range []float64{1, .05} {
			var m mat.SymDense
			m.ScaleSym(1/scale, NetworkMetric(n.Net).Dense())
			direct := score(rfm.Machine{Kernel: k, Metric: rfm.FullMetric(&m)}, train.X, validation.X)
			applied := score(rfm.Machine{Kernel: k}, ApplyFirstLayer(w, train.X, scale),
				ApplyFirstLayer(w, validation.X, scale))
			if math.Abs(direct-applied) > 1e-4 {
				t.Errorf("%v, scale %g: R² %.6f in the metric, %.6f through W₁", k, scale, direct, applied)
			}
		}
	}
}

// Training keeps the epoch with the lowest validation error. The same seed gives the same network.
func TestNetworkKeepsTheBestEpoch(t *testing.T) {
	n, _, validation, d := trainedOnProduct(t, 2)
	best := slices.Index(n.ValidationMSE, slices.Min(n.ValidationMSE))
	s, err := ScoreNetwork(t.Context(), d, n.Net, validation, rfm.Regression)
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
	if sd := stat.StdDev(FirstFilters(n.Initial).RawMatrix().Data, nil); math.Abs(sd-1e-3) > 1e-4 {
		t.Errorf("the first layer started with standard deviation %v", sd)
	}
}

// The centred AGOP of the network's inputs agrees with gradients by finite differences.
func TestFirstMomentByDifferences(t *testing.T) {
	n, train, _, d := trainedOnProduct(t, 2)
	x := mat.DenseCopyOf(train.X.Slice(0, 7, 0, 40))
	f, err := AlignFeatures(t.Context(), d, n.Net, x, true, 3, 1)
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
			a, err := PredictNetwork(t.Context(), d, n.Net, up)
			if err != nil {
				t.Fatal(err)
			}
			b, err := PredictNetwork(t.Context(), d, n.Net, down)
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
	n, err := NetworkSpec{Width: 3}.Architecture(1).InitNetwork(
		models.Shape{Channels: 2, Height: 1, Width: 1}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	x := mat.NewDense(predictBatch+5, 2, nil)
	for i := range predictBatch + 5 {
		x.SetRow(i, []float64{float64(i) / 100, 1})
	}
	all, err := PredictNetwork(t.Context(), d, n, x)
	if err != nil {
		t.Fatal(err)
	}
	tail, err := PredictNetwork(t.Context(), d, n,
		mat.DenseCopyOf(x.Slice(predictBatch-1, predictBatch+5, 0, 2)))
	if err != nil || !mat.EqualApprox(all.Slice(predictBatch-1, predictBatch+5, 0, 2), tail, 1e-5) {
		t.Errorf("%v; rows differ with the batch", err)
	}
}

func TestNetworkSpecRefuses(t *testing.T) {
	e := rfm.Examples{X: mat.NewDense(2, 1, nil), Y: mat.NewDense(2, 1, nil)}
	for _, s := range []NetworkSpec{
		{Epochs: 1}, {Width: 1}, {Width: 1, Epochs: 1, Batch: -1}, {Width: 1, Epochs: 1, Rate: -1},
	} {
		if _, err := s.Train(t.Context(), 1, e, e, study.Setting{}); !input.IsError(err) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// AlignDiagonals compares the diagonals of WᵀW and WᵀSW.
func TestAlignDiagonals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	w := mat.NewDense(4, 6, nil)
	for i := range w.RawMatrix().Data {
		w.RawMatrix().Data[i] = rng.NormFloat64()
	}
	var g mat.SymDense
	g.SymOuterK(1, w) // S = WWᵀ
	var sw, product mat.Dense
	sw.Mul(&g, w)
	product.Mul(w.T(), &sw)
	var x, y []float64
	for j := range 6 {
		c := w.ColView(j)
		x, y = append(x, mat.Dot(c, c)), append(y, product.At(j, j))
	}
	want, err := similarity.AlignValues(x, y, 1, func() []float64 { return y })
	if err != nil {
		t.Fatal(err)
	}
	got, err := AlignDiagonals(w, &g, 20, rng)
	if err != nil || math.Abs(got.Pearson-want.Pearson) > 1e-9 || math.Abs(got.Cosine-want.Cosine) > 1e-9 {
		t.Errorf("%+v, want %+v; %v", got, want, err)
	}
	if !(got.NullSD > 0) || got.NullMean >= got.Pearson {
		t.Errorf("null %v ± %v", got.NullMean, got.NullSD)
	}
}

// If S = WWᵀ, the gradient outer product WᵀSW is the square of WᵀW, so that its root is WᵀW itself.
func TestAlignRoot(t *testing.T) {
	rng := models.Stream(1, "weights")
	w := mat.NewDense(6, 4, nil)
	w.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, w)
	var s mat.SymDense
	s.SymOuterK(1, w)
	a, err := AlignRoot(w, &s, 20, rng)
	if err != nil || math.Abs(a.Pearson-1) > 1e-9 || math.Abs(a.Cosine-1) > 1e-9 {
		t.Errorf("similarity %v, cosine %v, want 1; %v", a.Pearson, a.Cosine, err)
	}
	if a.NullMean > .95 {
		t.Errorf("null %v", a.NullMean)
	}
}
