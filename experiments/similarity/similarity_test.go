package similarity

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// symmetric returns AAᵀ + I/2 for a random matrix A of d rows and rank columns.
func symmetric(rng *rand.Rand, d, rank int) *mat.SymDense {
	a := mat.NewDense(d, rank, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() + .3 }, a)
	s := mat.NewSymDense(d, nil)
	s.SymOuterK(1, a)
	for i := range d {
		s.SetSym(i, i, s.At(i, i)+.5)
	}
	return s
}

// rotated returns QAQᵀ for a uniformly random orthogonal Q.
func rotated(rng *rand.Rand, a *mat.SymDense) *mat.SymDense {
	d := a.SymmetricDim()
	g := mat.NewDense(d, d, nil)
	g.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, g)
	var qr mat.QR
	qr.Factorize(g)
	var q, r, out mat.Dense
	qr.QTo(&q)
	qr.RTo(&r)
	for j := range d { // signs that make Q uniform
		if r.At(j, j) < 0 {
			for i := range d {
				q.Set(i, j, -q.At(i, j))
			}
		}
	}
	out.Product(&q, a, q.T())
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			s.SetSym(i, j, out.At(i, j))
		}
	}
	return s
}

// The normalised excess is 0 at the null and 1 for equal matrices. It is undefined if the null is 1.
func TestNormaliseExcess(t *testing.T) {
	for _, c := range []struct{ p, null, want float64 }{
		{.8, .8, 0}, {1, .8, 1}, {.9, .8, .5}, {.7, .8, -.5}, {1, 1, math.NaN()}, {math.NaN(), .5, math.NaN()},
	} {
		got := NormaliseExcess(c.p, c.null)
		if !(math.Abs(got-c.want) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v over %v: %v, want %v", c.p, c.null, got, c.want)
		}
	}
}

// A record has the powers that were measured, and always the power 1. Others are NaN.
func TestPower(t *testing.T) {
	r := NewAnsatzRecord(cnfa.Ansatz{Similarity: cnfa.Similarity{Pearson: .9, PearsonNull: .7,
		Powers: []cnfa.PowerSimilarity{{Exponent: .5, Pearson: .95, PearsonNull: .9, PearsonNullSD: .01}}}})
	if got := r.Power(.5); got != (PowerRecord{.5, .95, .9, .01}) {
		t.Errorf("%+v", got)
	}
	if got := r.Power(1); got.Pearson != .9 || got.PearsonNull != .7 {
		t.Errorf("%+v", got)
	}
	if got := r.Power(2); !math.IsNaN(got.Pearson) {
		t.Errorf("not measured: %+v", got)
	}
	if got := r.NormalisedExcess(); math.Abs(got-2./3) > 1e-12 {
		t.Errorf("normalised %v", got)
	}
}

// TestAlike compares the nulls with those of many random rotations, and the similarities with those computed from the
// elements.
func TestAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, d := range []int{3, 12, 30} {
		a, b := symmetric(rng, d, 2), symmetric(rng, d, d)
		r := Compare(a, b)
		if want := stat.Correlation(mat.DenseCopyOf(a).RawMatrix().Data, mat.DenseCopyOf(b).RawMatrix().Data,
			nil); math.Abs(*r.Pearson-want) > 1e-12 {
			t.Errorf("d = %d: Pearson %v, want %v", d, *r.Pearson, want)
		}
		var ab mat.Dense
		ab.Mul(a, b)
		if want := mat.Trace(&ab) / (mat.Norm(a, 2) * mat.Norm(b, 2)); math.Abs(*r.Cosine-want) > 1e-12 {
			t.Errorf("d = %d: cosine %v, want %v", d, *r.Cosine, want)
		}
		var pearson, cosine []float64
		for range 4000 {
			q := Compare(rotated(rng, a), b)
			pearson, cosine = append(pearson, *q.Pearson), append(cosine, *q.Cosine)
		}
		for _, c := range []struct {
			name     string
			draws    []float64
			mean, sd float64
			slack    float64 // relative error, as the null of Pearson replaces a variance by its mean
		}{{"Pearson", pearson, *r.PearsonNull, *r.PearsonNullSD, .5 / float64(d)},
			{"cosine", cosine, *r.CosineNull, *r.CosineNullSD, 0}} {
			mean, sd := stat.MeanStdDev(c.draws, nil)
			if math.Abs(mean-c.mean) > 4*sd/math.Sqrt(4000)+c.slack*math.Abs(mean) ||
				math.Abs(sd/c.sd-1) > .06+c.slack {
				t.Errorf("d = %d: the null of %s is %.4f ± %.4f, drawn %.4f ± %.4f", d, c.name, c.mean, c.sd, mean, sd)
			}
		}
	}
	zero := Compare(mat.NewSymDense(4, nil), symmetric(rng, 4, 2))
	if zero.Pearson != nil || zero.Cosine != nil || zero.PearsonNull != nil {
		t.Errorf("of zeros: %+v", zero)
	}
	for _, scale := range []float64{.1, .2, .3} {
		isotropic := mat.NewSymDense(7, nil)
		for i := range 7 {
			isotropic.SetSym(i, i, scale)
		}
		if excess, sds := Compare(isotropic, symmetric(rng, 7, 2)).Excess(); !math.IsNaN(excess) || !math.IsNaN(sds) {
			t.Errorf("of a matrix that no rotation changes: excess %v, %v deviations", excess, sds)
		}
	}
	if one := Compare(symmetric(rng, 1, 1), symmetric(rng, 1, 1)); one.CosineNullSD != nil ||
		math.Abs(*one.Cosine-1) > 1e-12 {
		t.Errorf("of one element: %+v", one)
	}
}

// The null of block-diagonal matrices is that of random rotations of each block by itself. The cosine is that of the
// whole matrices.
func TestCompareBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var a, b []*mat.SymDense
	for _, d := range []int{3, 3, 7} {
		a, b = append(a, symmetric(rng, d, 2)), append(b, symmetric(rng, d, d))
	}
	r := CompareBlocks(a, b)
	dot, x, y := 0., 0., 0.
	for i := range a {
		var ab mat.Dense
		ab.Mul(a[i], b[i])
		dot, x, y = dot+mat.Trace(&ab), x+math.Pow(mat.Norm(a[i], 2), 2), y+math.Pow(mat.Norm(b[i], 2), 2)
	}
	if want := dot / math.Sqrt(x*y); math.Abs(*r.Cosine-want) > 1e-12 || r.Pearson != nil {
		t.Errorf("cosine %v, want %v", *r.Cosine, want)
	}
	var draws []float64
	for range 4000 {
		var turned []*mat.SymDense
		for _, m := range a {
			turned = append(turned, rotated(rng, m))
		}
		draws = append(draws, *CompareBlocks(turned, b).Cosine)
	}
	mean, sd := stat.MeanStdDev(draws, nil)
	if math.Abs(mean-*r.CosineNull) > 4*sd/math.Sqrt(4000) || math.Abs(sd / *r.CosineNullSD - 1) > .06 {
		t.Errorf("the null is %.4f ± %.4f, drawn %.4f ± %.4f", *r.CosineNull, *r.CosineNullSD, mean, sd)
	}
}
