package graph

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/jacobian"
	"gonum.org/v1/gonum/mat"
)

// explicitJacobian returns J of f at its current input, computed row by row.
func explicitJacobian(t *testing.T, f *Function, wrt []*Node) *mat.Dense {
	t.Helper()
	d, err := f.Differential(wrt...)
	if err != nil {
		t.Fatal(err)
	}
	j := mat.NewDense(size(f.Output), d.Columns(), nil)
	for k := range size(f.Output) {
		if err := d.Row(context.Background(), k, j.RawRowView(k), k > 0); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// gram returns the kernel of two sets of rows.
func gram(r, s *jacobian.Rows) *mat.Dense {
	k := mat.NewDense(r.Len(), s.Len(), nil)
	r.AddGram(k.RawMatrix(), s)
	return k
}

// upper returns k with its upper triangle mirrored to the lower one.
func upper(k *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(k)
	n, _ := k.Dims()
	for i := range n {
		for j := range i {
			out.Set(i, j, k.At(j, i))
		}
	}
	return out
}

// The kernel of the rows is JJᵀ, where J is computed row by row, for both forms in which layers keep rows. Batches that
// are not full and rows of different batches are tested too.
func TestJacobian(t *testing.T) {
	ctx := context.Background()
	few := []string{"conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias", "conv3.weight", "fc.weight", "fc.bias"}
	norms := []string{"bn1.weight", "bn1.bias", "bn1.running_mean", "bn2.weight", "bn2.running_var"}
	every := append(norms, few...)
	for _, c := range []struct {
		batch int
		names []string
	}{{3, few}, {3, []string{"conv2.bias", "fc.weight"}}, {3, []string{"conv1.bias", "fc.bias", "conv2.weight"}},
		{3, norms}, {3, every}, {1, every}} {
		for _, d := range devices(t) {
			for _, p := range []Precision{Double, Single} {
				f, _ := testNet(t, d, p, c.batch, false)
				var wrt []*Node
				for _, name := range c.names {
					wrt = append(wrt, f.Named(name))
				}
				j, err := f.Jacobian(wrt)
				if err != nil {
					t.Fatal(err)
				}
				var rows []*jacobian.Rows
				var explicit []*mat.Dense
				counts := []int{c.batch, max(1, c.batch-1)}
				for b := range images(p, c.batch, counts...) {
					if err := f.write(f.Inputs()[0], b); err != nil {
						t.Fatal(err)
					}
					n := b.Shape()[0]
					r, err := j.Rows(ctx, n)
					if err != nil {
						t.Fatal(err)
					}
					all := explicitJacobian(t, f, wrt)
					_, width := all.Dims()
					if width != j.Columns() {
						t.Fatalf("%d columns, want %d", j.Columns(), width)
					}
					rows, explicit = append(rows, r),
						append(explicit, all.Slice(0, n*f.Output.Shape()[1], 0, width).(*mat.Dense))
				}
				tolerance := 1e-13
				if p == Single {
					tolerance = 3e-6
				}
				for a := range rows {
					for b := range rows {
						var want mat.Dense
						want.Mul(explicit[a], explicit[b].T())
						got := gram(rows[a], rows[b])
						if a == b {
							got = upper(got)
						}
						if e := relative(got, &want); e > tolerance || math.IsNaN(e) {
							t.Errorf("%s, %v, %v, batches %d and %d: relative error %.2g",
								d.Name(), p, c.names, a, b, e)
						}
					}
				}
			}
		}
	}
}

// In the test net conv2 and fc keep their rows as factors, and the other layers keep them explicitly. So tests with the
// test net cover both forms.
func TestJacobianForms(t *testing.T) {
	f, _ := testNet(t, devices(t)[0], Double, 2, false)
	want := map[string]bool{"conv1": false, "conv2": true, "conv3": false, "fc": true}
	for _, l := range f.Layers {
		if got := newJacobianPart(f, l, l.Use).Factored; got != want[l.Name] {
			t.Errorf("%s keeps its factors: %v, want %v", l.Name, got, want[l.Name])
		}
	}
}

// A weight that two layers read has one gradient, the sum of both. Each layer's bias has its own.
func TestJacobianSharedWeight(t *testing.T) {
	g := New(devices(t)[0], Double)
	x, w, a, b := g.Input("x", 1, 3), g.Param("w", 3, 3), g.Param("a", 3), g.Param("b", 3)
	for i := range 9 {
		set(g.Data(w), i, math.Sin(float64(i+1)))
	}
	for i := range 3 {
		set(g.Data(a), i, .1*float64(i))
		set(g.Data(b), i, -.2*float64(i))
	}
	f, err := g.Function(g.LinearLayer("two", g.Tanh(g.LinearLayer("one", x, w, a)), w, b))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range []float64{.3, -1, .7} {
		set(f.Data(x), i, v)
	}
	for _, wrt := range [][]*Node{{w}, {a}, {b}, {w, a, b}} {
		j, err := f.Jacobian(wrt)
		if err != nil {
			t.Fatal(err)
		}
		r, err := j.Rows(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		rows := explicitJacobian(t, f, wrt)
		var want mat.Dense
		want.Mul(rows, rows.T())
		if e := relative(upper(gram(r, r)), &want); !(e < 1e-14) {
			t.Errorf("%d parameters: relative error %.2g", len(wrt), e)
		}
	}
}

func TestJacobianMistakes(t *testing.T) {
	f, _ := testNet(t, devices(t)[0], Double, 2, false)
	together := New(devices(t)[0], Double)
	products, err := together.Function(together.MatMul(together.Input("x", 2, 3), together.Param("w", 3, 4), false, false))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := products.Jacobian([]*Node{products.Named("w")}); !errors.Is(err, ErrTogether) {
		t.Errorf("a matrix that is no weight of a layer, two rows at a time: %v", err)
	}
	j, err := f.Jacobian([]*Node{f.Named("fc.weight")})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 3} {
		if _, err := j.Rows(context.Background(), n); err == nil {
			t.Errorf("%d examples of a batch of 2: no error", n)
		}
	}
	flat, err := f.Function(f.Reshape(f.Output, 8))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := flat.Jacobian(nil); err == nil {
		t.Error("an output that is no matrix: no error")
	}
}
