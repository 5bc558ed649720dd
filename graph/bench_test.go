package graph

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// stepNet returns the loss of the network whose training step is timed against PyTorch: Conv(3,64) ReLU Conv(64,128)
// ReLU MaxPool Conv(128,128) ReLU, global average pool, Linear(10), cross-entropy, for a batch of 64 images of 32×32.
func stepNet(g *Graph) (loss *Node) {
	rng := rand.New(rand.NewPCG(1, 2))
	param := func(name string, std float64, shape ...int) *Node {
		n := g.Param(name, shape...)
		v := g.Data(n).Float32s()
		for i := range v {
			v[i] = float32(std * rng.NormFloat64())
		}
		return n
	}
	x := g.Input("x", 64, 32, 32, 3)
	for i := range g.Data(x).Float32s() {
		g.Data(x).Float32s()[i] = float32(rng.NormFloat64())
	}
	t := g.Input("t", 64, 10)
	for i := range 64 {
		g.Data(t).Float32s()[i*10+rng.IntN(10)] = 1
	}
	conv := func(name string, x *Node, in, out int) *Node {
		return g.ReLU(g.ConvLayer(name, x, param(name+".weight", .05, out, in, 3, 3), param(name+".bias", .1, out),
			Square(1, 1)))
	}
	h := conv("c1", x, 3, 64)
	h = conv("c2", h, 64, 128)
	h = g.MaxPool(h, Pool2D{SizeH: 2, SizeW: 2})
	h = conv("c3", h, 128, 128)
	h = g.Flatten(g.AdaptiveAvgPool(h, 1, 1))
	z := g.LinearLayer("fc", h, param("fc.weight", .1, 10, 128), param("fc.bias", .1, 10))
	return g.CrossEntropy(z, t)
}

func BenchmarkStep(b *testing.B) {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	g := New(d, Single)
	loss := stepNet(g)
	one := g.Input("one", 1)
	g.Data(one).Float32s()[0] = 1
	grads := g.Pullback([]*Node{loss}, []*Node{one}, g.Params())
	p, err := g.Compile(Plan{Outputs: append([]*Node{loss}, grads...)})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(p.Bytes())/1e6, "MB")
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
		for i, w := range g.Params() {
			v, dv := g.Data(w).Float32s(), p.Value(grads[i]).Float32s()
			for j, x := range dv {
				v[j] -= .01 * x
			}
		}
	}
}
