package models

import (
	"context"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/gradientflow"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// testFlow is a flow with the other arguments of [Linearized.Follow].
type testFlow struct {
	*gradientflow.Flow
	l       *Linearized
	px      []float32
	outputs *mat.Dense
}

// At follows the flow to a time.
func (f testFlow) At(ctx context.Context, t float64) (*mat.Dense, error) {
	return f.l.Follow(ctx, f.px, f.outputs, f.Flow, t)
}

// flowOf returns the flow of a linearization towards targets.
func flowOf(t *testing.T, l *Linearized, px []float32, targets *mat.Dense, ridge float64) testFlow {
	t.Helper()
	k, err := l.net.NTK(context.Background(), px, NTKOptions{Precision: graph.Double})
	if err != nil {
		t.Fatal(err)
	}
	var missing mat.Dense
	missing.Sub(targets, k.Outputs)
	f, err := gradientflow.New(t.Context(), k.Gram, &missing, nil)
	if err == nil {
		f, err = f.WithRidge(ridge)
	}
	if err != nil {
		t.Fatal(err)
	}
	return testFlow{f, l, px, k.Outputs}
}

// descent returns −∇L(u).
func descent(t *testing.T, l *Linearized, px []float32, targets *mat.Dense, ridge float64, u []float64) []float64 {
	t.Helper()
	copy(l.u, u)
	residual, err := l.Predict(context.Background(), px)
	if err != nil {
		t.Fatal(err)
	}
	residual.Sub(targets, residual)
	n := len(residual.RawMatrix().Data)
	sum := make([]float64, len(u))
	if err := l.pull(context.Background(), px, residual, sum); err != nil {
		t.Fatal(err)
	}
	floats.AddScaled(sum, -ridge, u)
	floats.Scale(2/float64(n), sum)
	return sum
}

// TestFlow checks that the closed form agrees with a Runge-Kutta integration of the differential equation for the
// weights.
func TestFlow(t *testing.T) {
	l, px, targets := linearized(t, 4)
	for _, ridge := range []float64{0, .3} {
		f := flowOf(t, l, px, targets, ridge)
		const end, steps = 2., 100
		h := end / steps
		u := make([]float64, len(l.u))
		at := func(k []float64, scale float64) []float64 {
			v := append([]float64(nil), u...)
			floats.AddScaled(v, scale, k)
			return descent(t, l, px, targets, ridge, v)
		}
		for range steps { // the classical Runge-Kutta method
			a := at(u, 0)
			b := at(a, h/2)
			c := at(b, h/2)
			d := at(c, h)
			for i := range u {
				u[i] += h / 6 * (a[i] + 2*b[i] + 2*c[i] + d[i])
			}
		}
		fitted, err := f.At(context.Background(), end)
		if err != nil {
			t.Fatal(err)
		}
		if size := floats.Norm(u, 2); floats.Distance(u, l.u, 2) > 1e-7*size || size < 1e-3 {
			t.Errorf("ridge %v: u(%v) is %v away from the differential equation's, of norm %v", ridge, end,
				floats.Distance(u, l.u, 2), size)
		}
		predicted, err := l.Predict(context.Background(), px)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(fitted, predicted, 1e-9) {
			t.Errorf("ridge %v: the fitted outputs are not those of u", ridge)
		}
	}
}

// TestFlowLimits checks that the flow starts at u = 0, that its limit is the solution of the dual system, and that
// without a ridge the training loss never rises in between. Negative times and NaN are refused.
func TestFlowLimits(t *testing.T) {
	l, px, targets := linearized(t, 4)
	for _, ridge := range []float64{0, .3} {
		f := flowOf(t, l, px, targets, ridge)
		if _, err := f.At(context.Background(), 0); err != nil || l.Norm() != 0 {
			t.Errorf("u(0) has norm %v, %v", l.Norm(), err)
		}
		last := math.Inf(1)
		for _, at := range []float64{.1, 1, 10, 1e3, 1e7} {
			fitted, err := f.At(context.Background(), at)
			if err != nil {
				t.Fatal(err)
			}
			var d mat.Dense
			d.Sub(fitted, targets)
			if loss := mat.Norm(&d, 2); ridge == 0 && loss > last*(1+1e-12) {
				t.Errorf("the loss rises to %v at %v", loss, at)
			} else {
				last = loss
			}
		}
		if _, err := f.At(context.Background(), math.Inf(1)); err != nil {
			t.Fatal(err)
		}
		u := append([]float64(nil), l.u...)
		k, err := l.net.NTK(t.Context(), px, NTKOptions{Precision: graph.Double})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Dual(context.Background(), px, k, targets, ridge); err != nil {
			t.Fatal(err)
		}
		if d := floats.Distance(u, l.u, 2); !(d <= 1e-6*floats.Norm(u, 2)) {
			t.Errorf("ridge %v: the limit is %v away from the solution, of norm %v", ridge, d, floats.Norm(u, 2))
		}
		for _, bad := range []float64{-1, math.NaN(), math.Inf(-1)} {
			if _, err := f.At(context.Background(), bad); err == nil {
				t.Errorf("the time %v is accepted", bad)
			}
		}
	}
}

// TestFlowDescent checks that the closed form of gradient descent, with and without momentum, agrees with steps taken
// one after another.
func TestFlowDescent(t *testing.T) {
	l, px, targets := linearized(t, 4)
	for _, c := range []struct{ rate, momentum, ridge float64 }{{.05, 0, 0}, {.05, .9, 0}, {.02, .5, .3}, {.9, 0, 5}} {
		f := flowOf(t, l, px, targets, c.ridge)
		if err := f.Descend(c.rate, c.momentum); err != nil {
			t.Fatal(err)
		}
		u, v := make([]float64, len(l.u)), make([]float64, len(l.u))
		for step := range 12 {
			if _, err := f.At(context.Background(), c.rate*float64(step)); err != nil {
				t.Fatal(err)
			}
			if d := floats.Distance(u, l.u, 2); d > 1e-8*(floats.Norm(u, 2)+1e-3) {
				t.Fatalf("%+v: after %d steps u is %v away, of norm %v", c, step, d, floats.Norm(u, 2))
			}
			g := descent(t, l, px, targets, c.ridge, u)
			floats.Scale(c.momentum, v)
			floats.Add(v, g)
			floats.AddScaled(u, c.rate, v)
		}
	}
	f := flowOf(t, l, px, targets, 0)
	for _, bad := range [][2]float64{{0, 0}, {-1, 0}, {math.NaN(), 0}, {1, 1}, {1, -.1}} {
		if f.Descend(bad[0], bad[1]) == nil {
			t.Errorf("learning rate %v, momentum %v is accepted", bad[0], bad[1])
		}
	}
}

// TestFlowWithRidge checks that WithRidge, which keeps the eigenvectors, gives the same flow as New does for that
// ridge.
func TestFlowWithRidge(t *testing.T) {
	l, px, targets := linearized(t, 4)
	first := flowOf(t, l, px, targets, .7)
	for _, ridge := range []float64{0, .3, 5} {
		with, err := first.WithRidge(ridge)
		if err != nil {
			t.Fatal(err)
		}
		other := testFlow{with, l, px, first.outputs}
		want := flowOf(t, l, px, targets, ridge)
		for _, time := range []float64{.1, 2, 1e5} {
			a, err := other.At(t.Context(), time)
			if err != nil {
				t.Fatal(err)
			}
			b, err := want.At(t.Context(), time)
			if err != nil || !mat.Equal(a, b) || other.Loss(time) != want.Loss(time) {
				t.Errorf("ridge %v at %v: %v, want %v (%v)", ridge, time, mat.Formatted(a), mat.Formatted(b), err)
			}
		}
	}
	if _, err := first.WithRidge(-1); err == nil {
		t.Error("a ridge of -1 is accepted")
	}
}

// TestFlowLoss checks that Loss is the loss of the outputs at times at which these are accurate enough to tell: with
// and without a ridge, for the flow and for gradient descent with and without momentum. It also checks that the loss of
// the flow never rises, even where it is below the rounding errors of the outputs.
func TestFlowLoss(t *testing.T) {
	l, px, targets := linearized(t, 4)
	for _, ridge := range []float64{0, .3} {
		for _, momentum := range []float64{-1, 0, .5} { // a number below 0 stands for the flow
			f := flowOf(t, l, px, targets, ridge)
			if momentum >= 0 {
				if err := f.Descend(.05, momentum); err != nil {
					t.Fatal(err)
				}
			}
			for _, time := range []float64{0, .5, 3} {
				fitted, err := f.At(context.Background(), time)
				if err != nil {
					t.Fatal(err)
				}
				fitted.Sub(fitted, targets)
				residual := fitted.RawMatrix().Data
				want := floats.Dot(residual, residual) / float64(len(residual))
				if got := f.Loss(time); math.Abs(got-want) > 1e-9*want {
					t.Errorf("ridge %v, momentum %v: the loss at %v is %v, want %v", ridge, momentum, time, got, want)
				}
			}
		}
		f := flowOf(t, l, px, targets, ridge)
		last := f.Loss(0)
		for time := .1; time < 1e9; time *= 1.7 {
			loss := f.Loss(time)
			if loss > last {
				t.Errorf("ridge %v: the loss rises from %v to %v at %v", ridge, last, loss, time)
			}
			last = loss
		}
	}
}
