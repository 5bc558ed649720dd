package tree

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// draw returns n rows of d normal numbers.
func draw(n, d int, seed uint64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 0))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, x)
	return x
}

// targets returns f of the rows of x as a column.
func targets(x *mat.Dense, f func(row []float64) float64) *mat.Dense {
	n, _ := x.Dims()
	y := mat.NewDense(n, 1, nil)
	for i := range n {
		y.Set(i, 0, f(x.RawRowView(i)))
	}
	return y
}

func smooth(row []float64) float64 { return math.Sin(2*row[0]) + row[1]*row[2] }

// leafMachine returns a machine for small tests.
func leafMachine() rfm.Machine { return rfm.Machine{Ridge: 1e-3, Iterations: 1, Seed: 3} }

func mustFit(t *testing.T, m Machine, x, y *mat.Dense) *Model {
	t.Helper()
	model, err := m.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func mustPredict(t *testing.T, m *Model, x *mat.Dense) *mat.Dense {
	t.Helper()
	f, err := m.Predict(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A tree of one leaf has the coefficients and the predictions of the plain machine, to the bit.
func TestOneLeaf(t *testing.T) {
	x, new := draw(300, 5, 1), draw(70, 5, 2)
	y := targets(x, smooth)
	for _, choose := range []rfm.Select{rfm.Best, rfm.Last} {
		backend.SetBLASThreads(1) // as Fit does while it runs
		plain := leafMachine()
		plain.Select, plain.Threads = choose, 1
		want, err := plain.Fit(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		f, err := want.PredictRows(context.Background(), new)
		if err != nil {
			t.Fatal(err)
		}
		got := mustFit(t, Machine{Leaf: plain, Rows: 300}, x, y)
		if len(got.Leaves()) != 1 || !mat.Equal(got.Leaves()[0].Coefficients(), want.Coefficients()) {
			t.Errorf("select %v: %d leaves, or other coefficients than the plain machine", choose, len(got.Leaves()))
		}
		if !mat.Equal(mustPredict(t, got, new), f) {
			t.Errorf("select %v: other predictions than the plain machine", choose)
		}
	}
}

// Predictions agree with a naive walk through every path of the tree.
func TestRouting(t *testing.T) {
	x := draw(700, 4, 1)
	m := mustFit(t, Machine{Leaf: leafMachine(), Rows: 50}, x, targets(x, smooth))
	if n := len(m.leaves); n < 8 {
		t.Fatalf("%d leaves", n)
	}
	new := draw(200, 4, 2)
	var each []*mat.Dense
	for _, leaf := range m.leaves {
		f, err := leaf.PredictRows(context.Background(), new)
		if err != nil {
			t.Fatal(err)
		}
		each = append(each, f)
	}
	for _, temperature := range []float64{0, .1, 2} {
		m.temperature = temperature
		got := mustPredict(t, m, new)
		for i := range 200 {
			want, total := 0., 0.
			var walk func(node int, p float64)
			walk = func(k int, p float64) {
				n := m.nodes[k]
				if n.leaf > 0 {
					want, total = want+p*each[n.leaf-1].At(i, 0), total+p
					return
				}
				s := 0.
				for j, v := range n.vector {
					s += v * new.At(i, j)
				}
				right := 0.
				if s > n.threshold {
					right = 1
				}
				if temperature > 0 {
					right = 1 / (1 + math.Exp((n.threshold-s)/temperature/n.scale))
				}
				walk(n.left, p*(1-right))
				walk(n.left+1, p*right)
			}
			walk(0, 1)
			// Predict leaves out branches that have less than a thousandth of the weight each.
			bound := 1e-9
			if temperature > 0 {
				bound = .02
			}
			if math.Abs(total-1) > 1e-12 || math.Abs(got.At(i, 0)-want) > bound {
				t.Fatalf("temperature %v, row %d: %v, a naive walk gives %v with weights of %v", temperature, i,
					got.At(i, 0), want, total)
			}
		}
	}
}

// Rows are split at the median, so that a tree of rows that all differ has leaves of equal size.
func TestEvenLeaves(t *testing.T) {
	x := draw(1000, 3, 1)
	leaf := leafMachine()
	leaf.Select = rfm.Last
	m := Machine{Leaf: leaf, Rows: 250}
	plan, err := m.Plan(1000, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := mustFit(t, m, x, targets(x, smooth)).LeafRows()
	if !slices.Equal(got, []int{250, 250, 250, 250}) || plan.Leaves != 4 || plan.LeafRows != 250 {
		t.Errorf("leaves of %v, planned %d of %d", got, plan.Leaves, plan.LeafRows)
	}
}

// No leaf is larger than the limit, also where the median cannot separate equal rows. Every row is in a leaf or counted
// as left out.
func TestEqualRows(t *testing.T) {
	one := mat.NewDense(90, 2, nil)
	few := mat.NewDense(90, 2, nil)
	most := draw(90, 2, 1)
	for i := range 90 {
		few.Set(i, 0, float64(i%3))
		if i%10 > 0 {
			most.SetRow(i, []float64{1, 1})
		}
	}
	for name, x := range map[string]*mat.Dense{"all equal": one, "three values": few, "most equal": most} {
		leaf := leafMachine()
		leaf.Select = rfm.Last
		m := mustFit(t, Machine{Leaf: leaf, Rows: 20}, x, targets(x, func(row []float64) float64 { return row[0] }))
		sum := m.LeftOut()
		for _, n := range m.LeafRows() {
			if sum += n; n > 20 || n < 1 {
				t.Errorf("%s: leaves of %v", name, m.LeafRows())
			}
		}
		if sum != 90 {
			t.Errorf("%s: leaves of %v and %d rows left out, of 90", name, m.LeafRows(), m.LeftOut())
		}
		f := mustPredict(t, m, x)
		for i := range 90 {
			if want := x.At(i, 0); math.Abs(f.At(i, 0)-want) > .05 {
				t.Fatalf("%s: row %d is predicted as %v, want %v", name, i, f.At(i, 0), want)
			}
		}
	}
}

// If there is a different function on each side of a plane, the first split finds the plane and the leaves learn the
// functions.
func TestFunctionsOfLeaves(t *testing.T) {
	f := func(row []float64) float64 {
		if row[0] > 0 {
			return 6*row[0] + 2*row[1]
		}
		return 6*row[0] - 2*row[2]
	}
	x, new := draw(2000, 4, 1), draw(300, 4, 2)
	leaf := leafMachine()
	leaf.Iterations = 3
	m := mustFit(t, Machine{Leaf: leaf, Rows: 800}, x, targets(x, f))
	root, wrong := m.nodes[0], 0
	for i := range 2000 {
		right := root.right(mat.Dot(mat.NewVecDense(4, root.vector), x.RowView(i)), 0) == 1
		if right != (x.At(i, 0) > 0) {
			wrong++
		}
	}
	if wrong > 200 {
		t.Errorf("the first split puts %d of 2000 rows on the side of the other function", wrong)
	}
	for side, leaf := range m.leaves { // rows on the leaf's own side, away from the plane
		own := mat.DenseCopyOf(new)
		for i := range 300 {
			own.Set(i, 0, float64(2*side-1)*(.3+math.Abs(own.At(i, 0))))
		}
		s, err := leaf.Score(context.Background(), own, targets(own, f))
		if err != nil || s.R2 < .98 {
			t.Errorf("leaf %d: R² %v, %v", side, s.R2, err)
		}
	}
}

// The predictions depend on the seed, but not on the number of threads, nor on the other rows that are predicted at the
// same time.
func TestThreads(t *testing.T) {
	x, new := draw(600, 4, 1), draw(50, 4, 2)
	y := targets(x, smooth)
	fit := func(threads int, seed uint64) *mat.Dense {
		leaf := leafMachine()
		leaf.Seed, leaf.Sample = seed, 40
		return mustPredict(t, mustFit(t, Machine{Leaf: leaf, Rows: 100, SplitRows: 60, Threads: threads}, x, y), new)
	}
	one := fit(1, 3)
	if !mat.Equal(fit(3, 3), one) {
		t.Error("three threads give other predictions than one")
	}
	if mat.Equal(fit(1, 4), one) {
		t.Error("another seed gives the same predictions")
	}
	leaf := leafMachine()
	m := mustFit(t, Machine{Leaf: leaf, Rows: 100}, x, y)
	all := mustPredict(t, m, new)
	for i := range 50 {
		if alone := mustPredict(t, m, new.Slice(i, i+1, 0, 4).(*mat.Dense)); alone.At(0, 0) != all.At(i, 0) {
			t.Fatalf("row %d alone is %v, among others %v", i, alone.At(0, 0), all.At(i, 0))
		}
	}
}
