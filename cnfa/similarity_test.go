package cnfa

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func random(rng *rand.Rand, r, c int) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = .2 + rng.NormFloat64()
	}
	return m
}

// layerCase is a layer with the vectors δ of every group of images.
type layerCase struct {
	name    string
	w       *mat.Dense
	vectors []*mat.Dense // per group, one δ a row
	rows    bool         // the moments are held as vectors
}

func layerCases() []layerCase {
	rng := rand.New(rand.NewPCG(7, 7))
	groups := func(c int, counts ...int) (all []*mat.Dense) {
		for _, n := range counts {
			all = append(all, random(rng, n, c))
		}
		return all
	}
	return []layerCase{
		{"fewer filters than patch elements", random(rng, 5, 12), groups(5, 9, 7, 8), false},
		{"more filters than patch elements", random(rng, 12, 5), groups(12, 30, 25, 40), false},
		{"fewer vectors than filters", random(rng, 20, 25), groups(20, 3, 4, 2), true},
		{"fewer vectors than filters, held in full", random(rng, 20, 25), groups(20, 3, 4, 2), false},
		{"vectors, more than filters", random(rng, 6, 9), groups(6, 3, 4, 2), true},
		{"vectors, more than patch elements", random(rng, 16, 4), groups(16, 3, 4, 2), true},
		{"a single group", random(rng, 4, 6), groups(4, 9), false},
	}
}

func (c layerCase) groups() []Group {
	var out []Group
	for i, v := range c.vectors {
		m := moment.OfRows(v)
		if !c.rows {
			m = moment.Of(m.Sym())
		}
		out = append(out, Group{Images: i + 1, Moment: m})
	}
	return out
}

// dense returns the d×d matrix WᵀSW of the given groups.
func (c layerCase) dense(groups ...int) *mat.Dense {
	_, d := c.w.Dims()
	sum := mat.NewDense(d, d, nil)
	for _, g := range groups {
		var vw, a mat.Dense
		vw.Mul(c.vectors[g], c.w)
		a.Mul(vw.T(), &vw)
		sum.Add(sum, &a)
	}
	return sum
}

func (c layerCase) all() []int {
	var out []int
	for i := range c.vectors {
		out = append(out, i)
	}
	return out
}

// similarity returns the correlation of all elements of two matrices if centred is set, else their cosine.
func similarity(a, b *mat.Dense, centred bool) float64 {
	x, y := mat.DenseCopyOf(a).RawMatrix().Data, mat.DenseCopyOf(b).RawMatrix().Data
	if centred {
		return stat.Correlation(x, y, nil)
	}
	var xy, xx, yy float64
	for i := range x {
		xy, xx, yy = xy+x[i]*y[i], xx+x[i]*x[i], yy+y[i]*y[i]
	}
	return xy / math.Sqrt(xx*yy)
}

func gram(w *mat.Dense) *mat.Dense {
	var m mat.Dense
	m.Mul(w.T(), w)
	return &m
}

// The measures, which are computed from smaller matrices, agree with those of the d×d matrices.
func TestCompareAgainstDenseMatrices(t *testing.T) {
	for _, c := range layerCases() {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compare(c.w, nil, c.groups(), 3, rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				t.Fatal(err)
			}
			m, a := gram(c.w), c.dense(c.all()...)
			n := 0
			for _, g := range c.groups() {
				n += g.Images
			}
			check(t, "Pearson", s.Pearson, similarity(m, a, true))
			check(t, "cosine", s.Cosine, similarity(m, a, false))
			check(t, "Pearson of the root", s.PearsonSqrt, similarity(m, densePower(t, a, .5), true))
			check(t, "trace of the CNFM", s.CNFMTrace, mat.Trace(m))
			check(t, "trace of the AGOP", s.AGOPTrace, mat.Trace(a)/float64(n))
			if len(c.vectors) == 1 {
				if !math.IsNaN(s.PearsonStdErr) {
					t.Errorf("standard error %v from one group", s.PearsonStdErr)
				}
				return
			}
			check(t, "standard error", s.PearsonStdErr, c.jackknife(m))
		})
	}
}

func (c layerCase) jackknife(m *mat.Dense) float64 {
	var r []float64
	for out := range c.vectors {
		var rest []int
		for _, g := range c.all() {
			if g != out {
				rest = append(rest, g)
			}
		}
		r = append(r, similarity(m, c.dense(rest...), true))
	}
	n := float64(len(r))
	_, v := stat.PopMeanVariance(r, nil)
	return math.Sqrt((n - 1) * v)
}

func check(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// Where the CNFM is that of W − W₀, the AGOP is still that of W.
func TestCompareFromInitial(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, c := range layerCases() {
		rows, cols := c.w.Dims()
		w0 := random(rng, rows, cols)
		s, err := Compare(c.w, w0, c.groups(), 2, rng)
		if err != nil {
			t.Fatal(err)
		}
		var diff mat.Dense
		diff.Sub(c.w, w0)
		check(t, c.name+": Pearson", s.Pearson, similarity(gram(&diff), c.dense(c.all()...), true))
		check(t, c.name+": of the root", s.PearsonSqrt,
			similarity(gram(&diff), densePower(t, c.dense(c.all()...), .5), true))
		alike, err := newLayer([]*mat.Dense{c.w}).pearsonWith([]*mat.Dense{w0})
		if err != nil {
			t.Fatal(err)
		}
		check(t, c.name+": CNFMs", alike, similarity(gram(c.w), gram(w0), true))
	}
}

// The null has the mean and the spread of explicit rotations of S, with d×d matrices. The test draws the rotations in
// another way.
func TestNullAgainstRotations(t *testing.T) {
	const draws = 3000
	for _, c := range layerCases() {
		s, err := Compare(c.w, nil, c.groups(), draws, rand.New(rand.NewPCG(2, 2)))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(4, 4))
		n, _ := c.w.Dims()
		total := mat.NewSymDense(n, nil)
		for _, g := range c.groups() {
			total.AddSym(total, g.Moment.Sym())
		}
		m := gram(c.w)
		var naive, cosines []float64
		for range draws {
			q := haar(n, rng)
			var sq, qsq, aw, a mat.Dense
			sq.Mul(total, q.T())
			qsq.Mul(q, &sq)
			aw.Mul(&qsq, c.w)
			a.Mul(c.w.T(), &aw)
			naive, cosines = append(naive, similarity(m, &a, true)), append(cosines, similarity(m, &a, false))
		}
		if mean, sd := stat.PopMeanStdDev(cosines, nil); math.Abs(s.CosineNull-mean) > 5*sd*math.Sqrt(2./draws) ||
			math.Abs(s.CosineNullSD/sd-1) > .1 {
			t.Errorf("%s: null of the cosine %.4f ± %.4f, by rotations %.4f ± %.4f",
				c.name, s.CosineNull, s.CosineNullSD, mean, sd)
		}
		mean, sd := stat.PopMeanStdDev(naive, nil)
		if d := math.Abs(s.PearsonNull - mean); d > 5*sd*math.Sqrt(2./draws) {
			t.Errorf("%s: null %.4f, by rotations %.4f ± %.4f", c.name, s.PearsonNull, mean, sd/math.Sqrt(draws))
		}
		if r := s.PearsonNullSD / sd; r < .9 || r > 1.1 {
			t.Errorf("%s: standard deviation of the null %.4f, by rotations %.4f", c.name, s.PearsonNullSD, sd)
		}
		if s.NullDraws != draws {
			t.Errorf("%d draws, want %d", s.NullDraws, draws)
		}
	}
}

// haar returns a random rotation matrix, by the method of Gram and Schmidt.
func haar(n int, rng *rand.Rand) *mat.Dense {
	q := mat.NewDense(n, n, nil)
	for i := range n {
		row := q.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		for k := range i {
			dot := 0.
			for j, v := range q.RawRowView(k) {
				dot += v * row[j]
			}
			for j, v := range q.RawRowView(k) {
				row[j] -= dot * v
			}
		}
		norm := 0.
		for _, v := range row {
			norm += v * v
		}
		for j := range row {
			row[j] /= math.Sqrt(norm)
		}
	}
	return q
}

func TestRandomFrame(t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {5, 5}, {2, 9}, {60, 60}} {
		frame := func(rows int) *mat.Dense {
			f, err := RandomFrame(rows, s[1], rand.New(rand.NewPCG(1, 9)))
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		f := frame(s[0])
		if !mat.EqualApprox(outer(f), eye(s[0]), 1e-8) {
			t.Errorf("%d×%d frame is not orthonormal", s[0], s[1])
		}
		if !mat.EqualApprox(f.Slice(0, 1, 0, s[1]), frame(1), 1e-8) {
			t.Errorf("%d×%d frame does not begin with the frame of one row", s[0], s[1])
		}
	}
}

// An eigenvalue of S that is hardly larger than rounding errors, and may be there in one run and not in the next, does
// not change the null. It changes the null of AGOP^¼ only a little: it adds 1e-12^¼ = 1e-3 there.
func TestNullIsSteady(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, w := range []*mat.Dense{random(rng, 8, 12), random(rng, 8, 3)} {
		f := newLayer([]*mat.Dense{w})
		cnfms := []*cnfm{f.cnfm(nil), f.cnfm([]*mat.Dense{random(rng, 8, w.RawMatrix().Cols)})}
		draw := func(spectrum ...float64) []nulls {
			null, err := f.nullDraws([]*reduced{{spectrum: spectrum}}, cnfms,
				nullSpec{draws: 5, powers: []float64{.25}, threads: 2}, rand.New(rand.NewPCG(2, 1)))
			if err != nil {
				t.Fatal(err)
			}
			return null
		}
		a, b := draw(.2, .5, 1, 2), draw(1e-12, .2, .5, 1, 2)
		for i := range a {
			if !floats.EqualApprox(a[i].pearson, b[i].pearson, 1e-9) ||
				!floats.EqualApprox(a[i].cosine, b[i].cosine, 1e-9) ||
				!floats.EqualApprox(a[i].powers[0], b[i].powers[0], 1e-2) {
				t.Errorf("patches of %d: null %v, with one more eigenvalue %v", w.RawMatrix().Cols, a[i], b[i])
			}
		}
	}
}

func eye(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// For a zero or constant matrix the similarity is not defined, which is an error, not a similarity of 0.
func TestCompareUndefined(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	groups := []Group{{1, moment.OfRows(random(rng, 9, 4))}, {1, moment.OfRows(random(rng, 9, 4))}}
	zero := []Group{{1, moment.Of(mat.NewSymDense(4, nil))}, {1, moment.Of(mat.NewSymDense(4, nil))}}
	constant := mat.NewDense(4, 6, nil)
	for i := range constant.RawMatrix().Data {
		constant.RawMatrix().Data[i] = .5
	}
	if _, err := Compare(random(rng, 4, 6), nil, nil, 5, rng); err == nil {
		t.Error("a similarity from no image")
	}
	for name, c := range map[string]struct {
		w, w0  *mat.Dense
		groups []Group
	}{
		"zero filters":       {mat.NewDense(4, 6, nil), nil, groups},
		"constant filters":   {constant, nil, groups},
		"zero cotangents":    {random(rng, 4, 6), nil, zero},
		"untrained, W − W₀":  {constant, constant, groups},
		"one patch element":  {random(rng, 4, 1), nil, groups},
		"zero, held as rows": {random(rng, 40, 60), nil, []Group{{1, moment.OfRows(mat.NewDense(2, 40, nil))}}},
	} {
		if s, err := Compare(c.w, c.w0, c.groups, 5, rng); !errors.Is(err, ErrZero) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// Where one group of images has all gradients, the similarity is defined and its standard errors are not.
func TestOneGroupHasAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	w := random(rng, 3, 5)
	m := newLayerMoments([]*mat.Dense{w}, graph.Double)
	m.add(Group{1, moment.Of(backend.Gram(random(rng, 9, 3)))})
	m.add(Group{1, moment.Of(mat.NewSymDense(3, nil))})
	l := newLayer([]*mat.Dense{w})
	all, err := m.compare(l, []*cnfm{l.cnfm(nil)}, nullSpec{draws: 5, powers: []float64{.5}, threads: 1}, rng)
	if err != nil || all[0].Err != nil {
		t.Fatal(err, all[0].Err)
	}
	s := all[0].Similarity
	if !(math.Abs(s.Pearson) <= 1) || !math.IsNaN(s.PearsonStdErr) || !math.IsNaN(s.Powers[0].PearsonStdErr) {
		t.Errorf("%v ± %v, with the root ± %v", s.Pearson, s.PearsonStdErr, s.Powers[0].PearsonStdErr)
	}
}
