package cnfa

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestInputs checks that the first layer reads the images, and that the filters of a later layer, applied to the inputs
// of that layer, give what [Responses] returns.
func TestInputs(t *testing.T) {
	n := network(t, 5)
	v := verify(t, n, Options{Images: 6, NullDraws: 2})
	px, labels := make([]float32, 70*2*9*8), make([]int, 70)
	_ = noise{2 * 9 * 8}.Load(context.Background(), 0, 70, px, labels)
	first, s, err := Inputs(context.Background(), n, v.Layers[0].Name, px)
	if err != nil || s.Height != 9 || s.Width != 8 || s.Channels != 2 {
		t.Fatalf("%v, %v", s, err)
	}
	for i := range px {
		if first[i] != px[i] {
			t.Fatalf("element %d: %v, want %v", i, first[i], px[i])
		}
	}
	l := v.Layers[1] // block.a, whose filters read one pixel
	x, s, err := Inputs(context.Background(), n, l.Name, px)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Responses(context.Background(), n, l, px)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 70 * s.Height * s.Width {
		h := mat.NewVecDense(s.Channels, nil)
		for c := range s.Channels {
			h.SetVec(c, float64(x[k*s.Channels+c]))
		}
		var z mat.VecDense
		z.MulVec(n.Filters(l.Name), h)
		got := r[k/(s.Height*s.Width)].CNFM[k%(s.Height*s.Width)]
		if math.Abs(got-mat.Norm(&z, 2)) > 1e-5*(1+got) {
			t.Fatalf("patch %d: %v, want %v", k, mat.Norm(&z, 2), got)
		}
	}
	if _, _, err := Inputs(context.Background(), n, v.Layers[4].Name, px); err == nil {
		t.Error("a linear layer read images")
	}
	if _, _, err := Inputs(context.Background(), n, "nothere", px); err == nil {
		t.Error("a layer that there is not read images")
	}
	if _, _, err := Inputs(context.Background(), n, v.Layers[0].Name, px[:7]); err == nil {
		t.Error("a part of an image was read")
	}
}
