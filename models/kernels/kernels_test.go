package kernels

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// jacobianOf returns a random n×p matrix with the n given singular values.
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

// TestSpectrum checks kernels of known spectra: the singular values, the rank, the condition number, and the effective
// ranks against their definition e^H.
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
		effective, own float64 // effective ranks of J and of its Gram matrix
		condition      float64
	}{
		{[]float64{1, 1, 1, 1, 1}, 5, 5, 5, 1},
		{[]float64{3, 0, 0, 0}, 1, 1, 1, 1},
		{[]float64{8, 4, 2, 1}, 4, entropyOf(8, 4, 2, 1), entropyOf(64, 16, 4, 1), 8},
		{[]float64{5, 5, 1e-3, 0}, 3, entropyOf(5, 5, 1e-3), entropyOf(25, 25, 1e-6), 5e3},
	} {
		s, err := NewSpectrum(Kernel{gramOf(jacobianOf(7, 30, c.singular...))}, graph.Double)
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

// TestSpectrumPrecision checks that a singular value that single precision cannot tell from 0 counts as 0 in single
// precision but not in double.
func TestSpectrumPrecision(t *testing.T) {
	g := Kernel{gramOf(jacobianOf(3, 20, 1, 1, 1e-7))}
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
		if _, err := NewSpectrum(Kernel{g}, graph.Single); !errors.Is(err, ErrNoSpectrum) {
			t.Errorf("%v", err)
		}
	}
	if _, err := NewSpectrum(Kernel{mat.NewSymDense(1, []float64{math.NaN()})}, graph.Single); !errors.Is(err,
		backend.ErrEigen) {
		t.Errorf("%v", err)
	}
}

// TestCompare compares the measures with norms and inner products of the matrices Θ and HΘH, computed by gonum.
func TestCompare(t *testing.T) {
	a, b := gramOf(jacobianOf(1, 12, 3, 2, 1, .5)), gramOf(jacobianOf(2, 12, 2, 2, 2, 1))
	got, err := Compare(Kernel{a}, Kernel{b})
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

// A multiple of a kernel has cosine 1 with it. A constant kernel is 0 after centring, so its alignment is not defined,
// and neither is that of a kernel of zeros.
func TestCompareExtremes(t *testing.T) {
	a := gramOf(jacobianOf(1, 12, 3, 2, 1))
	twice := mat.NewSymDense(3, nil)
	twice.ScaleSym(2, a)
	c, err := Compare(Kernel{twice}, Kernel{a})
	if err != nil || math.Abs(c.Relative-1) > 1e-12 || math.Abs(c.Cosine-1) > 1e-12 || math.Abs(c.Centred-1) > 1e-12 {
		t.Errorf("%+v, %v", c, err)
	}
	ones := mat.NewSymDense(3, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
	for _, other := range []*mat.SymDense{mat.NewSymDense(3, nil), ones} {
		if _, err := Compare(Kernel{a}, Kernel{other}); !errors.Is(err, ErrNoAlignment) {
			t.Errorf("%v", err)
		}
	}
	if _, err := Compare(Kernel{a}, Kernel{mat.NewSymDense(2, nil)}); err == nil || errors.Is(err, ErrNoAlignment) {
		t.Errorf("other sizes: %v", err)
	}
}

// blockDiagonal returns the matrix with the blocks of a kernel on its diagonal.
func blockDiagonal(k Kernel) *mat.SymDense {
	all, at := mat.NewSymDense(k.Rows(), nil), 0
	for _, b := range k {
		n := b.SymmetricDim()
		for i := range n {
			for j := i; j < n; j++ {
				all.SetSym(at+i, at+j, b.At(i, j))
			}
		}
		at += n
	}
	return all
}

// TestBlocks checks that a kernel of blocks has the spectrum of the matrix with these blocks on its diagonal, and that
// two such kernels differ as these matrices do. Only centring differs: each block is centred on its own.
func TestBlocks(t *testing.T) {
	a := Kernel{gramOf(jacobianOf(1, 12, 3, 2, 1e-9)), gramOf(jacobianOf(2, 12, 4, 1, .5))}
	b := Kernel{gramOf(jacobianOf(3, 12, 2, 2, 1)), gramOf(jacobianOf(4, 12, 5, .1, .2))}
	got, err := NewSpectrum(a, graph.Single)
	want, err2 := NewSpectrum(Kernel{blockDiagonal(a)}, graph.Single)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if !floats.EqualApprox(got.Singular, want.Singular, 1e-12) || got.Rank != 5 || want.Rank != 5 ||
		math.Abs(got.EffectiveRank-want.EffectiveRank) > 1e-12 || math.Abs(got.Condition-8) > 1e-9 {
		t.Errorf("%+v, want %+v", got, want)
	}
	change, err := Compare(a, b)
	whole, err2 := Compare(Kernel{blockDiagonal(a)}, Kernel{blockDiagonal(b)})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if math.Abs(change.Relative-whole.Relative) > 1e-12 || math.Abs(change.Cosine-whole.Cosine) > 1e-12 {
		t.Errorf("%+v, want %+v", change, whole)
	}
	centre := func(k Kernel) Kernel {
		var all Kernel
		h := mat.NewDense(3, 3, []float64{2. / 3, -1. / 3, -1. / 3, -1. / 3, 2. / 3, -1. / 3, -1. / 3, -1. / 3, 2. / 3})
		for _, b := range k {
			var c mat.Dense
			c.Product(h, b, h)
			all = append(all, mat.NewSymDense(3, c.RawMatrix().Data))
		}
		return all
	}
	if c, err := Compare(centre(a), centre(b)); err != nil || math.Abs(c.Cosine-change.Centred) > 1e-12 {
		t.Errorf("centred %v, want %v (%v)", change.Centred, c, err)
	}
	if _, err := Compare(a, b[:1]); err == nil || errors.Is(err, ErrNoAlignment) {
		t.Errorf("another number of blocks: %v", err)
	}
}

// TestForms checks that the sizes of the blocks tell the form of a kernel, and that values can be turned into vectors
// and back.
func TestForms(t *testing.T) {
	const images, outputs = 4, 3
	one := gramOf(jacobianOf(1, 12, 3, 2, 1, .5))
	values := mat.NewDense(images, outputs, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	for _, f := range []Form{Full, Trace, Diagonal} {
		k := f.Independent(one, outputs)
		if found, err := k.FormOf(images, outputs); err != nil || found != f {
			t.Errorf("%v is taken for %v (%v)", f, found, err)
		}
		if parsed, err := ParseForm(f.String()); err != nil || parsed != f {
			t.Errorf("%v is read as %v (%v)", f, parsed, err)
		}
		vectors := f.Vectors(values)
		if !mat.Equal(f.Values(vectors, outputs), values) {
			t.Errorf("%v: values do not come back", f)
		}
		// For independent outputs every form multiplies as K ⊗ I does.
		rows, n := vectors.Dims()
		products, multiplied := mat.NewDense(rows, n, nil), 0
		f.Each(outputs, func(b, first, last int) {
			multiplied += last - first
			var p mat.Dense
			p.Mul(vectors.Slice(first, last, 0, n), k[b])
			products.Slice(first, last, 0, n).(*mat.Dense).Copy(&p)
		})
		var want mat.Dense
		want.Mul(one, values)
		if multiplied != rows || !mat.EqualApprox(f.Values(products, outputs), &want, 1e-12) {
			t.Errorf("%v: the product is %v, want %v", f, f.Values(products, outputs), want)
		}
	}
	if _, err := (Kernel{one, one}).FormOf(images, outputs); err == nil {
		t.Error("two blocks for three outputs are accepted")
	}
	if _, err := ParseForm("diag"); err == nil {
		t.Error("the form diag is accepted")
	}
}
