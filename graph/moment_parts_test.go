package graph

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// parts is the function Σ tanh(x·vₕ)·aₕ, summed over hidden units h, and its moments. It is linear in a, so that its
// units can be computed in parts.
type parts struct {
	x    *Node
	v, a *Node
	m    *Moments
}

const (
	partsBatch, partsD, partsOutputs = 5, 7, 3
)

func newParts(t *testing.T, g *Graph, units int, o Outputs) *parts {
	t.Helper()
	p := &parts{x: g.Input("x", partsBatch, partsD), v: g.Param("v", units, partsD),
		a: g.Param("a", partsOutputs, units)}
	f, err := g.Function(g.Linear(g.Tanh(g.Linear(p.x, p.v)), p.a))
	if err != nil {
		t.Fatal(err)
	}
	if p.m, err = f.Moments([]*Node{p.x}, o); err != nil {
		t.Fatal(err)
	}
	return p
}

// put sets the units of the function to those of v and a from lo on, and to zeros where there are no more.
func (p *parts) put(g *Graph, v, a *mat.Dense, lo int) {
	units, _ := v.Dims()
	for h := range p.v.Shape()[0] {
		for j := range partsD {
			value := 0.
			if lo+h < units {
				value = v.At(lo+h, j)
			}
			set(g.Data(p.v), h*partsD+j, value)
		}
		for k := range partsOutputs {
			value := 0.
			if lo+h < units {
				value = a.At(k, lo+h)
			}
			set(g.Data(p.a), k*p.v.Shape()[0]+h, value)
		}
	}
}

// TestBatchOfParts checks that the moment of a function that is computed in parts is that of the whole function in one
// graph, over batches that are full and batches that are not.
func TestBatchOfParts(t *testing.T) {
	const units, atOnce = 5, 2
	for _, dev := range devices(t) {
		for _, o := range []Outputs{{}, {Centred: true}, {Diagonal: true}} {
			whole, some := New(dev, Double), New(dev, Double)
			w, s := newParts(t, whole, units, o), newParts(t, some, atOnce, o)
			rng := rand.New(rand.NewPCG(7, 8))
			v, a := mat.NewDense(units, partsD, nil), mat.NewDense(partsOutputs, units, nil)
			for _, m := range []*mat.Dense{v, a} {
				m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
			}
			w.put(whole, v, a, 0)
			for _, n := range []int{5, 1, 3} {
				for i := range partsBatch * partsD {
					value := rng.NormFloat64()
					set(whole.Data(w.x), i, value)
					set(some.Data(s.x), i, value)
				}
				if err := w.m.Batch(context.Background(), n, nil); err != nil {
					t.Fatal(err)
				}
				err := s.m.BatchOfParts(context.Background(), n, (units+atOnce-1)/atOnce, func(part int) error {
					s.put(some, v, a, part*atOnce)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			want := w.m.Take()[0]
			if got := s.m.Take()[0]; mat.Norm(want.Sym(), 2) == 0 || !mat.EqualApprox(got.Sym(), want.Sym(), 1e-12) {
				t.Errorf("%s, %+v: got %v, want %v", dev.Name(), o, mat.Formatted(got.Sym()), mat.Formatted(want.Sym()))
			}
		}
	}
}

// TestBatchOfPartsFails checks that an error of load ends the batch, and that the batch has no effect on later ones.
// Random cotangents are refused, because they would differ between parts. More examples than the batch has room for are
// refused too.
func TestBatchOfPartsFails(t *testing.T) {
	for _, dev := range devices(t) {
		moment := func(fail bool) *mat.SymDense {
			g := New(dev, Double)
			p := newParts(t, g, 2, Outputs{})
			rng := rand.New(rand.NewPCG(1, 2))
			for _, n := range []*Node{p.x, p.v, p.a} {
				for i := range size(n) {
					set(g.Data(n), i, rng.NormFloat64())
				}
			}
			stop := errors.New("enough")
			err := p.m.BatchOfParts(context.Background(), partsBatch+1, 1, func(int) error { return nil })
			if err == nil {
				t.Error("a batch of more examples than there are is taken")
			}
			if fail {
				err = p.m.BatchOfParts(context.Background(), 2, 3, func(part int) error {
					if part == 1 {
						return stop
					}
					return nil
				})
				if !errors.Is(err, stop) {
					t.Errorf("the error is %v", err)
				}
			}
			if err := p.m.Batch(context.Background(), partsBatch, nil); err != nil {
				t.Fatal(err)
			}
			return p.m.Take()[0].Sym()
		}
		if want := moment(false); mat.Norm(want, 2) == 0 || !mat.Equal(moment(true), want) {
			t.Errorf("%s: a batch after one that failed has another moment", dev.Name())
		}
		p := newParts(t, New(dev, Double), 2, Outputs{Probes: 2, Rand: rand.New(rand.NewPCG(3, 4))})
		if err := p.m.BatchOfParts(context.Background(), 2, 2, func(int) error { return nil }); err == nil {
			t.Error("parts with other random cotangents each are taken")
		}
	}
}
