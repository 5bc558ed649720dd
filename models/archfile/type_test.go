package archfile

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
)

// gain is a layer that a user of the package defines. It multiplies every feature by a factor, which is a parameter.
type gain struct {
	Start float64 `toml:"start" doc:"what the factors are before training"`
}

func (l gain) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	x = models.Flatten{}.Build(b, "", x)
	if b.Err() != nil {
		return nil
	}
	return b.RowMul(x, b.Param(name, "gain", models.Constant(float32(l.Start)), x.Shape()[1]))
}

// Layer implements [Settings].
func (l *gain) Layer() (models.Layer, error) {
	if l.Start == 0 {
		return nil, errors.New("start = 0: want another number")
	}
	return *l, nil
}

var gainType = Type{Name: "gain", Params: true, New: func() Settings { return &gain{Start: 2} },
	Of: func(l models.Layer) Settings {
		if g, is := l.(gain); is {
			return &g
		}
		return nil
	}}

// TestLayerOfUser checks that the parameter of a user's layer is part of the network and starts from the layer's own
// initialisation, whatever that of the architecture is. It is saved and loaded as others are, and mistakes in the
// layer's keys are refused.
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
		head + "name = 'g'\nstrat = 1\n" + fc:         `unknown key "strat" (did you mean start?): a gain layer has the keys type, name, start`,
		strings.Replace(head, "gain", "gian", 1) + fc: "did you mean gain?): want one of conv",
	} {
		var e *Error
		if _, err := Parse([]byte(text), gainType); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nwant %q, got %v", text, want, err)
		}
	}
}
