package models

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// jacobianOf is a matrix with the given singular values, n×p.
func jacobianOf(seed uint64, p int, singular ...float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	orthogonal := func(rows, cols int) *mat.Dense {
		a := mat.NewDense(rows, rows, nil)
		for i := range rows {
			for j := range rows {
				a.Set(i, j, rng.NormFloat64())
			}
		}
		var qr mat.QR
		qr.Factorize(a)
		var q mat.Dense
		qr.QTo(&q)
		return mat.DenseCopyOf(q.Slice(0, rows, 0, cols))
	}
	n := len(singular)
	var j mat.Dense
	j.Product(orthogonal(n, n), mat.NewDiagDense(n, singular), orthogonal(p, n).T())
	return &j
}

func gramOf(j *mat.Dense) *mat.SymDense {
	n, _ := j.Dims()
	g := mat.NewSymDense(n, nil)
	g.SymOuterK(1, j)
	return g
}

// Known spectra: the singular values come back, and the ranks are those by their
// definition, e^H.
func TestSpectrum(t *testing.T) {
	entropyOf := func(values ...float64) float64 {
		sum, h := 0., 0.
		for _, v := range values {
			sum += v
		}
		for _, v := range values {
			h -= v / sum * math.Log(v/sum)
		}
		return math.Exp(h)
	}
	for _, c := range []struct {
		singular       []float64
		rank           int
		effective, own float64 // of J and of the Gram
		condition      float64
	}{
		{[]float64{1, 1, 1, 1, 1}, 5, 5, 5, 1},
		{[]float64{3, 0, 0, 0}, 1, 1, 1, 1},
		{[]float64{8, 4, 2, 1}, 4, entropyOf(8, 4, 2, 1), entropyOf(64, 16, 4, 1), 8},
		{[]float64{5, 5, 1e-3, 0}, 3, entropyOf(5, 5, 1e-3), entropyOf(25, 25, 1e-6), 5e3},
	} {
		s, err := NewSpectrum(gramOf(jacobianOf(7, 30, c.singular...)), graph.Double)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.singular {
			if math.Abs(s.Singular[i]-want) > 1e-9 {
				t.Errorf("%v: singular value %d is %v", c.singular, i, s.Singular[i])
			}
		}
		if s.Rank != c.rank || math.Abs(s.EffectiveRank-c.effective) > 1e-6 ||
			math.Abs(s.EffectiveRankGram-c.own) > 1e-6 || math.Abs(s.Condition/c.condition-1) > 1e-6 {
			t.Errorf("%v: %+v, want rank %d, effective %v and %v, condition %v", c.singular, s, c.rank, c.effective,
				c.own, c.condition)
		}
	}
}

// What single precision cannot tell from 0 is 0 there and not in double.
func TestSpectrumPrecision(t *testing.T) {
	g := gramOf(jacobianOf(3, 20, 1, 1, 1e-7))
	single, err := NewSpectrum(g, graph.Single)
	if err != nil {
		t.Fatal(err)
	}
	double, err := NewSpectrum(g, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	if single.Rank != 2 || double.Rank != 3 || single.Singular[2] != 0 {
		t.Errorf("ranks %d and %d, want 2 and 3", single.Rank, double.Rank)
	}
}

func TestSpectrumNotDefined(t *testing.T) {
	for _, g := range []*mat.SymDense{{}, mat.NewSymDense(3, nil), mat.NewSymDense(2, []float64{1, 0, 0, -1})} {
		if _, err := NewSpectrum(g, graph.Single); !errors.Is(err, ErrNoSpectrum) {
			t.Errorf("%v", err)
		}
	}
	if _, err := NewSpectrum(mat.NewSymDense(1, []float64{math.NaN()}), graph.Single); !errors.Is(err,
		backend.ErrEigen) {
		t.Errorf("%v", err)
	}
}

// Against the matrices themselves: norms and products of HΘH by gonum.
func TestCompareKernels(t *testing.T) {
	a, b := gramOf(jacobianOf(1, 12, 3, 2, 1, .5)), gramOf(jacobianOf(2, 12, 2, 2, 2, 1))
	got, err := CompareKernels(a, b)
	if err != nil {
		t.Fatal(err)
	}
	h := mat.NewDense(4, 4, nil)
	for i := range 4 {
		for j := range 4 {
			h.Set(i, j, -.25)
		}
		h.Set(i, i, .75)
	}
	var ha, hb, d mat.Dense
	ha.Product(h, a, h)
	hb.Product(h, b, h)
	d.Sub(a, b)
	dot := func(x, y mat.Matrix) float64 {
		var p mat.Dense
		p.MulElem(x, y)
		return mat.Sum(&p)
	}
	for _, c := range []struct{ got, want float64 }{
		{got.Relative, mat.Norm(&d, 2) / mat.Norm(b, 2)},
		{got.Cosine, dot(a, b) / math.Sqrt(dot(a, a)*dot(b, b))},
		{got.Centred, dot(&ha, &hb) / math.Sqrt(dot(&ha, &ha)*dot(&hb, &hb))},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

// A multiple of a kernel is aligned with it; a constant is nothing once centred.
func TestCompareKernelsExtremes(t *testing.T) {
	a := gramOf(jacobianOf(1, 12, 3, 2, 1))
	twice := mat.NewSymDense(3, nil)
	twice.ScaleSym(2, a)
	c, err := CompareKernels(twice, a)
	if err != nil || math.Abs(c.Relative-1) > 1e-12 || math.Abs(c.Cosine-1) > 1e-12 || math.Abs(c.Centred-1) > 1e-12 {
		t.Errorf("%+v, %v", c, err)
	}
	ones := mat.NewSymDense(3, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
	for _, other := range []*mat.SymDense{mat.NewSymDense(3, nil), ones} {
		if _, err := CompareKernels(a, other); !errors.Is(err, ErrNoAlignment) {
			t.Errorf("%v", err)
		}
	}
	if _, err := CompareKernels(a, mat.NewSymDense(2, nil)); err == nil || errors.Is(err, ErrNoAlignment) {
		t.Errorf("other sizes: %v", err)
	}
}
