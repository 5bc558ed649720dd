package similarity

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"gonum.org/v1/gonum/mat"
)

func TestAlign(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	one := mat.NewSymDense(12, nil)
	one.SetSym(0, 0, 1)
	other := mat.NewSymDense(12, nil)
	other.SetSym(5, 5, 1)
	a, err := Align(one, one, 200, rng)
	if err != nil || math.Abs(a.Pearson-1) > 1e-12 || math.Abs(a.Cosine-1) > 1e-12 {
		t.Errorf("with itself: %+v, %v", a, err)
	}
	// The first element of a random unit vector in 12 dimensions has the mean square 1/12. This is the mean of the
	// cosine. The mean of the Pearson correlation is about (1/12 − 1/144) / (1 − 1/144).
	if want := (1./12 - 1./144) / (1 - 1./144); math.Abs(a.NullMean-want) > 5*a.NullSD/math.Sqrt(200) {
		t.Errorf("null %.4f ± %.4f, want %.4f", a.NullMean, a.NullSD, want)
	}
	if b, err := Align(one, other, 50, rng); err != nil || b.Pearson > 0 || b.Cosine != 0 {
		t.Errorf("with another: %+v, %v", b, err)
	}
	if _, err := Align(mat.NewSymDense(3, nil), mat.NewSymDense(3, nil), 2, rng); !errors.Is(err,
		cnfa.ErrZero) {
		t.Errorf("of zeros: %v", err)
	}
}

func TestRandomRotation(t *testing.T) {
	q := RandomRotation(9, rand.New(rand.NewPCG(3, 4)))
	var qq mat.Dense
	qq.Mul(q, q.T())
	if !mat.EqualApprox(&qq, mat.NewDiagDense(9, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}), 1e-12) {
		t.Error("QQᵀ is not I")
	}
}

func TestNormalisedExcess(t *testing.T) {
	if got := (Alignment{Pearson: .8, NullMean: .6}).NormalisedExcess(); math.Abs(got-.5) > 1e-12 {
		t.Errorf("%v, want .5", got)
	}
}
