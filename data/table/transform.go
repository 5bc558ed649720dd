package table

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data/array"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Transform changes the numbers of a matrix of rows × columns, column by column or row by row. It learns its parameters
// from training rows only, so that nothing leaks from test rows. [Targets] makes a matrix of targets.
type Transform interface {
	// Fit learns from the given rows of x (nil for all). It returns a [*FormatError] if there are none, or a learnt number
	// is not finite, and panics if x has no such row.
	Fit(x mat.Matrix, rows []int) error

	// Apply changes x in place. It panics before Fit, and if Fit saw another number of columns.
	Apply(x *mat.Dense)
}

// Inverse is a Transform with an inverse.
type Inverse interface {
	Transform

	// Invert undoes Apply in place, as far as it can be undone.
	Invert(x *mat.Dense)
}

// Targets returns y as a matrix of one column, which shares its memory. It panics if y is empty.
func Targets(y []float64) *mat.Dense { return mat.NewDense(len(y), 1, y) }

// fitColumns calls fit for each column, with its values in the given rows (nil for all). It reuses the slice values.
func fitColumns(x mat.Matrix, rows []int, fit func(column int, values []float64) error) error {
	n, columns := x.Dims()
	if rows != nil {
		n = len(rows)
	}
	if n == 0 {
		return array.OptionError("rows", "training rows", "none")
	}
	values := make([]float64, n)
	for j := range columns {
		at := 0
		eachRow(rows, n, func(i int) {
			values[at] = x.At(i, j)
			at++
		})
		if err := fit(j, values); err != nil {
			return err
		}
	}
	return nil
}

// mapColumns replaces each value v in column j of x by f(j, v). It panics unless x has that many columns.
func mapColumns(x *mat.Dense, columns int, f func(column int, v float64) float64) {
	rows, c := x.Dims()
	if c != columns {
		panic(fmt.Sprintf("table: a transform fitted to %d columns, applied to %d", columns, c))
	}
	for i := range rows { // x.Apply would take the memory of another matrix
		row := x.RawRowView(i)
		for j, v := range row {
			row[j] = f(j, v)
		}
	}
}

// notFinite returns the error of a column for which a learnt number is not finite.
func notFinite(column int, what string) *FormatError {
	return &FormatError{
		Path:   fmt.Sprintf("column %d", column),
		Offset: array.NoOffset,
		Want:   "a finite " + what,
		Got:    "one that is not",
		Hint:   "scale the column, or leave it out",
	}
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Selected applies a transform to some columns, such as [Conventions].Numeric, and leaves the others as they are.
type Selected struct {
	Columns   []int // if empty, nothing changes
	Transform Transform
}

var _ Transform = Selected{}

// Fit fits the transform to the columns.
func (s Selected) Fit(x mat.Matrix, rows []int) error {
	if len(s.Columns) == 0 {
		return nil
	}
	return s.Transform.Fit(s.gather(x), rows)
}

// Apply applies the transform to the columns.
func (s Selected) Apply(x *mat.Dense) {
	if len(s.Columns) == 0 {
		return
	}
	part := s.gather(x)
	s.Transform.Apply(part)
	n, _ := part.Dims()
	for i := range n {
		for k, j := range s.Columns {
			x.Set(i, j, part.At(i, k))
		}
	}
}

// gather returns a copy of the columns.
func (s Selected) gather(x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	part := mat.NewDense(n, len(s.Columns), nil)
	part.Apply(func(i, k int, _ float64) float64 { return x.At(i, s.Columns[k]) }, part)
	return part
}

// Log replaces each number y by sign(y)·log(1+|y|), which makes targets of different magnitudes comparable and is
// invertible.
//
// Appendix D of "Feature learning in neural networks and kernel machines that recursively learn features"
// (Radhakrishnan, Beaglehole, Pandit, Belkin) prints «the log transform (ŷ = |y| log(1+|y|))» and that «we inverted the
// transform before testing». The printed formula is the same for y and -y, so it has no inverse, and it grows faster
// than y. We take the |y| before the logarithm to mean the sign of y.
type Log struct{}

var _ Inverse = Log{}

// Fit does nothing.
func (Log) Fit(mat.Matrix, []int) error { return nil }

// Apply replaces each number y of x by sign(y)·log(1+|y|), in place.
func (Log) Apply(x *mat.Dense) {
	x.Apply(func(_, _ int, y float64) float64 { return math.Copysign(math.Log1p(math.Abs(y)), y) }, x)
}

// Invert replaces each number z by sign(z)·(exp|z|-1).
func (Log) Invert(x *mat.Dense) {
	x.Apply(func(_, _ int, z float64) float64 { return math.Copysign(math.Expm1(math.Abs(z)), z) }, x)
}

// Standard scales each column to mean 0 and standard deviation 1 over the training rows, like scikit-learn's
// StandardScaler. The variance has the denominator n, not n-1. A deviation that is 0 up to rounding counts as 1.
type Standard struct {
	Mean  []float64 `json:"mean"`  // by column, after Fit
	Scale []float64 `json:"scale"` // the deviation, by column, after Fit
}

var _ Inverse = (*Standard)(nil)

// Fit learns mean and deviation of each column.
func (t *Standard) Fit(x mat.Matrix, rows []int) error {
	_, columns := x.Dims()
	fitted := Standard{make([]float64, columns), make([]float64, columns)}
	err := fitColumns(x, rows, func(j int, values []float64) error {
		unit := unitOf(values) // learn from values / unit, so that squares are not 0
		for i := range values {
			values[i] /= unit
		}
		mean, variance := moments(values)
		fitted.Mean[j], fitted.Scale[j] = mean*unit, math.Sqrt(variance)*unit
		if !isFinite(mean) || !isFinite(variance) {
			return notFinite(j, "mean and variance")
		}
		if isConstant(mean, variance, len(values)) {
			fitted.Scale[j] = 1
		}
		return nil
	})
	if err == nil {
		*t = fitted
	}
	return err
}

// unitOf returns 1 or, where the squares of all values would be 0 or inexact in float64, a power of 2 near the largest value.
func unitOf(values []float64) float64 {
	const least = 0x1p-400
	largest := floats.Norm(values, math.Inf(1))
	if largest == 0 || largest >= least || math.IsNaN(largest) {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, max(exponent, -1022))
}

// moments returns the mean and the variance of the values, with the denominator n.
func moments(values []float64) (mean, variance float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v
	}
	mean /= n
	for _, v := range values {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / n
}

// isConstant reports whether a variance is 0 up to the rounding of n values with that mean, by scikit-learn's bound.
func isConstant(mean, variance float64, n int) bool {
	const epsilon = 0x1p-52
	bound := float64(n) * mean * epsilon
	return variance <= float64(float64(n)*epsilon*variance)+float64(bound*bound)
}

// Apply subtracts the mean and divides by the deviation.
func (t *Standard) Apply(x *mat.Dense) {
	mapColumns(x, len(t.Mean), func(j int, v float64) float64 { return (v - t.Mean[j]) / t.Scale[j] })
}

// Invert multiplies by the deviation and adds the mean.
func (t *Standard) Invert(x *mat.Dense) {
	mapColumns(x, len(t.Mean), func(j int, v float64) float64 { return float64(v*t.Scale[j]) + t.Mean[j] })
}

// UnitSphere divides each row by its Euclidean norm. It leaves a row of norm 0 as it is. One example is a row of the set
// balance-scale after standardisation.
type UnitSphere struct {
	Zeros int // the number of rows of norm 0 in the last Apply
}

var _ Transform = (*UnitSphere)(nil)

// Fit does nothing.
func (*UnitSphere) Fit(mat.Matrix, []int) error { return nil }

// Apply scales the rows of x to norm 1, in place, and counts rows of norm 0 in t.Zeros.
func (t *UnitSphere) Apply(x *mat.Dense) {
	t.Zeros = 0
	rows, _ := x.Dims()
	for i := range rows {
		row := x.RawRowView(i)
		largest := floats.Norm(row, math.Inf(1))
		if largest == 0 {
			t.Zeros++
			continue
		}
		for j := range row { // so that the norm is neither infinite nor 0
			row[j] /= largest
		}
		norm := floats.Norm(row, 2)
		for j := range row {
			row[j] /= norm
		}
	}
}
