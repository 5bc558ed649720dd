package cnfa

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// batteryCase is a layer and, for every group of images, the moments and the gradient that statements are measured
// from.
type batteryCase struct {
	name   string
	info   models.LayerInfo
	w, w0  *mat.Dense
	groups []batteryGroup
}

type batteryGroup struct {
	outputs, loss, inputs []*mat.SymDense // by block
	gradient              *mat.Dense
}

func newBatteryCase(name string, c, d, blocks, groups int) batteryCase {
	rng := rand.New(rand.NewPCG(uint64(c), uint64(d)))
	b := batteryCase{name: name, w: random(rng, c, d), w0: random(rng, c, d),
		info: models.LayerInfo{Name: name, Filters: c, Patch: []int{d}, Groups: blocks}}
	gram := func(n, of int) (all []*mat.SymDense) {
		for range blocks {
			all = append(all, outer(mat.DenseCopyOf(random(rng, n, of/blocks).T())))
		}
		return all
	}
	for range groups {
		b.groups = append(b.groups, batteryGroup{gram(2*c, c), gram(2*c, c), gram(2*d, d*blocks), random(rng, c, d)})
	}
	return b
}

func blocksOf(all []*mat.SymDense) moment.Moment {
	var m []moment.Moment
	for _, s := range all {
		m = append(m, moment.Of(s))
	}
	return moment.OfBlocks(m)
}

// measure runs the battery on the case.
func (c batteryCase) measure(t *testing.T, draws int, names ...string) map[string]Alignment {
	t.Helper()
	g := &gatherer{labelled: true, layers: []models.LayerInfo{c.info},
		o: Options{Images: len(c.groups), Groups: len(c.groups), NullDraws: draws, Alignments: names, Threads: 1}}
	if err := g.o.check(); err != nil {
		t.Fatal(err)
	}
	m := newMeasuredLayer(c.info, false, graph.Double, func() *mat.Dense { return c.w })
	m.others = newStatementSums(c.info, g.o.needs(), g.o, m.whole, c.w, c.w0)
	for _, x := range c.groups {
		m.add(m.fold(Group{1, blocksOf(x.outputs)}, LossMoments{blocksOf(x.loss), blocksOf(x.inputs), x.gradient}),
			sharedInputs{})
	}
	whole := comparisonInput{c.name, rowBlocks(c.w, c.info.Blocks()), rowBlocks(c.w0, c.info.Blocks()), m.whole, draws}
	_, all, err := g.compareWhole(c.info, m, whole, c.w, c.w0, []origin{fromZero})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Alignment{}
	for _, a := range all {
		if a.Err != nil {
			t.Errorf("%s: %s: %v", c.name, a.Name, a.Err)
		}
		found[a.Name] = a
	}
	return found
}

// sums returns the sum of a quantity of one block over groups of images.
func (c batteryCase) sums(of func(batteryGroup) mat.Matrix, groups []int) *mat.Dense {
	sum := mat.DenseCopyOf(of(c.groups[groups[0]]))
	for _, k := range groups[1:] {
		sum.Add(sum, of(c.groups[k]))
	}
	return sum
}

// dense computes the value of a statement from matrices of full size, for filters w and their change W − W₀.
func (c batteryCase) dense(t *testing.T, statement string, w, change *mat.Dense, groups []int) float64 {
	t.Helper()
	var p, q []float64
	var commutator, m2, a2 float64
	add := func(to *[]float64, m *mat.Dense) { *to = append(*to, m.RawMatrix().Data...) }
	product := func(all ...mat.Matrix) *mat.Dense {
		x := mat.DenseCopyOf(all[0])
		for _, y := range all[1:] {
			z := new(mat.Dense)
			z.Mul(x, y)
			x = z
		}
		return x
	}
	n := c.info.Blocks()
	for k := range n {
		w, d := mat.DenseCopyOf(rowBlocks(w, n)[k]), mat.DenseCopyOf(rowBlocks(change, n)[k])
		s := c.sums(func(g batteryGroup) mat.Matrix { return g.outputs[k] }, groups)
		l := c.sums(func(g batteryGroup) mat.Matrix { return g.loss[k] }, groups)
		h := c.sums(func(g batteryGroup) mat.Matrix { return g.inputs[k] }, groups)
		g := c.sums(func(g batteryGroup) mat.Matrix { return rowBlocks(g.gradient, n)[k] }, groups)
		g.Scale(-1, g)
		agop := product(w.T(), s, w)
		switch statement {
		case NFA:
			add(&p, gram(w))
			add(&q, agop)
		case "nfa^0.25":
			add(&p, gram(w))
			add(&q, densePower(t, agop, .25))
		case "nfa^0.5":
			add(&p, gram(w))
			add(&q, densePower(t, agop, .5))
		case CentredNFA:
			add(&p, gram(d))
			add(&q, product(d.T(), s, d))
		case LossAGOP, BackGWA:
			add(&p, gram(w))
			add(&q, product(w.T(), l, w))
		case FACT:
			add(&p, gram(w))
			add(&q, product(w.T(), g))
		case BackFACT:
			add(&p, product(w, w.T()))
			add(&q, product(g, w.T()))
		case InputCov, BackRWA:
			add(&p, gram(w))
			add(&q, h)
		case ForwardRGA:
			add(&p, product(w, h, w.T()))
			add(&q, l)
		case ForwardRWA:
			add(&p, product(w, h, w.T()))
			add(&q, product(w, w.T()))
		case ForwardGWA:
			add(&p, l)
			add(&q, product(w, w.T()))
		case BackRGA:
			add(&p, h)
			add(&q, product(w.T(), l, w))
		case Commutator:
			x := product(gram(w), agop)
			x.Sub(x, product(agop, gram(w)))
			commutator, m2, a2 = commutator+squares(x), m2+squares(gram(w)), a2+squares(agop)
		default:
			t.Fatal(statement)
		}
	}
	if statement == Commutator {
		return math.Sqrt(commutator / (2 * m2 * a2))
	}
	return stat.Correlation(p, q, nil)
}

// turnedFilters returns filters whose blocks have other singular vectors: a random U if left is set, else a random V.
func turnedFilters(t *testing.T, w *mat.Dense, blocks int, left bool, rng *rand.Rand) *mat.Dense {
	t.Helper()
	out := mat.DenseCopyOf(w)
	c, d := w.Dims()
	for k := range blocks {
		var svd mat.SVD
		if !svd.Factorize(rowBlocks(w, blocks)[k], mat.SVDThin) {
			t.Fatal("no singular vectors")
		}
		var u, v, x mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		r := len(svd.Values(nil))
		if left {
			u.Copy(haar(c/blocks, rng).Slice(0, c/blocks, 0, r))
		} else {
			v.Copy(haar(d, rng).Slice(0, d, 0, r))
		}
		x.Mul(&u, mat.NewDiagDense(r, svd.Values(nil)))
		out.Slice(k*c/blocks, (k+1)*c/blocks, 0, d).(*mat.Dense).Mul(&x, v.T())
	}
	return out
}

func batteryCases() []batteryCase {
	return []batteryCase{
		newBatteryCase("fewer filters than patch elements", 4, 7, 1, 4),
		newBatteryCase("more filters than patch elements", 9, 4, 1, 4),
		newBatteryCase("groups", 8, 5, 2, 3),
	}
}

// statementsWithOracle returns the names of the statements that [batteryCase.dense] knows: all but the one with a
// fitted exponent.
func statementsWithOracle() (names []string) {
	for _, s := range Statements() {
		if s.Name != FittedNFA {
			names = append(names, s.Name)
		}
	}
	return names
}

// The values of all statements agree with the d×d and c×c matrices, and their standard errors with the jackknife of
// these matrices.
func TestStatementsAgainstDenseMatrices(t *testing.T) {
	for _, c := range batteryCases() {
		var change mat.Dense
		change.Sub(c.w, c.w0)
		var all []int
		for k := range c.groups {
			all = append(all, k)
		}
		for name, a := range c.measure(t, 6, statementsWithOracle()...) {
			check(t, c.name+": "+name, a.Value, c.dense(t, name, c.w, &change, all))
			var without []float64
			for k := range c.groups {
				rest := slices.Delete(slices.Clone(all), k, k+1)
				without = append(without, c.dense(t, name, c.w, &change, rest))
			}
			_, v := stat.PopMeanVariance(without, nil)
			check(t, c.name+": standard error of "+name, a.StdErr, math.Sqrt(float64(len(all)-1)*v))
		}
	}
}

// The null of every statement has the mean and the spread of the statement's values for filters with random singular
// vectors, which the test draws in another way.
func TestNullsOfStatementsAgainstTurnedFilters(t *testing.T) {
	const draws = 1500
	for _, c := range batteryCases() {
		var change mat.Dense
		change.Sub(c.w, c.w0)
		var all []int
		for k := range c.groups {
			all = append(all, k)
		}
		crossedDraws = draws
		got := c.measure(t, draws, statementsWithOracle()...)
		crossedDraws = CrossedDraws
		rng := rand.New(rand.NewPCG(5, 6))
		for _, s := range Statements() {
			if s.Name == FittedNFA {
				continue
			}
			var dense []float64
			for range draws {
				w := turnedFilters(t, c.w, c.info.Blocks(), s.Turns == "U", rng)
				d := turnedFilters(t, &change, c.info.Blocks(), s.Turns == "U", rng)
				dense = append(dense, c.dense(t, s.Name, w, d, all))
			}
			mean, sd := stat.PopMeanStdDev(dense, nil)
			a := got[s.Name]
			if math.Abs(a.Null-mean) > 5*sd*math.Sqrt(2./draws) || math.Abs(a.NullSD/sd-1) > .12 {
				t.Errorf("%s: %s: null %.4f ± %.4f, of turned filters %.4f ± %.4f", c.name, s.Name, a.Null, a.NullSD, mean, sd)
			}
		}
	}
}

// Parts of one layer, such as the queries and the keys of an attention, read the same input and share its moment. Every
// part gets the sum over all groups of images, also a part with so many filters that its groups are divided into fewer
// sets.
func TestSetsOfGroupsShareMoments(t *testing.T) {
	const groups = CrossedSets + 3
	c := newBatteryCase("shared", 4, 5, 1, groups)
	o := Options{Images: groups, Groups: groups}
	var layers []*statementSums
	for _, sets := range []int{CrossedSets, WideSets, CrossedSets, WideSets} {
		s := newStatementSums(c.info, needs{outputs: true, loss: true, inputs: true, gradient: true}, o, nil, c.w, nil)
		s.sets[0] = s.sets[0][:sets]
		layers = append(layers, s)
	}
	var want *crossed
	for _, x := range c.groups {
		of := &crossed{outputs: x.outputs[0], loss: x.loss[0], inputs: x.inputs[0], gradient: x.gradient}
		if want == nil {
			want = of
		} else {
			sum := new(crossed)
			sum.setSum(want, 1, of)
			want = sum
		}
		m := LossMoments{Loss: blocksOf(x.loss), Inputs: blocksOf(x.inputs)}
		outputs, shared := blocksOf(x.outputs), sharedInputs{}
		for _, s := range layers {
			m.Gradient = mat.DenseCopyOf(x.gradient)
			s.add(s.fold(Group{1, outputs}, m), shared)
		}
	}
	for i, s := range layers {
		got := s.crossedBlocks([]*mat.Dense{c.w})[0].total()
		if slices.Contains(s.sets[0], nil) || !mat.EqualApprox(got.outputs, want.outputs, 1e-9) ||
			!mat.EqualApprox(got.loss, want.loss, 1e-9) || !mat.EqualApprox(got.inputs, want.inputs, 1e-9) ||
			!mat.EqualApprox(got.gradient, want.gradient, 1e-9) {
			t.Errorf("part %d: the sums over sets are not those over the groups", i)
		}
	}
}

// In a layer with one filter a group, the nulls of statements that replace U permute what was measured: their mean and
// their deviation are those over all permutations. The nulls of all statements have a spread.
func TestNullOfStatementsWithOneFilterAGroup(t *testing.T) {
	c := newBatteryCase("one filter a group", 6, 5, 6, 3)
	found := c.measure(t, 50, FACT, ForwardGWA, InputCov, LossAGOP, BackFACT)
	for name, a := range found {
		if !(a.NullSD > 0) || math.Abs(a.Value) > 1 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	const draws = 2000
	crossedDraws = draws
	defer func() { crossedDraws = CrossedDraws }()
	found = c.measure(t, draws, FACT, ForwardGWA, LossAGOP)
	exact := map[string][]float64{}
	permutations(6, func(p []int) {
		turned := c
		turned.groups = nil
		for _, g := range c.groups {
			x := batteryGroup{outputs: g.outputs, inputs: g.inputs, gradient: mat.NewDense(6, 5, nil)}
			for k, from := range p {
				x.loss = append(x.loss, g.loss[from])
				x.gradient.SetRow(k, g.gradient.RawRowView(from))
			}
			turned.groups = append(turned.groups, x)
		}
		for name := range found {
			exact[name] = append(exact[name], turned.dense(t, name, c.w, c.w, []int{0, 1, 2}))
		}
	})
	for name, a := range found {
		mean, sd := stat.PopMeanStdDev(exact[name], nil)
		if !(math.Abs(a.Null-mean) <= 5*sd/math.Sqrt(draws)) || !(math.Abs(a.NullSD/sd-1) <= .1) {
			t.Errorf("%s: null %v ± %v, over all permutations %v ± %v", name, a.Null, a.NullSD, mean, sd)
		}
	}
}

// Where M is proportional to a power of A, the fitted exponent is the exponent of that power, and the correlation is 1.
func TestFittedExponent(t *testing.T) {
	for _, alpha := range []float64{.1, 1. / 3, .5, 1, 2} {
		rng := rand.New(rand.NewPCG(1, 1))
		w := random(rng, 5, 8)
		// WᵀW ∝ (WᵀSW)^α with S = U Σ^{2/α−2} Uᵀ.
		u, sigma, _, err := singular(w)
		if err != nil {
			t.Fatal(err)
		}
		s := mat.NewSymDense(5, nil)
		for i, x := range sigma {
			s.SymRankOne(s, math.Pow(x, 2/alpha-2), u.ColView(i))
		}
		m := newLayerMoments([]*mat.Dense{w}, graph.Double)
		m.add(Group{1, moment.Of(s)})
		l := newLayer([]*mat.Dense{w})
		all, err := m.compare(l, []*cnfm{l.cnfm(nil)}, nullSpec{draws: 2, powers: []float64{fitted}, threads: 1}, rng)
		if err != nil || all[0].Err != nil {
			t.Fatal(err, all)
		}
		if p := all[0].Powers[0]; math.Abs(p.Exponent-alpha) > 1e-4*alpha || math.Abs(p.Pearson-1) > 1e-6 {
			t.Errorf("α = %v: fitted %v, correlation %v", alpha, p.Exponent, p.Pearson)
		}
	}
}

// Eigenvalues of S that are not 0 only because of the rounding of float32 have no effect, not even on small powers of
// the AGOP.
func TestRoundingOfSingle(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	w, r := random(rng, 6, 8), random(rng, 3, 6)
	s := mat.NewSymDense(6, nil)
	s.SymOuterK(1, r.T())
	noisy := mat.NewSymDense(6, nil)
	noisy.CopySym(s)
	for i := range 6 {
		noisy.SetSym(i, i, s.At(i, i)+2e-8*mat.Norm(s, 2)*rng.Float64())
	}
	powers := func(s *mat.SymDense, p graph.Precision) []PowerSimilarity {
		m := newLayerMoments([]*mat.Dense{w}, p)
		m.add(Group{1, moment.Of(s)})
		l := newLayer([]*mat.Dense{w})
		all, err := m.compare(l, []*cnfm{l.cnfm(nil)}, nullSpec{draws: 20, powers: []float64{fitted, .1, .5}, threads: 1}, rand.New(rand.NewPCG(1, 1)))
		if err != nil || all[0].Err != nil {
			t.Fatal(err, all)
		}
		return all[0].Powers
	}
	got, want := powers(noisy, graph.Single), powers(s, graph.Double)
	for i, g := range got {
		if math.Abs(g.Exponent-want[i].Exponent) > 1e-4 || math.Abs(g.Pearson-want[i].Pearson) > 1e-4 ||
			math.Abs(g.PearsonNull-want[i].PearsonNull) > 1e-4 {
			t.Errorf("%+v, want %+v", g, want[i])
		}
	}
}

// Every listed statement is found by its name. Unknown names and bad exponents are refused, and options that list a
// statement twice.
func TestLookupStatement(t *testing.T) {
	for _, s := range Statements() {
		if got, err := LookupStatement(s.Name); err != nil || got.Says != s.Says || got.Says == "" || got.Source == "" {
			t.Errorf("%s: %+v, %v", s.Name, got, err)
		}
	}
	for _, bad := range []string{"", "nfa^", "nfa^-1", "nfa^NaN", "nfa^Inf", "fakt", "nfa^0"} {
		if s, err := LookupStatement(bad); err == nil {
			t.Errorf("%q: %+v", bad, s)
		}
	}
	if err := (&Options{Images: 1, Alignments: []string{NFA, NFA}}).check(); err == nil {
		t.Error("a statement was listed twice")
	}
}

// In networks that were not trained every statement lies within its null: at most 12% of the layers are more than two
// standard deviations away from it. The weights are Gaussian, so that their singular vectors are random.
func TestStatementsOfRandomNetworks(t *testing.T) {
	const networks, images = 30, 40
	beyond, of := map[string]int{}, 0
	for seed := range uint64(networks) {
		n, first := gaussianNetwork(t, seed), gaussianNetwork(t, seed+1000)
		names := statementsWithOracle()
		v := verify(t, n, Options{Images: images, Groups: 2, Initial: first, Seed: seed, Alignments: append(names, FittedNFA)})
		for _, l := range v.Layers {
			of++
			for _, a := range l.Alignments {
				if a.Err != nil {
					t.Fatal(l.Name, a.Name, a.Err)
				}
				if math.Abs(a.Excess()) > 2*a.NullSD {
					beyond[a.Name]++
				}
			}
		}
	}
	for _, s := range Statements() {
		share := float64(beyond[s.Name]) / float64(of)
		t.Logf("%-18s beyond 2 sd of its null: %.3f of %d layers", s.Name, share, of)
		if share > .12 {
			t.Errorf("%s: %.3f of the layers of random networks lie beyond 2 standard deviations", s.Name, share)
		}
	}
}

// gaussianNetwork returns a network of convolutions and linear layers with Gaussian weights and no biases.
func gaussianNetwork(t *testing.T, seed uint64) *models.Network {
	t.Helper()
	n := network(t, seed)
	rng := rand.New(rand.NewPCG(seed, 77))
	for _, p := range n.Parameters() {
		v := n.Value(p.Name).Float32s()
		if len(p.Shape) == 1 {
			continue
		}
		fan := len(v) / p.Shape[0]
		for i := range v {
			v[i] = float32(rng.NormFloat64() * math.Sqrt(2/float64(fan)))
		}
	}
	return n
}
