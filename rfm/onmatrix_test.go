package rfm

import (
	"context"
	"errors"
	"testing"

	"github.com/ansatz-lab/ansatz/rfm/svm"
	"gonum.org/v1/gonum/mat"
)

// A machine predicts with the coefficients that an [OnMatrix] solver finds. Kernel ridge regression gives the
// predictions of Cholesky, and a support vector machine classifies all of a few examples correctly. An error of the
// solver ends the fit.
func TestOnMatrix(t *testing.T) {
	x, y := problemOf(60, 3, 4)
	ridge := OnMatrix{Name: "ridge", Find: func(_ context.Context, k *mat.SymDense, y *mat.Dense) (*mat.Dense, error) {
		a := mat.NewSymDense(60, nil)
		a.CopySym(k)
		for i := range 60 {
			a.SetSym(i, i, a.At(i, i)+.1)
		}
		var alpha mat.Dense
		return &alpha, alpha.Solve(a, y)
	}}
	got, s := predictions(t, Machine{Ridge: .1, Solver: ridge, Iterations: 1}, x, y, x)
	want, _ := predictions(t, Machine{Ridge: .1, Iterations: 1}, x, y, x)
	if off := apart(got, want); off > 1e-5 || s.Method != "ridge" {
		t.Errorf("%s predicts otherwise than Cholesky, by %v", s.Method, off)
	}
	labels := make([]int, 60)
	for i := range labels {
		labels[i] = i % 3
	}
	m := Machine{Kernel: Laplace{1}, Task: Classification, Select: Last}
	m.Solver = OnMatrix{"svm", svm.Machine{C: 100}.Fit}
	var train Scores
	m.Each = func(it *Iteration) error { train = it.Train; return nil }
	model, err := m.Fit(context.Background(), x, OneHot(labels, 3))
	if err != nil {
		t.Fatal(err)
	}
	own, err := model.Score(context.Background(), x, OneHot(labels, 3))
	if err != nil || own.Accuracy != 1 || train.Accuracy != 1 {
		t.Errorf("a support vector machine has %v of its examples right, and says %v: %v", own.Accuracy, train.Accuracy,
			err)
	}
	broken := errors.New("broken")
	m.Solver = OnMatrix{"broken", func(context.Context, *mat.SymDense, *mat.Dense) (*mat.Dense, error) {
		return nil, broken
	}}
	if _, err := m.Fit(context.Background(), x, OneHot(labels, 3)); !errors.Is(err, broken) {
		t.Errorf("the error of the solver is %v", err)
	}
}
