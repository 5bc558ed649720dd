package experiments

import (
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// alignment is how alike two matrices, or two diagonals, are.
type alignment struct {
	pearson, cosine float64
	// nullMean and nullSD are Pearson's correlation with one of the two rotated at
	// random: the same spectrum, no alignment.
	nullMean, nullSD float64
}

func (a alignment) excess() float64 { return a.pearson - a.nullMean }

// nullDraws is how many rotations a null has unless told.
const nullDraws = 50

// align compares two symmetric matrices of the same size, with QAQᵀ in place of A
// for random rotations Q of the features as the null.
func align(a, b *mat.SymDense, draws int, rng *rand.Rand) (alignment, error) {
	d := a.SymmetricDim()
	return measured(elements(b), elements(a), draws, func() []float64 {
		q := randomRotation(d, rng)
		var qa, rotated mat.Dense
		qa.Mul(q, a)
		rotated.Mul(&qa, q.T())
		return rotated.RawMatrix().Data
	})
}

// measured compares two lists, and the first with draws in place of the second.
func measured(x, y []float64, draws int, draw func() []float64) (alignment, error) {
	a := alignment{pearson: stat.Correlation(x, y, nil), cosine: floats.Dot(x, y) / (floats.Norm(x, 2) * floats.Norm(y, 2))}
	if math.IsNaN(a.pearson) || math.IsNaN(a.cosine) {
		return a, cnfa.ErrZero
	}
	var null []float64
	for range draws {
		null = append(null, stat.Correlation(x, draw(), nil))
	}
	a.nullMean, a.nullSD = stat.MeanStdDev(null, nil)
	return a, nil
}

// elements are all elements of a symmetric matrix, by rows.
func elements(a *mat.SymDense) []float64 { return mat.DenseCopyOf(a).RawMatrix().Data }

// diagonalOf is the diagonal of a symmetric matrix.
func diagonalOf(a *mat.SymDense) []float64 {
	out := make([]float64, a.SymmetricDim())
	for i := range out {
		out[i] = a.At(i, i)
	}
	return out
}

// mapValues is f of every value.
func mapValues(values []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}

// randomRotation is a rotation or reflection, uniformly distributed: the Q of QR
// of a Gaussian matrix, with the diagonal of R positive.
func randomRotation(n int, rng *rand.Rand) *mat.Dense {
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

// alignmentColumns are the columns of a table of alignments.
func alignmentColumns() []report.Column {
	return []report.Column{
		{Name: "Pearson", Numeric: true, Help: "correlation of all elements"},
		{Name: "null", Numeric: true, Help: "the same with one of the two rotated at random: mean"},
		{Name: "± null", Numeric: true, Help: "and standard deviation, over the rotations"},
		{Name: "excess", Numeric: true, Help: "Pearson − null"},
		{Name: "cosine", Numeric: true, Help: "not centred"},
	}
}

// cells are an alignment's, marked where it lies above its null.
func (a alignment) cells() []report.Cell {
	mark := report.Muted
	if a.excess() > aboveNull*a.nullSD {
		mark = report.Good
	}
	excess := a.excess()
	return []report.Cell{
		numberCell(&a.pearson, "%.3f"), numberCell(&a.nullMean, "%.3f"), numberCell(&a.nullSD, "%.3f"), markedCell(numberCell(&excess, "%+.3f"), mark), numberCell(&a.cosine, "%.3f"),
	}
}

// corner is the first rows and columns of a matrix, k of each at most.
func corner(a *mat.SymDense, k int) *mat.SymDense {
	k = min(k, a.SymmetricDim())
	out := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			out.SetSym(i, j, a.At(i, j))
		}
	}
	return out
}
