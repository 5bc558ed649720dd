package graph

import (
	"context"
	"errors"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// tokenNet returns a network on (example, token, feature) that uses the weights w twice and has a projection with three
// parts: tanh(tanh(x·wᵀ + a)·wᵀ + b)·pᵀ, then tanh and a linear layer on all tokens of an example.
func tokenNet(t *testing.T, p Precision, batch int) *Function {
	t.Helper()
	const tokens, d = 3, 4
	g := New(devices(t)[0], p)
	x := g.Input("x", batch, tokens, d)
	w, a, b := g.Param("w", d, d), g.Param("a", d), g.Param("b", d)
	y := g.Tanh(g.LinearLayer("one", x, w, a))
	y = g.Tanh(g.LinearLayer("two", y, w, b))
	y = g.Tanh(g.LinearLayer("attention", y, g.Param("p", 3*d, d), nil))
	g.Parts("attention", QueryKeyValue(d, 2)...)
	f, err := g.Function(g.LinearLayer("head", g.Reshape(y, batch, tokens*3*d), g.Param("h", 2, tokens*3*d), nil))
	if err != nil {
		t.Fatal(err)
	}
	for k, n := range f.Params() {
		for i := range size(n) {
			set(f.Data(n), i, math.Sin(float64(7*k+3*i+1)))
		}
	}
	for i := range size(x) {
		set(f.Data(x), i, math.Cos(float64(5*i)))
	}
	return f
}

// cotangentsAt returns the gradients of all outputs in a node as rows, computed for one output of one example at a
// time.
func cotangentsAt(t *testing.T, f *Function, n *Node) *mat.Dense {
	t.Helper()
	d, err := f.Differential(n)
	if err != nil {
		t.Fatal(err)
	}
	outputs := size(f.Output)
	all := mat.NewDense(outputs*rows(n), cols(n), nil)
	for k := range outputs {
		row := make([]float64, size(n))
		if err := d.Row(context.Background(), k, row, k > 0); err != nil {
			t.Fatal(err)
		}
		copy(all.RawMatrix().Data[k*size(n):], row)
	}
	return all
}

// The moment of a layer is the sum over tokens and over all uses of its weights. The moment of a part of a layer is the
// block of its rows.
func TestLayerMoments(t *testing.T) {
	for _, o := range []Outputs{{}, {Centred: true}} {
		f := tokenNet(t, Double, 2)
		if len(f.Layers) != 3 {
			t.Fatalf("%d layers, want one, attention and head", len(f.Layers))
		}
		one, attention := f.Layers[0], f.Layers[1]
		if one.Rows() != 12 || attention.Rows() != 6 {
			t.Errorf("%d and %d rows in a batch, want 12 and 6", one.Rows(), attention.Rows())
		}
		sources := []Source{one.Source(one.AllParts()[0])}
		for _, p := range attention.AllParts() {
			sources = append(sources, attention.Source(p))
		}
		m, err := f.MomentsOf(sources, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Batch(context.Background(), 2, nil); err != nil {
			t.Fatal(err)
		}
		got := m.Take()
		var want []*mat.SymDense
		whole := momentOver(t, f, o, one.Pre, one.More[0].Pre)
		want = append(want, whole)
		fused := momentOver(t, f, o, attention.Pre)
		for _, p := range attention.Parts {
			block := mat.NewSymDense(p.To-p.From, nil)
			block.CopySym(fused.SliceSym(p.From, p.To))
			want = append(want, block)
		}
		for i := range want {
			if !mat.EqualApprox(got[i].Sym(), want[i], 1e-12) {
				t.Errorf("%+v, source %d: got\n%v\nwant\n%v", o, i, mat.Formatted(got[i].Sym()), mat.Formatted(want[i]))
			}
		}
	}
}

// momentOver returns Σδδᵀ over nodes, examples and outputs from the gradients themselves. If o.Centred is set, it
// centres them, one output at a time.
func momentOver(t *testing.T, f *Function, o Outputs, nodes ...*Node) *mat.SymDense {
	t.Helper()
	outputs, examples := f.Output.Shape()[1], f.Output.Shape()[0]
	sum := mat.NewSymDense(cols(nodes[0]), nil)
	for k := range outputs {
		var vectors []float64
		for _, n := range nodes {
			all := cotangentsAt(t, f, n)
			for i := range examples {
				r := rows(n) / examples
				at := (i*outputs+k)*rows(n) + i*r // the gradients in other examples are zero
				for row := range r {
					vectors = append(vectors, all.RawRowView(at+row)...)
				}
			}
		}
		r := mat.NewDense(len(vectors)/cols(nodes[0]), cols(nodes[0]), vectors)
		if o.Centred {
			centreColumns(r)
		}
		sum.SymRankK(sum, 1, r.T())
	}
	return sum
}

// The name of every use of a layer can be used in a tap. The AGOP is the same for all names.
func TestSharedLayerTaps(t *testing.T) {
	f := tokenNet(t, Double, 2)
	batches := func() iter.Seq2[*tensor.Dense, error] {
		return func(yield func(*tensor.Dense, error) bool) { yield(f.Data(f.Inputs()[0]).Clone().(*tensor.Dense), nil) }
	}
	var all []*mat.SymDense
	for _, tap := range []string{"one/in", "two/in"} {
		a, err := f.AGOP(context.Background(), tap, batches(), Outputs{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	if !mat.Equal(all[0], all[1]) {
		t.Error("the AGOPs at two uses of one layer differ")
	}
	if n, err := f.Tap("two/pre"); err != nil || n != f.Layers[0].More[0].Pre {
		t.Errorf("two/pre is %v, %v", n, err)
	}
}

// The kernel of a network with tokens and shared weights is JJᵀ. Batches of several examples are refused.
func TestJacobianOfTokens(t *testing.T) {
	for _, names := range [][]string{{"p"}, {"w"}, {"a", "b"}, {"w", "a", "b", "p", "h"}} {
		f := tokenNet(t, Double, 1)
		var wrt []*Node
		for _, n := range names {
			wrt = append(wrt, f.Named(n))
		}
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
		if e := relative(upper(gram(r, r)), &want); !(e < 1e-13) {
			t.Errorf("%v: relative error %.2g", names, e)
		}
	}
	f := tokenNet(t, Double, 2)
	if _, err := f.Jacobian([]*Node{f.Named("p")}); err == nil || !strings.Contains(err.Error(), "told apart") {
		t.Errorf("tokens of two examples: %v", err)
	}
}

func TestPartsMistakes(t *testing.T) {
	for _, c := range []struct {
		parts []Part
		want  string
	}{
		{[]Part{{From: 2, To: 9}}, "rows 2 to 9 of 8"},
		{[]Part{{From: 3, To: 3}}, "rows 3 to 3"},
		{[]Part{{Heads: 3}}, "3 heads do not divide 8"},
		{[]Part{{Heads: 4, HeadColumns: true}}, "4 heads do not divide 6"},
		{[]Part{{Name: "a", To: 5}, {Name: "b", From: 4, To: 8}}, "overlap"},
	} {
		g := New(nil, Single)
		g.LinearLayer("l", g.Input("x", 1, 6), g.Param("w", 8, 6), nil)
		if g.Parts("l", c.parts...); g.Err() == nil || !strings.Contains(g.Err().Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.parts, g.Err(), c.want)
		}
	}
	g := New(nil, Single)
	x := g.Input("x", 1, 6)
	g.LinearLayer("l", x, g.Param("w", 8, 6), nil)
	g.LinearLayer("l", x, g.Param("v", 8, 6), nil)
	if g.Err() == nil || !strings.Contains(g.Err().Error(), "two layers named") {
		t.Errorf("two layers of one name: %v", g.Err())
	}
}

// The moment of a source with groups consists of the diagonal blocks of S, one per group, for every kind of moment:
// plain, centred and diagonal.
func TestMomentsOfGroups(t *testing.T) {
	for _, p := range []Precision{Double, Single} {
		for _, o := range []Outputs{{}, {Centred: true}, {Diagonal: true}} {
			f := tokenNet(t, p, 2)
			pre := f.Layers[1].Pre
			sources := []Source{{Nodes: []*Node{pre}, To: 12, Groups: 1}}
			for _, groups := range []int{2, 4, 12} {
				sources = append(sources, Source{Nodes: []*Node{pre}, To: 12, Groups: groups},
					Source{Nodes: []*Node{pre}, From: 4, To: 4 + groups, Groups: min(groups, 8) / 2})
			}
			m, err := f.MomentsOf(sources[:len(sources)-1], o)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // batches
				if err := m.Batch(context.Background(), 1, nil); err != nil {
					t.Fatal(err)
				}
			}
			all := m.Take()
			whole := all[0].Sym()
			for i, got := range all[1:] {
				s := sources[i+1]
				if len(got.Blocks()) != s.Groups || got.N() != s.To-s.From {
					t.Fatalf("%+v: %d blocks, %d elements", s, len(got.Blocks()), got.N())
				}
				at := s.From
				for _, b := range got.Blocks() {
					want := whole.SliceSym(at, at+b.N())
					if !mat.EqualApprox(b.Sym(), want, map[Precision]float64{Double: 1e-12, Single: 1e-4}[p]) {
						t.Errorf("%v, %+v, %+v: block at %d is\n%v\nwant\n%v", p, o, s, at, mat.Formatted(b.Sym()),
							mat.Formatted(want))
					}
					at += b.N()
				}
			}
		}
	}
	f := tokenNet(t, Double, 1)
	for _, s := range []Source{{}, {Nodes: []*Node{f.Layers[1].Pre}, To: 13, Groups: 1},
		{Nodes: []*Node{f.Layers[1].Pre}, To: 12, Groups: 5}} {
		if _, err := f.MomentsOf([]Source{s}, Outputs{}); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
}

// A moment with blocks is S with zeros outside the blocks, in products and sums too.
func TestMomentOfBlocks(t *testing.T) {
	a, b := moment.Of(mat.NewSymDense(2, []float64{2, 1, 1, 3})), moment.OfRows(mat.NewDense(1, 1, []float64{2}))
	m := moment.OfBlocks([]moment.Moment{a, b})
	want := mat.NewSymDense(3, []float64{2, 1, 0, 1, 3, 0, 0, 0, 4})
	if m.N() != 3 || !mat.Equal(m.Sym(), want) {
		t.Errorf("got\n%v", mat.Formatted(m.Sym()))
	}
	if d := m.Diagonal(); d[0] != 2 || d[1] != 3 || d[2] != 4 {
		t.Errorf("diagonal %v", d)
	}
	w := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	if !mat.EqualApprox(m.Sandwich(w), moment.Of(want).Sandwich(w), 1e-12) {
		t.Error("WᵀSW is not the sum over the blocks")
	}
	sum := moment.Sum([]moment.Moment{m, m}, .5)
	if !mat.EqualApprox(sum.Sym(), want, 1e-12) || len(sum.Blocks()) != 2 {
		t.Errorf("the mean of twice the moment is\n%v", mat.Formatted(sum.Sym()))
	}
}

// A layer whose input is the same for all examples can be measured only with one example at a time.
func TestMomentsOfConstants(t *testing.T) {
	for batch := 1; batch <= 2; batch++ {
		g := New(devices(t)[0], Double)
		x, w := g.Input("x", batch, 3), g.Param("w", 3, 2)
		c := g.LinearLayer("constant", g.Param("c", 3, 2), w, nil)
		f, err := g.Function(g.MatMul(x, g.Tanh(c), false, false))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.MomentsOf([]Source{f.Layers[0].Source(Part{To: 3})}, Outputs{})
		if errors.Is(err, ErrTogether) != (batch == 2) {
			t.Errorf("batches of %d: %v", batch, err)
		}
		_, err = f.Jacobian([]*Node{w})
		if errors.Is(err, ErrTogether) != (batch == 2) {
			t.Errorf("Jacobian, batches of %d: %v", batch, err)
		}
	}
}

// The AGOP of a convolution with groups is one matrix per group, from the gradients in the channels that the group
// reads. [Function.AGOP], which returns one matrix, refuses such a layer.
func TestAGOPOfGroups(t *testing.T) {
	g := New(devices(t)[0], Double)
	x := g.Input("x", 2, 2, 1, 4)
	w, v := g.Param("w", 6, 2, 1, 1), g.Param("v", 3, 12)
	tiles, mask := g.Param("tiles", 2, 4), g.Param("mask", 6, 4)
	for i := range 8 {
		set(g.Data(tiles), i, float64(1-(i/4+i%4)%2))
	}
	for i := range 24 {
		if i/4/3 == i%4/2 {
			set(g.Data(mask), i, 1)
		}
	}
	for i, p := range []*Node{x, w, v} {
		for k := range size(p) {
			set(g.Data(p), k, math.Sin(float64(5*k+i)))
		}
	}
	all := g.Mul(g.MatMul(g.Reshape(w, 6, 2), tiles, false, false), mask)
	pre := g.Reshape(g.Linear(g.Reshape(x, 4, 4), all), 2, 2, 1, 6)
	s := backend.ConvShape{N: 2, H: 2, W: 1, C: 4, Filters: 6, KH: 1, KW: 1}.Normal()
	g.Layer(Layer{Use: Use{Name: "groups", In: x, Pre: pre, Conv: &s}, Weight: w})
	f, err := g.Function(g.Linear(g.Reshape(g.Tanh(pre), 2, 12), v))
	if err != nil {
		t.Fatal(err)
	}
	batches := func(yield func(*tensor.Dense, error) bool) { yield(f.Data(x).Clone().(*tensor.Dense), nil) }
	if _, err := f.AGOP(context.Background(), "groups/in", batches, Outputs{}); err == nil ||
		!strings.Contains(err.Error(), "use AGOPBlocks") {
		t.Errorf("one matrix of two groups: %v", err)
	}
	blocks, err := f.AGOPBlocks(context.Background(), "groups/in", batches, Outputs{})
	if err != nil {
		t.Fatal(err)
	}
	if len(blocks) != 2 {
		t.Fatalf("%d matrices of 2 groups", len(blocks))
	}
	// Every pixel is a patch of its own, so that the gradient in a pixel is the gradient in the patch.
	gradients := cotangentsAt(t, f, x)
	r, _ := gradients.Dims()
	for k, got := range blocks {
		want := mat.NewSymDense(2, nil)
		want.SymOuterK(.5, mat.DenseCopyOf(gradients.Slice(0, r, 2*k, 2*k+2)).T())
		if !mat.EqualApprox(got, want, 1e-13) {
			t.Errorf("group %d:\n%v\nwant\n%v", k, mat.Formatted(got), mat.Formatted(want))
		}
	}
}
