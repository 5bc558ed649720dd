package totoml

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/peer"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/fromonnx"
	"github.com/ansatz-lab/ansatz/models/layers"
)

// peers returns the outputs that PyTorch computes with the networks of testdata: see testdata/peer.py.
func peers(t *testing.T) map[string][]float64 {
	t.Helper()
	text, err := os.ReadFile("testdata/peer.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]float64
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func comparison(t testing.TB, in models.Shape) *comparer {
	t.Helper()
	with, err := newComparer(in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { with.device.Close() })
	return with
}

func open(t testing.TB, path string) *models.Architecture {
	t.Helper()
	a, err := fromonnx.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// refusals lists the networks that are no trees of layers. Their error messages must name the node and the reason.
var refusals = map[string][]string{
	"crossed":  {"/b/Conv", "read by branches"},
	"shared":   {"Conv", "another layer has its weights"},
	"shuffled": {"Slice", "a part of the features"},
	"slopes":   {"/p/PRelu", "no layer that does it"},
}

// TestPeers checks that the network that is read from the text of a converted one has the outputs of PyTorch's network,
// however that was exported. Networks that cannot be converted are refused with a message that names the node.
func TestPeers(t *testing.T) {
	want := peers(t)
	files, _ := filepath.Glob("testdata/*.onnx")
	seen := map[string]int{}
	for _, path := range files {
		name, _, _ := strings.Cut(filepath.Base(path), "-")
		seen[name]++
		t.Run(filepath.Base(path), func(t *testing.T) {
			a := open(t, path)
			with := comparison(t, a.Input)
			c, err := compared(t.Context(), with, a, a.Input)
			if reasons := refusals[name]; reasons != nil {
				checkRefused(t, err, reasons)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := computed(t, with, c, a)
			if d := difference(want[name], got); !(d < 1e-5) {
				t.Errorf("outputs differ by %.1g of PyTorch's largest", d)
			}
		})
	}
	for name := range want {
		if seen[name] < 2 {
			t.Errorf("%d files of %s, want those of two opsets at least", seen[name], name)
		}
	}
}

func checkRefused(t *testing.T, err error, reasons []string) {
	t.Helper()
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("not refused: %v", err)
	}
	for _, want := range reasons {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

// text returns a converted network as an architecture file.
func text(t *testing.T, c *Conversion) string {
	t.Helper()
	var b strings.Builder
	if err := archfile.Write(&b, c.Arch, c.Arch.Input, c.Outputs); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// computed returns the outputs, for the images of peer.py, of the network that is read from the text of a conversion.
func computed(t *testing.T, with *comparer, c *Conversion, a *models.Architecture) []float64 {
	t.Helper()
	read, err := archfile.Parse([]byte(text(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Weights(a.Weights)
	if err != nil {
		t.Fatal(err)
	}
	n, err := read.Load(d, a.Input)
	if err != nil {
		t.Fatal(err)
	}
	theirs := peer.Ramp("images", 2*a.Input.Size())
	places := a.Input.Height * a.Input.Width
	for i, v := range theirs { // PyTorch has the channels first
		image, channel, place := i/a.Input.Size(), i/places%a.Input.Channels, i%places
		with.images[(image*places+place)*a.Input.Channels+channel] = v
	}
	got, err := with.outputs(t.Context(), n, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// types lists the types of all layers of a converted network, in the order of the text.
func types(t *testing.T, c *Conversion) (all []string) {
	for line := range strings.Lines(text(t, c)) {
		if kind, found := strings.CutPrefix(strings.TrimSpace(line), "type = "); found {
			all = append(all, strings.Trim(kind, `"`))
		}
	}
	return all
}

// TestRecognised checks that the ops into which exporters decompose layers become these layers again.
func TestRecognised(t *testing.T) {
	attention := []string{"residual", "layernorm", "attention"}
	for file, want := range map[string][]string{
		"activations-11": {"conv", "gelu", "gelutanh", "gelu", "silu", "mish", "softplus", "hardswish", "tanh", "leakyrelu",
			"elu", "hardswish", "hardsigmoid", "globalmaxpool", "linear", "logsoftmax"},
		"norms-11": {"conv", "groupnorm", "instancenorm", "residual", "conv", "layernorm", "linear", "gelu", "linear", "scale",
			"flatten", "linear", "batchnorm", "linear"},
		"mobile-17": {"conv", "conv", "relu6", "branches", "adaptiveavgpool", "linear", "silu", "linear", "sigmoid",
			"hardswish", "branches", "adaptiveavgpool", "conv", "relu", "conv", "hardsigmoid", "maxpool", "flatten", "linear"},
		"tokens-17": slices.Concat([]string{"conv", "tokens", "positionembedding"}, attention, attention,
			[]string{"layernorm", "meantoken", "linear"}),
		"resnet-17": {"conv", "batchnorm", "relu", "residual", "conv", "batchnorm", "residual", "conv", "subsample",
			"residual", "conv", "conv", "batchnorm", "residual", "conv", "relu", "adaptiveavgpool", "linear"},
	} {
		a := open(t, "testdata/"+file+".onnx")
		c, err := compared(t.Context(), comparison(t, a.Input), a, a.Input)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got := types(t, c); !slices.Equal(got, want) {
			t.Errorf("%s: layers\n%v, want\n%v", file, got, want)
		}
	}
}

// TestNames checks that the converted network has the parameter names of the state dict, so that PyTorch's weights fit.
func TestNames(t *testing.T) {
	a := open(t, "testdata/encoder-17.onnx")
	c, err := compared(t.Context(), comparison(t, a.Input), a, a.Input)
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Weights(a.Weights)
	if err != nil {
		t.Fatal(err)
	}
	got, want := d.Names(), a.Weights.Names()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("parameters\n%v, want\n%v", got, want)
	}
	// Parameters that keep their names and shapes share their memory with the weights of the file.
	x, _ := d.Get("head.weight")
	y, _ := a.Weights.Get("head.weight")
	if x != y {
		t.Error("weights of the same name and shape are copied")
	}
	if heads := c.Arch.Root.(models.Sequential); !slices.ContainsFunc(heads, func(l models.Named) bool {
		r, ok := l.Layer.(models.Residual)
		return ok && slices.ContainsFunc(r.Main, func(l models.Named) bool {
			return l.Name == "self_attn" && l.Layer == layers.Attention{Heads: 4}
		})
	}) {
		t.Errorf("no attention of 4 heads that is called second.self_attn in\n%s", text(t, c))
	}
}

// TestCompare checks that a converted network that differs from the file's is refused, even if the file's weights hide
// the difference, as those of a branch that is multiplied by 1e-6 do.
func TestCompare(t *testing.T) {
	a := open(t, "testdata/norms-17.onnx")
	trace, err := fromonnx.TraceOf(a, a.Input, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct {
		from, to models.Layer
		says     string
	}{
		{layers.GELU, layers.GELUTanh, "random weights"},
		{layers.GELU, layers.GELU, ""},
		{models.Flatten{}, models.AdaptiveAvgPool{H: 1, W: 1}, "another network"},
	} {
		c, err := convert(trace, a.Input, 2)
		if err != nil {
			t.Fatal(err)
		}
		replace(c.Arch.Root.(models.Sequential), wrong.from, wrong.to)
		err = c.compare(t.Context(), comparison(t, a.Input), a, c.Arch)
		if wrong.says == "" && err != nil || wrong.says != "" && (err == nil || !strings.Contains(err.Error(), wrong.says)) {
			t.Errorf("%T in place of %T: %v, want an error that says %q", wrong.to, wrong.from, err, wrong.says)
		}
	}
}

// replace replaces every layer that equals from, including those in the main paths of residual blocks, by the layer to.
func replace(s models.Sequential, from, to models.Layer) {
	for i := range s {
		switch l := s[i].Layer.(type) {
		case models.Residual:
			replace(l.Main, from, to)
		default:
			if reflect.DeepEqual(l, from) {
				s[i].Layer = to
			}
		}
	}
}

// TestKnown checks that Convert recognises a network that is known by name by its parameters, and notes whether its
// outputs are the same too.
func TestKnown(t *testing.T) {
	for file, want := range map[string]struct {
		known string
		same  bool
		note  string
	}{
		"known/relu": {"cnn1", true, "It is cnn1"},
		"known/tanh": {"cnn1", false, "but its outputs differ"},
		"resnet-17":  {"", false, "have the same names"},
	} {
		a := open(t, "testdata/"+file+".onnx")
		c, err := Convert(t.Context(), a, a.Input)
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(c.Arch.Notes, " ")
		if c.Known != want.known || c.Same != want.same || !strings.Contains(notes, want.note) {
			t.Errorf("%s is %q, the same: %v, with the notes %s; want %+v", file, c.Known, c.Same, notes, want)
		}
	}
}

// TestConvertSizes checks that sizes of images that cannot be computed are refused, before memory is allocated for such
// images.
func TestConvertSizes(t *testing.T) {
	a := open(t, "testdata/dense-17.onnx")
	for _, in := range []models.Shape{{}, {Channels: 3}, {Channels: 1 << 30, Height: 1 << 30, Width: 1 << 30}} {
		_, err := Convert(t.Context(), a, in)
		checkRefused(t, err, []string{"cannot be computed"})
	}
}
