package gradientflow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// system returns a random kernel, of less than full rank if images > 4, and random residuals of some outputs.
func system(images, outputs int) (one *mat.SymDense, missing *mat.Dense) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := mat.NewDense(images, 4, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	one = mat.NewSymDense(images, nil)
	one.SymOuterK(1, x)
	missing = mat.NewDense(images, outputs, nil)
	missing.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, missing)
	return one, missing
}

// full returns the full kernel of independent outputs, each of which has its own kernel.
func full(own kernels.Kernel) kernels.Kernel {
	images, outputs := own[0].SymmetricDim(), len(own)
	all := mat.NewSymDense(images*outputs, nil)
	for c, k := range own {
		for i := range images {
			for j := i; j < images; j++ {
				all.SetSym(i*outputs+c, j*outputs+c, k.At(i, j))
			}
		}
	}
	return kernels.Kernel{all}
}

// scaled returns a kernel with a block for each of the given numbers: the matrix times that number.
func scaled(one *mat.SymDense, by ...float64) kernels.Kernel {
	var all kernels.Kernel
	for _, c := range by {
		k := mat.NewSymDense(one.SymmetricDim(), nil)
		k.ScaleSym(c, one)
		all = append(all, k)
	}
	return all
}

// TestForms checks that a kernel that all outputs share, and one with a block for each output, give the same flow as
// the full kernel of independent outputs.
func TestForms(t *testing.T) {
	one, missing := system(6, 3)
	for name, kinds := range map[string]func() [2]kernels.Kernel{
		"trace":    func() [2]kernels.Kernel { return [2]kernels.Kernel{scaled(one, 1), full(scaled(one, 1, 1, 1))} },
		"diagonal": func() [2]kernels.Kernel { return [2]kernels.Kernel{scaled(one, 1, .1, 3), full(scaled(one, 1, .1, 3))} },
	} {
		for _, momentum := range []float64{-1, 0, .9} { // a number below 0 stands for the flow
			for _, ridge := range []float64{0, .5} {
				var flows [2]*Flow
				for i, k := range kinds() {
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
				checkAlike(t, fmt.Sprintf("%s, ridge %v, momentum %v", name, ridge, momentum), flows, missing)
			}
		}
	}
}

// Blocks that are the same matrix have the same flow as blocks that are copies of it.
func TestSharedBlocks(t *testing.T) {
	one, missing := system(6, 3)
	copies, err := New(t.Context(), scaled(one, 1, 1, 1), missing, nil)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := New(t.Context(), kernels.Diagonal.Independent(one, 3), missing, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(shared.Filter(missing, 1.5), copies.Filter(missing, 1.5)) {
		t.Error("the flows differ")
	}
}

// checkAlike checks that two flows of 6 images and 3 outputs are the same. The second one has the full kernel, of 18
// rows.
func checkAlike(t *testing.T, name string, flows [2]*Flow, missing *mat.Dense) {
	t.Helper()
	if b := flows[1].Rank(); b != 12 || len(flows[0].blocks)*12 != 3*flows[0].Rank() {
		t.Errorf("%s: ranks %d and %d", name, flows[0].Rank(), b)
	}
	if a, b := flows[0].Stable(.3), flows[1].Stable(.3); math.Abs(a-b) > 1e-12*b {
		t.Errorf("%s: learning rates up to %v and %v", name, a, b)
	}
	times := []float64{0, 1.5, 30, 1e4, math.Inf(1)}
	a, err := flows[0].States(times...)
	b, err2 := flows[1].States(times...)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for i, at := range times {
		if !mat.EqualApprox(a[i].Alpha, b[i].Alpha, 1e-9) || !mat.EqualApprox(a[i].Change, b[i].Change, 1e-9) {
			t.Errorf("%s: the states at %v differ", name, at)
		}
		if x, y := flows[0].Loss(at), flows[1].Loss(at); math.Abs(x-y) > 1e-10 {
			t.Errorf("%s: losses %v and %v at %v", name, x, y, at)
		}
		var left mat.Dense
		left.Sub(missing, a[i].Change)
		if want := mat.Norm(&left, 2); math.Abs(flows[0].Loss(at)-want*want/18) > 1e-10 {
			t.Errorf("%s: the loss at %v is %v, that of the outputs %v", name, at, flows[0].Loss(at), want*want/18)
		}
		if !mat.EqualApprox(flows[0].Filter(missing, at), a[i].Alpha, 1e-9) {
			t.Errorf("%s: Filter at %v differs from α", name, at)
		}
	}
}

// With a kernel of zeros the outputs do not change, and any learning rate is stable. A kernel whose size does not fit
// the residuals is refused.
func TestZeroKernel(t *testing.T) {
	_, missing := system(3, 2)
	f, err := New(t.Context(), kernels.Kernel{mat.NewSymDense(6, nil)}, missing, nil)
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
	if _, err := New(t.Context(), kernels.Kernel{mat.NewSymDense(5, nil)}, missing, nil); err == nil {
		t.Error("a kernel of 5 rows for 3 images and 2 outputs is accepted")
	}
}
