package models

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// linearized prepares the linearization of a small network in double precision, with batches of 3 images. The last
// batch of 4, 5 or 8 images is not full.
func linearized(t *testing.T, images int) (l *Linearized, px []float32, targets *mat.Dense) {
	t.Helper()
	n, px := linearizable(t, true, images)
	l, err := n.Linearize(device(t), 3, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(8, 9))
	targets = mat.NewDense(images, n.Classes, nil)
	for i := range images {
		targets.Set(i, rng.IntN(n.Classes), 1)
	}
	return l, px, targets
}

// The error of f_lin is of second order in u: halving u quarters it.
func TestLinearizedIsTheNetworkToSecondOrder(t *testing.T) {
	l, px, _ := linearized(t, 5)
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range l.u {
		l.u[k] = 1e-4 * rng.NormFloat64()
	}
	errorAt := func(scale float64) float64 {
		moved := l.net.Clone()
		at := 0
		for _, p := range moved.params {
			if p.Trained {
				v := moved.values[p.Name].Float32s()
				for k := range v {
					// The weights are float32, so u becomes the change that they can represent.
					to := v[k] + float32(scale*l.u[at])
					l.u[at] = float64(to-v[k]) / scale
					v[k] = to
					at++
				}
			}
		}
		scaled := append([]float64(nil), l.u...)
		floats.Scale(scale, l.u)
		lin, err := l.Predict(context.Background(), px)
		if err != nil {
			t.Fatal(err)
		}
		copy(l.u, scaled)
		return relative(lin, outputsOf(t, moved, px))
	}
	whole, half := errorAt(1), errorAt(.5)
	if ratio := whole / half; math.Abs(ratio-4) > .3 || whole > 1e-2 {
		t.Errorf("error %.3g at u, %.3g at u/2, ratio %.3g: want 4", whole, half, ratio)
	}
}

// solution returns the u of the ridge regression, from a singular value decomposition of J.
func solution(t *testing.T, j, residual *mat.Dense, ridge float64) []float64 {
	t.Helper()
	var svd mat.SVD
	if !svd.Factorize(j, mat.SVDThin) {
		t.Fatal("no singular value decomposition")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	c := mat.NewVecDense(len(values), nil)
	r, k := residual.Dims()
	c.MulVec(u.T(), mat.NewVecDense(r*k, mat.DenseCopyOf(residual).RawMatrix().Data))
	for i, s := range values {
		if s < 1e-6*values[0] {
			c.SetVec(i, 0)
		} else {
			c.SetVec(i, c.AtVec(i)*s/(s*s+ridge))
		}
	}
	out := mat.NewVecDense(rowsOf(&v), nil)
	out.MulVec(&v, c)
	return out.RawVector().Data
}

// TestDual checks that the dual solution is that of the primal problem, with and without a ridge. It also does so for
// an image that occurs twice with different targets. Without a ridge the solution is then that of least squares with
// the least norm.
func TestDual(t *testing.T) {
	l, px, targets := linearized(t, 8)
	size := l.net.Input.Size()
	for _, twice := range []bool{false, true} {
		if twice {
			copy(px[7*size:], px[:size])
			targets.SetRow(0, []float64{1, 0, 0})
			targets.SetRow(7, []float64{0, 1, 0})
		}
		k, err := l.net.NTK(context.Background(), px, NTKOptions{Precision: graph.Double})
		if err != nil {
			t.Fatal(err)
		}
		j := rowsOfJacobian(t, l.net, px)
		var residual mat.Dense
		residual.Sub(targets, k.Outputs)
		for _, ridge := range []float64{0, 1e-3, 1} {
			s, err := l.Dual(context.Background(), px, k, targets, ridge)
			if err != nil {
				t.Fatal(err)
			}
			want := solution(t, j, &residual, ridge)
			if e := floats.Distance(l.u, want, 2) / floats.Norm(want, 2); !(e <= 1e-9) {
				t.Errorf("twice %v, ridge %v, %s: relative error %.2g of u", twice, ridge, s.Method, e)
			}
			if method := map[bool]string{true: "pseudo-inverse", false: "cholesky"}[twice &&
				ridge == 0]; s.Method != method || (method == "pseudo-inverse") != (s.Rank == 21) {
				t.Errorf("twice %v, ridge %v: %s of rank %d", twice, ridge, s.Method, s.Rank)
			}
			again, err := l.Predict(context.Background(), px)
			if err != nil {
				t.Fatal(err)
			}
			if e := relative(s.Fitted, again); !(e <= 1e-9) {
				t.Errorf("twice %v, ridge %v: what is fitted is off by %.2g from what is predicted", twice, ridge, e)
			}
			if !(math.Abs(s.Norm-floats.Norm(want, 2)) <= 1e-9*s.Norm) {
				t.Errorf("‖u‖ = %v, want %v", s.Norm, floats.Norm(want, 2))
			}
		}
	}
}

// TestDualIsRefined checks that single precision gives the solution of double precision even if the system is nearly
// singular, because two images hardly differ but have different targets.
func TestDualIsRefined(t *testing.T) {
	l, px, targets := linearized(t, 8)
	size := l.net.Input.Size()
	copy(px[7*size:], px[:size])
	for k := range size / 8 {
		px[7*size+k] += .02
	}
	targets.SetRow(0, []float64{1, 0, 0})
	targets.SetRow(7, []float64{0, 1, 0})
	single, err := l.net.Linearize(l.f.Device(), 3, graph.Single)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	exact, err := l.net.NTK(ctx, px, NTKOptions{Precision: graph.Double})
	if err != nil {
		t.Fatal(err)
	}
	k, err := l.net.NTK(ctx, px, NTKOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := l.Dual(ctx, px, exact, targets, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := single.Dual(ctx, px, k, targets, 0)
	if err != nil {
		t.Fatal(err)
	}
	f, err := single.Predict(ctx, px)
	if err != nil {
		t.Fatal(err)
	}
	if e := relative(f, targets); !(e <= 1e-3) || want.Method != "cholesky" || got.Method != "cholesky" {
		t.Errorf("the fit, by %s, is off by %.2g", got.Method, e)
	}
	if e := floats.Distance(single.u, l.u, 2) / want.Norm; !(e <= 1e-2) {
		t.Errorf("u is off by %.2g", e)
	}
	t.Logf("‖u‖ %.3g, fit %.2g", want.Norm, relative(f, targets))
}

// Conjugate gradients find the same solution as Dual.
func TestConjugateGradients(t *testing.T) {
	l, px, targets := linearized(t, 8)
	k, err := l.net.NTK(context.Background(), px, NTKOptions{Precision: graph.Double})
	if err != nil {
		t.Fatal(err)
	}
	for _, ridge := range []float64{0, 1e-3, 1} {
		clear(l.u)
		var last float64
		c, err := l.ConjugateGradients(context.Background(), px, targets, CGOptions{
			Ridge: ridge, Tolerance: 1e-12, Each: func(_ int, r, g float64) { last = g },
		})
		if err != nil {
			t.Fatal(err)
		}
		u := append([]float64(nil), l.u...)
		d, err := l.Dual(context.Background(), px, k, targets, ridge)
		if err != nil {
			t.Fatal(err)
		}
		if e := floats.Distance(u, l.u, 2) / d.Norm; e > 1e-7 || !c.Converged || last != c.Gradient ||
			c.Iterations < 3 {
			t.Errorf("ridge %v: %+v, off by %.2g", ridge, c, e)
		}
		if e := relative(c.Fitted, d.Fitted); e > 1e-8 {
			t.Errorf("ridge %v: the fit is off by %.2g", ridge, e)
		}
		// Started from the solution, conjugate gradients do not make the residual larger.
		if c, err = l.ConjugateGradients(context.Background(), px, targets,
			CGOptions{Ridge: ridge, Iterations: 3}); err != nil || c.Residual > 1.001 {
			t.Errorf("ridge %v, from the solution: %+v, %v", ridge, c, err)
		}
	}
	clear(l.u)
	c, err := l.ConjugateGradients(context.Background(), px, targets, CGOptions{Iterations: 2})
	if err != nil || c.Converged || c.Iterations != 2 || c.Residual >= 1 {
		t.Errorf("two iterations: %+v, %v", c, err)
	}
}

// In single precision a gradient of 10⁻¹⁰ is out of reach. Conjugate gradients then stay at the solution; they left it, until
// u was not finite.
func TestConjugateGradientsAtRounding(t *testing.T) {
	double, px, targets := linearized(t, 8)
	l, err := double.net.Linearize(device(t), 8, graph.Single)
	if err != nil {
		t.Fatal(err)
	}
	for _, ridge := range []float64{1, 100} {
		clear(l.u)
		c, err := l.ConjugateGradients(context.Background(), px, targets, CGOptions{Ridge: ridge, Tolerance: 1e-10})
		if err != nil {
			t.Fatalf("ridge %v: %v", ridge, err)
		}
		clear(double.u)
		if _, err := double.ConjugateGradients(context.Background(), px, targets, CGOptions{Ridge: ridge}); err != nil {
			t.Fatal(err)
		}
		if e := floats.Distance(l.u, double.u, 2) / double.Norm(); e > 1e-5 || c.Gradient > 1e-5 {
			t.Errorf("ridge %v: after %d iterations a gradient of %.2g, u is off by %.2g", ridge, c.Iterations, c.Gradient, e)
		}
	}
}

// Full-batch gradient descent on the linearization changes the residuals r = Y − f_lin, with the loss ‖r‖²/N over
// N = images·outputs, by
//
//	r ← (I − (2η/N) Θ) r,
//
// so that after t steps they are (I − (2η/N)Θ)ᵗ r₀.
func TestLinearizedTrainingFollowsTheKernel(t *testing.T) {
	n, px := linearizable(t, true, 6)
	labels := []int{0, 1, 2, 1, 0, 2}
	k, err := n.NTK(context.Background(), px, NTKOptions{Precision: graph.Double})
	if err != nil {
		t.Fatal(err)
	}
	const rate, steps = .05, 40
	tr := newTrainer(t, n, TrainOptions{Batch: 6, Optimiser: SGD{LR: rate}, Loss: MeanSquaredError,
		Precision: graph.Double, Linearized: true})
	before := append([]float32(nil), n.Value("conv1.weight").Float32s()...)
	all := rowsOf(k.Gram[0])
	r, next := mat.NewVecDense(all, nil), mat.NewVecDense(all, nil)
	for i, l := range labels {
		for c := range 3 {
			y := 0.
			if c == l {
				y = 1
			}
			r.SetVec(i*3+c, y-k.Outputs.At(i, c))
		}
	}
	for s := range steps {
		got := step(t, tr, px, labels).MeanLoss()
		if want := mat.Dot(r, r) / float64(all); math.Abs(got-want) > 1e-10*want {
			t.Fatalf("loss %v before step %d, want %v", got, s, want)
		}
		next.MulVec(k.Gram[0], r)
		r.AddScaledVec(r, -2*rate/float64(all), next)
	}
	checkOutputs(t, tr, px, labels, r)
	tr.Sync()
	for i, v := range n.Value("conv1.weight").Float32s() {
		if v != before[i] {
			t.Fatal("training the linearization changed the network")
		}
	}
	if u := tr.Tangents(); u.Len() != 9 {
		t.Errorf("%d tangents, want 9", u.Len())
	}
}

// checkOutputs checks that the outputs of a trained linearization are the one-hot targets minus the residuals.
func checkOutputs(t *testing.T, tr *Trainer, px []float32, labels []int, residuals *mat.VecDense) {
	t.Helper()
	out, err := tr.Outputs(t.Context(), px)
	if err != nil {
		t.Fatal(err)
	}
	images, outputs := out.Dims()
	for i := range images {
		for c := range outputs {
			want := -residuals.AtVec(i*outputs + c)
			if c == labels[i] {
				want++
			}
			if got := out.At(i, c); math.Abs(got-want) > 1e-9 {
				t.Fatalf("output %d of image %d is %v, want %v", c, i, got, want)
			}
		}
	}
}

// A linearized training that is restored from its state continues bit for bit.
func TestLinearizedCheckpoint(t *testing.T) {
	o := TrainOptions{Batch: 4, Optimiser: SGD{LR: .02, Momentum: .9, WeightDecay: 1e-3}, Loss: MeanSquaredError,
		Linearized: true}
	run := func(stop int) *Trainer {
		n, px := linearizable(t, true, 8)
		tr, size := newTrainer(t, n, o), n.Input.Size()
		for s := range 6 {
			if s == stop {
				again := newTrainer(t, n, o)
				if err := again.Restore(tr.State()); err != nil {
					t.Fatal(err)
				}
				tr = again
			}
			at := s % 2 * 4
			step(t, tr, px[at*size:(at+4)*size], []int{0, 1, 2, at / 4})
		}
		return tr
	}
	whole, stopped := run(-1).State(), run(3).State()
	for name, v := range whole.All() {
		w, _ := stopped.Get(name)
		if name != "steps" && !equalFloats(v.Float32s(), w.Float32s()) {
			t.Errorf("%s differs", name)
		}
	}
}

// A trainer of the linearization refuses the state of a trainer of the network, and the other way round.
func TestLinearizedCheckpointOfAnother(t *testing.T) {
	plain := TrainOptions{Batch: 4, Optimiser: SGD{LR: .02, Momentum: .9}, Loss: MeanSquaredError}
	linear := plain
	linear.Linearized = true
	n, _ := linearizable(t, true, 4)
	a, b := newTrainer(t, n, plain), newTrainer(t, n, linear)
	var mismatch *weights.MismatchError
	if err := a.Restore(b.State()); !errors.As(err, &mismatch) {
		t.Errorf("tangents for a network: %v", err)
	}
	if err := b.Restore(a.State()); !errors.As(err, &mismatch) {
		t.Errorf("a network's state for tangents: %v", err)
	}
}

func equalFloats(a, b []float32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestLinearizedMistakes(t *testing.T) {
	l, px, targets := linearized(t, 4)
	ctx := context.Background()
	k, err := l.net.NTK(ctx, px, NTKOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"too few pixels":  second2(l.Predict(ctx, px[1:])),
		"too few targets": second2(l.Dual(ctx, px, k, targets.Slice(0, 3, 0, 3).(*mat.Dense), 0)),
		"another kernel": second2(l.Dual(ctx, px[:3*l.net.Input.Size()], k, targets.Slice(0, 3, 0, 3).(*mat.Dense),
			0)),
		"a ridge below 0": second2(l.Dual(ctx, px, k, targets, -1)),
		"cg below 0":      second2(l.ConjugateGradients(ctx, px, targets, CGOptions{Ridge: -1})),
		"cg, targets":     second2(l.ConjugateGradients(ctx, px, targets.Slice(0, 3, 0, 3).(*mat.Dense), CGOptions{})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second2[T any](_ T, err error) error { return err }
