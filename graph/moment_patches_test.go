package graph

import (
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// The moment of patches that is computed from patches of one row agrees with the patches themselves, for several
// paddings and sizes.
func TestPatchMoment(t *testing.T) {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, s := range []backend.ConvShape{
		{N: 3, H: 6, W: 5, C: 2, KH: 3, KW: 3, PadH: 1, PadW: 1}, {N: 2, H: 7, W: 6, C: 3, KH: 5, KW: 3, PadH: 2, PadW: 0},
		{N: 2, H: 4, W: 4, C: 1, KH: 4, KW: 2}, {N: 1, H: 5, W: 3, C: 2, KH: 3, KW: 1, PadH: 2},
	} {
		s.Filters, s.StrideH, s.StrideW, s.DilateH, s.DilateW, s.Groups = 1, 1, 1, 1, 1, 1
		if !moment.PatchRows(s) {
			t.Fatal("rows do not do for", s)
		}
		g := New(d, Double)
		x := g.Input("x", s.N, s.H, s.W, s.C)
		rng := rand.New(rand.NewPCG(1, uint64(s.KH)))
		for i := range g.Data(x).Float64s() {
			g.Data(x).Float64s()[i] = rng.NormFloat64()
		}
		a := moment.NewPatches[float64](d, s)
		plain := mat.NewSymDense(s.PatchSize(), nil)
		whole := g.Patches(x, s.KH, s.KW, Conv2D{PadH: s.PadH, PadW: s.PadW})
		rows := g.Patches(x, 1, s.KW, Conv2D{PadW: s.PadW})
		p, err := g.Compile(Plan{Watch: []Watch{
			{Node: whole, See: func(v *tensor.Dense) error {
				h := mat.NewDense(v.Shape()[0], v.Shape()[1], append([]float64(nil), v.Float64s()...))
				plain.SymRankK(plain, 1, h.T())
				return nil
			}},
			{Node: rows, See: func(v *tensor.Dense) error { return a.Add(0, v) }},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the moment is summed over batches
			a.Begin(s.N, s.N)
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			a.End()
		}
		if got := a.Take(.5).Sym(); !mat.EqualApprox(got, scaledSym(.5, plain), 1e-10) {
			t.Errorf("%+v: the moments differ", s)
		}
		if got := a.Take(1).Sym(); mat.Norm(got, 1) != 0 {
			t.Errorf("%+v: the sum does not begin again from zero", s)
		}
	}
	for _, s := range []backend.ConvShape{{H: 9, C: 1, KH: 3, StrideH: 2, StrideW: 2}, {H: 9, C: 1, KH: 1, StrideH: 1, StrideW: 1},
		{H: 9, C: 2, KH: 3, StrideH: 1, StrideW: 1, Groups: 2}, {H: 2, C: 1, KH: 3, StrideH: 1, StrideW: 1}} {
		if moment.PatchRows(s) {
			t.Errorf("rows would do for %+v", s)
		}
	}
}

func scaledSym(scale float64, a *mat.SymDense) *mat.SymDense {
	var out mat.SymDense
	out.ScaleSym(scale, a)
	return &out
}
