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

// blockCase is a layer with groups of filters, and the vectors δ of every group of images.
type blockCase struct {
	name    string
	groups  int
	w       *mat.Dense
	vectors []*mat.Dense // per group of images, one δ a row
}

func blockCases() []blockCase {
	rng := rand.New(rand.NewPCG(3, 9))
	make := func(name string, groups, n, d int) blockCase {
		c := blockCase{name: name, groups: groups, w: random(rng, groups*n, d)}
		for _, images := range []int{9, 7, 8} {
			c.vectors = append(c.vectors, random(rng, images, groups*n))
		}
		return c
	}
	dead := make("groups of which one has no gradient and one no weights", 4, 3, 5)
	for _, v := range dead.vectors {
		clearColumns(v, 3, 6)
	}
	for i := 6; i < 9; i++ {
		clear(dead.w.RawRowView(i))
	}
	return []blockCase{
		make("fewer filters than patch elements", 3, 4, 6), make("more filters than patch elements", 3, 5, 2),
		make("one filter a group", 6, 1, 9), make("patches of one element", 6, 1, 1), dead,
	}
}

func clearColumns(m *mat.Dense, from, to int) {
	r, _ := m.Dims()
	for i := range r {
		clear(m.RawRowView(i)[from:to])
	}
}

// moments returns the moment of every group of images, divided into the blocks of the groups of filters.
func (c blockCase) moments() []Group {
	n := c.w.RawMatrix().Rows / c.groups
	var all []Group
	for i, v := range c.vectors {
		var blocks []moment.Moment
		for g := range c.groups {
			blocks = append(blocks, moment.Of(moment.OfRows(v).Part(g*n, (g+1)*n).Sym()))
		}
		all = append(all, Group{Images: i + 1, Moment: moment.OfBlocks(blocks)})
	}
	return all
}

// moment returns S_g over some groups of images.
func (c blockCase) moment(group int, images []int) *mat.SymDense {
	n := c.w.RawMatrix().Rows / c.groups
	s := mat.NewSymDense(n, nil)
	for _, i := range images {
		s.AddSym(s, moment.OfRows(c.vectors[i]).Part(group*n, (group+1)*n).Sym())
	}
	return s
}

// entries returns all entries of all blocks of the CNFM of w and of the AGOP of the case's filters to the power alpha,
// for moments S_g.
func (c blockCase) entries(t *testing.T, w *mat.Dense, alpha float64,
	s func(group int) *mat.SymDense) (m, a []float64) {
	t.Helper()
	for g, block := range rowBlocks(c.w, c.groups) {
		other := rowBlocks(w, c.groups)[g]
		m = append(m, gram(mat.DenseCopyOf(other)).RawMatrix().Data...)
		wsw := mat.DenseCopyOf(moment.Of(s(g)).Sandwich(block))
		if alpha != 1 {
			wsw = densePower(t, wsw, alpha)
		}
		a = append(a, wsw.RawMatrix().Data...)
	}
	return m, a
}

func cosine(x, y []float64) float64 {
	return mat.Dot(mat.NewVecDense(len(x), x), mat.NewVecDense(len(y), y)) /
		math.Sqrt(mat.Dot(mat.NewVecDense(len(x), x), mat.NewVecDense(len(x), x))*
			mat.Dot(mat.NewVecDense(len(y), y), mat.NewVecDense(len(y), y)))
}

// The measures of a layer with groups agree with those computed from all entries of all blocks.
func TestCompareBlocks(t *testing.T) {
	for _, c := range blockCases() {
		of := func(images ...int) func(int) *mat.SymDense {
			return func(g int) *mat.SymDense { return c.moment(g, images) }
		}
		s, err := Compare(c.w, nil, c.moments(), 5, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(c.name, err)
		}
		m, a := c.entries(t, c.w, 1, of(0, 1, 2))
		check(t, c.name+": Pearson", s.Pearson, stat.Correlation(m, a, nil))
		check(t, c.name+": cosine", s.Cosine, cosine(m, a))
		_, root := c.entries(t, c.w, .5, of(0, 1, 2))
		check(t, c.name+": of the root", s.PearsonSqrt, stat.Correlation(m, root, nil))
		trace := 0.
		for g := range c.groups {
			trace += mat.Trace(moment.Of(c.moment(g, []int{0, 1, 2})).Sandwich(rowBlocks(c.w, c.groups)[g]))
		}
		check(t, c.name+": trace", s.AGOPTrace, trace/6)
		var without []float64
		for k := range 3 {
			rest := slices.DeleteFunc([]int{0, 1, 2}, func(i int) bool { return i == k })
			_, a := c.entries(t, c.w, 1, of(rest...))
			without = append(without, stat.Correlation(m, a, nil))
		}
		check(t, c.name+": standard error", s.PearsonStdErr, stat.PopStdDev(without, nil)*math.Sqrt(2))

		w0 := random(rand.New(rand.NewPCG(5, 5)), c.w.RawMatrix().Rows, c.w.RawMatrix().Cols)
		if s, err = Compare(c.w, w0, c.moments(), 5, rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Fatal(c.name, err)
		}
		var diff mat.Dense
		diff.Sub(c.w, w0)
		m, a = c.entries(t, &diff, 1, of(0, 1, 2))
		check(t, c.name+": of the change", s.Pearson, stat.Correlation(m, a, nil))
		alike, err := newLayer(rowBlocks(c.w, c.groups)).pearsonWith(rowBlocks(w0, c.groups))
		if err != nil {
			t.Fatal(c.name, err)
		}
		m, _ = c.entries(t, c.w, 1, of(0))
		m0, _ := c.entries(t, w0, 1, of(0))
		check(t, c.name+": initial", alike, stat.Correlation(m, m0, nil))
	}
}

// The null rotates the block of every group on its own. Its mean and spread agree with rotations of dense matrices.
func TestNullOfGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, c := range blockCases()[:2] {
		const draws = 600
		s, err := Compare(c.w, nil, c.moments(), draws, rng)
		if err != nil {
			t.Fatal(err)
		}
		var dense []float64
		for range draws {
			m, a := c.entries(t, c.w, 1, func(g int) *mat.SymDense {
				n := c.w.RawMatrix().Rows / c.groups
				q, err := RandomFrame(n, n, rng)
				if err != nil {
					t.Fatal(err)
				}
				return congruence(q, c.moment(g, []int{0, 1, 2}))
			})
			dense = append(dense, stat.Correlation(m, a, nil))
		}
		mean, sd := stat.MeanStdDev(dense, nil)
		if d := math.Abs(s.PearsonNull - mean); d > 4*sd*math.Sqrt(2./draws) || math.Abs(s.PearsonNullSD/sd-1) > .15 {
			t.Errorf("%s: null %v ± %v, dense rotations %v ± %v", c.name, s.PearsonNull, s.PearsonNullSD, mean, sd)
		}
		if s.Null != Rotation {
			t.Errorf("%s: the null is %v, want rotations", c.name, s.Null)
		}
	}
}

// Where every group has one filter, the null permutes the numbers S_g, also for powers of the AGOP.
func TestNullOfOneFilterAGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const groups, draws = 4, 3000
	c := blockCase{"one filter a group", groups, random(rng, groups, 5), []*mat.Dense{random(rng, 6, groups)}}
	clearColumns(c.vectors[0], 2, 3)
	blocks := rowBlocks(c.w, groups)
	m := newLayerMoments(blocks, graph.Double)
	m.add(c.moments()[0])
	l := newLayer(blocks)
	all, err := m.compare(l, []*cnfm{l.cnfm(nil)}, nullSpec{draws: draws, powers: []float64{.25}, threads: 2}, rng)
	if err != nil || all[0].Err != nil {
		t.Fatal(err, all[0].Err)
	}
	var exact, powers []float64
	permutations(groups, func(p []int) {
		s := func(g int) *mat.SymDense { return c.moment(p[g], []int{0}) }
		m, a := c.entries(t, c.w, 1, s)
		exact = append(exact, stat.Correlation(m, a, nil))
		_, a = c.entries(t, c.w, .25, s)
		powers = append(powers, stat.Correlation(m, a, nil))
	})
	for _, want := range []struct {
		name     string
		mean, sd float64
		exact    []float64
	}{
		{"Pearson", all[0].PearsonNull, all[0].PearsonNullSD, exact},
		{"power", all[0].Powers[0].PearsonNull, all[0].Powers[0].PearsonNullSD, powers},
	} {
		mean, sd := stat.PopMeanStdDev(want.exact, nil)
		if math.Abs(want.mean-mean) > 4*sd/math.Sqrt(draws) || math.Abs(want.sd/sd-1) > .1 {
			t.Errorf("%s: null %v ± %v, over all permutations %v ± %v", want.name, want.mean, want.sd, mean, sd)
		}
	}
	if all[0].Null != Permutation {
		t.Errorf("the null is %v, want permutations", all[0].Null)
	}
}

// permutations calls f with every permutation of n numbers.
func permutations(n int, f func([]int)) {
	var extend func(p []int)
	extend = func(p []int) {
		if len(p) == n {
			f(p)
			return
		}
		for i := range n {
			if !slices.Contains(p, i) {
				extend(append(slices.Clone(p), i))
			}
		}
	}
	extend(nil)
}

// Where S_g is the same number for every filter, a permutation changes nothing: the null equals the similarity and has
// no spread.
func TestNullThatSaysNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	one := moment.Of(mat.NewSymDense(1, []float64{2}))
	g := []Group{{1, moment.OfBlocks([]moment.Moment{one, one, one})}}
	s, err := Compare(random(rng, 3, 4), nil, g, 10, rng)
	if err != nil {
		t.Fatal(err)
	}
	if !(s.PearsonNullSD <= 1e-12) || !(math.Abs(s.Pearson-s.PearsonNull) <= 1e-12) {
		t.Errorf("%v, null %v ± %v", s.Pearson, s.PearsonNull, s.PearsonNullSD)
	}
}

// A number of blocks that does not divide the number of filters is refused.
func TestBlocksThatDoNotDivide(t *testing.T) {
	one := moment.Of(mat.NewSymDense(1, []float64{2}))
	g := []Group{{1, moment.OfBlocks([]moment.Moment{one, one})}}
	if _, err := Compare(mat.NewDense(3, 4, nil), nil, g, 1, rand.New(rand.NewPCG(1, 1))); err == nil {
		t.Error("3 filters in 2 groups: no error")
	}
}
