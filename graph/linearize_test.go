package graph

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// The linearization is the function itself at u = 0. Its error is of second order: half of u has a quarter of the
// error.
func TestLinearize(t *testing.T) {
	d := devices(t)[0]
	f, _ := testNet(t, d, Double, 2, false)
	for b := range images(Double, 2, 2) {
		if err := f.write(f.Inputs()[0], b); err != nil {
			t.Fatal(err)
		}
	}
	wrt := []*Node{f.Named("conv2.weight"), f.Named("conv2.bias"), f.Named("fc.weight")}
	lin, tangents := f.Linearize(f.Output, wrt)
	p, err := f.Compile(Plan{Outputs: []*Node{f.Output, lin}})
	if err != nil {
		t.Fatal(err)
	}
	run := func() (y, l []float64) {
		if err := p.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return get(p.Value(f.Output)), get(p.Value(lin))
	}
	y, l := run()
	near(t, "at u = 0", l, y, 1e-15)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range tangents {
		for k := range size(tangents[i]) {
			set(f.Data(tangents[i]), k, 1e-4*rng.NormFloat64())
		}
	}
	_, l = run()
	errorAt := func(scale float64) float64 {
		for i, w := range wrt {
			v, u := f.Data(w).Float64s(), f.Data(tangents[i]).Float64s()
			for k := range v {
				v[k] += scale * u[k]
			}
		}
		moved, _ := run()
		worst := 0.
		for i := range moved {
			worst = math.Max(worst, math.Abs(moved[i]-(y[i]+scale*(l[i]-y[i]))))
		}
		for i, w := range wrt {
			v, u := f.Data(w).Float64s(), f.Data(tangents[i]).Float64s()
			for k := range v {
				v[k] -= scale * u[k]
			}
		}
		return worst
	}
	if whole, half := errorAt(1), errorAt(.5); half > .3*whole || whole > 1e-5 {
		t.Errorf("error %.3g at u, %.3g at u/2: want a quarter", whole, half)
	}
}

// The gradient of ⟨r, linearization⟩ in u is the pullback Jᵀr, and takes about as many steps.
func TestLinearizeGradientIsOnePullback(t *testing.T) {
	d := devices(t)[0]
	f, _ := testNet(t, d, Double, 2, false)
	for b := range images(Double, 2, 2) {
		if err := f.write(f.Inputs()[0], b); err != nil {
			t.Fatal(err)
		}
	}
	wrt := []*Node{f.Named("conv1.weight"), f.Named("conv3.bias"), f.Named("bn2.weight"), f.Named("fc.weight")}
	r := f.Input("r", f.Output.Shape()...)
	rng := rand.New(rand.NewPCG(2, 1))
	for k := range size(r) {
		set(f.Data(r), k, rng.NormFloat64())
	}
	want := f.Pullback([]*Node{f.Output}, []*Node{r}, wrt)
	lin, tangents := f.Linearize(f.Output, wrt)
	got := f.Pullback([]*Node{lin}, []*Node{r}, tangents)
	steps := make([]int, 2)
	var values [2][][]float64
	for i, nodes := range [][]*Node{want, got} {
		p, err := f.Compile(Plan{Outputs: nodes})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		steps[i] = len(p.steps)
		for _, n := range nodes {
			values[i] = append(values[i], get(p.Value(n)))
		}
	}
	for i := range wrt {
		near(t, wrt[i].Name(), values[1][i], values[0][i], 1e-12)
	}
	if steps[1] > steps[0]+5 {
		t.Errorf("%d steps for the gradient in u, %d for a pullback", steps[1], steps[0])
	}
}
