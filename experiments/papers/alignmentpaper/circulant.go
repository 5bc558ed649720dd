package alignmentpaper

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// direction is the direction of the wrapped diagonals of a p×p matrix: elements (i, j) with the same j − i modulo p, or
// with the same i + j.
type direction int

const (
	alongDifference direction = 1  // diagonals of equal j − i: a circulant matrix is constant along them
	alongSum        direction = -1 // diagonals of equal i + j: a Hankel matrix is constant along them
)

// wrappedDiagonal returns the elements of a square matrix on wrapped diagonal k.
func (d direction) wrappedDiagonal(a mat.Matrix, k int) []float64 {
	p, _ := a.Dims()
	out := make([]float64, p)
	for i := range p {
		out[i] = a.At(i, ((k+int(d)*i)%p+p)%p)
	}
	return out
}

// means returns the mean of every wrapped diagonal: the numbers of the nearest matrix that is constant along them.
func (d direction) means(a mat.Matrix) []float64 {
	p, _ := a.Dims()
	out := make([]float64, p)
	for k := range out {
		out[k] = stat.Mean(d.wrappedDiagonal(a, k), nil)
	}
	return out
}

// deviation returns the circulant deviation of a square matrix (arXiv 2407.20199, section 3): the sum of squares by
// which elements differ from the means of their wrapped diagonals, over the sum of all squares. It is 0 for a matrix
// that is constant along them, about 1 for one of independent elements of mean 0, and NaN for 0.
func (d direction) deviation(a mat.Matrix) float64 {
	norm := mat.Norm(a, 2)
	sum := 0.
	for k, mean := range d.means(a) {
		for _, v := range d.wrappedDiagonal(a, k) {
			sum += (v - mean) * (v - mean)
		}
	}
	return sum / (norm * norm)
}

// circularity holds the deviations of a matrix from circulant and from Hankel. Null and NullSD are mean and standard
// deviation of the lesser of both over matrices whose rows and columns were permuted at random.
type circularity struct{ Circulant, Hankel, Null, NullSD float64 }

// least returns the lesser deviation. The paper calls both kinds of matrices circulant.
func (c circularity) least() float64 { return min(c.Circulant, c.Hankel) }

// belowNull returns how far the lesser deviation is below its null.
func (c circularity) belowNull() float64 { return c.Null - c.least() }

// circularityOf measures a square matrix.
func circularityOf(a *mat.Dense, draws int, rng *rand.Rand) circularity {
	c := circularity{Circulant: alongDifference.deviation(a), Hankel: alongSum.deviation(a)}
	var null []float64
	for range draws {
		b := permuted(a, rng)
		null = append(null, min(alongDifference.deviation(b), alongSum.deviation(b)))
	}
	c.Null, c.NullSD = stat.MeanStdDev(null, nil)
	return c
}

// permuted returns the matrix with its rows and its columns in random orders.
func permuted(a *mat.Dense, rng *rand.Rand) *mat.Dense {
	n, m := a.Dims()
	rows, columns := rng.Perm(n), rng.Perm(m)
	out := mat.NewDense(n, m, nil)
	for i, r := range rows {
		for j, c := range columns {
			out.Set(i, j, a.At(r, c))
		}
	}
	return out
}

// frequencyShares returns the shares of the sum of squares of a square matrix that lie in the frequencies 0 to p/2 of
// the nearest matrix that is constant along wrapped diagonals. They add up to 1 less the deviation.
func (d direction) frequencyShares(a mat.Matrix) []float64 {
	means := d.means(a)
	p, norm := len(means), mat.Norm(a, 2)
	shares := make([]float64, p/2+1)
	for k, v := range fourier.NewFFT(p).Coefficients(nil, means) {
		shares[k] = (real(v)*real(v) + imag(v)*imag(v)) / (norm * norm)
		if k > 0 && 2*k != p {
			shares[k] *= 2 // frequency p − k has the same share
		}
	}
	return shares
}

// leastDirection returns the direction of the lesser deviation.
func leastDirection(a mat.Matrix) direction {
	if alongSum.deviation(a) < alongDifference.deviation(a) {
		return alongSum
	}
	return alongDifference
}

// usedFrequencies returns the effective number (Σe)²/Σe² of frequencies above 0 with the shares e, as a share of all of
// them: 1 if all have the same share, and little if a few have all.
func usedFrequencies(shares []float64) float64 {
	sum, squares := 0., 0.
	for _, e := range shares[1:] {
		sum += e
		squares += e * e
	}
	return sum * sum / squares / float64(len(shares)-1)
}

// crossBlock returns the lower left p×p block of a 2p×2p matrix: rows of the second number, columns of the first.
func crossBlock(m *mat.SymDense) *mat.Dense {
	p := m.SymmetricDim() / 2
	return mat.DenseCopyOf(mat.DenseCopyOf(m).Slice(p, 2*p, 0, p))
}

// relabelled returns a 2p×2p matrix with the values of either number renamed at random: the same permutation of rows and
// columns, one in each half.
func relabelled(m *mat.SymDense, rng *rand.Rand) *mat.SymDense {
	p := m.SymmetricDim() / 2
	order := rng.Perm(p)
	for _, k := range rng.Perm(p) {
		order = append(order, p+k)
	}
	out := mat.NewSymDense(2*p, nil)
	for i := range order {
		for j := i; j < len(order); j++ {
			out.SetSym(i, j, m.At(order[i], order[j]))
		}
	}
	return out
}

// randomCirculant returns the paper's M* (section 3): a random matrix that is constant along wrapped diagonals in the
// blocks off the diagonal, I − 11ᵀ/p in the others.
func (d direction) randomCirculant(p int, rng *rand.Rand) *mat.SymDense {
	column := make([]float64, p)
	for i := range column {
		column[i] = rng.Float64()
	}
	mean := stat.Mean(column, nil)
	m := mat.NewSymDense(2*p, nil)
	for i := range p {
		for j := range p {
			m.SetSym(i, p+j, column[(i-int(d)*j+p)%p]-mean)
			if j < i {
				continue
			}
			v := -1 / float64(p)
			if i == j {
				v++
			}
			m.SetSym(i, j, v)
			m.SetSym(p+i, p+j, v)
		}
	}
	return m
}
