package gradientflow

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// kernels returns a kernel K of images, of less than full rank if images > 4, and K ⊗ I for some outputs.
func kernels(images, outputs int) (shared, full *mat.SymDense, missing *mat.Dense) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := mat.NewDense(images, 4, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	shared, full = mat.NewSymDense(images, nil), mat.NewSymDense(images*outputs, nil)
	shared.SymOuterK(1, x)
	for i := range images {
		for j := i; j < images; j++ {
			for c := range outputs {
				full.SetSym(i*outputs+c, j*outputs+c, shared.At(i, j))
			}
		}
	}
	missing = mat.NewDense(images, outputs, nil)
	missing.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, missing)
	return shared, full, missing
}

// A kernel that the outputs share gives what K ⊗ I gives for all of them together.
func TestSharedKernel(t *testing.T) {
	for _, momentum := range []float64{-1, 0, .9} { // below 0 for the flow
		for _, ridge := range []float64{0, .5} {
			shared, full, missing := kernels(6, 3)
			var flows [2]*Flow
			for i, k := range []*mat.SymDense{shared, full} {
				f, err := New(t.Context(), k, missing, nil)
				if err == nil {
					f, err = f.WithRidge(ridge)
				}
				if err == nil && momentum >= 0 {
					err = f.Descend(f.Stable(momentum)/3, momentum)
				}
				if err != nil {
					t.Fatal(err)
				}
				flows[i] = f
			}
			if a, b := flows[0].Rank(), flows[1].Rank(); a != 4 || b != 12 {
				t.Errorf("ranks %d and %d, want 4 and 12", a, b)
			}
			times := []float64{0, 1.5, 30, 1e4, math.Inf(1)}
			a, err := flows[0].States(times...)
			b, err2 := flows[1].States(times...)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			for i, at := range times {
				if !mat.EqualApprox(a[i].Alpha, b[i].Alpha, 1e-9) || !mat.EqualApprox(a[i].Change, b[i].Change, 1e-9) {
					t.Errorf("ridge %v, momentum %v: the states at %v differ", ridge, momentum, at)
				}
				if x, y := flows[0].Loss(at), flows[1].Loss(at); math.Abs(x-y) > 1e-10 {
					t.Errorf("ridge %v, momentum %v: losses %v and %v at %v", ridge, momentum, x, y, at)
				}
				var left mat.Dense
				left.Sub(missing, a[i].Change)
				if want := mat.Norm(&left, 2); math.Abs(flows[0].Loss(at)-want*want/18) > 1e-10 {
					t.Errorf("the loss at %v is %v, that of the outputs %v", at, flows[0].Loss(at), want*want/18)
				}
				if !mat.EqualApprox(flows[0].Filter(missing, at), a[i].Alpha, 1e-9) {
					t.Errorf("Filter at %v differs from α", at)
				}
			}
		}
	}
}

// A kernel of zeros has nothing to learn, and any learning rate is stable.
func TestZeroKernel(t *testing.T) {
	_, _, missing := kernels(3, 2)
	f, err := New(t.Context(), mat.NewSymDense(6, nil), missing, nil)
	if err != nil {
		t.Fatal(err)
	}
	states, err := f.States(math.Inf(1))
	if err != nil || f.Rank() != 0 || mat.Norm(states[0].Change, 2) != 0 || !math.IsInf(f.Stable(0), 1) {
		t.Errorf("rank %d, stable below %v, %v", f.Rank(), f.Stable(0), err)
	}
	if f.Loss(0) != f.Loss(math.Inf(1)) {
		t.Error("the loss changes")
	}
	if _, err := New(t.Context(), mat.NewSymDense(5, nil), missing, nil); err == nil {
		t.Error("a kernel of 5 rows for 3 images and 2 outputs is accepted")
	}
}
