package models

import (
	"math"
	"strings"
	"testing"

	"gorgonia.org/tensor"
)

// initialised returns a network of the named architecture for small images, with the named initialisation.
func initialised(t *testing.T, name, init string) *Network {
	t.Helper()
	a, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetInit(init); err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(Shape{3, 32, 32}, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkDeviations checks that every weight has the standard deviation that want returns for the index and the fan-in of
// its layer, and that every bias is 0.
func checkDeviations(t *testing.T, n *Network, want func(layer, fanIn int) float64) {
	t.Helper()
	for i, p := range n.params {
		v := n.Value(p.Name).Float32s()
		switch p.role {
		case ConvWeight, LinearWeight:
			at := n.place(i)
			within := 5 / math.Sqrt(2*float64(len(v)))
			if sd, w := deviation(v), want(at.Layer, at.FanIn); math.Abs(sd-w) > within*w {
				t.Errorf("%s %s: standard deviation %v, want %v", n.Arch.Name, p.Name, sd, w)
			}
		case ConvBias, LinearBias:
			for _, x := range v {
				if x != 0 {
					t.Fatalf("%s %s: %v, want 0", n.Arch.Name, p.Name, x)
				}
			}
		}
	}
}

func TestInitialisations(t *testing.T) {
	checkDeviations(t, initialised(t, "cnn-vec", "normal:5e-3,1e-2"), func(layer, _ int) float64 {
		return []float64{5e-3, 1e-2, 1e-2, 1e-2, 1e-2}[layer]
	})
	checkDeviations(t, initialised(t, "simplenet", "normal:1e-4"), func(int, int) float64 { return 1e-4 })
	checkDeviations(t, initialised(t, "mlp:50,40", "normal:1,2,3"),
		func(layer, _ int) float64 { return float64(layer + 1) })
	checkDeviations(t, initialised(t, "linear", "normal:0"), func(int, int) float64 { return 0 })
	for _, name := range []string{"vgg11", "resnet20", "lenet"} {
		checkDeviations(t, initialised(t, name, "kaiming"),
			func(_, fanIn int) float64 { return math.Sqrt(2 / float64(fanIn)) })
	}
}

// TestPyTorchInit checks that PyTorch's default initialisation is uniform within ±1/√fan-in, and that it is the default
// of VGGs for small images.
func TestPyTorchInit(t *testing.T) {
	for _, init := range []string{"", "pytorch"} {
		n := initialised(t, "vgg11", init)
		for i, p := range n.params {
			bound := float32(1 / math.Sqrt(float64(n.place(i).FanIn)))
			top := float32(0)
			for _, v := range n.Value(p.Name).Float32s() {
				top = max(top, v, -v)
			}
			if top > bound || top < .7*bound {
				t.Errorf("%q %s: largest element %v, want just below %v", init, p.Name, top, bound)
			}
		}
	}
}

// TestPlace checks that layers are counted in the order of [Network.Layers], and that a bias has the place of its
// layer's weight.
func TestPlace(t *testing.T) {
	a, _ := Lookup("resnet50")
	n, err := a.network(a.Input, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range n.params {
		if p.role == ConvWeight || p.role == LinearWeight || p.role == LinearBias {
			at := n.place(i)
			layer := n.layers[at.Layer]
			if p.Name != layer.Name+".weight" && p.Name != layer.Name+".bias" || at.FanIn != layer.PatchSize() {
				t.Errorf("%s is said to be of %s with fan-in %d", p.Name, layer.Name, at.FanIn)
			}
		}
	}
	conv := Network{params: []Parameter{{Shape: []int{8, 4, 3, 3}, role: ConvWeight}}}
	if at := conv.place(0); at.FanIn != 36 || at.FanOut != 72 {
		t.Errorf("fan-in %d and fan-out %d of filters %v", at.FanIn, at.FanOut, tensor.Shape{8, 4, 3, 3})
	}
	// In an ONNX file a norm may lie between weights and bias, and a vector that is added to a product of tensors has no weights.
	apart := Network{params: []Parameter{{Shape: []int{4}, role: LinearBias}, {Shape: []int{8, 5}, role: LinearWeight},
		{Shape: []int{3}, role: NormScale}, {Shape: []int{8}, role: LinearBias}}}
	if at, first := apart.place(3), apart.place(0); at.FanIn != 5 || first.FanIn != 1 {
		t.Errorf("the fan-in of a bias apart from its weights is %d, of one without weights %d", at.FanIn, first.FanIn)
	}
}

func TestInitString(t *testing.T) {
	a, _ := Lookup("vgg11")
	large := a.On(a.Input)
	for _, c := range []struct{ init, got, want string }{
		{"", large.Init.String(),
			"convolutions normal with variance 2/fan-out, linear layers normal with standard deviation 0.01; biases 0"},
		{"", a.On(Shape{3, 32, 32}).Init.String(),
			"weights uniform within ±1/√fan-in; biases uniform within ±1/√fan-in"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	for text, want := range map[string]string{
		"kaiming": "weights normal with variance 2/fan-in; biases 0",
		"normal:5e-3,1e-2": "weights normal with standard deviations 0.005, 0.01 by layer, the last in all further " +
			"ones; biases 0",
		"normal:1e-4": "weights normal with standard deviation 0.0001; biases 0",
	} {
		if err := a.SetInit(text); err != nil {
			t.Fatal(err)
		}
		for _, f := range a.forms(Shape{3, 32, 32}) {
			if f.Init.String() != want {
				t.Errorf("%s, %s: %q, want %q", text, f.Form, f.Init, want)
			}
		}
	}
}

func TestInitMistakes(t *testing.T) {
	a, _ := Lookup("linear-cnn")
	for text, want := range map[string]string{
		"he":             "want pytorch, kaiming, or normal:S1,S2",
		"normal":         "want pytorch, kaiming, or normal:S1,S2",
		"normal:":        `"" is not a standard deviation`,
		"normal:1,":      `"" is not a standard deviation`,
		"normal:x":       `"x" is not a standard deviation: want normal:S1,S2`,
		"normal:-1":      "at least 0",
		"normal:NaN":     "at least 0",
		"normal:1e999":   "at least 0",
		"normal:.1,+Inf": "at least 0",
	} {
		if err := a.SetInit(text); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("%s: want an error with %q, got %v", text, want, err)
		}
	}
	if err := a.SetInit("normal:1,2"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.InitNetwork(a.Input, 2, 1); err == nil ||
		!strings.Contains(err.Error(), "2 standard deviations for 1 layers") {
		t.Errorf("more standard deviations than layers: %v", err)
	}
}
