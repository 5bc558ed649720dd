package alignmentpaper

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// wrapped returns the matrix whose element (i, j) is f of j − i, or of i + j for the other direction, modulo p.
func wrapped(p int, d direction, f func(k int) float64) *mat.Dense {
	a := mat.NewDense(p, p, nil)
	for i := range p {
		for j := range p {
			a.Set(i, j, f(((j-int(d)*i)%p+p)%p))
		}
	}
	return a
}

func gaussian(rows, columns int) *mat.Dense {
	rng := models.Stream(1, "test")
	a := mat.NewDense(rows, columns, nil)
	for i := range rows {
		for j := range columns {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	return a
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// A circulant matrix has deviation 0 along the differences j − i, a Hankel matrix along the sums i + j, and a constant
// matrix along both. The deviation of a random matrix is 1 − 1/p, the share of the degrees of freedom that is left
// after the means of its wrapped diagonals.
func TestDeviation(t *testing.T) {
	const p = 41
	f := func(k int) float64 { return math.Sin(float64(k * k)) }
	near(t, "deviation of a circulant matrix", alongDifference.deviation(wrapped(p, alongDifference, f)), 0, 1e-12)
	near(t, "deviation of a Hankel matrix", alongSum.deviation(wrapped(p, alongSum, f)), 0, 1e-12)
	for _, d := range []direction{alongDifference, alongSum} {
		if v := d.deviation(wrapped(p, -d, f)); v < .9 {
			t.Errorf("%d: deviation of the other kind of matrix is %v", d, v)
		}
		near(t, "deviation of a constant matrix", d.deviation(wrapped(p, d, func(int) float64 { return 3 })), 0, 1e-12)
		near(t, "deviation of a random matrix", d.deviation(gaussian(p, p)), 1-1./p, .03)
		if v := d.deviation(mat.NewDense(3, 3, nil)); !math.IsNaN(v) {
			t.Errorf("deviation of 0 is %v", v)
		}
	}
}

// The deviation is the one of the paper: row i is shifted by i places, and the sum of the variances of the columns is
// divided by ‖A‖². After shifts to the right the columns are the diagonals of constant i + j, after shifts to the left
// those of constant j − i.
func TestDeviationByShifts(t *testing.T) {
	const p = 6
	a := gaussian(p, p)
	for _, d := range []direction{alongDifference, alongSum} {
		sum, squares := 0., 0.
		for column := range p {
			var mean float64
			shifted := make([]float64, p)
			for i := range p {
				shifted[i] = a.At(i, (column+int(d)*i+p*p)%p)
				mean += shifted[i] / p
			}
			for _, v := range shifted {
				sum += (v - mean) * (v - mean)
				squares += v * v
			}
		}
		near(t, "deviation", d.deviation(a), sum/squares, 1e-12)
	}
}

// The null of a matrix that is constant along wrapped diagonals is near the deviation of a random matrix. A random
// matrix lies near its own null.
func TestCircularity(t *testing.T) {
	const p = 31
	a := wrapped(p, alongSum, func(k int) float64 { return math.Cos(float64(3 * k * k)) })
	c := circularityOf(a, 10, models.Stream(1, "null"))
	near(t, "the lesser deviation", c.least(), 0, 1e-12)
	if c.Hankel > c.Circulant || c.Null < .9 || c.NullSD > .05 || c.belowNull() < .9 {
		t.Errorf("%+v", c)
	}
	near(t, "noise below its null", circularityOf(gaussian(p, p), 20, models.Stream(1, "null")).belowNull(), 0, .05)
}

// A wave has its whole energy in one frequency. For any matrix, the shares of the frequencies add up to 1 minus its
// deviation.
func TestFrequencyShares(t *testing.T) {
	for _, p := range []int{11, 12} {
		for _, d := range []direction{alongDifference, alongSum} {
			wave := wrapped(p, d, func(k int) float64 { return math.Cos(2*math.Pi*3*float64(k)/float64(p) + .4) })
			for k, v := range d.frequencyShares(wave) {
				want := 0.
				if k == 3 {
					want = 1
				}
				near(t, "the share of a frequency", v, want, 1e-12)
			}
			near(t, "the used share of frequencies", usedFrequencies(d.frequencyShares(wave)), 1/float64(p/2), 1e-9)
			a, sum := gaussian(p, p), 0.
			for _, v := range d.frequencyShares(a) {
				sum += v
			}
			near(t, "the sum of shares", sum, 1-d.deviation(a), 1e-12)
		}
	}
	near(t, "the used share of even shares", usedFrequencies([]float64{9, .2, .2, .2}), 1, 1e-12)
}

// The random metric has a circulant block of mean 0 off the diagonal, and I − 11ᵀ/p on it. After its coordinates are
// relabelled, the spectrum and the diagonal blocks are the same, but the block off the diagonal is not circulant.
func TestRandomCirculant(t *testing.T) {
	const p = 13
	rng := models.Stream(1, "circulant")
	near(t, "the deviation of a Hankel block", alongSum.deviation(crossBlock(alongSum.randomCirculant(p, rng))), 0, 1e-12)
	m := alongDifference.randomCirculant(p, rng)
	renamed := relabelled(m, rng)
	near(t, "the deviation of the block", alongDifference.deviation(crossBlock(m)), 0, 1e-12)
	near(t, "the sum of the block", mat.Sum(crossBlock(m)), 0, 1e-12)
	if c := circularityOf(crossBlock(renamed), 5, rng); c.least() < .5 {
		t.Errorf("the renamed block deviates by %v", c.least())
	}
	for _, a := range []*mat.SymDense{m, renamed} {
		for i := range p {
			for j := range p {
				want := -1. / p
				if i == j {
					want++
				}
				near(t, "an element of the first block", a.At(i, j), want, 1e-12)
				near(t, "an element of the last block", a.At(p+i, p+j), want, 1e-12)
			}
		}
	}
	var e, f mat.EigenSym
	if !e.Factorize(m, false) || !f.Factorize(renamed, false) {
		t.Fatal("no eigenvalues")
	}
	other := f.Values(nil)
	for i, v := range e.Values(nil) {
		near(t, "an eigenvalue", other[i], v, 1e-9)
	}
}
