package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/internal/peer"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// peerNet describes a network in PyTorch and what it computes there: see testdata/peer.py.
type peerNet struct {
	Input      [3]int
	Parameters int
	StateDict  string `json:"state_dict"`
	Logits     []float64
	Layers     []struct {
		Layer       string
		Trace, Norm float64
	}
}

func (p peerNet) shape() Shape { return Shape{p.Input[0], p.Input[1], p.Input[2]} }

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

// rampState returns the weights that peer.py gives a network.
func rampState(n *Network) *weights.StateDict {
	d := new(weights.StateDict)
	for _, p := range n.params {
		size := tensor.Shape(p.Shape).TotalSize()
		v := peer.Ramp(p.Name, size)
		scale, shift := float32(.5), float32(0)
		switch p.role {
		case ConvWeight, LinearWeight:
			scale = float32(math.Sqrt(24 / float64(size/p.Shape[0])))
		case NormScale:
			shift = 1
		case NormVar:
			scale, shift = 1, 1
		}
		for i := range v {
			v[i] = shift + v[i]*scale
		}
		d.Set(p.Name, tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(v)))
	}
	return d
}

// peerNetwork returns the network, without weights, that peer.py calls NAME or NAME small. The latter is what the name
// stands for on small images.
func peerNetwork(t *testing.T, name string, in Shape) *Network {
	t.Helper()
	base, small := strings.CutSuffix(name, " small")
	a, err := Lookup(base)
	if err != nil {
		t.Fatal(err)
	}
	if small {
		a = a.On(in)
	}
	n, err := a.network(in, 10)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestStateDictsArePyTorchs checks that every architecture has PyTorch's parameter names, shapes and number of
// parameters.
func TestStateDictsArePyTorchs(t *testing.T) {
	want := peers(t)
	for _, name := range Names() {
		if _, ok := want[name]; !ok {
			t.Errorf("peer.json has no %s", name)
		}
	}
	for name, w := range want {
		n := peerNetwork(t, name, w.shape())
		if n.Size() != w.Parameters {
			t.Errorf("%s has %d parameters, PyTorch's has %d", name, n.Size(), w.Parameters)
		}
		var lines []string
		for _, p := range n.params {
			lines = append(lines, fmt.Sprintf("%s %s", p.Name, strings.ReplaceAll(fmt.Sprint(p.Shape), " ", ", ")))
		}
		sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
		if hex.EncodeToString(sum[:]) != w.StateDict {
			t.Errorf("%s: the state dict differs from PyTorch's: %v", name, lines)
		}
	}
}

// TestNetworksComputeWhatPyTorchDoes checks that the logits, and the traces and norms of the AGOPs, are PyTorch's, with
// arbitrary numbers as weights.
func TestNetworksComputeWhatPyTorchDoes(t *testing.T) {
	for _, name := range gputest.Backends(t) {
		d, err := backend.Open(backend.Options{Backend: name})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for arch, want := range peers(t) {
			if want.Logits == nil {
				continue
			}
			t.Run(name+"/"+arch, func(t *testing.T) {
				if large := want.Parameters > 3e7; large && (testing.Short() || name == "gpu") {
					t.Skip("a large network, not in short mode or where a processor may stand in for the GPU")
				}
				comparePeer(t, d, arch, want)
			})
		}
	}
}

func comparePeer(t *testing.T, d *backend.Device, arch string, want peerNet) {
	in := want.shape()
	empty := peerNetwork(t, arch, in)
	named, err := Lookup(empty.Arch.Name)
	if err != nil {
		t.Fatal(err)
	}
	n, err := named.Load(rampState(empty), in)
	if err != nil {
		t.Fatal(err)
	}
	f, err := n.Function(d, 2, graph.Single)
	if err != nil {
		t.Fatal(err)
	}
	fillImages(f.Data(f.Inputs()[0]).Float32s(), in)
	var nodes []*graph.Node
	for _, l := range f.Layers {
		nodes = append(nodes, l.Pre)
	}
	m, err := f.Moments(nodes, graph.Outputs{})
	if err != nil {
		t.Fatal(err)
	}
	err = m.Batch(context.Background(), 2, func(logits *tensor.Dense) {
		got, top := logits.Float32s(), 0.
		for _, w := range want.Logits {
			top = math.Max(top, math.Abs(w))
		}
		for i, w := range want.Logits {
			if !(math.Abs(float64(got[i])-w) <= 1e-4*top) {
				t.Errorf("logit %d is %v, PyTorch's %v", i, got[i], w)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	// PyTorch lists layers in the order of the module, ansatz in the order in which they run.
	moments := map[string]moment.Moment{}
	for i, s := range m.Take() {
		moments[f.Layers[i].Name] = s
	}
	if len(moments) != len(want.Layers) {
		t.Fatalf("%d layers, want %d", len(moments), len(want.Layers))
	}
	for _, w := range want.Layers {
		trace, norm := traceAndNorm(moments[w.Layer], n, w.Layer)
		if e := math.Abs(trace/2/w.Trace - 1); !(e <= 1e-3) {
			t.Errorf("%s: trace of the AGOP %v, PyTorch's %v", w.Layer, trace/2, w.Trace)
		}
		if e := math.Abs(norm/2/w.Norm - 1); !(e <= 1e-3) {
			t.Errorf("%s: norm of the AGOP %v, PyTorch's %v", w.Layer, norm/2, w.Norm)
		}
	}
}

// fillImages writes the images of peer.py to dst, with the channels last.
func fillImages(dst []float32, in Shape) {
	src := peer.Ramp("images", len(dst))
	plane := in.Height * in.Width
	for i := range dst {
		image, c, p := i/(plane*in.Channels), i%in.Channels, i/in.Channels%plane
		dst[i] = 2 * src[(image*in.Channels+c)*plane+p]
	}
}

// traceAndNorm returns tr(WᵀSW) and ‖WᵀSW‖, computed as tr(GS) and √tr(GSGS) with G = WWᵀ.
func traceAndNorm(s moment.Moment, n *Network, layer string) (trace, norm float64) {
	w := n.Filters(layer)
	if r, few := s.Factor(); few {
		var b, bb mat.Dense
		b.Mul(r, w)
		bb.Mul(&b, b.T())
		return mat.Trace(&bb), mat.Norm(&bb, 2)
	}
	var g, gs, gsgs mat.Dense
	g.Mul(w, w.T())
	gs.Mul(&g, s.Sym())
	gsgs.Mul(&gs, &gs)
	return mat.Trace(&gs), math.Sqrt(mat.Trace(&gsgs))
}
