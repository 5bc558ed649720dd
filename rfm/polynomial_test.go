package rfm_test

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// rows returns n rows of a polynomial, drawn from a stream of the seed.
func rows(t *testing.T, p table.Polynomial, n int, seed uint64, stream string) rfm.Examples {
	t.Helper()
	s, err := p.Generate(n, seed, stream)
	if err != nil {
		t.Fatal(err)
	}
	return rfm.Examples{X: s.X, Y: mat.NewDense(n, 1, s.Y)}
}

// onPolynomial fits a machine to as many rows of a polynomial as its source uses, and returns the scores of every
// iteration on 2000 others.
func onPolynomial(t *testing.T, m rfm.Machine, p table.Polynomial, seed uint64) []rfm.Scores {
	t.Helper()
	train, test := rows(t, p, p.Train, seed, "train"), rows(t, p, 2000, seed, "test")
	var scores []rfm.Scores
	m.Select = rfm.Last
	m.Each = func(it *rfm.Iteration) error {
		s, err := it.Model().Score(t.Context(), test.X, test.Y)
		scores = append(scores, s)
		return err
	}
	if _, err := m.Fit(t.Context(), train.X, train.Y); err != nil {
		t.Fatal(err)
	}
	return scores
}

// The notebook RFM_Tutorial.ipynb prints .9231 for its data. Over random data the mean is .916 and the standard
// deviation .013. The data of seed 1 reach .92.
func TestTutorialNotebook(t *testing.T) {
	m := rfm.Machine{Ridge: 1e-4, Iterations: 5, CentreGradients: true}
	for seed, least := range map[uint64]float64{0: .9231 - .026, 1: .92} {
		s := onPolynomial(t, m, table.Tutorial(), seed)
		if first, last := s[0].R2, s[5].R2; first > .15 || last < least || last > .9231+.026 {
			t.Errorf("seed %d: R² %.4f, then %.4f, want %.4f or more", seed, first, last, least)
		}
	}
}

// With Rademacher variables one iteration finds the two coordinates that matter (rfm Fig. 16a). Another program, in
// float64 on its own random data, had .563, .9989 and 1.0000.
func TestRademacherInOneIteration(t *testing.T) {
	for _, c := range []struct {
		seed      uint64
		precision graph.Precision
	}{{1, graph.Single}, {2, graph.Single}, {3, graph.Single}, {1, graph.Double}} {
		s := onPolynomial(t, rfm.Machine{Iterations: 2, Precision: c.precision},
			table.Rademacher(table.RademacherNoise), c.seed)
		if math.Abs(s[0].R2-.56) > .06 || s[1].R2 < .99 || s[2].R2 < .999 {
			t.Errorf("seed %d, precision %v: R² %.4f, %.4f, %.4f", c.seed, c.precision, s[0].R2, s[1].R2, s[2].R2)
		}
	}
}

// With Hermite polynomials of one direction the test error rises again after some iterations, so that it matters which
// iteration is used (rfm Fig. 16d).
func TestHermiteDrifts(t *testing.T) {
	s := onPolynomial(t, rfm.Machine{Iterations: 4}, table.Hermite(), 1)
	best := 0
	for i := range s {
		if s[i].R2 > s[best].R2 {
			best = i
		}
	}
	if s[0].R2 > .25 || s[1].R2 < s[0].R2+.2 || best == 0 || best == len(s)-1 {
		t.Errorf("R² by iteration: %+v", s)
	}
}

// The notebook low_rank.ipynb prints errors of .0123, .0063, .0032, .0024, .0021 and .0020 for its data. Over ten
// random data sets the first is .0129 ± .0005 and the last .0027 ± .0004. The errors here were computed with NumPy on
// the data of seed 2, in float64 and by the formula of the gradient.
func TestLowRankNotebook(t *testing.T) {
	if testing.Short() {
		t.Skip("six regressions of 4000 rows")
	}
	want := []float64{.01205748, .00595413, .00313933, .00244875, .00218815, .00209435}
	for i, s := range onPolynomial(t, rfm.Machine{Ridge: 1e-3, Iterations: 5}, table.LowRank(), 2) {
		if math.Abs(s.MSE-want[i]) > 1e-3*want[i] {
			t.Errorf("iteration %d: error %.6f, want %.6f", i, s.MSE, want[i])
		}
	}
}
