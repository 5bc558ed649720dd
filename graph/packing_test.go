package graph

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// deepNet returns a loss of many steps without products, so that a device with bfloat16 rounds only the values that it
// keeps packed. Its inputs and parameters are small whole numbers, which bfloat16 represents exactly.
func deepNet(g *Graph, depth int) (loss *Node, wrt []*Node) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := g.Input("x", 40, 8, 8, 32)
	for i := range g.Data(x).Float32s() {
		g.Data(x).Float32s()[i] = float32(rng.IntN(7) - 3)
	}
	for range depth {
		b := g.Param("b"+string(rune('a'+len(wrt))), 32)
		for i := range g.Data(b).Float32s() {
			g.Data(b).Float32s()[i] = float32(rng.IntN(3) - 1)
		}
		wrt = append(wrt, b)
		x = g.MaxPool(g.ReLU(g.RowAdd(x, b)), Pool2D{SizeH: 3, SizeW: 3, StrideH: 1, StrideW: 1, PadH: 1, PadW: 1})
	}
	return g.Dot(x, x), wrt
}

// gradients computes a loss and its gradients. It returns them, the memory that the program takes, and the number of
// packing steps.
func gradients(t *testing.T, d *backend.Device, net func(*Graph) (*Node, []*Node)) (values [][]float32, bytes int64, packs int) {
	t.Helper()
	g := New(d, Single)
	loss, wrt := net(g)
	one := g.Input("one", 1)
	g.Data(one).Float32s()[0] = 1
	out := append([]*Node{loss}, g.Pullback([]*Node{loss}, []*Node{one}, wrt)...)
	p, err := g.Compile(Plan{Outputs: out})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second run finds the values of the first in memory
		if err := p.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range out {
		values = append(values, p.Value(n).Float32s())
	}
	for _, s := range p.steps {
		if s.name == "pack" {
			packs++
		}
	}
	return values, p.Bytes(), packs
}

// Packing values that wait in bfloat16 saves at least a tenth of the memory. It does not change values that bfloat16
// represents exactly, and changes other results by less than a tenth.
func TestPackedProgram(t *testing.T) {
	half, err := backend.Open(backend.Options{BF16: true})
	if errors.Is(err, backend.ErrNoBF16) {
		t.Skip("no bfloat16 in this build or processor")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	full, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	exact := func(g *Graph) (*Node, []*Node) { return deepNet(g, 8) }
	want, bytes, none := gradients(t, full, exact)
	got, less, packs := gradients(t, half, exact)
	if none > 0 || packs < 4 || less*10 > bytes*9 {
		t.Errorf("%d values wait packed, %d in float32; %d bytes, %d in float32", packs, none, less, bytes)
	}
	for k := range want {
		for i := range want[k] {
			if got[k][i] != want[k][i] {
				t.Fatalf("result %d, element %d: %g, want %g", k, i, got[k][i], want[k][i])
			}
		}
	}
	step := func(g *Graph) (*Node, []*Node) { return stepNet(g), g.Params() }
	want, bytes, _ = gradients(t, full, step)
	got, less, _ = gradients(t, half, step)
	if less*10 > bytes*9 {
		t.Errorf("a step takes %d bytes, %d in float32", less, bytes)
	}
	for k := range want {
		var d, of float64
		for i, v := range want[k] {
			d += (float64(got[k][i]) - float64(v)) * (float64(got[k][i]) - float64(v))
			of += float64(v) * float64(v)
		}
		if e := math.Sqrt(d / of); !(e < .1) {
			t.Errorf("result %d: relative error %.2g", k, e)
		}
	}
}
