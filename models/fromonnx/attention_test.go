package fromonnx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// partsOf returns the parts of all layers of the network in a file, each as "LAYER/PART FROM-TO:HEADS", or as
// "LAYER columns:HEADS" if the heads divide the columns of the weights.
func partsOf(t *testing.T, path string) string {
	t.Helper()
	var all []string
	for _, l := range functionOf(t, path, 2, graph.Single).Layers {
		for _, p := range l.Parts {
			text := fmt.Sprintf("%s %d-%d:%d", l.PartName(p), p.From, p.To, p.Heads)
			if p.HeadColumns {
				text = fmt.Sprintf("%s columns:%d", l.Name, p.Heads)
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

// TestProjections checks that a fused projection is divided into the rows of the queries, the keys and the values, in
// whatever order it has them. If the rows of one of them are not contiguous, the layer is not divided and has no heads.
// Where keys are multiplied by values before the queries, no layer has parts or heads.
func TestProjections(t *testing.T) {
	// The tokens have 12 features, and the attention has 2 heads of 6 features.
	const weights = "conv.weight 12 3 2 2;proj.weight 12 12;head.weight 12 5;s4: 0 16 2 6;flat: 0 16 12"
	before := []string{"c = Conv x conv.weight strides=2,2", "r = Reshape c feat", "tok = Transpose r perm=0,2,1"}
	after := []string{"kt = Transpose k perm=0,1,3,2", "s = MatMul q kt", "a = Softmax s axis=-1", "o = MatMul a v",
		"ot = Transpose o perm=0,2,1,3", "of = Reshape ot flat", "p = MatMul of proj.weight",
		"m = ReduceMean p axes=1, keepdims=0", "y = MatMul m head.weight"}
	right := append(append(append([]string{}, after[:3]...), "at = Transpose a perm=0,1,3,2", "vt = Transpose v perm=0,1,3,2",
		"o = MatMul vt at", "ot = Transpose o perm=0,3,1,2"), after[5:]...)
	other := map[string][]string{"weights on the right": right, "keys times values": append([]string{"b = Softmax q axis=-1",
		"a = Softmax k axis=-2", "at = Transpose a perm=0,1,3,2", "s = MatMul at v", "o = MatMul b s"}, after[4:]...), "their transpose times queries": append([]string{"a = Softmax k axis=-2",
		"vt = Transpose v perm=0,1,3,2", "s = MatMul vt a", "qt = Transpose q perm=0,1,3,2", "ob = MatMul s qt",
		"o = Transpose ob perm=0,1,3,2"}, after[4:]...)}
	const proj = ", proj columns:2"
	thirds := func(order string) []string {
		return []string{"f = MatMul tok qkv.weight", "g = Reshape f shape", "h = Transpose g perm=2,0,3,1,4",
			order + " = Split h axis=0", "q = Squeeze q0 zero", "k = Squeeze k0 zero", "v = Squeeze v0 zero"}
	}
	for name, c := range map[string]struct {
		tensors string
		nodes   []string
		want    string
	}{
		"thirds": {"qkv.weight 12 36;shape: 0 16 3 2 6;zero: 0", thirds("q0 k0 v0"),
			"qkv/query 0-12:2, qkv/key 12-24:2, qkv/value 24-36:2" + proj},
		"values first": {"qkv.weight 12 36;shape: 0 16 3 2 6;zero: 0", thirds("v0 k0 q0"),
			"qkv/value 0-12:2, qkv/key 12-24:2, qkv/query 24-36:2" + proj},
		"weights on the right": {"qkv.weight 12 36;shape: 0 16 3 2 6;zero: 0", thirds("q0 k0 v0"),
			"qkv/query 0-12:2, qkv/key 12-24:2, qkv/value 24-36:2" + proj},
		"keys times values":             {"qkv.weight 12 36;shape: 0 16 3 2 6;zero: 0", thirds("q0 k0 v0"), ""},
		"their transpose times queries": {"qkv.weight 12 36;shape: 0 16 3 2 6;zero: 0", thirds("q0 k0 v0"), ""},
		"by head": {"qkv.weight 12 36;shape: 0 16 2 18", []string{"f = MatMul tok qkv.weight", "g = Reshape f shape",
			"h = Transpose g perm=0,2,1,3", "q k v = Split h axis=3"}, "proj columns:2"},
		"innermost": {"qkv.weight 12 36;shape: 0 16 2 6 3;i0: 0;i1: 1;i2: 2;last: 4", []string{"f = MatMul tok qkv.weight",
			"g = Reshape f shape", "h = Transpose g perm=0,2,1,3,4", "q0 = Gather h i0 axis=4", "q = Squeeze q0 last",
			"k0 = Gather h i1 axis=4", "k = Squeeze k0 last", "v0 = Gather h i2 axis=4", "v = Squeeze v0 last"}, "proj columns:2"},
		"keys with values": {"q.weight 12 12;kv.weight 12 24;from: 0;mid: 12;end: 24;axis: 2", []string{
			"q0 = MatMul tok q.weight", "f = MatMul tok kv.weight", "k0 = Slice f from mid axis", "v0 = Slice f mid end axis",
			"q1 = Reshape q0 s4", "q = Transpose q1 perm=0,2,1,3", "k1 = Reshape k0 s4", "k = Transpose k1 perm=0,2,1,3",
			"v1 = Reshape v0 s4", "v = Transpose v1 perm=0,2,1,3"},
			"q 0-12:2, kv/key 0-12:2, kv/value 12-24:2" + proj},
		"one key for all heads": {"q.weight 12 12;k.weight 12 6;v.weight 12 6;one: 1", []string{
			"q0 = MatMul tok q.weight", "q1 = Reshape q0 s4", "q = Transpose q1 perm=0,2,1,3",
			"k0 = MatMul tok k.weight", "k = Unsqueeze k0 one", "v0 = MatMul tok v.weight", "v = Unsqueeze v0 one"},
			"q 0-12:2" + proj},
		"a convolution": {"qkv.weight 36 12 1 1;shape: 0 3 2 6 16;zero: 0", []string{"f = Conv c qkv.weight",
			"g = Reshape f shape", "h = Transpose g perm=1,0,2,4,3", "q0 k0 v0 = Split h axis=0", "q = Squeeze q0 zero",
			"k = Squeeze k0 zero", "v = Squeeze v0 zero"},
			"qkv/query 0-12:2, qkv/key 12-24:2, qkv/value 24-36:2" + proj},
	} {
		t.Run(name, func(t *testing.T) {
			tensors, after := append(strings.Split(weights, ";"), "feat: 0 12 16"), after
			if other[name] != nil {
				after = other[name]
			}
			path := fileOf(t, append(tensors, strings.Split(c.tensors, ";")...), "y",
				append(append(append([]string{}, before...), c.nodes...), after...)...)
			if got := partsOf(t, path); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestWindows checks that the heads of an attention in windows are those of its rows, whichever axis they lie along: windows
// are no heads.
func TestWindows(t *testing.T) {
	split := func(perm string) []string {
		return []string{"h = Transpose g perm=" + perm, "q0 k0 v0 = Split h axis=0", "q = Squeeze q0 zero", "k = Squeeze k0 zero",
			"v = Squeeze v0 zero"}
	}
	products := func(perm string) []string {
		return []string{"kt = Transpose k perm=" + perm, "s = MatMul q kt", "a = Softmax s axis=-1", "o = MatMul a v"}
	}
	end := []string{"m = ReduceMean p axes=1, keepdims=0", "y = MatMul m head.weight"}
	const two = "qkv/query 0-12:2, qkv/key 12-24:2, qkv/value 24-36:2, proj columns:2"
	const one = "qkv/query 0-12:1, qkv/key 12-24:1, qkv/value 24-36:1, proj columns:1"
	for name, c := range map[string]struct {
		shape string
		nodes [][]string
		want  string
	}{
		"two heads": {"0 4 4 3 2 6", [][]string{split("3,0,1,4,2,5"), products("0,1,2,4,3"),
			{"ot = Transpose o perm=0,1,3,2,4"}}, two},
		"heads before windows": {"0 4 4 3 2 6", [][]string{split("3,0,4,1,2,5"), products("0,1,2,4,3"),
			{"ot = Transpose o perm=0,2,3,1,4"}}, two},
		"one head":               {"0 4 4 3 12", [][]string{split("3,0,1,2,4"), products("0,1,3,2"), {"ot = Identity o"}}, one},
		"one head, images aside": {"-1 4 3 12", [][]string{split("2,0,1,3"), products("0,2,1"), {"ot = Identity o"}}, one},
		"two heads, images aside": {"-1 4 3 2 6", [][]string{split("2,0,3,1,4"), products("0,1,3,2"),
			{"ot = Transpose o perm=0,2,1,3"}}, two},
	} {
		nodes := []string{"c = Conv x conv.weight strides=2,2", "r = Reshape c feat", "tok = Transpose r perm=0,2,1",
			"f = MatMul tok qkv.weight", "g = Reshape f shape"}
		for _, more := range append(c.nodes, []string{"of = Reshape ot flat", "p = MatMul of proj.weight"}, end) {
			nodes = append(nodes, more...)
		}
		path := fileOf(t, []string{"conv.weight 12 3 2 2", "qkv.weight 12 36", "proj.weight 12 12", "head.weight 12 5",
			"feat: 0 12 16", "flat: -1 16 12", "zero: 0", "shape: " + c.shape}, "y", nodes...)
		if got := partsOf(t, path); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestCrossAttention checks that the projections of nn.MultiheadAttention are measured by their parts where the queries are of
// other tokens than the keys, also if the values are of still others, and that their weights and biases are drawn as those of
// other linear layers.
func TestCrossAttention(t *testing.T) {
	for _, file := range []string{"cross-13-any", "cross-17-any", "cross-17-one", "cross3-17-any"} {
		path := "testdata/" + file + ".onnx"
		want := "cross/query 0-8:2, cross/key 8-16:2, cross/value 16-24:2, cross.out_proj columns:2"
		if got := partsOf(t, path); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
		a, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Notes) > 0 {
			t.Errorf("%s: notes %q", file, a.Notes)
		}
		m, err := onnx.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		all, err := findWeights(m.Graph)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]models.Role{"weight": models.LinearWeight, "bias": models.LinearBias} {
			if got := all["cross.in_proj_"+name].role; got != want {
				t.Errorf("%s: the %s of the projections has the role %v, want %v", file, name, got, want)
			}
		}
	}
}

// TestBlocksOfRows checks that products with blocks of the rows of a matrix are a layer if the blocks together are the
// matrix, and a layer each if they leave rows out or overlap.
func TestBlocksOfRows(t *testing.T) {
	for ends, want := range map[string]int{"2 2 6": 1, "2 3 6": 2, "2 2 5": 2, "3 2 6": 2} {
		e := strings.Fields(ends)
		f := functionOf(t, fileOf(t, []string{"w 6 192", "zero: 0", "end: " + e[0], "start: " + e[1], "last: " + e[2]}, "y",
			"f = Flatten x", "u = Slice w zero end zero", "v = Slice w start last zero", "ut = Transpose u perm=1,0",
			"vt = Transpose v perm=1,0", "a = MatMul f ut", "b = MatMul f vt", "y = Concat a b axis=1"), 2, graph.Single)
		if len(f.Layers) != want {
			t.Errorf("rows to %s, and from %s to %s: %d layers, want %d", e[0], e[1], e[2], len(f.Layers), want)
		}
		if want == 1 && len(f.Layers[0].Uses()) != 2 {
			t.Errorf("%d uses of the layer, want 2", len(f.Layers[0].Uses()))
		}
	}
}

// TestSeveralOutputs checks that the first output is taken, that a note says so, and that the weights that only another
// output needs are left out.
func TestSeveralOutputs(t *testing.T) {
	path := fileOf(t, []string{"conv.weight 4 3 8 8", "main.weight 4 5", "aux.weight 4 2"}, "y z",
		"c = Conv x conv.weight", "f = Flatten c", "z = MatMul f aux.weight", "y = MatMul f main.weight")
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, known := a.Weights.Get("aux.weight"); known {
		t.Error("the weights of the second output are there")
	}
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], `The first one, "y", is taken`) {
		t.Errorf("notes %q", a.Notes)
	}
}

// TestProbabilities checks that a note says that the outputs are no logits, and the normalisation of any ONNX file.
func TestProbabilities(t *testing.T) {
	path := fileOf(t, []string{"conv.weight 4 3 8 8", "main.weight 4 5"}, "y", "c = Conv x conv.weight", "f = Flatten c",
		"z = MatMul f main.weight", "y = Softmax z")
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if a.Normalise != "dataset" {
		t.Errorf("the default normalisation is %q", a.Normalise)
	}
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "those of a Softmax") {
		t.Errorf("notes %q", a.Notes)
	}
}
