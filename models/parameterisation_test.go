package models

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// parameterised returns the network n in the parameterisation ntk:1.7:0.3, with the same function.
func parameterised(t *testing.T, n *Network) *Network {
	t.Helper()
	a := *n.Arch
	if err := a.SetParameterisation("ntk:1.7:0.3"); err != nil {
		t.Fatal(err)
	}
	p, err := a.Load(n.StateDict(), n.Input)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A network in the NTK parameterisation computes the same as in the standard one. Its kernel is the sum of the kernels
// of the parameters in the standard parameterisation, each times the square of the parameter's factor: with w = cθ,
// ∂f/∂θ = c ∂f/∂w.
func TestParameterisedKernel(t *testing.T) {
	for _, norm := range []bool{false, true} {
		n, px := linearizable(t, norm, 6)
		p := parameterised(t, n)
		if e := relative(outputsOf(t, p, px), outputsOf(t, n, px)); e > 1e-6 {
			t.Errorf("norm %v: the outputs differ by %.2g", norm, e)
		}
		o := NTKOptions{Precision: graph.Double}
		got, err := p.NTK(t.Context(), px, o)
		if err != nil {
			t.Fatal(err)
		}
		want := mat.NewDense(rowsOf(got.Gram[0]), rowsOf(got.Gram[0]), nil)
		scaled := 0
		for _, q := range p.Parameters() {
			if !q.Trained {
				continue
			}
			o.Of = []string{q.Name}
			part, err := n.NTK(t.Context(), px, o)
			if err != nil {
				t.Fatal(err)
			}
			var s mat.Dense
			s.Scale(q.Factor*q.Factor, part.Gram[0])
			want.Add(want, &s)
			if q.Factor != 1 {
				scaled++
			}
		}
		if e := relative(got.Gram[0], want); e > 1e-5 || scaled != 7 {
			t.Errorf("norm %v: the kernel differs by %.2g; %d parameters have factors", norm, e, scaled)
		}
	}
}

// In the NTK parameterisation weights start as N(0, 1), and a file has them times their factors. Weights that are read
// again are the same up to rounding.
func TestParameterisedFile(t *testing.T) {
	n, _ := linearizable(t, true, 1)
	a := *n.Arch
	if err := a.SetParameterisation("ntk:2:0.5"); err != nil {
		t.Fatal(err)
	}
	a.Width = 16
	fresh, err := a.InitNetwork(a.Input, 3, 7)
	if err != nil {
		t.Fatal(err)
	}
	file := fresh.StateDict()
	for name, want := range map[string]float64{"conv1.weight": 2 / math.Sqrt(18), "conv1.bias": .5,
		"fc1.weight": 2 / math.Sqrt(4*16*4), "bn.weight": 0} {
		v, _ := file.Get(name)
		if sd := deviation(v.Float32s()); math.Abs(sd-want) > .15*want {
			t.Errorf("%s has the standard deviation %.3g, want about %.3g", name, sd, want)
		}
		if own := deviation(fresh.Value(name).Float32s()); want > 0 && math.Abs(own-1) > .15 {
			t.Errorf("%s: its own standard deviation is %.3g, want about 1", name, own)
		}
	}
	again, err := a.Load(file, a.Input)
	if err != nil {
		t.Fatal(err)
	}
	if e := relative(again.Filters("fc1"), fresh.Filters("fc1")); e > 1e-6 {
		t.Errorf("weights that are written and read differ by %.2g", e)
	}
}

// A checkpoint keeps the best weights of a network in the NTK parameterisation to the last bit.
func TestParameterisedCheckpoint(t *testing.T) {
	loop := func() *Loop {
		l, _ := newLoop(t, labelledRows(20, 8), CrossEntropy)
		n := parameterised(t, smallNet(t))
		l.Trainer = newTrainer(t, n, TrainOptions{Batch: 8, Optimiser: Adam{LR: .01}, Seed: 2})
		return l
	}
	l := loop()
	l.Path = filepath.Join(t.TempDir(), "checkpoint")
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Save(); err != nil {
		t.Fatal(err)
	}
	other := loop()
	other.Path = l.Path
	if ok, err := other.Resume(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	for _, p := range l.Best.Parameters() {
		a, b := l.Best.Value(p.Name).Float32s(), other.Best.Value(p.Name).Float32s()
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("%s, element %d: %v became %v", p.Name, i, a[i], b[i])
			}
		}
	}
}

// Filters that belong to no layer, as those of a transposed convolution, stay in the standard parameterisation and start as in
// it, since the network multiplies them by no factor.
func TestParameterisationLeavesOthers(t *testing.T) {
	a := Architecture{Name: "other", Input: Shape{8, 4, 4}, Root: Sequential{{"up", transposed{}}, {"fc", Linear{}}}}
	if err := a.SetParameterisation("ntk"); err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(a.Input, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := 1 / math.Sqrt(3*16*9) // uniform within ±1/√fan-in
	if sd := deviation(n.Value("up.weight").Float32s()); math.Abs(sd-want) > .1*want {
		t.Errorf("filters with the standard deviation %.3g, want %.3g", sd, want)
	}
	if sd := deviation(n.Value("fc.weight").Float32s()); math.Abs(sd-1) > .1 {
		t.Errorf("weights of a linear layer with the standard deviation %.3g, want 1", sd)
	}
}

// transposed is a transposed convolution of 16 filters.
type transposed struct{}

func (transposed) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	w := b.Declare(name+".weight", ConvWeight, nil, x.Shape()[3], 16, 3, 3)
	return b.ConvTranspose(x, w, graph.Square(1, 1), 0, 0)
}

// TestParameterisationText checks that the text of a parameterisation can be read again.
func TestParameterisationText(t *testing.T) {
	for _, text := range []string{"", "ntk", "ntk:1.23456:0.1"} {
		p, err := ParseParameterisation(text)
		if again, err2 := ParseParameterisation(p.String()); err != nil || err2 != nil || again != p {
			t.Errorf("%q is written as %s, which is read as %+v: %v, %v", text, p, again, err, err2)
		}
	}
}

// TestParameterisationRefuses checks that texts that are no parameterisation are refused, as are biases that a factor
// of 0 would lose and layers with an initialisation of their own.
func TestParameterisationRefuses(t *testing.T) {
	n, _ := linearizable(t, false, 1)
	a := *n.Arch
	for _, text := range []string{"mup", "ntk:", "ntk:1", "ntk:0:1", "ntk:1:-1", "ntk:nan:1", "ntk:1:inf", "ntk:1:2:3"} {
		if err := a.SetParameterisation(text); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := a.SetParameterisation("ntk:1:0"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Load(n.StateDict(), a.Input); err == nil || !strings.Contains(err.Error(), "multiplies by 0") {
		t.Errorf("biases times 0: %v", err)
	}
	a = Architecture{Name: "own", Input: Shape{1, 3, 3}, Root: Sequential{{"own", ownLinear{}}}}
	if err := a.SetParameterisation("ntk"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.InitNetwork(a.Input, 2, 1); err == nil || !strings.Contains(err.Error(), "own: the NTK parameterisation") {
		t.Errorf("weights with an initialisation of their own: %v", err)
	}
}

// ownLinear is a linear layer whose weights have an initialisation of their own.
type ownLinear struct{}

func (ownLinear) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	x = Flatten{}.Build(b, "", x)
	return b.LinearLayer(name, x, b.Param(name, "weight", Constant(1), 2, x.Shape()[1]), nil)
}
