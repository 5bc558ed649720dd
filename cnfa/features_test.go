package cnfa

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"gonum.org/v1/gonum/mat"
)

// checkFeatures fails the test unless f has the leading eigenvectors of m, of length 1, as combinations of the filters
// w.
func checkFeatures(t *testing.T, f *Features, w *mat.Dense, m mat.Matrix, vectors int) {
	t.Helper()
	if n, _ := f.Vectors.Dims(); n != vectors {
		t.Fatalf("%d eigenvectors, want %d", n, vectors)
	}
	var back mat.Dense
	back.Mul(f.Filters, w)
	if !mat.EqualApprox(&back, f.Vectors, 1e-10) {
		t.Error("the eigenvectors are not those combinations of the filters")
	}
	for i := range vectors {
		v := f.Vectors.RowView(i)
		var mv mat.VecDense
		mv.MulVec(m, v)
		mv.AddScaledVec(&mv, -f.Values[i], v)
		if r := mat.Norm(&mv, 2); r > 1e-10*f.Values[0] || math.Abs(mat.Norm(v, 2)-1) > 1e-10 {
			t.Errorf("eigenvector %d is off by %.2g", i, r)
		}
	}
	trace := 0.
	for i, x := range f.Values {
		trace += x
		if i > 0 && x > f.Values[i-1] {
			t.Errorf("eigenvalues do not descend: %v", f.Values)
		}
	}
	if want := mat.Trace(m); math.Abs(trace-want) > 1e-10*want {
		t.Errorf("the eigenvalues add up to %v, the trace is %v", trace, want)
	}
}

// TestFeatures checks the eigenvectors and eigenvalues of CNFM and AGOP: of layers with more filters than patch
// elements, with fewer, with groups, and with gradients of lower rank.
func TestFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, s := range [][2]int{{4, 9}, {9, 4}} {
		w := random(rng, s[0], s[1])
		f, err := CNFMFeatures(w, 3)
		if err != nil {
			t.Fatal(err)
		}
		checkFeatures(t, f, w, CNFM(w), 3)
	}
	w := random(rng, 6, 7)
	full := func(n int) moment.Moment { return moment.Of(symmetric(gram(random(rng, 9, n)))) }
	for _, c := range []struct {
		s    moment.Moment
		rank int
	}{{moment.OfRows(random(rng, 3, 6)), 3}, {full(6), 6}, {moment.OfBlocks([]moment.Moment{full(3), full(3)}), 6}} {
		r := LayerResult{S: c.s}
		f, err := r.AGOPFeatures(w, 10)
		if err != nil {
			t.Fatal(err)
		}
		checkFeatures(t, f, w, r.AGOP(w), c.rank)
	}
	if _, err := CNFMFeatures(mat.NewDense(2, 3, nil), 1); err == nil {
		t.Error("eigenvectors of a zero matrix")
	}
}

// TestProject checks that the squared projections of a patch onto all eigenvectors of the CNFM or the AGOP, weighted
// with the eigenvalues, add up to the square of its response ([Responses]).
func TestProject(t *testing.T) {
	n := network(t, 5)
	v := verify(t, n, Options{Images: 6, NullDraws: 2})
	layer := v.Layers[0]
	px := make([]float32, 2*2*9*8)
	labels := make([]int, 2)
	_ = noise{2 * 9 * 8}.Load(context.Background(), 0, 2, px, labels)
	want, err := Responses(t.Context(), n, layer, px)
	if err != nil {
		t.Fatal(err)
	}
	w := n.Filters(layer.Name)
	cnfm, err := CNFMFeatures(w, 100)
	if err != nil {
		t.Fatal(err)
	}
	agop, err := layer.AGOPFeatures(w, 100)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Project(t.Context(), n, layer, px, cnfm.Filters, agop.Filters)
	if err != nil {
		t.Fatal(err)
	}
	norm := func(p Projections, values []float64, patch int) float64 {
		sum := 0.
		for k, x := range p.Values.RawRowView(patch) {
			sum += values[k] * x * x
		}
		return math.Sqrt(sum)
	}
	for i, r := range want {
		for k := range r.CNFM {
			patch := i*r.Height*r.Width + k
			a, b := norm(got[0], cnfm.Values, patch), norm(got[1], agop.Values, patch)
			if math.Abs(a-r.CNFM[k]) > 1e-5*(1+a) || math.Abs(b-r.AGOP[k]) > 1e-5*(1+b) {
				t.Fatalf("image %d, patch %d: %v and %v, want %v and %v", i, k, a, b, r.CNFM[k], r.AGOP[k])
			}
		}
	}
}

// TestProjectionsPatch checks where patches lie in what a convolution with strides, padding and dilation reads.
func TestProjectionsPatch(t *testing.T) {
	p := Projections{conv: backend.ConvShape{H: 40, W: 20, KH: 11, KW: 3, StrideH: 4, PadH: 2, DilateW: 2}.Normal()}
	y, x, height, width := p.Patch(3, 5)
	for _, c := range []struct{ got, want float64 }{{y, (12 - 2 + 5.5) / 40}, {x, (5 + 2.5) / 20}, {height, 11. / 40}, {width, 5. / 20}} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

// TestPrincipalAngles checks the angles between two planes that share one direction. Their other directions enclose a
// known angle.
func TestPrincipalAngles(t *testing.T) {
	a := mat.NewDense(2, 4, []float64{1, 0, 0, 0, 0, 1, 0, 0})
	s, c := math.Sincos(.3)
	b := mat.NewDense(2, 4, []float64{0, 1, 0, 0, c, 0, s, 0})
	got, err := PrincipalAngles(a, b)
	if err != nil || len(got) != 2 || math.Abs(got[0]) > 1e-7 || math.Abs(got[1]-.3) > 1e-7 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestRandomAngles checks that the squared cosine of the angle between two random directions in n dimensions is 1/n on
// average.
func TestRandomAngles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{2, 10, 100} {
		sum := 0.
		for range 4000 {
			angles, err := RandomAngles(1, n, 1, rng)
			if err != nil {
				t.Fatal(err)
			}
			sum += math.Pow(math.Cos(angles[0]), 2) / 4000
		}
		if math.Abs(sum*float64(n)-1) > .1 {
			t.Errorf("in %d dimensions the squared cosine is %v", n, sum)
		}
	}
	if all, err := RandomAngles(3, 3, 2, rng); err != nil || all[2] > 1e-6 {
		t.Errorf("all directions enclose %v with themselves, %v", all, err)
	}
}
