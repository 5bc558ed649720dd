package rfmpaper

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

func TestAlign(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	one := mat.NewSymDense(12, nil)
	one.SetSym(0, 0, 1)
	other := mat.NewSymDense(12, nil)
	other.SetSym(5, 5, 1)
	a, err := similarity.Align(one, one, 200, rng)
	if err != nil || math.Abs(a.Pearson-1) > 1e-12 || math.Abs(a.Cosine-1) > 1e-12 {
		t.Errorf("with itself: %+v, %v", a, err)
	}
	// A random vector's first element has the mean square 1/12, so that the mean of
	// the cosine is that, and of Pearson about 1/12 − 1/144 of 1 − 1/144.
	if want := (1./12 - 1./144) / (1 - 1./144); math.Abs(a.NullMean-want) > 5*a.NullSD/math.Sqrt(200) {
		t.Errorf("null %.4f ± %.4f, want %.4f", a.NullMean, a.NullSD, want)
	}
	if b, err := similarity.Align(one, other, 50, rng); err != nil || b.Pearson > 0 || b.Cosine != 0 {
		t.Errorf("with another: %+v, %v", b, err)
	}
	if _, err := similarity.Align(mat.NewSymDense(3, nil), mat.NewSymDense(3, nil), 2, rng); !errors.Is(err,
		cnfa.ErrZero) {
		t.Errorf("of zeros: %v", err)
	}
}

func TestRandomRotation(t *testing.T) {
	q := similarity.RandomRotation(9, rand.New(rand.NewPCG(3, 4)))
	var qq mat.Dense
	qq.Mul(q, q.T())
	if !mat.EqualApprox(&qq, mat.NewDiagDense(9, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}), 1e-12) {
		t.Error("QQᵀ is not I")
	}
}

// The diagonals are those of WᵀW and WᵀSW.
func TestAlignDiagonals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	w := mat.NewDense(4, 6, nil)
	for i := range w.RawMatrix().Data {
		w.RawMatrix().Data[i] = rng.NormFloat64()
	}
	var g mat.SymDense
	g.SymOuterK(1, w) // S = WWᵀ
	var sw, product mat.Dense
	sw.Mul(&g, w)
	product.Mul(w.T(), &sw)
	var x, y []float64
	for j := range 6 {
		c := w.ColView(j)
		x, y = append(x, mat.Dot(c, c)), append(y, product.At(j, j))
	}
	want, err := similarity.AlignValues(x, y, 1, func() []float64 { return y })
	if err != nil {
		t.Fatal(err)
	}
	got, err := setups.AlignDiagonals(w, &g, 20, rng)
	if err != nil || math.Abs(got.Pearson-want.Pearson) > 1e-9 || math.Abs(got.Cosine-want.Cosine) > 1e-9 {
		t.Errorf("%+v, want %+v; %v", got, want, err)
	}
	if !(got.NullSD > 0) || got.NullMean >= got.Pearson {
		t.Errorf("null %v ± %v", got.NullMean, got.NullSD)
	}
}

// The gradient outer products are those of many rows, by differences.
func TestGradientOuterProduct(t *testing.T) {
	p := table.Hermite()
	truth, err := gradientOuterProduct(p, 4)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Generate(200000, 4, "test")
	if err != nil {
		t.Fatal(err)
	}
	u, mean := table.HermiteDirection(4), 0.
	for i := range len(s.Y) {
		z := mat.Dot(mat.NewVecDense(10, u), s.X.RowView(i))
		slope := 2*z + 4*z*z*z - 12*z
		mean += slope * slope / float64(len(s.Y))
	}
	for i := range 10 {
		if want := mean * u[0] * u[i]; math.Abs(truth.At(0, i)-want) > .03*math.Abs(want) {
			t.Errorf("element 0, %d is %.4f, want %.4f", i, truth.At(0, i), want)
		}
	}
	if r, err := gradientOuterProduct(table.Rademacher(.1), 0); err != nil || math.Abs(r.At(0, 0)-1.01) > 1e-12 ||
		r.At(0, 1) != 0 || r.At(2, 2) != 0 {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := gradientOuterProduct(table.Tutorial(), 0); !input.IsError(err) {
		t.Errorf("of another: %v", err)
	}
}

func TestLargestShare(t *testing.T) {
	if got := largestShare([]float64{1, 5, 2, 2}, 2); got != .7 {
		t.Errorf("%v, want .7", got)
	}
	if got := largestShare([]float64{1, 3}, 9); got != 1 {
		t.Errorf("of more than there are: %v", got)
	}
}

// Leads are the least over the depths, and higher is better whatever is measured.
func TestDepthValues(t *testing.T) {
	result := func(depth int, net, ntk, seen float64) *depthResult {
		of := func(r2 float64) rfm.Scores { return rfm.Scores{R2: r2} }
		return &depthResult{
			depth: depth, scores: map[learner]rfm.Scores{byNetwork: of(net), byNTK: of(ntk), byNTKFeatures: of(seen)},
		}
	}
	scoreR2 := func(s rfm.Scores) float64 { return s.R2 }
	all := []*depthResult{result(1, .5, .3, .7), result(2, .6, .3, .65)}
	v := depthValues(all, depthMeasure{of: scoreR2})
	if math.Abs(v["ntkw_lead"]-.05) > 1e-12 || math.Abs(v["ntkw_gain"]-.35) > 1e-12 || v["net_2"] != .6 {
		t.Errorf("%v", v)
	}
	if v := depthValues(all, depthMeasure{of: scoreR2, lower: true}); math.Abs(v["ntkw_lead"]+.2) > 1e-12 {
		t.Errorf("lower is better: %v", v)
	}
}

// Bars of several seeds have whiskers.
func TestBarsOverSeeds(t *testing.T) {
	chart := func(y float64) *study.Outcome {
		return &study.Outcome{
			Charts: []study.Chart{
				{
					Name: "c", Labels: []string{"a", "b"},
					Series: []report.Series{{Label: "s", X: study.Places(2), Y: []float64{y, 1}}},
				},
			},
		}
	}
	figures, err := study.ChartsOverSeeds([]*study.Outcome{chart(1), chart(3)})
	if err != nil || len(figures) != 1 || len(figures[0].SVG) == 0 {
		t.Fatalf("%v, %v", figures, err)
	}
	if got, want := figures[0].Caption, "Mean of 2 seeds; whiskers are one standard deviation."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
