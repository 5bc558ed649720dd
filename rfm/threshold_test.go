package rfm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestAbove(t *testing.T) {
	full := mat.NewSymDense(3, []float64{2, 9, 9, 9, 12, 9, 9, 9, 2.6})
	for _, c := range []struct {
		m         *Metric
		threshold float64
		want      []int
	}{
		{DiagonalMetric([]float64{2, 12, 2.6, 2.4}), .05, []int{1, 2}},
		{DiagonalMetric([]float64{2, 12, 2.6, 2.4}), 0, []int{1, 2, 3}}, // the smallest is never above
		{DiagonalMetric([]float64{2, 12, 2.6, 2.4}), 1, nil},
		{FullMetric(full), .05, []int{1, 2}},
		{Identity(3), .05, []int{0, 1, 2}}, // all are equal
		{DiagonalMetric([]float64{0, 0}), .5, []int{0, 1}},
	} {
		if got := c.m.Above(c.threshold); !slices.Equal(got, c.want) {
			t.Errorf("%v above %v: %v, want %v", c.m.Diagonal(), c.threshold, got, c.want)
		}
	}
}

// A machine on some of the features predicts what the same machine predicts if it is given only these features, for
// every kind of kernel.
func TestFitOnIsTheFitOfTheColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, d = 60, 7
	x, y, test := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil), mat.NewDense(20, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		y.Set(i, 0, x.At(i, 1)*x.At(i, 4))
	}
	for i := range 20 {
		for j := range d {
			test.Set(i, j, rng.NormFloat64())
		}
	}
	features := []int{1, 4, 6}
	for _, k := range []Kernel{Laplace{Bandwidth: 2}, Gaussian{}, NTK{Depth: 2}} {
		m := Machine{Kernel: k, Ridge: 1e-3, Iterations: 3, Select: Last}
		ticket, err := m.FitOn(t.Context(), x, y, features)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ticket.Predict(t.Context(), test)
		if err != nil {
			t.Fatal(err)
		}
		m.Iterations = 0
		plain, err := m.Fit(t.Context(), pickColumns(x, features), y)
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Predict(t.Context(), pickColumns(test, features))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			if diff := math.Abs(got.At(i, 0) - want.At(i, 0)); diff > 1e-4 {
				t.Errorf("%v, example %d: %v, want %v", k, i, got.At(i, 0), want.At(i, 0))
			}
		}
	}
}

func pickColumns(x *mat.Dense, features []int) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, len(features), nil)
	for k, j := range features {
		out.SetCol(k, mat.Col(nil, j, x))
	}
	return out
}

func TestFitOnBadInput(t *testing.T) {
	x, y := mat.NewDense(4, 2, nil), mat.NewDense(4, 1, nil)
	m := Machine{Select: Last}
	for _, features := range [][]int{nil, {2}, {-1}} {
		if _, err := m.FitOn(t.Context(), x, y, features); err == nil {
			t.Errorf("features %v were taken", features)
		}
	}
	if _, err := m.FitOn(t.Context(), nil, y, []int{0}); err == nil {
		t.Error("no examples were taken")
	}
}

// A saved RFM-T has its features after loading.
func TestTicketIsSaved(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, y := mat.NewDense(20, 4, nil), mat.NewDense(20, 1, nil)
	for i := range 20 {
		for j := range 4 {
			x.Set(i, j, rng.NormFloat64())
		}
		y.Set(i, 0, x.At(i, 2))
	}
	m := Machine{Select: Last, Ridge: 1e-3}
	ticket, err := m.FitOn(t.Context(), x, y, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := ticket.Save(dir, nil); err != nil {
		t.Fatal(err)
	}
	loaded, _, err := LoadModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := loaded.Metric().Above(.5); !slices.Equal(got, []int{2}) {
		t.Errorf("features %v", got)
	}
}
