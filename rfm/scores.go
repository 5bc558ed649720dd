package rfm

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/rfm/columns"
	"gonum.org/v1/gonum/mat"
)

// Scores says how well predictions fit targets. A score that is not defined is NaN.
type Scores struct {
	// Accuracy is the share of examples whose class has the largest prediction; NaN for regressions.
	Accuracy float64
	// MSE is the mean of the squared errors over examples and outputs.
	MSE float64
	// R2 is 1 − Σ(y − f)² / Σ(y − ȳ)², averaged over outputs; NaN for
	// classifications, and where an output does not vary.
	R2 float64
}

// Score compares predictions with targets, both n×outputs.
func (t Task) Score(predictions, targets *mat.Dense) (Scores, error) {
	n, c := targets.Dims()
	if pn, pc := predictions.Dims(); pn != n || pc != c {
		return Scores{}, fmt.Errorf("rfm: predictions are %d×%d, targets %d×%d", pn, pc, n, c)
	}
	s := Scores{Accuracy: math.NaN(), R2: math.NaN()}
	residuals, totals := make([]float64, c), columns.Variation(targets)
	correct := 0
	for i := range n {
		f, y := predictions.RawRowView(i), targets.RawRowView(i)
		for k := range c {
			residuals[k] += (y[k] - f[k]) * (y[k] - f[k])
		}
		if largest(f) == largest(y) {
			correct++
		}
	}
	r2 := 0.
	for k := range c {
		s.MSE += residuals[k] / float64(n*c)
		r2 += (1 - residuals[k]/totals[k]) / float64(c)
	}
	if t == Classification {
		s.Accuracy = float64(correct) / float64(n)
	} else if !math.IsInf(r2, 0) {
		s.R2 = r2
	}
	return s, nil
}

// Better reports whether s is better than other scores: by accuracy or, if that is equal or not defined, by the squared
// error. Every squared error that is a number is better than a NaN.
func (s Scores) Better(than Scores) bool {
	if s.Accuracy != than.Accuracy && !math.IsNaN(s.Accuracy) {
		return s.Accuracy > than.Accuracy
	}
	return s.MSE < than.MSE || math.IsNaN(than.MSE) && !math.IsNaN(s.MSE)
}

// largest returns the index of the largest element, the first of equals.
func largest(v []float64) int {
	best := 0
	for k := range v {
		if v[k] > v[best] {
			best = k
		}
	}
	return best
}

// OneHot returns targets, n×classes: 1 at an example's class and 0 elsewhere. Labels go from 0 to classes−1.
func OneHot(labels []int, classes int) *mat.Dense {
	y := mat.NewDense(len(labels), classes, nil)
	for i, l := range labels {
		y.Set(i, l, 1)
	}
	return y
}
