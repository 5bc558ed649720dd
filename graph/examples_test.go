package graph

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// one yields a single batch.
func one(b *tensor.Dense) func(func(*tensor.Dense, error) bool) {
	return func(yield func(*tensor.Dense, error) bool) { yield(b, nil) }
}

// unitRows returns a function of rows of three numbers that divides the outputs of a layer by their norm, and so has no
// value at a row of zeros.
func unitRows(t *testing.T, batch int) *Function {
	t.Helper()
	g := New(devices(t)[0], Double)
	x, w := g.Input("x", batch, 3), g.Param("w", 2, 3)
	for i := range size(w) {
		set(g.Data(w), i, float64(i+1))
	}
	h := g.LinearLayer("layer", x, w, nil)
	f, err := g.Function(g.ColMul(h, g.Rsqrt(g.SumCols(g.Mul(h, h)))))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A batch with fewer examples than the function has room for has the AGOP that it has in a function of just these, even if
// the function has no value at zeros.
func TestAGOPOfFewExamples(t *testing.T) {
	b := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 2, 3, -4, 5, 6}))
	var got [2]*mat.SymDense
	for i, batch := range []int{2, 5} {
		var err error
		if got[i], err = unitRows(t, batch).AGOP(t.Context(), "layer/in", one(b), Outputs{}); err != nil {
			t.Fatal(err)
		}
	}
	if mat.Norm(got[0], 2) == 0 || !mat.EqualApprox(got[1], got[0], 1e-14) {
		t.Errorf("in a batch of 5: %v, want %v", mat.Formatted(got[1]), mat.Formatted(got[0]))
	}
}

// A batch may be a part of another tensor, or transposed; the value of a node must lie in memory row by row, since it is not
// copied.
func TestBatchThatIsAView(t *testing.T) {
	all := tensor.New(tensor.WithShape(2, 6), tensor.WithBacking([]float64{9, 1, 2, 3, 9, 9, 9, -4, 5, 6, 9, 9}))
	some, err := all.Slice(nil, tensor.S(1, 4))
	if err != nil {
		t.Fatal(err)
	}
	turned := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, -4, 2, 5, 3, 6}))
	if err := turned.T(); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*tensor.Dense{some.(*tensor.Dense), turned} {
		f := unitRows(t, 2)
		if err := f.write(f.Inputs()[0], b); err != nil {
			t.Fatal(err)
		}
		near(t, "input", get(f.Data(f.Inputs()[0])), []float64{1, 2, 3, -4, 5, 6}, 0)
		if err := f.Let(f.Inputs()[0], b); !errors.Is(err, ErrShape) {
			t.Errorf("as a value of a node: %v", err)
		}
	}
	f := unitRows(t, 2)
	rows, err := tensor.New(tensor.WithShape(3, 3), tensor.WithBacking(make([]float64, 9))).Slice(tensor.S(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Let(f.Inputs()[0], rows.(*tensor.Dense)); err != nil {
		t.Errorf("rows of a tensor: %v", err)
	}
}
