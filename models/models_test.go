package models

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

func device(t testing.TB) *backend.Device {
	t.Helper()
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// LeNet can be run on images of another size and number of channels.
func TestOtherImages(t *testing.T) {
	a, _ := Lookup("lenet")
	n, err := a.InitNetwork(Shape{3, 32, 32}, 7, 1)
	if err != nil {
		t.Fatal(err)
	}
	if fc1 := n.Layers()[2]; fc1.PatchSize() != 16*6*6 {
		t.Errorf("fc1 reads %d features of 32×32 images, want %d", fc1.PatchSize(), 16*6*6)
	}
	if _, err := a.InitNetwork(Shape{1, 8, 8}, 10, 1); err == nil || !strings.Contains(err.Error(), "conv2") {
		t.Errorf("images too small for LeNet: %v", err)
	}
}

func TestInitNetwork(t *testing.T) {
	a, _ := Lookup("resnet20")
	one, err := a.InitNetwork(a.Input, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := a.InitNetwork(a.Input, 10, 1)
	other, _ := a.InitNetwork(a.Input, 10, 2)
	if one.StateDict().SHA256() != again.StateDict().SHA256() ||
		one.StateDict().SHA256() == other.StateDict().SHA256() {
		t.Error("the weights are not a function of the seed")
	}
	w := one.Value("layer3.1.conv1.weight").Float32s()
	if sd, want := deviation(w), math.Sqrt(2./(64*9)); math.Abs(sd/want-1) > .02 {
		t.Errorf("Kaiming: standard deviation %.4f, want %.4f", sd, want)
	}
	lenet, _ := Lookup("lenet")
	l, err := lenet.InitNetwork(lenet.Input, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	bound := float32(1 / math.Sqrt(400))
	top := float32(0)
	for _, name := range []string{"fc1.weight", "fc1.bias"} {
		for _, v := range l.Value(name).Float32s() {
			top = max(top, v, -v)
		}
	}
	if top > bound || top < .99*bound {
		t.Errorf("PyTorch's default: largest weight of fc1 is %v, want just below %v", top, bound)
	}
}

func deviation(x []float32) float64 {
	var s, s2 float64
	for _, v := range x {
		s, s2 = s+float64(v), s2+float64(v)*float64(v)
	}
	n := float64(len(x))
	return math.Sqrt(s2/n - s*s/n/n)
}

// TestSmallStem checks that a ResNet with a 3×3 stem differs from torchvision's only in the filters of the first
// convolution. On images of 32×32 these keep the size of the images, and the stages have sides of 32, 16, 8 and 4.
func TestSmallStem(t *testing.T) {
	large, _ := Lookup("resnet18")
	small, _ := Lookup("resnet18_3x3")
	in := Shape{3, 32, 32}
	a, err := large.network(in, 10)
	if err != nil {
		t.Fatal(err)
	}
	b, err := small.network(in, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.params) != len(b.params) {
		t.Fatalf("%d and %d parameters", len(a.params), len(b.params))
	}
	for i, p := range a.params {
		want := fmt.Sprint(p.Shape)
		if p.Name == "conv1.weight" {
			want = "[64 3 3 3]"
		}
		if q := b.params[i]; q.Name != p.Name || fmt.Sprint(q.Shape) != want {
			t.Errorf("%s %v, want %s %s", q.Name, q.Shape, p.Name, want)
		}
	}
	n, err := small.InitNetwork(in, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := n.Function(device(t), 1, graph.Single)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range n.Layers() {
		if side, named := map[string]int{"conv1": 32, "layer1.1.conv2": 32, "layer2.0.conv1": 16, "layer3.1.conv1": 8,
			"layer4.1.conv2": 4}[l.Name]; named && f.Layers[i].Pre.Shape()[1] != side {
			t.Errorf("%s has outputs of %v, want a side of %d", l.Name, f.Layers[i].Pre.Shape(), side)
		}
	}
}

func TestLoad(t *testing.T) {
	a, _ := Lookup("lenet")
	n, err := a.InitNetwork(a.Input, 7, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := a.Load(n.StateDict(), a.Input)
	if err != nil {
		t.Fatal(err)
	}
	if m.Classes != 7 {
		t.Errorf("%d classes, the weights have 7", m.Classes)
	}
	if got, want := m.Filters("conv2").RawMatrix().Data[5],
		n.Value("conv2.weight").Float32s()[5]; float32(got) != want {
		t.Errorf("W of conv2: %v, want %v", got, want)
	}
	if m.Filters("conv3") != nil {
		t.Error("filters of a layer that there is not")
	}
}

// A network that was saved as a part of another can be loaded by its prefix. Without the prefix, the error suggests it.
func TestPrefix(t *testing.T) {
	a, _ := Lookup("mlp:5")
	in := Shape{1, 3, 3}
	n, err := a.InitNetwork(in, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	whole := n.StateDict().Renamed(func(name string) (string, bool) { return "model." + name, true })
	whole.Set("ema.step", tensor.New(tensor.WithShape(1), tensor.WithBacking([]float32{1})))
	_, err = a.Load(whole, in)
	if err == nil || !strings.Contains(err.Error(), "give --prefix model.") {
		t.Errorf("without the prefix: %v", err)
	}
	a.Prefix = "model."
	again, err := a.Load(whole, in)
	if err != nil || again.StateDict().SHA256() != n.StateDict().SHA256() {
		t.Errorf("with the prefix: %v", err)
	}
	a.Prefix = "net."
	if _, err := a.Load(whole, in); err == nil || !strings.Contains(err.Error(), `begins with "net."`) {
		t.Errorf("with another prefix: %v", err)
	}
}

func TestLoadMistakes(t *testing.T) {
	a, _ := Lookup("lenet")
	n, _ := a.InitNetwork(a.Input, 10, 1)
	without := func(change func(*weights.StateDict)) *weights.StateDict {
		d := n.StateDict()
		change(d)
		return d
	}
	var mismatch *weights.MismatchError
	for name, c := range map[string]struct {
		d    *weights.StateDict
		in   Shape
		want string
	}{
		"no head": {without(func(d *weights.StateDict) { d.Set("fc3.weight", nil) }), a.Input, "no fc3.weight"},
		"missing": {without(func(d *weights.StateDict) { d.Set("conv1.bias", nil) }), a.Input,
			"missing: conv1.bias [6]"},
		"unexpected": {
			without(func(d *weights.StateDict) {
				d.Set("more",
					tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(2)))
			}), a.Input, "unexpected: more"},
		"other images":  {n.StateDict(), Shape{3, 28, 28}, "conv1.weight [6, 1, 5, 5] instead of [6, 3, 5, 5]"},
		"other network": {new(weights.StateDict), a.Input, "missing"},
	} {
		if _, err := a.Load(c.d, c.in); !errors.As(err, &mismatch) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want a mismatch with %q, got %v", name, c.want, err)
		}
	}
	bad := n.StateDict()
	v, _ := bad.Get("conv2.weight")
	v.Float32s()[3] = float32(math.NaN())
	var nan *NotFiniteError
	if _, err := a.Load(bad, a.Input); !errors.As(err, &nan) || nan.Tensors[0] != "conv2.weight" {
		t.Errorf("NaN weights: %v", err)
	}
	norm := &Architecture{Name: "norm", Input: a.Input, Root: Sequential{{"bn", BatchNorm{}}, {"fc", Linear{}}}}
	fresh, err := norm.InitNetwork(norm.Input, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	negative := fresh.StateDict()
	v, _ = negative.Get("bn.running_var")
	v.Float32s()[0] = -1e-6 // adding eps = 1e-5 would hide it
	var variance *VarianceError
	if _, err := norm.Load(negative, norm.Input); !errors.As(err, &variance) || variance.Tensor != "bn.running_var" {
		t.Errorf("a negative variance: %v", err)
	}
	flat := without(func(d *weights.StateDict) {
		d.Set("fc3.weight", tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(840)))
	})
	if _, err := a.Load(flat, a.Input); !errors.Is(err, ErrClasses) {
		t.Errorf("a head of one dimension: %v", err)
	}
}

// A network that is saved and loaded again has the same weights.
func TestSaveAndLoad(t *testing.T) {
	a, _ := Lookup("resnet20")
	n, _ := a.InitNetwork(a.Input, 10, 1)
	path := filepath.Join(t.TempDir(), "net.safetensors")
	if err := weights.Save(path, n.StateDict(), nil); err != nil {
		t.Fatal(err)
	}
	d, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := a.Load(d, a.Input)
	if err != nil {
		t.Fatal(err)
	}
	if m.StateDict().SHA256() != n.StateDict().SHA256() {
		t.Error("the weights changed on the way")
	}
}
