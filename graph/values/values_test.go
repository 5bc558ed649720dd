package values

import (
	"slices"
	"testing"

	"gorgonia.org/tensor"
)

// TestPrecisions checks that tensors of both precisions are read and written alike, to and from slices of both
// precisions.
func TestPrecisions(t *testing.T) {
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		x := tensor.New(tensor.Of(dtype), tensor.WithShape(2, 2))
		Fill(x, 2)
		Set(x, 3, .5)
		Scale(x, 3)
		want := []float64{6, 6, 6, 1.5}
		at, single, double := Reader(x), make([]float32, 4), make([]float64, 3)
		for i, w := range want {
			if at(i) != w {
				t.Errorf("%v: element %d is %v, want %v", dtype, i, at(i), w)
			}
		}
		sum := []float64{1, 2}
		if AddTo(sum, x, 2); !slices.Equal(sum, []float64{7, 3.5}) {
			t.Errorf("%v: added %v", dtype, sum)
		}
		if n := CopyTo(single, x); n != 4 || !slices.Equal(single, []float32{6, 6, 6, 1.5}) {
			t.Errorf("%v: copied %d: %v", dtype, n, single)
		}
		if n := CopyTo(double, x); n != 3 || !slices.Equal(double, want[:3]) {
			t.Errorf("%v: copied %d: %v", dtype, n, double)
		}
		if n, m := CopyFrom(x, []float32{1, 2}), CopyFrom(x, []float64{3}); n != 2 || m != 1 || at(0) != 3 || at(1) != 2 || at(2) != 6 {
			t.Errorf("%v: copied %d and %d: %v", dtype, n, m, x.Data())
		}
		if Repeat(x, []float32{7, 8, 9}); at(0) != 7 || at(2) != 9 || at(3) != 7 {
			t.Errorf("%v: repeated 7, 8, 9: %v", dtype, x.Data())
		}
		if Repeat(x, []float64(nil)); at(3) != 7 {
			t.Errorf("%v: repeated nothing: %v", dtype, x.Data())
		}
	}
}

// TestReaderOfScalar checks that the number of a tensor without axes is read in both precisions.
func TestReaderOfScalar(t *testing.T) {
	for _, x := range []*tensor.Dense{tensor.New(tensor.FromScalar(float32(2.5))), tensor.New(tensor.FromScalar(2.5))} {
		if v := Reader(x)(0); v != 2.5 {
			t.Errorf("%v: %v, want 2.5", x.Dtype(), v)
		}
	}
}
