package graph

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestCentredAndDiagonalMoments compares the moments with gradients that are computed and centred one output at a time,
// over two batches of which the second is not full.
func TestCentredAndDiagonalMoments(t *testing.T) {
	const batch, d, outputs, n = 6, 5, 3, 10
	for _, dev := range devices(t) {
		for _, o := range []Outputs{{}, {Centred: true}, {Diagonal: true}, {Centred: true, Diagonal: true}} {
			g := New(dev, Double)
			rng := rand.New(rand.NewPCG(5, 6))
			x := g.Input("x", batch, d)
			v, w := g.Param("v", 4, d), g.Param("w", outputs, 4)
			for _, p := range []*Node{v, w} {
				for i := range size(p) {
					set(g.Data(p), i, rng.NormFloat64())
				}
			}
			f, err := g.Function(g.Linear(g.Tanh(g.Linear(x, v)), w))
			if err != nil {
				t.Fatal(err)
			}
			m, err := f.Moments([]*Node{x}, o)
			if err != nil {
				t.Fatal(err)
			}
			rows := make([]*mat.Dense, outputs) // of gradients
			for k := range rows {
				rows[k] = mat.NewDense(n, d, nil)
			}
			for at := 0; at < n; at += batch {
				for i := range batch * d {
					set(g.Data(x), i, rng.NormFloat64())
				}
				count := min(batch, n-at)
				if err := m.Batch(context.Background(), count, nil); err != nil {
					t.Fatal(err)
				}
				for k, grad := range tanhGradients(g.Data(x).Data().([]float64), g.Data(v).Data().([]float64),
					g.Data(w).Data().([]float64), d) {
					for i := range count {
						rows[k].SetRow(at+i, grad[i*d:(i+1)*d])
					}
				}
			}
			want := mat.NewSymDense(d, nil)
			for _, r := range rows {
				if o.Centred {
					centreColumns(r)
				}
				want.SymRankK(want, 1, r.T())
			}
			got := m.Take()[0]
			for i, g := range got.Diagonal() {
				if math.Abs(g-want.At(i, i)) > 1e-12 {
					t.Errorf("%s, %+v: element %d of the diagonal is %v, want %v", dev.Name(), o, i, g, want.At(i, i))
				}
			}
			if !o.Diagonal && !mat.EqualApprox(got.Sym(), want, 1e-12) {
				t.Errorf("%s, %+v: got %v, want %v", dev.Name(), o, mat.Formatted(got.Sym()), mat.Formatted(want))
			}
		}
	}
}

// tanhGradients returns the gradient in x of each output of w·tanh(v·x), from the formula.
func tanhGradients(x, v, w []float64, d int) [][]float64 {
	hidden := len(v) / d
	out := make([][]float64, len(w)/hidden)
	for k := range out {
		out[k] = make([]float64, len(x))
		for i := 0; i < len(x)/d; i++ {
			for h := range hidden {
				z := 0.
				for j := range d {
					z += v[h*d+j] * x[i*d+j]
				}
				s := w[k*hidden+h] * (1 - math.Tanh(z)*math.Tanh(z))
				for j := range d {
					out[k][i*d+j] += s * v[h*d+j]
				}
			}
		}
	}
	return out
}

func centreColumns(m *mat.Dense) {
	n, d := m.Dims()
	for j := range d {
		mean := mat.Sum(m.ColView(j)) / float64(n)
		for i := range n {
			m.Set(i, j, m.At(i, j)-mean)
		}
	}
}

func TestMomentsRefuseCentredProbes(t *testing.T) {
	g := New(devices(t)[0], Double)
	x := g.Input("x", 2, 3)
	f, err := g.Function(g.Tanh(x))
	if err != nil {
		t.Fatal(err)
	}
	if _,
		err := f.Moments([]*Node{x}, Outputs{Centred: true, Probes: 2, Rand: rand.New(rand.NewPCG(1, 2))}); err == nil {
		t.Error("centred gradients of random combinations of outputs are accepted")
	}
}

// TestMomentsOfSeveralWidths checks that the nodes of a source may have different numbers of columns, in any order.
func TestMomentsOfSeveralWidths(t *testing.T) {
	g := New(devices(t)[0], Double)
	x := g.Input("x", 2, 3)
	for i := range size(x) {
		set(g.Data(x), i, float64(i+1)/4)
	}
	wide := g.Concat(1, x, g.Tanh(x))
	f, err := g.Function(g.Tanh(g.Mul(wide, wide)))
	if err != nil {
		t.Fatal(err)
	}
	moment := func(o Outputs, nodes ...*Node) *mat.SymDense {
		m, err := f.MomentsOf([]Source{{Nodes: nodes, To: 3, Groups: 1}}, o)
		if err == nil {
			err = m.Batch(t.Context(), 2, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return m.Take()[0].Sym()
	}
	var want mat.SymDense
	want.AddSym(moment(Outputs{}, x), moment(Outputs{}, wide))
	if a, b := moment(Outputs{}, x, wide), moment(Outputs{}, wide, x); !mat.EqualApprox(a, &want, 1e-13) ||
		!mat.EqualApprox(b, &want, 1e-13) {
		t.Errorf("of 3 and 6 columns: %v, of 6 and 3: %v, want %v", mat.Formatted(a), mat.Formatted(b), mat.Formatted(&want))
	}
	o := Outputs{Centred: true}
	if a, b := moment(o, x, wide), moment(o, wide, x); !mat.EqualApprox(a, b, 1e-13) {
		t.Errorf("centred, of 3 and 6 columns: %v, of 6 and 3: %v", mat.Formatted(a), mat.Formatted(b))
	}
}
