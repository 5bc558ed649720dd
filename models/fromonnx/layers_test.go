package fromonnx

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
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
		"computed-17-any": {"patch": 1, "wide": 1, "back": 1},
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

// TestLeftOut checks that a note names the products that are not measured as layers because their weights are computed.
func TestLeftOut(t *testing.T) {
	for file, want := range map[string]string{"computed-17-any": "These products are not measured as layers: MatMul_1, head. ", "copies-14-any": "",
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
