package totoml

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/models/fromonnx"
	"github.com/ansatz-lab/ansatz/models/onnx/onnxtest"
)

// graphOf writes an ONNX file that reads a number of images x of 3×4×4 and computes y, and returns its path. Its nodes
// have no attributes; each is an op with its inputs and its output, as in "y = Add a b".
func graphOf(t testing.TB, images int, nodes []string) string {
	return onnxtest.Graph{Opset: 17, Images: []int{images, 3, 4, 4}, Outputs: "y", Nodes: nodes}.File(t)
}

// TestHostile checks that the conversion of very deep, wide or crossed graphs ends, and that a graph that is no tree of
// layers is refused with a message that says why.
func TestHostile(t *testing.T) {
	name := func(i int) string { return "t" + strings.Repeat("i", i/26) + string(rune('a'+i%26)) }
	const n = 1500
	var nested, crossed, doubled, joined []string
	nested, crossed = append(nested, name(0)+" = Relu x"), append(crossed, name(0)+" = Relu x")
	doubled = append(doubled, name(0)+" = Relu x")
	for i := range n {
		nested = append(nested, "r"+name(i)+" = Relu "+name(i), name(i+1)+" = Add r"+name(i)+" x")
		crossed = append(crossed, name(i+1)+" = Sub "+name(i)+" "+name(max(0, i-1)))
		doubled = append(doubled, name(i+1)+" = Add "+name(i)+" "+name(i))
		joined = append(joined, name(n-1))
	}
	last := "y = Tanh " + name(n)
	for what, of := range map[string]struct {
		nodes []string
		says  string
	}{
		"nested":  {append(nested, last), "more than 8 deep"},
		"crossed": {append(crossed, last), "read by branches"},
		"doubled": {append(doubled, last), ""},
		"joined":  {append(doubled[:n:n], "y = Max "+strings.Join(joined, " ")), "no layer that does it"},
		"nothing": {[]string{"y = Identity x"}, "its output is its input"},
		"number":  {[]string{"y = Neg x"}, "a product with a number"},
	} {
		a := open(t, graphOf(t, 1, of.nodes))
		_, err := compared(t.Context(), comparison(t, a.Input), a, a.Input)
		if of.says == "" && err != nil || of.says != "" && (err == nil || !strings.Contains(err.Error(), of.says)) {
			t.Errorf("%s: %v, want an error that says %q", what, err, of.says)
		}
	}
}

// Two layers with the same weights are refused once, though they share a bias too.
func TestSharedWeights(t *testing.T) {
	a := open(t, onnxtest.Graph{Opset: 17, Images: []int{1, 3, 4, 4}, Outputs: "y", Tensors: []string{"w 3 3 1 1", "b 3"},
		Nodes: []string{"a = Conv x w b", "y = Conv a w b"}}.File(t))
	_, err := compared(t.Context(), comparison(t, a.Input), a, a.Input)
	if err == nil || strings.Count(err.Error(), "share no weights") != 1 {
		t.Error(err)
	}
}

// TestManyImages checks that a file that was exported for 2²⁴ images at a time is refused when it is opened, before the
// network is built for all of them.
func TestManyImages(t *testing.T) {
	_, err := fromonnx.Open(graphOf(t, 1<<24, []string{"y = Relu x"}))
	if err == nil || !strings.Contains(err.Error(), "16777216 images at a time: want at most") {
		t.Errorf("%v, want an error that says how many images", err)
	}
}

// FuzzConvert checks that a damaged network is converted or refused with an error, without a panic.
func FuzzConvert(f *testing.F) {
	for _, name := range []string{"tokens-17", "norms-11", "dense-17", "mobile-folded", "unet-11"} {
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
		a, err := fromonnx.Open(path)
		if err != nil {
			return
		}
		in := a.Input
		in.Height, in.Width = min(max(in.Height, 8), 20), min(max(in.Width, 8), 20)
		if in.Channels > 16 {
			return
		}
		trace, err := fromonnx.TraceOf(a, in, 2)
		if err != nil {
			return
		}
		c, err := convert(trace, in, max(1, trace.Shape(trace.Input)[0]))
		if err != nil {
			return
		}
		_, _ = c.Arch.Describe(in, c.Outputs) // it may return an error, but must not panic
	})
}
