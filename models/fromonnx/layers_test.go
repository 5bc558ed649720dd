package fromonnx

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/onnx/onnxtest"
)

// usesOf returns how often a network uses each of its layers, by their names.
func usesOf(t *testing.T, file string) map[string]int {
	t.Helper()
	uses := map[string]int{}
	for _, l := range functionOf(t, "testdata/"+file+".onnx", 1, graph.Double).Layers {
		uses[l.Name] = len(l.Uses())
	}
	return uses
}

// TestLayers checks that every layer is found under a name of its own, with all its uses.
func TestLayers(t *testing.T) {
	for file, want := range map[string]map[string]int{
		"copies-14-any": {"patch": 1, "shared": 3, "free": 2, "copies.0": 1, "copies.1": 1, "narrow": 1, "head": 1, "attention": 1,
			"attention/MatMul_1": 1, "attention/MatMul_2": 1, "attention.out_proj": 1},
		"sequence-17-any": {"wide": 1, "weigh": 1, "groups": 1, "head": 1},
		"single-17-any":   {"patch": 1, "pool": 1, "head": 1},
		"again-14-any":    {"conv": 1, "both": 2, "head": 1},
		"computed-17-any": {"patch": 1, "wide": 1, "back": 1, "MatMul_1": 1, "head": 1},
	} {
		if got := usesOf(t, file); !maps.Equal(got, want) {
			t.Errorf("%s has the layers %v: want %v", file, got, want)
		}
	}
}

// TestNamedByBias checks that a layer whose weights have no name gets the module path of its bias, unless that path
// belongs to another module or another layer has it already.
func TestNamedByBias(t *testing.T) {
	f := functionOf(t, fileOf(t, []string{"7 192 4", "blocks.1.fc.bias 4", "8 4 4", "other.bias 4",
		"9 4 4"}, "y", "f = Flatten x", "/fc_1/MatMul = MatMul f 7",
		"a = Add blocks.1.fc.bias /fc_1/MatMul", "/act/MatMul = MatMul a 8", "b = Add /act/MatMul other.bias",
		"/fc_2/MatMul = MatMul b 9", "y = Add /fc_2/MatMul blocks.1.fc.bias"), 1, graph.Double)
	var got []string
	for _, l := range f.Layers {
		got = append(got, l.Name)
	}
	if want := []string{"blocks.1.fc", "act", "fc_2"}; !slices.Equal(got, want) {
		t.Errorf("layers %q: want %q", got, want)
	}
}

// TestLeftOut checks that a note names the layers whose weights are computed, and that files without any have no notes.
func TestLeftOut(t *testing.T) {
	for file, want := range map[string]string{"computed-17-any": "The network computes the weights of these layers from stored ones, as a weight norm does: MatMul_1, head. ", "copies-14-any": "",
		"single-17-any": "", "attention-17-any": ""} {
		a, err := Open("testdata/" + file + ".onnx")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(a.Notes, " "); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s has the notes %q: want %q", file, got, want)
		}
	}
}

// TestCalledAgain checks that calledAgain removes the numbers that exporters append to the names of modules, but keeps
// those that are part of the names.
func TestCalledAgain(t *testing.T) {
	modules := modulesOf(map[string]weight{"fc_1.bias": {}, "block.0.fc.bias": {}})
	var got []string
	for _, node := range []string{"/fc_1/MatMul", "/fc_2/MatMul", "/block_1/block.0/fc/MatMul", "/MatMul_1"} {
		got = append(got, calledAgain(node, modules))
	}
	if want := []string{"fc_1", "fc", "block.0.fc", ""}; !slices.Equal(got, want) {
		t.Errorf("%q: want %q", got, want)
	}
}

// TestOtherProducts checks that a note names weights that are multiplied from the left, and so are no layer's.
func TestOtherProducts(t *testing.T) {
	path := fileOf(t, []string{"conv.weight 4 3 8 8", "left 5 4", "s: 0 4 1"}, "y", "c = Conv x conv.weight",
		"r = Reshape c s", "z = MatMul left r", "y = Flatten z")
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Notes) != 1 || !strings.HasPrefix(a.Notes[0], "These weights are not measured: left. ") {
		t.Errorf("notes %q", a.Notes)
	}
}

// TestLayerInBranch checks that a layer in the branch that a stored condition takes is one as any other, also if the branch
// itself stores the weights or has an If.
func TestLayerInBranch(t *testing.T) {
	var m onnxtest.Message
	choice := func(condition, out string, then, other onnxtest.Message) onnxtest.Message {
		return m.In(1, m.Text(1, condition).Text(2, out).Text(4, "If").In(5, m.Text(1, "then_branch").In(6, then).Number(20, 5)).
			In(5, m.Text(1, "else_branch").In(6, other).Number(20, 5)))
	}
	product := func(weights, out string) onnxtest.Message {
		return m.In(1, m.Text(1, "f").Text(1, weights).Text(2, out).Text(4, "MatMul")).In(12, m.Text(1, out))
	}
	inner := choice("no", "i", product("a.weight", "p"), product("b.weight", "q")).In(12, m.Text(1, "i"))
	g := onnxtest.Graph{Opset: 13, Images: []int{1, 3, 8, 8}, Outputs: "y", Tensors: []string{"a.weight 192 4", "b.weight 192 4",
		"no: 0", "yes: 1"}, Nodes: []string{"f = Flatten x", "y = Tanh z"},
		More: choice("yes", "z", inner, product("a.weight", "r"))}
	path := g.File(t)
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.Load(a.Weights, a.Input)
	if err != nil {
		t.Fatal(err)
	}
	if l := n.Layers(); len(l) != 1 || l[0].Name != "b" {
		t.Errorf("layers %v: want b", l)
	}
	g.More, g.Nodes = nil, []string{"f = Flatten x", "z = MatMul f b.weight", "y = Tanh z"}
	sameNetworks(t, path, g.File(t))
}

// TestFlattenedFilters checks that a layer that multiplies by filters as by a matrix is measured, and that no note says
// otherwise.
func TestFlattenedFilters(t *testing.T) {
	path := fileOf(t, []string{"k.weight 5 3 1 1"}, "y", "c = Conv x k.weight", "p = ReduceMean x axes=2,3 keepdims=0",
		"w = Flatten k.weight", "wt = Transpose w perm=1,0", "m = MatMul p wt", "q = ReduceMean c axes=2,3 keepdims=0",
		"y = Mul m q")
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.Load(a.Weights, a.Input)
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Layers()) != 2 || len(a.Notes) != 1 || !strings.HasPrefix(a.Notes[0], "The network computes the weights of these") {
		t.Errorf("%d layers: want 2; notes %q", len(n.Layers()), a.Notes)
	}
}

// TestOfNoImages checks that a note names the layers that read learned tokens alone, and no other ones.
func TestOfNoImages(t *testing.T) {
	path := fileOf(t, strings.Split("tokens 5 192;query.weight 6 192;key.weight 6 192", ";"), "y", "f = Flatten x",
		"w = Transpose query.weight perm=1,0", "v = Transpose key.weight perm=1,0", "q = MatMul tokens w", "k = MatMul f v",
		"t = Transpose q perm=1,0", "y = MatMul k t")
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(a.Notes, " "); !strings.Contains(got, "These layers are not measured: query. ") {
		t.Errorf("notes %q", got)
	}
}

// TestOneAtATime checks that a file that takes any number of images, but has the 1 of one image in its graph, is computed one
// image at a time.
func TestOneAtATime(t *testing.T) {
	g := onnxtest.Graph{Opset: 13, Images: []int{-1, 3, 8, 8}, Outputs: "y",
		Tensors: []string{"token 1 4 8 8", "conv.weight 4 3 1 1"}, Nodes: []string{"c = Conv x conv.weight", "y = Concat token c axis=1"}}
	open := g.File(t)
	g.Images[0] = 1
	sameNetworks(t, open, g.File(t))
}

// TestHostileSizes checks that sizes whose products overflow, and pads beyond all memory, are refused.
func TestHostileSizes(t *testing.T) {
	for _, c := range []struct {
		tensor, node, want string
	}{
		{"s: 288230376151711747 64", "y = Reshape x s", "want sizes from 0 to"},
		{"s: 64 288230376151711747", "y = Reshape x s", "want sizes from 0 to"},
		{"s: 16777216 16777216 16777216 16777216", "y = Reshape x s", "want at most"},
		{"w 2 3 3 3", "y = Conv x w pads=0,0,17179869184,0", "must be at most"},
		{"w 2 3 3 3", "y = Conv x w dilations=17179869184,1 pads=9,9,9,9", "must be at most"},
	} {
		path := onnxtest.Graph{Opset: 17, Images: []int{1, 3, 8, 8}, Outputs: "y", Tensors: []string{c.tensor},
			Nodes: []string{c.node}}.File(t)
		a, err := Open(path)
		if err == nil {
			_, err = a.Load(a.Weights, a.Input)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: %v, want an error that says %q", c.node, c.tensor, err, c.want)
		}
	}
}

// TestOddFiles checks that files are read whose nodes are rare: a bias of one number for several units, weights under
// another name, and a transposed convolution of sequences with output_padding.
func TestOddFiles(t *testing.T) {
	for what, c := range map[string]onnxtest.Graph{
		"a bias of one number":       {Tensors: []string{"w 192 4", "b 1"}, Nodes: []string{"f = Flatten x", "h = MatMul f w", "y = Add h b"}},
		"gemm, a bias of one number": {Tensors: []string{"w 192 4", "b 1"}, Nodes: []string{"f = Flatten x", "y = Gemm f w b"}},
		"weights under another name": {Tensors: []string{"w 192 4"}, Nodes: []string{"f = Flatten x", "v = Identity w",
			"y = MatMul f v"}},
		"a transposed convolution of sequences": {Tensors: []string{"s: 1 3 64", "w 3 2 4"},
			Nodes: []string{"r = Reshape x s", "y = ConvTranspose r w strides=2, pads=1,1 output_padding=1,"}},
	} {
		c.Opset, c.Images, c.Outputs = 17, []int{1, 3, 8, 8}, "y"
		a, err := Open(c.File(t))
		if err == nil {
			_, err = a.Load(a.Weights, a.Input)
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestComputedWeights checks that layers whose weights a network computes from stored ones, by a weight norm or a low-rank update,
// are measured, and that their filters are the computed ones.
func TestComputedWeights(t *testing.T) {
	path := fileOf(t, strings.Split("c.weight_v 4 3 3 3;c.weight_g 4 1 1 1;c.bias 4;fc.base.weight 5 144;fc.up.weight 5 2;"+
		"fc.down.weight 2 144;free 3 5;k 3 5;e.parametrizations.weight.original0 5 1;e.parametrizations.weight.original1 5 3", ";"), "y",
		"l = ReduceL2 c.weight_v axes=1,2,3 keepdims=1", "d = Div c.weight_v l", "w = Mul d c.weight_g", "/c/Conv = Conv x w c.bias",
		"f = Flatten /c/Conv", "a = MatMul fc.up.weight fc.down.weight", "b = Add fc.base.weight a", "bT = Transpose b perm=1,0",
		"h = MatMul f bT", "s = Mul free k", "/body/out/MatMul = Gemm h s transB=1",
		"ew = Mul e.parametrizations.weight.original0 e.parametrizations.weight.original1", "y = Gemm /body/out/MatMul ew transB=1")
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.Load(a.Weights, a.Input)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := a.Weights.Get("c.weight_v")
	g, _ := a.Weights.Get("c.weight_g")
	up, _ := a.Weights.Get("fc.up.weight")
	down, _ := a.Weights.Get("fc.down.weight")
	base, _ := a.Weights.Get("fc.base.weight")
	first := v.Float32s()[27:54]
	var norm float64
	for _, x := range first {
		norm += float64(x) * float64(x)
	}
	product := float64(base.Float32s()[3*144+7])
	for k := range 2 {
		product += float64(up.Float32s()[3*2+k]) * float64(down.Float32s()[7*2+k])
	}
	var names []string
	for _, l := range n.Layers() {
		names = append(names, l.Name)
		if l.Weight() != "" || n.Filters(l.Name) == nil {
			t.Errorf("%s: weights %q, filters %v", l.Name, l.Weight(), n.Filters(l.Name))
		}
	}
	if want := []string{"c", "fc", "body.out", "e"}; !slices.Equal(names, want) {
		t.Fatalf("layers %q: want %q", names, want)
	}
	near(t, "weight norm", []float64{n.Filters("c").At(1, 5)},
		[]float64{float64(first[5]) * float64(g.Float32s()[1]) / math.Sqrt(norm)})
	near(t, "low rank", []float64{n.Filters("fc").At(3, 7)}, []float64{product})
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "from stored ones, as a weight norm does: c, fc, body.out, e. ") {
		t.Errorf("notes %q", a.Notes)
	}
	fresh, err := a.Fresh(a.Input, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if w := fresh.Filters("c"); w == nil || w.At(1, 5) == n.Filters("c").At(1, 5) {
		t.Errorf("a fresh network has the filters %v", w)
	}
}

// TestComputedAndStored checks that a layer and another one, whose weights are computed from the first one's, have different names.
func TestComputedAndStored(t *testing.T) {
	f := functionOf(t, fileOf(t, []string{"enc.weight 5 192", "k 5 192", "out.weight 3 192"}, "y", "f = Flatten x",
		"t = Transpose enc.weight perm=1,0", "h = MatMul f t", "s = Mul enc.weight k", "d = MatMul h s", "y = Gemm d out.weight transB=1"),
		1, graph.Double)
	var got []string
	for _, l := range f.Layers {
		got = append(got, l.Name)
	}
	if want := []string{"enc", "d", "out"}; !slices.Equal(got, want) {
		t.Errorf("layers %q: want %q", got, want)
	}
}
