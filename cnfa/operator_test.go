package cnfa

import (
	"context"
	"math"
	"testing"

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
