package zoo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/peer"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

// peerNet describes a network in PyTorch and what it computes there: see testdata/peer.py.
type peerNet struct {
	Size, Parameters int
	StateDict        string `json:"state_dict"`
	Logits           []float64
	Traces           map[string]float64
}

func peers(t *testing.T) map[string]peerNet {
	t.Helper()
	text, err := os.ReadFile("testdata/peer.json")
	if err != nil {
		t.Fatal(err)
	}
	var nets map[string]peerNet
	if err := json.Unmarshal(text, &nets); err != nil {
		t.Fatal(err)
	}
	return nets
}

// fill returns the weights that peer.py gives a network.
func fill(n *models.Network) *weights.StateDict {
	d := new(weights.StateDict)
	for _, p := range n.Parameters() {
		size := tensor.Shape(p.Shape).TotalSize()
		v := peer.Ramp(p.Name, size)
		scale, shift := float32(.5), float32(1)
		switch {
		case len(p.Shape) > 1:
			scale, shift = float32(math.Sqrt(24/float64(size/p.Shape[0]))), 0
		case strings.HasSuffix(p.Name, "running_var"):
			scale = 1
		case strings.HasSuffix(p.Name, "bias"), strings.HasSuffix(p.Name, "running_mean"):
			shift = 0
		}
		for i := range v {
			v[i] = shift + v[i]*scale
		}
		d.Set(p.Name, tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(v)))
	}
	return d
}

// TestStateDicts checks that every network has PyTorch's parameter names, shapes and number of parameters.
func TestStateDicts(t *testing.T) {
	want := peers(t)
	if len(want) != len(Names()) {
		t.Errorf("peer.json has %d networks, the package %d", len(want), len(Names()))
	}
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			a, err := Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := a.Fresh(models.Shape{Channels: 3, Height: w.Size, Width: w.Size}, 10, 1)
			if err != nil {
				t.Fatal(err)
			}
			if f.Size() != w.Parameters {
				t.Errorf("%d parameters, PyTorch's has %d", f.Size(), w.Parameters)
			}
			var lines []string
			for _, p := range f.Parameters() {
				lines = append(lines, fmt.Sprintf("%s %s", p.Name, strings.ReplaceAll(fmt.Sprint(p.Shape), " ", ", ")))
			}
			slices.Sort(lines)
			if sum := sha256.Sum256([]byte(strings.Join(lines, "\n"))); hex.EncodeToString(sum[:]) != w.StateDict {
				t.Errorf("the state dict differs from PyTorch's: %v", lines)
			}
		})
	}
}

// TestNetworks checks that the logits and the traces of the AGOPs are PyTorch's, with arbitrary numbers as weights.
func TestNetworks(t *testing.T) {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for name, want := range peers(t) {
		if want.Logits == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if testing.Short() && want.Parameters > 3e7 {
				t.Skip("a large network, not in short mode")
			}
			compare(t, d, name, want)
		})
	}
}

func compare(t *testing.T, d *backend.Device, name string, want peerNet) {
	a, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	in := models.Shape{Channels: 3, Height: want.Size, Width: want.Size}
	empty, err := a.InitNetwork(in, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.Load(fill(empty), in)
	if err != nil {
		t.Fatal(err)
	}
	f, err := n.Function(d, 2, graph.Single)
	if err != nil {
		t.Fatal(err)
	}
	fillImages(f.Data(f.Inputs()[0]).Float32s(), in)
	var infos []models.LayerInfo
	var sources []graph.Source
	for _, l := range n.Layers() {
		if s, ok := l.Source(f); ok {
			infos, sources = append(infos, l), append(sources, s)
		}
	}
	m, err := f.MomentsOf(sources, graph.Outputs{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Batch(context.Background(), 2, func(logits *tensor.Dense) { near(t, logits.Float32s(), want.Logits) }); err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, s := range m.Take() {
		w, ok := want.Traces[infos[i].Name]
		if !ok {
			continue // the parts of a fused projection, which PyTorch's hooks do not see
		}
		found++
		trace, at, filters := 0., 0, n.Filters(infos[i].Name)
		_, size := filters.Dims()
		for _, b := range s.Blocks() {
			a := b.Sandwich(filters.Slice(at, at+b.N(), 0, size))
			for k := range size {
				trace += a.At(k, k)
			}
			at += b.N()
		}
		if e := math.Abs(trace/2/w - 1); !(e < 1e-3) {
			t.Errorf("%s: trace of the AGOP %v, PyTorch's %v", infos[i].Name, trace/2, w)
		}
	}
	if found != len(want.Traces) {
		t.Errorf("%d of PyTorch's %d layers", found, len(want.Traces))
	}
}

func near(t *testing.T, got []float32, want []float64) {
	t.Helper()
	top := 0.
	for _, w := range want {
		top = math.Max(top, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) < 1e-4*top) {
			t.Errorf("logit %d is %v, PyTorch's %v", i, got[i], w)
		}
	}
}

// fillImages writes the images of peer.py to dst, with the channels last.
func fillImages(dst []float32, in models.Shape) {
	src := peer.Ramp("images", len(dst))
	plane := in.Height * in.Width
	for i := range dst {
		image, c, p := i/(plane*in.Channels), i%in.Channels, i/in.Channels%plane
		dst[i] = 2 * src[(image*in.Channels+c)*plane+p]
	}
}

// TestRename checks that parameter names in older files of torchvision are changed to those of today, and that
// parameters that the network does not use are left out.
func TestRename(t *testing.T) {
	for _, c := range []struct{ network, name, want string }{
		{"densenet121", "features.denseblock1.denselayer2.norm.1.weight", "features.denseblock1.denselayer2.norm1.weight"},
		{"densenet121", "features.denseblock1.denselayer2.conv2.weight", "features.denseblock1.denselayer2.conv2.weight"},
		{"vit_b_16", "encoder.layers.encoder_layer_0.mlp.linear_2.bias", "encoder.layers.encoder_layer_0.mlp.3.bias"},
		{"googlenet", "aux1.fc1.weight", ""},
	} {
		a, err := Lookup(c.network)
		if err != nil {
			t.Fatal(err)
		}
		if got, used := a.Rename(c.name); used != (c.want != "") || used && got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.network, c.name, got, c.want)
		}
	}
}
