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
	// NullMean and NullSD are Pearson's correlation with one of the two rotated at
	// random: the same spectrum, no alignment.
	NullMean, NullSD float64
}

// Excess returns the Pearson correlation minus the mean of its null.
func (a Alignment) Excess() float64 { return a.Pearson - a.NullMean }

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
	x := mat.NewDense(n, n, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	var qr mat.QR
	qr.Factorize(x)
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

// AlignmentColumns returns the columns of a table of alignments.
func AlignmentColumns() []report.Column {
	return []report.Column{
		{Name: "Pearson", Numeric: true, Help: "correlation of all elements"},
		{Name: "null", Numeric: true, Help: "the same with one of the two rotated at random: mean"},
		{Name: "± null", Numeric: true, Help: "and standard deviation, over the rotations"},
		{Name: "excess", Numeric: true, Help: "Pearson − null"},
		{Name: "cosine", Numeric: true, Help: "not centred"},
	}
}

// Cells returns the cells of the alignment, marked if it lies above its null.
func (a Alignment) Cells() []report.Cell {
	mark := report.Muted
	if a.Excess() > NullDeviations*a.NullSD {
		mark = report.Good
	}
	excess := a.Excess()
	return []report.Cell{
		record.NumberCell(&a.Pearson, "%.3f"), record.NumberCell(&a.NullMean, "%.3f"),
		record.NumberCell(&a.NullSD, "%.3f"), record.MarkedCell(record.NumberCell(&excess, "%+.3f"), mark),
		record.NumberCell(&a.Cosine, "%.3f"),
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
