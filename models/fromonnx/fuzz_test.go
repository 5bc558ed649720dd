package fromonnx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/models"
)

// FuzzOpen checks that a damaged file is opened or refused with an input error, and that building its network does not
// panic.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"attention-17-any", "moves-13-any", "convs-17-any", "reduce-11-any", "pads-17-one"} {
		text, err := os.ReadFile("testdata/" + name + ".onnx")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "x.onnx")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := Open(path)
		if err != nil {
			var e interface{ InputError() bool }
			if !errors.As(err, &e) || !e.InputError() {
				t.Fatal(err)
			}
			return
		}
		in := a.Input
		in.Height, in.Width = min(max(in.Height, 8), 16), min(max(in.Width, 8), 16)
		if in.Channels > 16 {
			return
		}
		_, _ = a.Load(a.Weights, models.Shape(in)) // it may return an error, but must not panic
	})
}

// TestUnsupported checks that the error names an unsupported op, the opset, and the number and ops of the other
// unsupported nodes.
func TestUnsupported(t *testing.T) {
	text, err := os.ReadFile("testdata/activations-17-any.onnx")
	if err != nil {
		t.Fatal(err)
	}
	// Ops that do not exist, with names of the same length, replace Softplus and Elu.
	text = []byte(strings.NewReplacer("\x22\x08Softplus", "\x22\x08Softplux", "\x22\x03Elu", "\x22\x03Elx").Replace(string(text)))
	path := filepath.Join(t.TempDir(), "x.onnx")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path)
	if err == nil {
		t.Fatal("ops that do not exist are supported")
	}
	for _, want := range []string{"(Elx)", "opset 17", "1 other", "Softplux"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: without %q", err, want)
		}
	}
}

// TestUnsupportedOfImages checks that an op that is supported only on constants, here Mod, counts as unsupported where
// it reads the images.
func TestUnsupportedOfImages(t *testing.T) {
	text, err := os.ReadFile("testdata/activations-17-any.onnx")
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.NewReplacer("\x22\x03Elu", "\x22\x03Mod", "\x22\x08Softplus", "\x22\x08Softplux").Replace(string(text)))
	path := filepath.Join(t.TempDir(), "x.onnx")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(path); err == nil || !strings.Contains(err.Error(), "(Mod)") || !strings.Contains(err.Error(), "1 other") {
		t.Errorf("%v: want both Mod and Softplux", err)
	}
}

// TestTooFewBytes checks that weights whose number of bytes does not fit their shape are refused when the file is
// opened.
func TestTooFewBytes(t *testing.T) {
	text, err := os.ReadFile("testdata/mish-17-any.onnx")
	if err != nil {
		t.Fatal(err)
	}
	// The sizes 4×3×3×3 of the filters, as the file encodes them.
	const filters = "\x08\x04\x08\x03\x08\x03\x08\x03"
	for _, other := range []string{"\x08\x05\x08\x03\x08\x03\x08\x03", "\x08\x00\x08\x03\x08\x03\x08\x03"} {
		damaged := strings.Replace(string(text), filters, other, 1)
		path := filepath.Join(t.TempDir(), "x.onnx")
		if err := os.WriteFile(path, []byte(damaged), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		var e interface{ InputError() bool }
		if damaged == string(text) || !errors.As(err, &e) || !e.InputError() || !strings.Contains(err.Error(), "conv.weight") {
			t.Errorf("weights without their bytes: %v", err)
		}
	}
}

// TestInputsMissing checks that nodes with fewer inputs than their op needs are refused with an error that names the
// node once.
func TestInputsMissing(t *testing.T) {
	for _, node := range []string{"m = MatMul c", "m = Transpose", "m = Add", "m = Transpose; p = MatMul c m"} {
		nodes := append([]string{"c = Conv x conv.weight"}, strings.Split(node, "; ")...)
		last := nodes[len(nodes)-1][:1]
		a, err := Open(fileOf(t, []string{"conv.weight 4 3 8 8"}, "y", append(nodes, "y = Flatten "+last)...))
		if err == nil {
			_, err = a.Load(a.Weights, a.Input)
		}
		if err == nil || strings.Contains(err.Error(), "runtime error") || strings.Count(err.Error(), `node "m"`) != 1 {
			t.Errorf("%s: %v", node, err)
		}
	}
}

// TestManyConstants checks that a small file whose computed constants together exceed the limit is refused.
func TestManyConstants(t *testing.T) {
	defer func(n int) { mostComputed = n }(mostComputed)
	mostComputed = 1 << 15
	nodes, sum := []string{"c = Conv x conv.weight", "b0 = ConstantOfShape side"}, "b0"
	for i := 1; i <= 9; i++ {
		next := fmt.Sprintf("b%d", i)
		nodes, sum = append(nodes, next+" = Add b0 "+sum), next
	}
	nodes = append(nodes, "r = ReduceSum "+sum+" keepdims=0", "f = Flatten c", "y = Add f r")
	a, err := Open(fileOf(t, []string{"conv.weight 4 3 8 8", "side: 64 64"}, "y", nodes...))
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Load(a.Weights, a.Input)
	if err == nil || !strings.Contains(err.Error(), "more than 32768 elements of constants") {
		t.Errorf("%v, want an error that says how many elements there may be", err)
	}
}

// TestWholeNumberWeights checks that filters with a type of whole numbers are refused, at the latest when the network
// is built.
func TestWholeNumberWeights(t *testing.T) {
	text, err := os.ReadFile("testdata/mish-17-any.onnx")
	if err != nil {
		t.Fatal(err)
	}
	// The shape 4×3×3×3 of the filters and the tag of their type, as the file encodes them.
	const filters = "\x08\x04\x08\x03\x08\x03\x08\x03\x10"
	for kind, want := range map[string]string{"\x02": "uint8", "\x06": "whole numbers of type int32"} {
		damaged := strings.Replace(string(text), filters+"\x01", filters+kind, 1)
		path := filepath.Join(t.TempDir(), "x.onnx")
		if err := os.WriteFile(path, []byte(damaged), 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := Open(path)
		if err == nil {
			_, err = a.Load(a.Weights, models.Shape{Channels: 3, Height: 8, Width: 8})
		}
		if damaged == string(text) || err == nil || !strings.Contains(err.Error(), "conv.weight") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("filters of type %s: %v", want, err)
		}
	}
}
