package archfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/peer"
	"github.com/ansatz-lab/ansatz/models"
)

// device opens the default backend: the native one where it is built in.
func device(t testing.TB) *backend.Device {
	t.Helper()
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

const tomlResnet20 = `
input = [3, 32, 32]
normalise = "imagenet"
[[layer]]
type = "conv"
name = "conv1"
filters = 16
kernel = 3
pad = 1
bias = false
[[layer]]
type = "batchnorm"
name = "bn1"
[[layer]]
type = "relu"
%s
[[layer]]
type = "globalavgpool"
[[layer]]
type = "linear"
name = "linear"
`

// The built-in ResNet-20 can be written in TOML, with the same parameter names and the same outputs.
func TestTOMLEqualsBuiltIn(t *testing.T) {
	var blocks strings.Builder
	for i, filters := range []int{16, 32, 64} {
		for j := range 3 {
			stride, shortcut := 1, ""
			if i > 0 && j == 0 {
				stride, shortcut = 2,
					fmt.Sprintf("[[layer.shortcut]]\ntype = \"subsample\"\nstride = 2\nfilters = %d\n", filters)
			}
			fmt.Fprintf(&blocks, "[[layer]]\ntype = \"residual\"\nname = \"layer%d.%d\"\n", i+1, j)
			fmt.Fprintf(&blocks,
				"[[layer.main]]\ntype = \"conv\"\nname = \"conv1\"\nfilters = %d\nkernel = 3\nstride = %d\npad = "+
					"1\nbias = false\n", filters, stride)
			fmt.Fprintf(&blocks,
				"[[layer.main]]\ntype = \"batchnorm\"\nname = \"bn1\"\n[[layer.main]]\ntype = \"relu\"\n")
			fmt.Fprintf(&blocks,
				"[[layer.main]]\ntype = \"conv\"\nname = \"conv2\"\nfilters = %d\nkernel = 3\npad = 1\nbias = false\n",
				filters)
			fmt.Fprintf(&blocks, "[[layer.main]]\ntype = \"batchnorm\"\nname = \"bn2\"\n%s", shortcut)
		}
	}
	path := filepath.Join(t.TempDir(), "mine.toml")
	if err := os.WriteFile(path, fmt.Appendf(nil, tomlResnet20, blocks.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	mine, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if mine.Name != "mine" || mine.Normalise != "imagenet" {
		t.Errorf("name %q, normalise %q", mine.Name, mine.Normalise)
	}
	a, _ := models.Lookup("resnet20")
	n, _ := a.InitNetwork(a.Input, 10, 1)
	m, err := mine.Load(n.StateDict(), a.Input)
	if err != nil {
		t.Fatal(err)
	}
	want := outputs(t, n)
	for i, v := range outputs(t, m) {
		if v != want[i] {
			t.Fatalf("logit %d: %v built in, %v from TOML", i, want[i], v)
		}
	}
}

// outputs returns the outputs of a network for two images in single precision.
func outputs(t *testing.T, n *models.Network) []float32 {
	t.Helper()
	f, err := n.Function(device(t), 2, graph.Single)
	if err != nil {
		t.Fatal(err)
	}
	x := f.Data(f.Inputs()[0]).Float32s()
	copy(x, peer.Ramp("x", len(x)))
	p, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.RunAll(); err != nil {
		t.Fatal(err)
	}
	return p.Value(f.Output).Float32s()
}

// TestTOMLKeysOfAnyCase checks that a name is read whatever the case of its key, as all keys are.
func TestTOMLKeysOfAnyCase(t *testing.T) {
	a, err := Parse([]byte("input = [1, 4, 4]\n[[layer]]\nType = 'sequential'\nName = 'block'\n" +
		"[[layer.layer]]\ntype = 'linear'\nNAME = 'fc'\n"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(a.Input, 2, 1)
	if err != nil || n.Layers()[0].Name != "block.fc" {
		t.Errorf("%v, %v: want the layer block.fc", n.Layers(), err)
	}
}

func TestTOMLMistakes(t *testing.T) {
	head := "input = [1, 8, 8]\n"
	for text, want := range map[string]string{
		"input = [1, 8": "line 1",
		"inputs = [1, 8, 8]\n[[layer]]\ntype='relu'": `line 1: unknown key "inputs"`,
		head: "no layers",
		"input = [1, 8]\n[[layer]]\ntype = 'relu'":        "want [channels, rows, columns]",
		"[[layer]]\ntype = 'relu'":                        "the file sets no input",
		"input = [1, 8, 0]\n[[layer]]\ntype = 'relu'":     "input = 0",
		"input = [1, 99999, 8]\n[[layer]]\ntype = 'relu'": "want 1 to 16384",
		head +
			"[[layer]]\nname = 'x'": "no type: want one of conv",
		head +
			"[[layer]]\ntype = 'convolution'": `type = "convolution": want one of conv`,
		head +
			"[[layer]]\ntype = 'conv'\nfilters = 3\nkernel = 3": "needs a name",
		head +
			"[[layer]]\ntype = 'conv'\nname = 'c'\nkernel = 3": "filters = 0: want 1",
		head +
			"[[layer]]\ntype = 'conv'\nname = 'c'\nfilters = 3": "kernel = 0: want 1",
		head +
			"[[layer]]\ntype = 'conv'\nname = 'c'\nfilters = 3\nkernel = [3]": "want a whole number or [rows, columns]",
		head +
			"[[layer]]\ntype = 'conv'\nname = 'c'\nfilters = 3\nkernel = 'x'": "want a whole number or [rows, columns]",
		head +
			"[[layer]]\ntype = 'conv'\nname = 'c'\nfilters = 3\nkernel = 9": "c: convolution: filters of 9×9",
		head +
			"[[layer]]\ntype = 'conv'\nname = 'c'\nfilters = 3\nkernal = 9\nkernel = 3": "" +
			`line 6: layer 1 (c): unknown key "kernal" (did you mean kernel?): a conv layer has the keys type, name, filters,`,
		head + "[[layer]]\ntype = 'relu'\nfilters = 3":                                                `unknown key "filters": a relu layer has the keys type, name`,
		head + "[[layer]]\ntype = 'dropout'\np = 'x'":                                                 "layer 1: p = \"x\": want a number",
		head + "[[layer]]\ntype = 'sequential'\n[[layer.layer]]\ntype = 'conv'\nname = 'c'\nbias = 1": "architecture: layer 1 layer 1 (c): bias = 1: want true or false",
		head + "[[layer]]\ntype = 'sequential'\nlayer = 3":                                            "layer: want tables of layers",
		head + "[[layer]]\ntype = 'branches'\n[[layer.branch]]\nnmae = 'x'":                           `(did you mean name?): a branch has the keys`,
		head + "[[layer]]\ntype = 'dropout'\np = 1.5":                                                 "p = 1.5: want at least 0",
		head + "[[layer]]\ntype = 'dropout'\np = nan":                                                 "want at least 0",
		head + "[[layer]]\ntype = 'batchnorm'\nname = 'b'\neps = -1.0":                                "eps = -1: want more than 0",
		head + "[[layer]]\ntype = 'batchnorm'\nname = 'b'\neps = 0.0":                                 "eps = 0: want more than 0",
		head + "[[layer]]\ntype = 'batchnorm'\nname = 'b'\neps = inf":                                 "want more than 0 and at most 1",
		head + "[[layer]]\ntype = 'batchnorm'\nname = 'b'\nmomentum = 0.0":                            "momentum = 0: want more than 0",
		head + "[[layer]]\ntype = 'maxpool'\nsize = 2\nstride = 0":                                    "stride = 0: want 1",
		head + "[[layer]]\ntype = 'linear'\nname = 'a'\nout = 0":                                      "out = 0: want 1",
		"a = [" + strings.Repeat("{},", 100000) + "]":                                                 "more than 20000 tables and arrays",
		head + "[[layer]]\ntype = 'linear'\nname = 'a'\nout = 3\nOut = 4":                             `the keys "Out" and "out"`,
		head + "[[layer]]\ntype = 'maxpool'":                                                          "size = 0: want 1",
		head + "[[layer]]\ntype = 'maxpool'\nsize = 9":                                                "does not fit in 8",
		head + "[[layer]]\ntype = 'residual'\nname = 'r'":                                             "needs at least one [[layer.main]]",
		head +
			"[[layer]]\ntype = 'residual'\nname = 'r'\n[[layer.main]]\ntype = 'conv'\nname = 'c'\nfilters = " +
			"2\nkernel = 1": "r: add: operands of shape",
		head +
			"[[layer]]\ntype = 'linear'\nname = 'a'\nout = 3\n[[layer]]\ntype = 'linear'\nname = 'a'": "" +
			`two inputs or parameters named "a.weight"`,
		head +
			"[[layer]]\ntype = 'linear'\nname = 'a'\nout = 3\n[[layer]]\ntype = 'conv'\nname = 'b'\nfilters = " +
			"1\nkernel = 1": "reads images, not a flattened input",
		head + "[[layer]]\ntype = 'subsample'\nstride = 0\nfilters = 2":   "stride = 0: want 1",
		head + "[[layer]]\ntype = 'linear'\nname = 'a'\nout = 9999999999": "want 1 to 1048576",
	} {
		var e *Error
		if _, err := Parse([]byte(text)); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n\twant a TOMLError with %q\n\tgot %v", text, want, err)
		}
	}
}

func FuzzTOML(f *testing.F) {
	f.Add([]byte(fmt.Sprintf(tomlResnet20, "")))
	f.Add(
		[]byte(
			"input=[1,8,8]\n[[layer]]\ntype='residual'\nname='r'\n[[layer.main]]\ntype='relu'\n" +
				"[[layer.shortcut]]\ntype='sequential'\n[[layer.shortcut.layer]]\ntype='tanh'\n"))
	f.Add(
		[]byte(
			"input=[2,9,9]\n[[layer]]\ntype='channelmean'\n[[layer]]\ntype='flatten'\n[[layer]]\ntype='channelmean'\n"))
	f.Add(
		[]byte(
			"input=[2,9,9]\n[[layer]]\ntype='avgpool'\nsize=[2,3]\npad=1\nceil=true\ncount_pad=false\n" +
				"[[layer]]\ntype='linear'\nname='f'\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := Parse(text)
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("an error of another kind: %v", err)
		}
		if err == nil {
			if _, err := a.Describe(a.Input, 3); err != nil {
				t.Fatalf("accepted, and then: %v", err)
			}
		}
	})
}
