package fromonnx

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// TestNearest checks that sizes and elements of nearest interpolation are PyTorch's, for factors that float32 cannot hold and
// for sizes.
func TestNearest(t *testing.T) {
	text, err := os.ReadFile("testdata/nearest.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Factors       []float64
		Scaled, Sized [][][2]int
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	expression := &models.Builder{Graph: graph.New(d, graph.Single)}
	check := func(in int, to string, v float64, want [2]int) {
		t.Helper()
		four := onnx.Numbers([]int{4}, 1, 1, v, 1)
		constants := map[string]*onnx.Tensor{"scales": four, "sizes": four}
		b := &builder{Builder: expression, network: &network{}, constants: constants}
		n := &onnx.Node{Inputs: []string{"x", "", "scales"}}
		if to == "sizes" {
			n.Inputs = []string{"x", "", "", "sizes"}
		}
		out, scale, ok := b.resized(n, [2]int{in, 1}, false)
		if !ok {
			t.Fatalf("%d elements, %s %v: no size", in, to, v)
		}
		p := interpolation{mode: "nearest", coordinates: "asymmetric", nearest: "floor", in: in, out: out[0], scale: scale[0]}
		m, _ := p.matrix()
		sum := 0
		for i := range out[0] {
			for j := range in {
				sum += (i + 1) * j * int(m.At(i, j))
			}
		}
		if got := [2]int{out[0], sum}; got != want {
			t.Errorf("%d elements, %s %v: %v, PyTorch %v", in, to, v, got, want)
		}
	}
	for i, f := range want.Factors {
		for k, w := range want.Scaled[i] {
			if w[0] > 0 {
				check(k+2, "scales", float64(float32(f)), w)
			}
		}
	}
	for i, row := range want.Sized {
		for k, w := range row {
			check(i+2, "sizes", float64(k+2), w)
		}
	}
}
