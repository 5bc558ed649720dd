package rfm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// hyper is a hyper basis function network by its formulas, in plain loops. The tests compare the compiled network with
// it.
type hyper struct {
	laplace bool
	l       float64 // bandwidth
	w, t, c *mat.Dense
}

// basis returns the basis function G and its derivative G′ in the squared distance.
func (h hyper) basis(squared float64) (g, slope float64) {
	if h.laplace {
		r := math.Sqrt(squared)
		g = math.Exp(-r / h.l)
		if r == 0 {
			return g, 0
		}
		return g, -g / (2 * r * h.l)
	}
	l := 2 * h.l * h.l // the L of the paper's appendix
	g = math.Exp(-squared / l)
	return g, -g / l
}

// squared returns ‖x − t_a‖²_W.
func (h hyper) squared(x []float64, a int) float64 {
	diff := mat.NewVecDense(len(x), append([]float64(nil), x...))
	diff.SubVec(diff, h.t.RowView(a))
	var wd mat.VecDense
	wd.MulVec(h.w, diff)
	return mat.Dot(&wd, &wd)
}

// residuals returns Δ (paper hyperbf, eq. 11), n×outputs.
func (h hyper) residuals(x, y *mat.Dense) *mat.Dense {
	n, outputs := y.Dims()
	k, _ := h.t.Dims()
	delta := mat.DenseCopyOf(y)
	for i := range n {
		for a := range k {
			g, _ := h.basis(h.squared(x.RawRowView(i), a))
			for o := range outputs {
				delta.Set(i, o, delta.At(i, o)-h.c.At(a, o)*g)
			}
		}
	}
	return delta
}

// loss returns H/n.
func (h hyper) loss(x, y *mat.Dense) float64 {
	delta := h.residuals(x, y)
	n, _ := y.Dims()
	norm := mat.Norm(delta, 2)
	return norm * norm / float64(n)
}

// gradients returns the gradients of H in W, t and c by eqs. 10, 9 and 8 of paper hyperbf, with G′ in place of a
// misprint, summed over outputs.
func (h hyper) gradients(x, y *mat.Dense) (w, t, c *mat.Dense) {
	n, outputs := y.Dims()
	k, d := h.t.Dims()
	var m mat.Dense
	m.Mul(h.w.T(), h.w)
	delta, s := h.residuals(x, y), mat.NewDense(d, d, nil)
	t, c = mat.NewDense(k, d, nil), mat.NewDense(k, outputs, nil)
	for i := range n {
		for a := range k {
			g, slope := h.basis(h.squared(x.RawRowView(i), a))
			weight := 0. // Σ over outputs of c_α Δᵢ, times G′
			for o := range outputs {
				weight += h.c.At(a, o) * delta.At(i, o) * slope
				c.Set(a, o, c.At(a, o)-2*delta.At(i, o)*g)
			}
			diff := mat.NewVecDense(d, append([]float64(nil), x.RawRowView(i)...))
			diff.SubVec(diff, h.t.RowView(a))
			s.RankOne(s, weight, diff, diff)
			var pulled mat.VecDense
			pulled.MulVec(&m, diff)
			for j := range d {
				t.Set(a, j, t.At(a, j)+4*weight*pulled.AtVec(j))
			}
		}
	}
	w = new(mat.Dense)
	w.Mul(h.w, s)
	w.Scale(-4, w)
	return w, t, c
}

// hyperExamples returns n random examples of d features and two random targets.
func hyperExamples(n, d int, seed uint64) (x, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	return normal(rng, n, d), normal(rng, n, 2)
}

// kernel returns the matrix of the basis functions at the rows of x.
func (h hyper) kernel(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	k, _ := h.t.Dims()
	out := mat.NewDense(n, k, nil)
	out.Apply(func(i, a int, _ float64) float64 {
		g, _ := h.basis(h.squared(x.RawRowView(i), a))
		return g
	}, out)
	return out
}

func solveByHand(t *testing.T, k, y *mat.Dense, ridge float64) *mat.Dense {
	t.Helper()
	n, _ := k.Dims()
	a := mat.DenseCopyOf(k)
	for i := range n {
		a.Set(i, i, a.At(i, i)+ridge)
	}
	var c mat.Dense
	if err := c.Solve(a, y); err != nil {
		t.Fatal(err)
	}
	return &c
}
