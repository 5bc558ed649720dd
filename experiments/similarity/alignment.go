package similarity

import (
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Alignment is the similarity of two matrices, or of two diagonals.
type Alignment struct {
	Pearson, Cosine float64
	// NullMean and NullSD describe Pearson's correlation with one of the two matrices rotated at random: the same
	// spectrum, but no alignment.
	NullMean, NullSD float64
}

// Excess returns the Pearson correlation minus the mean of its null.
func (a Alignment) Excess() float64 { return a.Pearson - a.NullMean }

// NormalisedExcess returns the excess normalised by [NormaliseExcess].
func (a Alignment) NormalisedExcess() float64 { return NormaliseExcess(a.Pearson, a.NullMean) }

// NullDraws is the default number of rotations of a null.
const NullDraws = 50

// Align compares two symmetric matrices of the same size. The null compares QAQᵀ with B for random
// rotations Q of the features.
func Align(a, b *mat.SymDense, draws int, rng *rand.Rand) (Alignment, error) {
	d := a.SymmetricDim()
	return AlignValues(linalg.Elements(b), linalg.Elements(a), draws, func() []float64 {
		q := RandomRotation(d, rng)
		var qa, rotated mat.Dense
		qa.Mul(q, a)
		rotated.Mul(&qa, q.T())
		return rotated.RawMatrix().Data
	})
}

// AlignValues compares two lists of numbers. The null compares x with draws.
func AlignValues(x, y []float64, draws int, draw func() []float64) (Alignment, error) {
	a := Alignment{Pearson: stat.Correlation(x, y, nil),
		Cosine: floats.Dot(x, y) / (floats.Norm(x, 2) * floats.Norm(y, 2))}
	if math.IsNaN(a.Pearson) || math.IsNaN(a.Cosine) {
		return a, cnfa.ErrZero
	}
	var null []float64
	for range draws {
		null = append(null, stat.Correlation(x, draw(), nil))
	}
	a.NullMean, a.NullSD = stat.MeanStdDev(null, nil)
	return a, nil
}

// DiagonalOf returns the diagonal of a symmetric matrix.
func DiagonalOf(a *mat.SymDense) []float64 {
	out := make([]float64, a.SymmetricDim())
	for i := range out {
		out[i] = a.At(i, i)
	}
	return out
}

// MapValues returns f of every value.
func MapValues(values []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}

// RandomRotation returns a random orthogonal n×n matrix, uniformly distributed: the Q of QR of a
// Gaussian matrix, with the diagonal of R positive.
func RandomRotation(n int, rng *rand.Rand) *mat.Dense {
	var qr mat.QR
	qr.Factorize(linalg.Gaussian(rng, n, n, 1))
	var q, r mat.Dense
	qr.QTo(&q)
	qr.RTo(&r)
	for j := range n {
		if r.At(j, j) < 0 {
			for i := range n {
				q.Set(i, j, -q.At(i, j))
			}
		}
	}
	return &q
}

// NormalisedHelp explains the column of a normalised excess.
const NormalisedHelp = "excess/(1 − null), the excess as a share of the largest that is possible"

// AlignmentFields returns the columns of a table whose rows have an alignment. An excess is marked
// if it lies above the null.
func AlignmentFields[R any](alignment func(R) Alignment) []record.Field[R] {
	number := func(name, format, help string, of func(Alignment) float64) record.Field[R] {
		return record.NumberField(name, format, func(r R) float64 { return of(alignment(r)) }).WithHelp(help)
	}
	excess := number("excess", "%+.3f", "Pearson − null", Alignment.Excess)
	unmarked := excess.Cell
	excess.Cell = func(r R) report.Cell {
		a := alignment(r)
		e := a.Excess()
		if above, _ := aboveNull(&e, &a.NullSD, nil); above {
			return record.MarkedCell(unmarked(r), report.Good)
		}
		return record.MarkedCell(unmarked(r), report.Muted)
	}
	return []record.Field[R]{
		number("Pearson", "%.3f", "correlation of all elements", func(a Alignment) float64 { return a.Pearson }),
		number("null", "%.3f", "the same with one of the two rotated at random: mean",
			func(a Alignment) float64 { return a.NullMean }),
		number("± null", "%.3f", "and standard deviation, over the rotations",
			func(a Alignment) float64 { return a.NullSD }),
		excess,
		number("normalised", "%+.2f", NormalisedHelp, Alignment.NormalisedExcess),
		number("cosine", "%.3f", "not centred", func(a Alignment) float64 { return a.Cosine }),
	}
}

// Corner returns the first k rows and columns of a matrix, or all if it has fewer.
func Corner(a *mat.SymDense, k int) *mat.SymDense {
	k = min(k, a.SymmetricDim())
	out := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			out.SetSym(i, j, a.At(i, j))
		}
	}
	return out
}
