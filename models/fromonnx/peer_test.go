package fromonnx

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/onnx/onnxtest"
)

// fileOf writes an ONNX file whose network reads an image of 3×8×8. [onnxtest.Graph] describes the arguments.
func fileOf(t testing.TB, tensors []string, outputs string, nodes ...string) string {
	t.Helper()
	return onnxtest.Graph{Opset: 13, Images: []int{1, 3, 8, 8}, Outputs: outputs, Tensors: tensors, Nodes: nodes}.File(t)
}

// functionOf returns the function of the network in a file, with the file's weights, for a number of images.
func functionOf(t *testing.T, path string, images int, p graph.Precision) *graph.Function {
	t.Helper()
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.Load(a.Weights, a.Input)
	if err != nil {
		t.Fatal(err)
	}
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	f, err := n.Function(d, images, p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ramp returns the numbers of ramp in peer.py, each a function of its index and the seed.
func ramp(n int, seed uint32) []float32 {
	out := make([]float32, n)
	for i := range out {
		x := uint32(i)*2654435761 + seed
		x = (x ^ x>>15) * 2246822519
		x ^= x >> 13
		out[i] = float32(float64(x)/(1<<32) - .5)
	}
	return out
}

// TestPeers checks that small networks have PyTorch's outputs and gradients, at every opset at which the form of their
// ops differs, in files that were exported for one image and for any number of images.
func TestPeers(t *testing.T) {
	text, err := os.ReadFile("testdata/peer.json")
	if err != nil {
		t.Fatal(err)
	}
	var peers map[string]struct {
		Outputs, Gradient []float64
		Shapes            map[string][]int
	}
	if err := json.Unmarshal(text, &peers); err != nil {
		t.Fatal(err)
	}
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	files, _ := filepath.Glob("testdata/*.onnx")
	seen := map[string]bool{}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".onnx")
		t.Run(name, func(t *testing.T) {
			base, _, _ := strings.Cut(name, "-")
			seen[base] = true
			want := peers[base]
			got, gradient := compute(t, d, path)
			near(t, "output", got, want.Outputs)
			near(t, "gradient", gradient, want.Gradient)
			if want.Shapes != nil {
				sameShapes(t, path, want.Shapes)
			}
		})
	}
	for name := range peers {
		if !seen[name] {
			t.Errorf("there is no file of %s", name)
		}
	}
}

// sameShapes checks that the weights of a file, and those that its network saves, have the names and shapes of
// PyTorch's state dict, and that the network loads what it saves.
func sameShapes(t *testing.T, path string, want map[string][]int) {
	t.Helper()
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.Load(a.Weights, a.Input)
	if err != nil {
		t.Fatal(err)
	}
	saved := n.StateDict()
	for name, shape := range want {
		own, ok := a.Weights.Get(name)
		again, ok2 := saved.Get(name)
		if !ok || !ok2 || !slices.Equal(own.Shape(), shape) || !slices.Equal(again.Shape(), shape) {
			t.Errorf("%s is %v and saved as %v: want the shape %v", name, own, again, shape)
		}
	}
	if a.Weights.Len() != len(want) {
		t.Errorf("the file has %d weights: want %d", a.Weights.Len(), len(want))
	}
	if _, err := a.Load(saved, a.Input); err != nil {
		t.Error(err)
	}
}

// compute returns the outputs of a network for three images of 8×8, and the gradient of the weighted sum of the outputs
// with respect to the images, with the axes in PyTorch's order.
func compute(t *testing.T, d *backend.Device, path string) (outputs, gradient []float64) {
	t.Helper()
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.Load(a.Weights, a.Input)
	if err != nil {
		t.Fatal(err)
	}
	f, err := n.Function(d, 3, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	x := f.Inputs()[0]
	r := f.Input("r", f.Output.Shape()...)
	for i, v := range ramp(f.Data(r).Size(), 2) {
		f.Data(r).Float64s()[i] = float64(v)
	}
	place := func(i int) int { // where the i-th number in PyTorch's order is stored
		return (i/192*64+i%64)*3 + i/64%3
	}
	for i, v := range ramp(3*3*8*8, 1) {
		f.Data(x).Float64s()[place(i)] = 2 * float64(v)
	}
	dx := f.Pullback([]*graph.Node{f.Output}, []*graph.Node{r}, []*graph.Node{x})[0]
	p, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output, dx}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	g := p.Value(dx).Float64s()
	for i := range g {
		gradient = append(gradient, g[place(i)])
	}
	return append([]float64(nil), p.Value(f.Output).Float64s()...), gradient
}

// sameNetworks checks that the networks in two files have the same outputs and gradients.
func sameNetworks(t *testing.T, path, other string) {
	t.Helper()
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got, gradient := compute(t, d, path)
	want, wantGradient := compute(t, d, other)
	near(t, "output", got, want)
	near(t, "gradient", gradient, wantGradient)
}

// TestMeansWithoutPadding checks that an average pool whose padding, on one side of each axis, does not count in the
// means is the same as one whose windows overhang that side.
func TestMeansWithoutPadding(t *testing.T) {
	pool := "y = AveragePool x kernel_shape=3,3 strides=2,2 "
	sameNetworks(t, fileOf(t, nil, "y", pool+"pads=0,0,1,1"), fileOf(t, nil, "y", pool+"ceil_mode=1"))
}

// TestChannelsLast checks that a network that reads images with the channels last and transposes them is the same as
// one that reads them with the channels first.
func TestChannelsLast(t *testing.T) {
	g := onnxtest.Graph{Opset: 13, Images: []int{1, 8, 8, 3}, Outputs: "y", Tensors: []string{"conv.weight 4 3 3 3"},
		Nodes: []string{"c = Conv t conv.weight", "y = Tanh c", "t = Transpose x perm=0,3,1,2"}}
	last := g.File(t)
	g.Images, g.Nodes = []int{1, 3, 8, 8}, []string{"c = Conv x conv.weight", "y = Tanh c"}
	sameNetworks(t, last, g.File(t))
	a, err := Open(last)
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Load(a.Weights, models.Shape{Channels: 1, Height: 8, Width: 8})
	if err == nil || !strings.Contains(err.Error(), "images of 3 channels, and these have 1") {
		t.Errorf("grey images: %v", err)
	}
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers of the %s, PyTorch has %d", len(got), what, len(want))
	}
	top := 1e-2
	for _, w := range want {
		top = math.Max(top, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) < 3e-6*top+1e-6) {
			t.Fatalf("%s %d is %v, PyTorch's %v", what, i, got[i], w)
		}
	}
}
