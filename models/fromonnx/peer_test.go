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

// TestOpsets checks that nodes of older and newer opsets, and casts of stored tensors, are the same as nodes of others.
func TestOpsets(t *testing.T) {
	twice, enlarged := "s: 1 3 8 1 8 1, l: 1 3 8 2 8 2, b: 1 3 16 16", "r = Reshape x s; e = Expand r l; y = Reshape e b"
	groups := "c = Conv x w; y = GroupNormalization c g h num_groups=2"
	for _, c := range []struct {
		tensors    string
		opset      int
		nodes      string
		other      int // the opset to compare with
		otherNodes string
	}{
		{twice, 7, "y = Upsample x mode=nearest scales=1.,1.,2.,2.", 13, enlarged},
		{"i: 1 1 2 2, " + twice, 10, "f = Cast i to=1; y = Resize x f", 13, enlarged},
		{"s: 1 -5, e: 100 -1, a: 2 3", 9, "y = Slice x starts=1,-5 ends=100,-1 axes=2,3", 13, "y = Slice x s e a"},
		{"a: 2 3", 18, "y = ReduceMean x a keepdims=0", 13, "y = ReduceMean x axes=2,3 keepdims=0"},
		{"", 18, "a b = Split x axis=2 num_outputs=2; y = Mul a b", 13, "a b = Split x axis=2; y = Mul a b"},
		{"w 4 3 1 1, g 2, h 2, i: 0 0 1 1", 18, groups, 21,
			"G = Gather g i; H = Gather h i; " + strings.Replace(groups, "g h", "G H", 1)},
		{"s: 16, b: 1 3 8 16", 18, "y = Resize x _ _ s axes=-1, mode=linear", 13, "y = Resize x _ _ b mode=linear"},
		{"l 1", 13, "k = Cast l to=1; y = Clip x k", 13, "y = Clip x l"},
		{"w 192 4", 13, "f = Flatten x; k = Cast w to=1; y = MatMul f k", 13, "f = Flatten x; y = MatMul f w"},
		{"v 192, w 192 4", 15, "f = Flatten x; k = CastLike f v; s = Shape v; e = Expand k s; y = MatMul e w", 13,
			"f = Flatten x; y = MatMul f w"},
		{"two: 2.", 13, "y = Pow x two", 13, "y = Mul x x"},
		{"/Constant_output_0: 2.", 13, "y = Mul x /Constant_output_0", 13, "y = Add x x"},
	} {
		t.Run(c.nodes, func(t *testing.T) {
			file := func(opset int, nodes string) string {
				g := onnxtest.Graph{Opset: opset, Images: []int{1, 3, 8, 8}, Outputs: "y", Nodes: strings.Split(nodes, "; ")}
				if c.tensors != "" {
					g.Tensors = strings.Split(c.tensors, ", ")
				}
				return g.File(t)
			}
			got, want := file(c.opset, c.nodes), file(c.other, c.otherNodes)
			sameNetworks(t, got, want)
			count := func(path string) (layers, weights int) {
				a, err := Open(path)
				if err != nil {
					t.Fatal(err)
				}
				return len(functionOf(t, path, 1, graph.Double).Layers), a.Weights.Len()
			}
			layers, weights := count(got)
			if l, w := count(want); layers != l || weights != w {
				t.Errorf("%d layers and %d weights: want %d and %d", layers, weights, l, w)
			}
		})
	}
	old := onnxtest.Graph{Opset: 7, Images: []int{1, 3, 8, 8}, Outputs: "y", Tensors: []string{"v 192"},
		Nodes: []string{"y = BatchNormalization x v v v v spatial=0"}}
	if _, err := Open(old.File(t)); err == nil || !strings.Contains(err.Error(), "its spatial is 0") {
		t.Errorf("batch norms of positions: %v", err)
	}
}

// TestConstants checks that a network whose weights are in Constant nodes is the same as one with stored weights.
func TestConstants(t *testing.T) {
	g := onnxtest.Graph{Opset: 13, Images: []int{1, 3, 8, 8}, Outputs: "y", Tensors: []string{"conv.w_0 4 3 3 3", "fc.w_0 144 2"},
		Nodes: []string{"c = Conv x conv.w_0", "f = Flatten c", "y = MatMul f fc.w_0"}, Constants: true}
	path := g.File(t)
	g.Constants = false
	sameNetworks(t, path, g.File(t))
	var layers []string
	f := functionOf(t, path, 1, graph.Double)
	for _, l := range f.Layers {
		layers = append(layers, l.Name)
	}
	if want := []string{"conv", "fc"}; !slices.Equal(layers, want) {
		t.Errorf("layers %q: want %q", layers, want)
	}
}

// TestConstantNames checks which single stored numbers are parameters, by their names.
func TestConstantNames(t *testing.T) {
	for name, parameter := range map[string]bool{
		"reconstruction.scale": true, "scale": true, "constraint": true,
		"/block/Constant_output_0": false, "const_fold_opt__12": false, "Constant": false, "ConstantFolding/div": false,
	} {
		a, err := Open(onnxtest.Graph{Opset: 13, Images: []int{1, 3, 8, 8}, Outputs: "y", Tensors: []string{name + ": .5"},
			Nodes: []string{"y = Mul x " + name}}.File(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(a.Weights.Names(), name); got != parameter {
			t.Errorf("%s is a parameter: %v, want %v", name, got, parameter)
		}
	}
}

// TestMeansWithoutPadding checks that an average pool whose padding, on one side of each axis, does not count in the
// means is the same as one whose windows overhang that side.
func TestMeansWithoutPadding(t *testing.T) {
	pool := "y = AveragePool x kernel_shape=3,3 strides=2,2 "
	sameNetworks(t, fileOf(t, nil, "y", pool+"pads=0,0,1,1"), fileOf(t, nil, "y", pool+"ceil_mode=1"))
}

// TestPoolsBeginInImages checks that no window of a pool that rounds up begins in a padding after the image that is another than
// the one before it: as in PyTorch and newer versions of ONNX, there is no such window. Padding in a pool's windows does not
// count in the means, also where there are as many elements in all windows as in the image.
func TestPoolsBeginInImages(t *testing.T) {
	for pool, want := range map[string]string{
		"MaxPool x kernel_shape=2,2 strides=2,2 pads=0,0,1,1 ceil_mode=1":     "y = MaxPool x kernel_shape=2,2 strides=2,2",
		"AveragePool x kernel_shape=2,2 strides=2,2 pads=0,0,1,1 ceil_mode=1": "y = AveragePool x kernel_shape=2,2 strides=2,2",
		"AveragePool x kernel_shape=2,1 strides=2,1 dilations=3,1 pads=1,0,2,0": "a = Pad x before; s = AveragePool a kernel_shape=2,1 " +
			"strides=2,1 dilations=3,1; o = Mul x zero; p = Add o one; q = Pad p before; r = AveragePool q kernel_shape=2,1 strides=2,1 " +
			"dilations=3,1; y = Div s r",
	} {
		tensors := []string{"before: 0 0 1 0 0 0 2 0", "zero: 0. 0. 0. 0. 0. 0. 0. 0.", "one: 1. 1. 1. 1. 1. 1. 1. 1."}
		file := func(nodes string) string {
			return onnxtest.Graph{Opset: 19, Images: []int{1, 3, 8, 8}, Outputs: "y", Tensors: tensors,
				Nodes: strings.Split(nodes, "; ")}.File(t)
		}
		sameNetworks(t, file("y = "+pool), file(want))
	}
}

// TestNormOfZeros checks that a norm of zeros has a gradient of 0, as PyTorch's has, and that features of zeros that are
// divided by their norm are zeros.
func TestNormOfZeros(t *testing.T) {
	tensors := []string{"none: 0.", "least: .000000000001"}
	want := fileOf(t, tensors, "y", "y = Mul x none")
	for _, nodes := range [][]string{
		{"n = ReduceL2 z axes=1,", "m = Clip n least", "y = Div z m"}, {"y = LpNormalization z axis=1"},
	} {
		sameNetworks(t, fileOf(t, tensors, "y", append(nodes, "z = Mul x none")...), want)
	}
}

// TestNumberOfVector checks that one number of a learned vector can weigh a branch, as in a BiFPN.
func TestNumberOfVector(t *testing.T) {
	tensors := []string{"w 3", "i: 1", "begin: 1", "end: 2"}
	sameNetworks(t, fileOf(t, tensors, "y", "s = Squeeze i", "n = Gather w s", "y = Mul x n"),
		fileOf(t, tensors, "y", "n = Slice w begin end", "y = Mul x n"))
}

// TestSqueezedOutput checks that a network may have one number for each image, as squeeze(1) leaves it.
func TestSqueezedOutput(t *testing.T) {
	for _, images := range []int{0, 1} {
		file := func(nodes ...string) string {
			return onnxtest.Graph{Opset: 13, Images: []int{images, 3, 8, 8}, Outputs: "y", Tensors: []string{"w 192 1", "one: 1"},
				Nodes: append(nodes, "f = Flatten x")}.File(t)
		}
		sameNetworks(t, file("m = MatMul f w", "y = Squeeze m one"), file("y = MatMul f w"))
	}
}

// TestBranchReadsProduct checks that a vector is not taken for the bias of a product that a branch of an If reads too.
func TestBranchReadsProduct(t *testing.T) {
	g := onnxtest.Graph{Opset: 13, Images: []int{1, 3, 8, 8}, Outputs: "y", Tensors: []string{"w 192 4", "b 4", "c: 1"},
		Nodes: []string{"f = Flatten x", "m = MatMul f w", "s = Add m b", "y = Mul s q"}}
	var m onnxtest.Message
	tanh := m.In(1, m.Text(1, "m").Text(2, "t").Text(4, "Tanh")).In(12, m.Text(1, "t"))
	g.More = m.In(1, m.Text(1, "c").Text(2, "q").Text(4, "If").In(5, m.Text(1, "then_branch").In(6, tanh).Number(20, 5)))
	branch := g.File(t)
	g.More, g.Nodes = nil, append(g.Nodes, "q = Tanh m")
	sameNetworks(t, branch, g.File(t))
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

// TestTriangles checks sums from the end, sums without an element itself, and triangles, against other ops.
func TestTriangles(t *testing.T) {
	tensors := []string{"axis: 2", "first: -1", "last: -100", "back: -1", "k: 2", "k1: 1"}
	for _, c := range [][2]string{
		{"y = CumSum x axis reverse=1", "v = Slice x first last axis back; q = CumSum v axis; y = Slice q first last axis back"},
		{"y = CumSum x axis exclusive=1", "q = CumSum x axis; y = Sub q x"},
		{"y = CumSum x axis exclusive=1 reverse=1", "q = CumSum x axis reverse=1; y = Sub q x"},
		{"u = Trilu x k; l = Trilu x k1 upper=0; y = Add u l", "y = Identity x"},
		{"c = Trilu x; u = Trilu c upper=0; y = Tanh u", "u = Trilu x upper=0; c = Trilu u; y = Tanh c"},
	} {
		sameNetworks(t, fileOf(t, tensors, "y", strings.Split(c[0], "; ")...), fileOf(t, tensors, "y", strings.Split(c[1], "; ")...))
	}
}
