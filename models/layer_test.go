package models

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
)

// gain is a layer of a user's, with a parameter of its own: it scales every feature.
type gain struct {
	Start float64 `toml:"start"`
}

func (l gain) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	x = Flatten{}.Build(b, "", x)
	if b.Err() != nil {
		return nil
	}
	return b.RowMul(x, b.Param(name, "gain", Constant(float32(l.Start)), x.Shape()[1]))
}

var gainType = LayerType{Name: "gain", Params: true, Decode: func(settings func(any) error) (Layer, error) {
	l := gain{Start: 2}
	err := settings(&l)
	if l.Start == 0 {
		err = errors.New("start = 0: want another number")
	}
	return l, err
}}

// A layer of a user's has its parameter in the network, started by its own scheme, and is
// saved and loaded as others are.
func TestLayerOfUser(t *testing.T) {
	const head = "input = [1, 2, 2]\n[[layer]]\ntype = 'gain'\n"
	const fc = "[[layer]]\ntype = 'linear'\nname = 'fc'\n"
	a, err := Parse([]byte(head+"name = 'g'\n"+fc), gainType)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetInit("normal:.1"); err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(a.Input, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v := n.Value("g.gain"); v == nil || !slices.Equal(v.Float32s(), []float32{2, 2, 2, 2}) {
		t.Errorf("g.gain is %v", v)
	}
	if p := n.Parameters()[0]; p.Name != "g.gain" || !p.Trained || n.Size() != 4+3*4+3 {
		t.Errorf("%+v, %d weights", p, n.Size())
	}
	again, err := a.Load(n.StateDict(), a.Input)
	if err != nil || again.Classes != 3 {
		t.Fatalf("loaded: %v", err)
	}
	for text, want := range map[string]string{
		head + fc:                                     "needs a name",
		head + "name = 'g'\nstart = 0\n" + fc:         "start = 0: want another number",
		head + "name = 'g'\nstrat = 1\n" + fc:         "strat",
		strings.Replace(head, "gain", "gian", 1) + fc: "branches, gain",
	} {
		var e *TOMLError
		if _, err := Parse([]byte(text), gainType); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nwant %q, got %v", text, want, err)
		}
	}
}
