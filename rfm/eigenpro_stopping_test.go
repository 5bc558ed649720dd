package rfm

import (
	"context"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// With early stopping the result is that of the pass which is best on validation examples. No fit of a fixed number of
// passes is better, and the fit of that number of passes is the same.
func TestEigenProStopsEarly(t *testing.T) {
	const most = 12
	x, y := problemOf(400, 3, 7)
	noise := normal(random(8), 400, 2)
	y.Add(y, noise) // later passes fit the noise
	v := Examples{}
	v.X, v.Y = problemOf(200, 3, 9)
	for _, stochastic := range []bool{false, true} {
		t.Run(fmt.Sprint("stochastic ", stochastic), func(t *testing.T) {
			fit := func(e EigenPro) (scores Scores, s Solution, predictions *mat.Dense) {
				e.Stochastic, e.Subsample, e.Tolerance = stochastic, 20, 1e-6
				m := Machine{Kernel: Laplace{1}, Solver: e, Validation: &v, Each: func(it *Iteration) error {
					scores, s = *it.Validation, it.Solution
					return nil
				}}
				model, err := m.Fit(context.Background(), x, y)
				if err != nil {
					t.Fatal(err)
				}
				if predictions, err = model.Predict(context.Background(), v.X); err != nil {
					t.Fatal(err)
				}
				return scores, s, predictions
			}
			best, s, predictions := fit(EigenPro{MaxEpochs: most + 1, EarlyStopping: true})
			if s.Pass < 1 || s.Pass >= most {
				t.Fatalf("pass %d of %d was chosen: want one before the last", s.Pass, most)
			}
			for k := 1; k <= most; k++ {
				fixed, of, same := fit(EigenPro{MaxEpochs: k + 1})
				if of.Pass != 0 {
					t.Errorf("pass %d was chosen without early stopping", of.Pass)
				}
				if best.Better(fixed) != (k != s.Pass) {
					t.Errorf("after %d passes the error is %v, after the chosen %d %v", k, fixed.MSE, s.Pass, best.MSE)
				}
				if k == s.Pass && apart(predictions, same) > 1e-6 {
					t.Errorf("%d passes predict otherwise: by %v", k, apart(predictions, same))
				}
				if best.MSE > fixed.MSE*1.0001 {
					t.Errorf("%d passes are better: %v, the chosen %d have %v", k, fixed.MSE, s.Pass, best.MSE)
				}
			}
		})
	}
}
