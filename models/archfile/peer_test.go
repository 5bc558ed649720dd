package archfile

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/peer"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

// TestPeer checks that two networks, which have most layers of package layers, have PyTorch's parameter names and
// shapes and PyTorch's logits.
func TestPeer(t *testing.T) {
	text, err := os.ReadFile("testdata/peer.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]struct {
		Logits []float64
		Shapes map[string][]int
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for name, w := range want {
		a, err := ReadFile("testdata/" + name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		d, err := a.Describe(a.Input, 10)
		if err != nil {
			t.Fatal(err)
		}
		shapes, state := map[string][]int{}, new(weights.StateDict)
		for _, p := range d.Parameters {
			shapes[p.Name] = p.Shape
			v := peer.Ramp(p.Name, tensor.Shape(p.Shape).TotalSize())
			state.Set(p.Name, tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(v)))
		}
		if !reflect.DeepEqual(shapes, w.Shapes) {
			t.Errorf("%s: parameters %v, PyTorch's are %v", name, shapes, w.Shapes)
			continue
		}
		n, err := a.Load(state, a.Input)
		if err != nil {
			t.Fatal(err)
		}
		for _, precision := range []graph.Precision{graph.Single, graph.Double} {
			got := logits(t, n, precision)
			if len(got) != len(w.Logits) {
				t.Fatalf("%s: %d logits, want %d", name, len(got), len(w.Logits))
			}
			for i, v := range got {
				if !(math.Abs(v-w.Logits[i]) <= 2e-5) {
					t.Errorf("%s, %v: logit %d is %v, PyTorch's is %v", name, precision, i, v, w.Logits[i])
				}
			}
		}
	}
}

// TestWriteEveryLayer checks that the networks of TestPeer, written and read again, have the same layers.
func TestWriteEveryLayer(t *testing.T) {
	for _, name := range []string{"images", "tokens"} {
		a, err := ReadFile("testdata/" + name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := Write(&text, a, a.Input, 10); err != nil {
			t.Fatal(err)
		}
		again, err := Parse(text.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, text.Bytes())
		}
		if !reflect.DeepEqual(again.Root, a.Root) {
			t.Errorf("%s: other layers are read from\n%s", name, text.Bytes())
		}
	}
}

// logits returns the outputs of a network for two images.
func logits(t *testing.T, n *models.Network, precision graph.Precision) (all []float64) {
	t.Helper()
	f, err := n.Function(device(t), 2, precision)
	if err != nil {
		t.Fatal(err)
	}
	x := f.Data(f.Inputs()[0])
	for i, v := range peer.Ramp("images", x.Shape().TotalSize()) {
		if precision == graph.Double {
			x.Float64s()[i] = float64(v)
		} else {
			x.Float32s()[i] = v
		}
	}
	p, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.RunAll(); err != nil {
		t.Fatal(err)
	}
	if precision == graph.Double {
		return p.Value(f.Output).Float64s()
	}
	for _, v := range p.Value(f.Output).Float32s() {
		all = append(all, float64(v))
	}
	return all
}
