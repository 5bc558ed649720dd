package cnfa

import (
	"context"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// The responses are ‖M^½h‖ for explicit patches h, where M is the CNFM or the AGOP. The norms of the patches are ‖h‖.
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

// TestResponsesOfGroups checks the responses of convolutions with groups, and the projections onto their filters,
// against explicit patches. Every group of filters reads its own channels.
func TestResponsesOfGroups(t *testing.T) {
	const rows, columns, channels, filters = 5, 4, 4, 8
	for _, groups := range []int{2, 4} {
		conv := models.Conv3(filters, 1, true)
		conv.Geometry.Groups = groups
		a := &models.Architecture{Input: models.Shape{Channels: channels, Height: rows, Width: columns},
			Root: models.Sequential{{Name: "conv", Layer: conv}, {Layer: models.Tanh{}}, {Name: "fc", Layer: models.Linear{}}}}
		n, err := a.InitNetwork(a.Input, 3, 7)
		if err != nil {
			t.Fatal(err)
		}
		layer := verifyWith(t, n, Options{Images: 6, NullDraws: 2})[0]
		px := make([]float32, 2*a.Input.Size())
		_ = noise{a.Input.Size()}.Load(t.Context(), 0, 2, px, make([]int, 2))
		got, err := Responses(t.Context(), n, layer, px)
		if err != nil {
			t.Fatal(err)
		}
		identity := mat.NewDense(filters, filters, nil)
		for i := range filters {
			identity.Set(i, i, 1)
		}
		projected, err := Project(t.Context(), n, layer, px, identity)
		if err != nil {
			t.Fatal(err)
		}
		w, s := n.Filters("conv"), layer.S.Blocks()
		if len(s) != groups {
			t.Fatalf("S has %d blocks, want %d", len(s), groups)
		}
		each, own := filters/groups, channels/groups
		for i := range 2 * rows * columns {
			image, place := i/(rows*columns), i%(rows*columns)
			var cnfm, agop float64
			for g := range groups {
				h := mat.NewVecDense(own*9, patchOf(px[image*a.Input.Size():], a.Input, place, g*own, own))
				z := mat.NewVecDense(each, nil)
				z.MulVec(w.Slice(g*each, (g+1)*each, 0, own*9), h)
				cnfm += mat.Dot(z, z)
				agop += mat.Inner(z, s[g].Sym(), z)
				for k := range each {
					if have := projected[0].Values.At(i, g*each+k); math.Abs(have-z.AtVec(k)) > 1e-5 {
						t.Fatalf("%d groups, patch %d: filter %d of group %d makes %v of it, want %v", groups, i, k, g, have,
							z.AtVec(k))
					}
				}
			}
			r := got[image]
			if math.Abs(r.CNFM[place]-math.Sqrt(cnfm)) > 1e-5 || math.Abs(r.AGOP[place]-math.Sqrt(agop)) > 1e-5 {
				t.Fatalf("%d groups, patch %d: responses %v and %v, want %v and %v", groups, i, r.CNFM[place], r.AGOP[place],
					math.Sqrt(cnfm), math.Sqrt(agop))
			}
		}
	}
}

// patchOf returns the 3×3 patch of some channels around a position of an image, zero-padded, in PyTorch's order.
func patchOf(image []float32, in models.Shape, place, first, channels int) (patch []float64) {
	for c := first; c < first+channels; c++ {
		for dh := -1; dh <= 1; dh++ {
			for dx := -1; dx <= 1; dx++ {
				y, x := place/in.Width+dh, place%in.Width+dx
				if y < 0 || y >= in.Height || x < 0 || x >= in.Width {
					patch = append(patch, 0)
					continue
				}
				patch = append(patch, float64(image[(y*in.Width+x)*in.Channels+c]))
			}
		}
	}
	return patch
}
