package tensors

import (
	"testing"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Rows can be written to a tensor of either precision and read again. Rows of the tensor that are not written are
// zeros.
func TestRows(t *testing.T) {
	m := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	for _, of := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		x := tensor.New(tensor.Of(of), tensor.WithShape(2, 2))
		if n := PutRows(x, m, 1); n != 2 || !mat.Equal(Matrix(x), m.Slice(1, 3, 0, 2)) {
			t.Errorf("%v: %d rows, %v", of, n, mat.Formatted(Matrix(x)))
		}
		if n := PutRows(x, m, 2); n != 1 || !mat.Equal(Matrix(x), mat.NewDense(2, 2, []float64{5, 6, 0, 0})) {
			t.Errorf("%v: %d rows, %v", of, n, mat.Formatted(Matrix(x)))
		}
		if n := PutRowsFrom([]float64{1, -2}, x, m, 2); n != 1 || !mat.Equal(Matrix(x), mat.NewDense(2, 2, []float64{4, 8, 0, 0})) {
			t.Errorf("%v from an origin: %d rows, %v", of, n, mat.Formatted(Matrix(x)))
		}
		GatherRows(x, m, []int{2, 0})
		got := mat.NewDense(3, 2, []float64{9, 9, 9, 9, 9, 9})
		TakeRows(got, 1, 2, x)
		AddRows(got, 2, x)
		if want := mat.NewDense(3, 2, []float64{9, 9, 5, 6, 6, 8}); !mat.Equal(got, want) {
			t.Errorf("%v: %v, want %v", of, mat.Formatted(got), mat.Formatted(want))
		}
		UpdateRows(x, m, []int{1})
		if want := mat.NewDense(2, 2, []float64{5, 6, 3, 4}); !mat.Equal(Matrix(x), want) {
			t.Errorf("%v: %v, want %v", of, mat.Formatted(Matrix(x)), mat.Formatted(want))
		}
		PutPixels(x, []float32{.5, 7})
		if want := mat.NewDense(2, 2, []float64{.5, 7, 0, 0}); !mat.Equal(Matrix(x), want) {
			t.Errorf("%v: %v, want %v", of, mat.Formatted(Matrix(x)), mat.Formatted(want))
		}
	}
}

func TestPickRows(t *testing.T) {
	m := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	if got, want := PickRows(m, []int{2, 0, 2}), mat.NewDense(3, 2, []float64{5, 6, 1, 2, 5, 6}); !mat.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := PickRows(m, nil); got != nil {
		t.Errorf("no rows: %v", got)
	}
}
