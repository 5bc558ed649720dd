package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// product returns the linear kernel of x. Its elements below the diagonal are NaN.
func product(x *mat.Dense) *mat.SymDense {
	n, _ := x.Dims()
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			k.SetSym(i, j, mat.Dot(x.RowView(i), x.RowView(j)))
		}
	}
	raw := k.RawSymmetric()
	for i := range n {
		for j := range i {
			raw.Data[i*raw.Stride+j] = math.NaN()
		}
	}
	return k
}

// The weights Σ yᵢαᵢxᵢ of linear machines are those of sklearn 1.2.1 (LinearSVC with the hinge loss, without an
// intercept, tol 1e-10), for examples whose features are sines.
func TestLinear(t *testing.T) {
	x, y := mat.NewDense(30, 3, nil), mat.NewDense(30, 2, nil)
	for i := range 30 {
		for j := range 3 {
			x.Set(i, j, math.Sin(1.3*float64(i)+2.1*float64(j)+.7*float64(i*j)))
		}
		class := 1
		if x.At(i, 0)+.8*math.Cos(3.7*float64(i)) > 0 {
			class = 0
		}
		y.Set(i, class, 1)
	}
	for c, want := range map[float64][]float64{
		.1: {1.045152, -.017799, -.025849}, 1: {1.611132, -.110606, .143378}, 10: {2.332275, -.258041, -.175589},
	} {
		found, err := Machine{C: c, Tolerance: 1e-7}.Fit(context.Background(), product(x), y)
		if err != nil {
			t.Fatal(err)
		}
		var w mat.Dense
		w.Mul(x.T(), found)
		for j, v := range want {
			if math.Abs(w.At(j, 0)-v) > 2e-5 || math.Abs(w.At(j, 1)+v) > 2e-5 {
				t.Errorf("C %v: weight %d of the classes is %v and %v, sklearn has %v and its negative", c, j,
					w.At(j, 0), w.At(j, 1), v)
			}
		}
	}
}

// The solutions meet the conditions of Karush, Kuhn and Tucker: an example beyond the margin has α = 0, one within it α
// = C, and one on the margin any α between. The kernels have full or low rank, and one example has norm 0.
func TestConditions(t *testing.T) {
	const n, tolerance = 80, 1e-4
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rank := range []int{3, 200} {
		for _, c := range []float64{.01, 1, 100} {
			x, y := mat.NewDense(n, rank, nil), mat.NewDense(n, 3, nil)
			for i := range n {
				for j := range rank {
					x.Set(i, j, rng.NormFloat64()/math.Sqrt(float64(rank)))
				}
				y.Set(i, rng.IntN(3), 1)
			}
			x.SetRow(5, make([]float64, rank))
			k := product(x)
			found, err := Machine{C: c, Tolerance: tolerance}.Fit(context.Background(), k, y)
			if err != nil {
				t.Fatal(err)
			}
			var f mat.Dense
			f.Mul(k, found)
			for i := range n {
				for o := range 3 {
					sign := 2*y.At(i, o) - 1
					margin, alpha := sign*f.At(i, o), sign*found.At(i, o)
					above, below := margin > 1+2*tolerance, margin < 1-2*tolerance
					if alpha < 0 || alpha > c || above && alpha > 0 || below && alpha < c {
						t.Errorf("rank %d, C %v: example %d of class %d has margin %v with α = %v", rank, c, i, o,
							margin, alpha)
					}
				}
			}
		}
	}
}

func TestBad(t *testing.T) {
	k, y := mat.NewSymDense(1, []float64{1}), mat.NewDense(1, 1, []float64{1})
	for _, m := range []Machine{{}, {C: -1}, {C: math.NaN()}, {C: math.Inf(1)}, {C: 1, Tolerance: -1}} {
		if _, err := m.Fit(context.Background(), k, y); err == nil {
			t.Errorf("%+v is fitted", m)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := (Machine{C: 1}).Fit(ctx, k, y); err != context.Canceled {
		t.Errorf("after the end: %v", err)
	}
}
