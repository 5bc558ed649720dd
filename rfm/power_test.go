package rfm

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// The exponents of powers of powers multiply, the powers of a diagonal metric are those of the full matrix, and
// eigenvalues below 0 count as 0. A metric with a NaN has no powers.
func TestToPower(t *testing.T) {
	a := FullMetric(covariance(random(6), 4))
	for _, alpha := range []float64{.5, .25, 1.5, 2} {
		power, err := a.ToPower(alpha)
		if err != nil {
			t.Fatal(err)
		}
		back, err := power.ToPower(1 / alpha)
		if err != nil || far(back.Dense(), a.Dense()) > 1e-9 {
			t.Errorf("(M^%v)^%v is %v from M, %v", alpha, 1/alpha, far(back.Dense(), a.Dense()), err)
		}
	}
	root, err := a.ToPower(.5)
	var square mat.Dense
	square.Mul(root.Dense(), root.Dense())
	if err != nil || far(&square, a.Dense()) > 1e-9 {
		t.Errorf("the square of the root is %v from the matrix, %v", far(&square, a.Dense()), err)
	}
	if same, err := a.ToPower(1); same != a || err != nil {
		t.Errorf("M^1 is not M: %v", err)
	}
	d := []float64{4, 0, .25}
	full, err1 := FullMetric(mat.NewSymDense(3, []float64{4, 0, 0, 0, 0, 0, 0, 0, .25})).ToPower(.5)
	diagonal, err2 := DiagonalMetric(d).ToPower(.5)
	if err1 != nil || err2 != nil || !diagonal.IsDiagonal() || far(diagonal.Dense(), full.Dense()) > 1e-12 || d[0] != 4 {
		t.Errorf("%v and %v: %v, %v", diagonal, full, err1, err2)
	}
	root, err = FullMetric(mat.NewSymDense(2, []float64{4, 0, 0, -9})).ToPower(.5)
	if err != nil || far(root.Dense(), mat.NewSymDense(2, []float64{2, 0, 0, 0})) > 1e-12 {
		t.Errorf("%v, %v", root, err)
	}
	for _, bad := range []*Metric{FullMetric(mat.NewSymDense(1, []float64{math.NaN()})), DiagonalMetric([]float64{math.NaN()})} {
		if _, err := bad.ToPower(.5); err == nil {
			t.Error("the root of NaN is found")
		}
	}
}

// A share of the eigenvalues is rounded up, but not for the rounding error of a product: of 25 .28 are 7.
func TestKeepLargest(t *testing.T) {
	diagonal := make([]float64, 25)
	for i := range diagonal {
		diagonal[i] = float64(i + 1)
	}
	for share, want := range map[float64]int{.28: 7, .281: 8, .56: 14, 1e-12: 1, .04: 1, .99: 25, 1: 25, 0: 25} {
		m, err := DiagonalMetric(diagonal).keepLargest(share)
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, v := range m.Diagonal() {
			if v > .5 {
				kept++
			}
		}
		if kept != want {
			t.Errorf("a share of %v keeps %d of 25, want %d", share, kept, want)
		}
	}
}

// In every iteration M is the power of the previous model's AGOP, which is scaled afterwards.
func TestMachinePower(t *testing.T) {
	x, y := normal(random(3), 40, 3), normal(random(4), 40, 2)
	for _, diagonal := range []bool{false, true} {
		m := Machine{Kernel: Laplace{2}, Ridge: .1, Iterations: 2, Power: .5, Diagonal: diagonal, Scale: ScaleTrace,
			Select: Last, Precision: graph.Double}
		var before *Model
		m.Each = func(it *Iteration) error {
			if before != nil {
				agop, err := before.AGOP(context.Background(), x, false)
				if err != nil {
					return err
				}
				if diagonal {
					agop = DiagonalMetric(agop.Diagonal())
				}
				want, err := agop.ToPower(.5)
				if err != nil {
					return err
				}
				if d := far(it.Metric.Dense(), ScaleTrace.scale(want).Dense()); d > 1e-9 {
					t.Errorf("diagonal %v, iteration %d: M is %v from the root of the AGOP", diagonal, it.Index, d)
				}
			}
			before = it.Model()
			return nil
		}
		if _, err := m.Fit(context.Background(), x, y); err != nil {
			t.Fatal(err)
		}
	}
	var input *InputError
	for _, power := range []float64{-1, math.NaN(), math.Inf(1)} {
		m := Machine{Power: power}
		if _, err := m.Fit(context.Background(), x, y); !errors.As(err, &input) {
			t.Errorf("a power of %v: %v", power, err)
		}
	}
}
