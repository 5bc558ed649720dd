package cnfa

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// densePower returns a^α, computed from the eigenvectors of a, d×d.
func densePower(t *testing.T, a *mat.Dense, alpha float64) *mat.Dense {
	t.Helper()
	d, _ := a.Dims()
	var e mat.EigenSym
	if !e.Factorize(symmetric(a), true) {
		t.Fatal("no eigenvectors")
	}
	var v, vr, out mat.Dense
	e.VectorsTo(&v)
	r := e.Values(nil)
	top := slices.Max(r)
	for i, x := range r {
		if r[i] = 0; x > 1e-13*top { // a small power of a rounding error is not small
			r[i] = math.Pow(x, alpha)
		}
	}
	vr.Mul(&v, mat.NewDiagDense(d, r))
	out.Mul(&vr, v.T())
	return &out
}

// compareWith measures a case, with the CNFM of W − W₀ if w0 is not nil.
func (c layerCase) compareWith(t *testing.T, w0 *mat.Dense, spec nullSpec) Similarity {
	t.Helper()
	blocks := []*mat.Dense{c.w}
	m := newLayerMoments(blocks, graph.Double)
	for _, g := range c.groups() {
		m.add(g)
	}
	l, w0s := newLayer(blocks), []*mat.Dense(nil)
	if w0 != nil {
		w0s = []*mat.Dense{w0}
	}
	all, err := m.compare(l, []*cnfm{l.cnfm(w0s)}, spec, rand.New(rand.NewPCG(2, 2)))
	if err != nil || all[0].Err != nil {
		t.Fatal(err, all[0].Err)
	}
	return all[0].Similarity
}

// The similarities with powers of the AGOP agree with those of the d×d matrices, for the CNFMs of W and of W − W₀.
// Their null agrees with rotations of S.
func TestPowers(t *testing.T) {
	const draws = 400
	spec := nullSpec{draws: draws, powers: []float64{.25, .5, 1}, threads: 2}
	for _, c := range layerCases() {
		rng := rand.New(rand.NewPCG(4, 4))
		rows, d := c.w.Dims()
		w0 := random(rng, rows, d)
		var change mat.Dense
		change.Sub(c.w, w0)
		own, changed := c.compareWith(t, nil, spec), c.compareWith(t, w0, nullSpec{draws: 1, powers: spec.powers, threads: 2})
		check(t, c.name+": the power 1", own.Powers[2].Pearson, own.Pearson)
		check(t, c.name+": its null", own.Powers[2].PearsonNull, own.PearsonNull)
		check(t, c.name+": the power ½", own.Powers[1].Pearson, own.PearsonSqrt)
		total := mat.NewSymDense(rows, nil)
		for _, g := range c.groups() {
			total.AddSym(total, g.Moment.Sym())
		}
		naive := make([][]float64, len(spec.powers))
		for range draws {
			q := haar(rows, rng)
			var a mat.Dense
			a.Product(c.w.T(), q, total, q.T(), c.w)
			for k, alpha := range spec.powers {
				naive[k] = append(naive[k], similarity(gram(c.w), densePower(t, &a, alpha), true))
			}
		}
		a := c.dense(c.all()...)
		for k, alpha := range spec.powers {
			p := densePower(t, a, alpha)
			check(t, c.name, own.Powers[k].Pearson, similarity(gram(c.w), p, true))
			check(t, c.name+", W − W₀", changed.Powers[k].Pearson, similarity(gram(&change), p, true))
			mean, sd := stat.PopMeanStdDev(naive[k], nil)
			if got := own.Powers[k]; math.Abs(got.PearsonNull-mean) > 5*sd*math.Sqrt(2./draws) ||
				math.Abs(got.PearsonNullSD/sd-1) > .25 {
				t.Errorf("%s: null of power %v %.4f ± %.4f, by rotations %.4f ± %.4f", c.name, alpha, got.PearsonNull,
					got.PearsonNullSD, mean, sd)
			}
		}
	}
}

// A power that is not positive is refused.
func TestPowersArePositive(t *testing.T) {
	for _, alpha := range []float64{0, -1, math.NaN()} {
		if err := (&Options{Images: 1, Powers: []float64{alpha}}).check(); err == nil {
			t.Errorf("power %v was taken", alpha)
		}
	}
}

// The similarity with powers of a zero AGOP is not defined, which is an error.
func TestPowersOfZero(t *testing.T) {
	blocks := []*mat.Dense{random(rand.New(rand.NewPCG(1, 1)), 4, 6)}
	m := newLayerMoments(blocks, graph.Double)
	m.add(Group{1, moment.Of(mat.NewSymDense(4, nil))})
	l := newLayer(blocks)
	all, err := m.compare(l, []*cnfm{l.cnfm(nil)}, nullSpec{draws: 2, powers: []float64{.5}, threads: 2}, rand.New(rand.NewPCG(1, 1)))
	if err != nil || all[0].Err == nil {
		t.Errorf("%+v, %v", all, err)
	}
}
