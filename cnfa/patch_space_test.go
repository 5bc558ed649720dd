package cnfa

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// The measures in the basis of the patch space agree with those of the d×d matrices: for filters of full rank, fewer or
// more than patch elements, for filters of which two are equal or one is zero, and for W = 0.
func TestPatchSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		for i := range r {
			for j := range c {
				m.Set(i, j, rng.NormFloat64())
			}
		}
		return m
	}
	wide, tall, dead, alike := random(5, 9), random(9, 5), random(5, 9), random(5, 9)
	dead.SetRow(2, make([]float64, 9))
	alike.SetRow(3, alike.RawRowView(1))
	for name, w := range map[string]*mat.Dense{"wide": wide, "tall": tall, "dead": dead, "alike": alike,
		"zero": mat.NewDense(5, 9, nil)} {
		c, d := w.Dims()
		s, change := backend.Gram(random(2*c, c)), random(c, d)
		f := newFilters(w)
		a := congruence(w, s) // d×d
		core := s
		if d < c {
			core = a
		}
		space, err := f.space(&reduced{patches: d < c})
		if err != nil {
			t.Fatal(err)
		}
		near := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
				t.Errorf("%s: %s is %v, want %v", name, what, got, want)
			}
		}
		got := space.self(space.agop(core))
		near("⟨A, A⟩", got.norm2, frobenius2(a))
		near("1ᵀA1", got.sum, mat.Sum(a))
		of, err := newSpectrum(space.agop(core), space.ones, doubleRounding)
		if err != nil {
			t.Fatal(err)
		}
		block := &cnfmBlock{f: f, d: change}
		near("⟨M, A⟩", traceProduct(space.cnfm(block), space.agop(core)), mat.Trace(product(backend.Gram(change), a)))
		inner, root := of.power(.5, of.products(space.cnfm(block)))
		values, v, err := backend.EigenSym(a, true)
		if err != nil {
			t.Fatal(err)
		}
		var half mat.Dense
		scaleColumns(v, values, func(x float64) float64 { return math.Sqrt(math.Sqrt(x)) })
		half.Mul(v, v.T())
		near("⟨M, A^½⟩", inner, mat.Trace(product(backend.Gram(change), symmetric(&half))))
		near("1ᵀA^½1", root.sum, mat.Sum(&half))
	}
}
