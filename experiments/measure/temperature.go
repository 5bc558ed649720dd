package measure

import (
	"math"

	"github.com/ansatz-lab/ansatz/internal/golden"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Temperature turns outputs f for the classes into probabilities p ∝ exp(s·f). Since all classes share s, their order
// stays (Guo et al. 2017, who write 1/T for s).
type Temperature struct {
	Slope float64 `json:"slope"` // s
	Rows  int     `json:"rows"`  // that it was fitted to
}

// fewestRows is the least number of rows that a temperature is fitted to.
const fewestRows = 5

// leastSlope and mostSlope bound the slope. The log-loss is a convex function of it.
const leastSlope, mostSlope = 1e-3, 1e4

// FitTemperature fits the slope that minimises the log-loss, on rows that the model was not fitted to, with outputs f,
// n×classes, and the given classes. As in Platt's method the target is 1 − 1/(n + 2) for the row's class and the rest
// is spread over the others, so that rows without a mistake do not make the slope infinite. It returns nil for fewer
// than five rows.
func FitTemperature(f *mat.Dense, classes []int) *Temperature {
	n, count := f.Dims()
	if n < fewestRows {
		return nil
	}
	rest := 1 / float64(n+2)
	t := &Temperature{Rows: n}
	row := make([]float64, count)
	t.Slope = golden.Maximise(leastSlope, mostSlope, func(slope float64) (likelihood float64) {
		at := Temperature{Slope: slope}
		for i := range n {
			at.logs(row, f.RawRowView(i))
			for k, v := range row {
				if k == classes[i] {
					likelihood += (1 - rest) * v
				} else {
					likelihood += rest / float64(count-1) * v
				}
			}
		}
		return likelihood
	})
	return t
}

// logs sets row to the logarithms of the probabilities for outputs f.
func (t *Temperature) logs(row, f []float64) {
	floats.ScaleTo(row, t.Slope, f)
	floats.AddConst(-floats.LogSumExp(row), row)
}

// Probabilities returns the probabilities of the classes for outputs, n×classes.
func (t *Temperature) Probabilities(f *mat.Dense) *mat.Dense {
	n, count := f.Dims()
	p := mat.NewDense(n, count, nil)
	for i := range n {
		row := p.RawRowView(i)
		t.logs(row, f.RawRowView(i))
		for k, v := range row {
			row[k] = math.Exp(v)
		}
	}
	return p
}

// Shares returns the outputs cut to [0, 1] and divided by their sum, or equal shares if all are 0. They replace
// probabilities if there are no rows to calibrate on.
func Shares(f *mat.Dense) *mat.Dense {
	n, count := f.Dims()
	p := mat.NewDense(n, count, nil)
	for i := range n {
		row := p.RawRowView(i)
		for k, v := range f.RawRowView(i) {
			row[k] = min(max(v, 0), 1)
		}
		sum := floats.Sum(row)
		for k := range row {
			if sum == 0 {
				row[k] = 1 / float64(count)
			} else {
				row[k] /= sum
			}
		}
	}
	return p
}

// Decide returns the class of every row with the largest weight times probability; nil weights are equal. If the
// weights are costs of overlooking a class and the probabilities are calibrated, this minimises the expected cost.
func Decide(p *mat.Dense, weights []float64) []int {
	n, count := p.Dims()
	decided := make([]int, n)
	row := make([]float64, count)
	for i := range decided {
		copy(row, p.RawRowView(i))
		if weights != nil {
			floats.Mul(row, weights)
		}
		decided[i] = floats.MaxIdx(row)
	}
	return decided
}
