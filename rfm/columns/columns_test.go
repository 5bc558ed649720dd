package columns

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestColumns checks the operations on columns, each with its own scalar.
func TestColumns(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	dots := make([]float64, 2)
	if Dot(dots, x, x); !slices.Equal(dots, []float64{1 + 9, 4 + 16}) {
		t.Errorf("dots %v", dots)
	}
	if m := Means(x); !slices.Equal(m, []float64{2, 3}) {
		t.Errorf("means %v", m)
	}
	if v := Variation(mat.NewDense(3, 2, []float64{1, .1, 2, .1, 3, .1})); !slices.Equal(v, []float64{2, 0}) {
		t.Errorf("variation %v", v)
	}
	for name, c := range map[string]struct {
		do   func(y *mat.Dense)
		want []float64
	}{
		"scale":         {func(y *mat.Dense) { Scale(y, []float64{2, -1}) }, []float64{20, -20, 60, -40}},
		"add":           {func(y *mat.Dense) { Add(y, []float64{2, -1}, x) }, []float64{12, 18, 36, 36}},
		"scale and add": {func(y *mat.Dense) { ScaleAndAdd(y, []float64{2, -1}, x) }, []float64{21, -18, 63, -36}},
	} {
		y := mat.NewDense(2, 2, []float64{10, 20, 30, 40})
		if c.do(y); !slices.Equal(y.RawMatrix().Data, c.want) {
			t.Errorf("%s gives %v, want %v", name, y.RawMatrix().Data, c.want)
		}
	}
}
