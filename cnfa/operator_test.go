package cnfa

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/moment"
	"gonum.org/v1/gonum/mat"
)

// The responses against M^½ applied to explicit patches.
func TestResponsesAgainstPatches(t *testing.T) {
	n := network(t, 5)
	v := verify(t, n, Options{Images: 6, NullDraws: 2})
	layer := v.Layers[0]
	px := make([]float32, 2*2*9*8)
	labels := make([]int, 2)
	_ = noise{2 * 9 * 8}.Load(context.Background(), 0, 2, px, labels)
	got, err := Responses(context.Background(), n, layer, px)
	if err != nil {
		t.Fatal(err)
	}
	norms, err := PatchNorms(context.Background(), n, "conv1", px)
	if err != nil || len(norms) != 2*9*8 {
		t.Fatalf("%d norms of patches, %v", len(norms), err)
	}
	w := n.Filters("conv1")
	ma, mg := CNFM(w), layer.AGOP(w)
	at := func(image, h, x, c int) float64 {
		if h < 0 || h >= 9 || x < 0 || x >= 8 {
			return 0
		}
		return float64(px[((image*9+h)*8+x)*2+c])
	}
	for i, r := range got {
		if r.Height != 9 || r.Width != 8 {
			t.Fatalf("%d×%d, want 9×8", r.Height, r.Width)
		}
		for k := range r.CNFM {
			var patch []float64
			for c := range 2 {
				for dh := -1; dh <= 1; dh++ {
					for dx := -1; dx <= 1; dx++ {
						patch = append(patch, at(i, k/8+dh, k%8+dx, c))
					}
				}
			}
			h := mat.NewVecDense(18, patch)
			for name, c := range map[string][2]float64{
				"I":    {norms[i*9*8+k], mat.Norm(h, 2)},
				"CNFM": {r.CNFM[k], math.Sqrt(mat.Inner(h, ma, h))},
				"AGOP": {r.AGOP[k], math.Sqrt(math.Max(0, mat.Inner(h, mg, h)))},
			} {
				if math.Abs(c[0]-c[1]) > 1e-5*(1+c[1]) {
					t.Fatalf("image %d, position %d: %s %v, want %v", i, k, name, c[0], c[1])
				}
			}
		}
	}
	if _, err := Responses(context.Background(), n, v.Layers[4], px); err == nil {
		t.Error("a linear layer saw images")
	}
	if _, err := PatchNorms(context.Background(), n, v.Layers[4].Name, px); err == nil {
		t.Error("a linear layer has patches")
	}
}

func TestEigenvectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, s := range [][2]int{{4, 9}, {9, 4}} {
		b := random(rng, s[0], s[1])
		values, vectors, err := Eigenvectors(b, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(values) != 4 {
			t.Fatalf("%d×%d: %d eigenvalues, the rank is 4", s[0], s[1], len(values))
		}
		m := gram(b)
		for i, x := range values {
			var mv mat.VecDense
			v := vectors.RowView(i)
			mv.MulVec(m, v)
			mv.AddScaledVec(&mv, -x, v)
			if r := mat.Norm(&mv, 2); r > 1e-10*values[0] {
				t.Errorf("%d×%d: eigenvector %d is off by %.2g", s[0], s[1], i, r)
			}
			if i > 0 && x > values[i-1] {
				t.Errorf("eigenvalues do not descend: %v", values)
			}
		}
	}
	if _, _, err := Eigenvectors(mat.NewDense(2, 3, nil), 1); err == nil {
		t.Error("eigenvectors of a zero matrix")
	}
}

func TestAGOPFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	w := random(rng, 5, 7)
	for _, s := range []moment.Moment{moment.OfRows(random(rng, 3, 5)),
		moment.Of(symmetric(gram(random(rng, 9, 5))))} {
		r := LayerResult{S: s}
		b, err := r.AGOPFactor(w)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(gram(b), r.AGOP(w), 1e-9) {
			t.Error("BᵀB is not WᵀSW")
		}
	}
}
