package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// testNet returns a small residual network with all that may come between a layer and the output: bias, batch norm,
// ReLU, tanh, pooling, a skip connection. If explicit is set, convolutions are written as products with their patches,
// and patches has the patches by the name of their layer.
func testNet(t testing.TB, d *backend.Device, p Precision, batch int,
	explicit bool) (f *Function, patches map[string]*Node) {
	t.Helper()
	g := New(d, p)
	rng := rand.New(rand.NewPCG(3, 4))
	patches = map[string]*Node{}
	param := func(name string, scale, shift float64, shape ...int) *Node {
		n := g.Param(name, shape...)
		for i := range size(n) {
			set(g.Data(n), i, shift+scale*rng.NormFloat64())
		}
		return n
	}
	conv := func(name string, x *Node, in, out, k int, geo Conv2D) *Node {
		w, b := param(name+".weight", .4, 0, out, in, k, k), param(name+".bias", .3, 0, out)
		if !explicit {
			return g.ConvLayer(name, x, w, b, geo)
		}
		s, err := convShape(x.Shape(), w.Shape(), geo)
		if err != nil {
			t.Fatal(err)
		}
		patches[name] = g.Patches(x, k, k, geo)
		y := g.Linear(patches[name], g.Reshape(w, out, in*k*k))
		return g.RowAdd(g.Reshape(y, outShape(s)...), b)
	}
	norm := func(name string, x *Node, c int) *Node {
		return g.BatchNorm(x, Norm{
			Gamma: param(name+".weight", .2, 1, c), Beta: param(name+".bias", .2, 0, c),
			Mean: param(name+".running_mean", .2, 0, c), Var: param(name+".running_var", .1, 1, c), Eps: 1e-5,
		})
	}
	x := g.Input("x", batch, 8, 7, 3)
	h := g.ReLU(norm("bn1", conv("conv1", x, 3, 5, 3, Square(1, 1)), 5))
	h = g.MaxPool(h, Pool2D{SizeH: 2, SizeW: 2, Ceil: true})
	skip := g.Subsample(h, 2, 1, 1)
	h = g.Tanh(conv("conv2", h, 5, 6, 3, Conv2D{StrideH: 2, StrideW: 2, PadH: 2, PadW: 2, DilateH: 2, DilateW: 2}))
	h = g.ReLU(g.Add(norm("bn2", conv("conv3", h, 6, 7, 1, Conv2D{}), 7), skip))
	h = g.Flatten(g.AdaptiveAvgPool(h, 2, 1))
	h = g.LinearLayer("fc", h, param("fc.weight", .4, 0, 4, 14), param("fc.bias", .1, 0, 4))
	f, err := g.Function(h)
	if err != nil {
		t.Fatal(err)
	}
	return f, patches
}

// images yields batches of random images.
func images(p Precision, batch int, counts ...int) iter.Seq2[*tensor.Dense, error] {
	return func(yield func(*tensor.Dense, error) bool) {
		rng := rand.New(rand.NewPCG(9, 9))
		for _, n := range counts {
			v := tensor.New(tensor.Of(p.dtype()), tensor.WithShape(n, 8, 7, 3))
			for i := range v.Size() {
				set(v, i, rng.NormFloat64())
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// An AGOP that is computed as Wᵀ(Σδδᵀ)W equals the AGOP of the gradients in explicit patches.
func TestAGOPIdentityAgainstExplicitPatches(t *testing.T) {
	ctx := context.Background()
	for _, d := range devices(t) {
		for _, p := range []Precision{Double, Single} {
			f, _ := testNet(t, d, p, 3, false)
			e, patches := testNet(t, d, p, 3, true)
			for _, l := range f.Layers {
				// The last batch has fewer images than the others.
				got, err := f.AGOP(ctx, l.Name+"/in", images(p, 3, 3, 3, 2), Outputs{})
				if err != nil {
					t.Fatal(err)
				}
				node := patches[l.Name]
				if node == nil {
					node = e.Layers[0].In // fc, which is the same in both networks
				}
				want := explicitAGOP(t, e, node, images(p, 3, 3, 3, 2))
				tol := 1e-12
				if p == Single {
					tol = 1e-5
				}
				if e := relative(got, want); e > tol {
					t.Errorf("%s, %v, %s: relative error %.2g", d.Name(), p, l.Name, e)
				}
			}
		}
	}
}

// explicitAGOP computes the AGOP from gradients that are computed for one image and one output at a time.
func explicitAGOP(t *testing.T, f *Function, at *Node, batches iter.Seq2[*tensor.Dense, error]) *mat.SymDense {
	d, err := f.Differential(at)
	if err != nil {
		t.Fatal(err)
	}
	width := cols(at)
	sum := mat.NewSymDense(width, nil)
	row := make([]float64, d.Columns())
	n := 0
	for b := range batches {
		if err := f.write(f.Inputs()[0], b); err != nil {
			t.Fatal(err)
		}
		for k := range b.Shape()[0] * f.Output.Shape()[1] {
			if err := d.Row(context.Background(), k, row, k > 0); err != nil {
				t.Fatal(err)
			}
			sum.SymRankK(sum, 1, mat.NewDense(len(row)/width, width, row).T())
		}
		n += b.Shape()[0]
	}
	sum.ScaleSym(1/float64(n), sum)
	return sum
}

// relative returns ‖got − want‖/‖want‖, infinite where that is NaN.
func relative(got, want mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(got, want)
	e := mat.Norm(&d, 2) / mat.Norm(want, 2)
	if math.IsNaN(e) {
		return math.Inf(1)
	}
	return e
}

func TestAGOPAtTheInput(t *testing.T) {
	d := devices(t)[0]
	f, _ := testNet(t, d, Double, 2, false)
	got, err := f.AGOP(context.Background(), "x", images(Double, 2, 2, 2), Outputs{})
	if err != nil {
		t.Fatal(err)
	}
	if e := relative(got, explicitAGOP(t, f, f.Inputs()[0], images(Double, 2, 2, 2))); e > 1e-12 {
		t.Errorf("relative error %.2g", e)
	}
}

// The AGOP from random probes approaches the exact one: its error falls as 1/√probes.
func TestAGOPByProbes(t *testing.T) {
	d := devices(t)[0]
	f, _ := testNet(t, d, Double, 4, false)
	agop := func(o Outputs) *mat.SymDense {
		a, err := f.AGOP(context.Background(), "conv3/in", images(Double, 4, 4, 4), o)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	exact := agop(Outputs{})
	few := relative(agop(Outputs{Probes: 20, Rand: rand.New(rand.NewPCG(1, 1))}), exact)
	many := relative(agop(Outputs{Probes: 2000, Rand: rand.New(rand.NewPCG(1, 1))}), exact)
	if many > .03 || few < 2*many {
		t.Errorf("relative error %.3f with 20 probes, %.3f with 2000: want about ten times less, and below .03",
			few, many)
	}
}

// A moment that is held as rows equals one that is held as a matrix.
func TestMomentOfFewRows(t *testing.T) {
	d := devices(t)[0]
	g := New(d, Double)
	x := g.Input("x", 2, 3)
	w := g.Param("w", 40, 3)
	v := g.Param("v", 4, 40)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []*Node{x, w, v} {
		for i := range size(n) {
			set(g.Data(n), i, rng.NormFloat64())
		}
	}
	f, err := g.Function(g.LinearLayer("2", g.Tanh(g.LinearLayer("1", x, w, nil)), v, nil))
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Moments([]*Node{f.Layers[0].Pre}, Outputs{})
	if err != nil {
		t.Fatal(err)
	}
	want := explicitAGOP(t, f, f.Layers[0].Pre, func(yield func(*tensor.Dense, error) bool) { yield(g.Data(x), nil) })
	want.ScaleSym(2, want)
	for _, batches := range []int{1, 400} { // the rows of 400 batches are added up in a matrix S
		for range batches {
			if err := m.Batch(context.Background(), 2, nil); err != nil {
				t.Fatal(err)
			}
		}
		got := m.Take()[0]
		if _, rows := got.Factor(); rows != (batches == 1) {
			t.Errorf("%d batches: held as rows: %v", batches, rows)
		}
		s := mat.NewSymDense(40, nil)
		s.ScaleSym(1/float64(batches), got.Sym())
		if e := relative(s, want); e > 1e-12 {
			t.Errorf("%d batches: relative error %.2g", batches, e)
		}
		W := f.Filters(f.Layers[0])
		var sw, wsw mat.Dense
		sw.Mul(got.Sym(), W)
		wsw.Mul(W.T(), &sw)
		if e := relative(got.Sandwich(W), &wsw); e > 1e-12 {
			t.Errorf("%d batches: WᵀSW: relative error %.2g", batches, e)
		}
	}
}

// ⟨J u, r⟩ = ⟨u, Jᵀ r⟩, and rows of J agree with both.
func TestDifferential(t *testing.T) {
	ctx := context.Background()
	for _, dev := range devices(t) {
		f, _ := testNet(t, dev, Double, 2, false)
		for b := range images(Double, 2, 2) {
			if err := f.write(f.Inputs()[0], b); err != nil {
				t.Fatal(err)
			}
		}
		wrt := []*Node{f.Named("conv1.weight"), f.Named("bn1.bias"), f.Named("fc.weight"), f.Inputs()[0]}
		d, err := f.Differential(wrt...)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(5, 5))
		var u []float64
		for i := range wrt {
			for k := range d.Tangent(i).Size() {
				v := rng.NormFloat64()
				set(d.Tangent(i), k, v)
				u = append(u, v)
			}
		}
		push, err := d.Push(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		ju := get(push)
		row := make([]float64, d.Columns())
		for k := range ju {
			if err := d.Row(ctx, k, row, k > 0); err != nil {
				t.Fatal(err)
			}
			s := 0.
			for i, v := range row {
				s += v * u[i]
			}
			near(t, fmt.Sprintf("%s: row %d of J times u", dev.Name(), k), []float64{s}, ju[k:k+1], 1e-10)
		}
		if err := d.Row(ctx, len(ju), row, true); err == nil {
			t.Error("a row beyond the last was given")
		}
		if err := d.Row(ctx, 0, row[1:], true); err == nil {
			t.Error("a row was written to a slice that is too short")
		}
	}
}

// Gorgonia's own Grad, with the derivatives of our ops, gives the same gradient.
func TestPullbackAgainstGorgoniaGrad(t *testing.T) {
	d := devices(t)[0]
	f, _ := testNet(t, d, Double, 2, false)
	for b := range images(Double, 2, 2) {
		if err := f.write(f.Inputs()[0], b); err != nil {
			t.Fatal(err)
		}
	}
	loss := f.Sum(f.Mul(f.Output, f.Output))
	one := f.Input("one", 1)
	set(f.Data(one), 0, 1)
	w := f.Named("conv1.weight")
	ours := f.Pullback([]*Node{loss}, []*Node{one}, []*Node{w})[0]
	theirs, err := gorgonia.Backpropagate(gorgonia.Nodes{loss}, gorgonia.Nodes{one}, gorgonia.Nodes{w})
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Compile(Plan{Outputs: []*Node{ours}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.RunAll(); err != nil {
		t.Fatal(err)
	}
	var value gorgonia.Value
	gorgonia.Read(theirs[0], &value)
	m := gorgonia.NewTapeMachine(f.Expr())
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	near(t, "gradient", get(p.Value(ours)), get(value.(*tensor.Dense)), 1e-12)
}

// A thousand batches accumulate neither memory nor goroutines.
func TestNoGrowth(t *testing.T) {
	for _, d := range devices(t) {
		f, _ := testNet(t, d, Single, 4, false)
		m, err := f.Moments([]*Node{f.Layers[0].Pre, f.Layers[2].Pre}, Outputs{})
		if err != nil {
			t.Fatal(err)
		}
		batches := func(n int) {
			for range n {
				if err := m.Batch(context.Background(), 4, nil); err != nil {
					t.Fatal(err)
				}
				m.Take()
			}
		}
		measure := func() (bytes uint64, goroutines int) {
			runtime.GC()
			var s runtime.MemStats
			runtime.ReadMemStats(&s)
			return s.HeapAlloc, runtime.NumGoroutine()
		}
		batches(20)
		bytes0, goroutines0 := measure()
		batches(1000)
		bytes1, goroutines1 := measure()
		if bytes1 > bytes0+64<<10 || goroutines1 > goroutines0 {
			t.Errorf("%s: from %d to %d bytes, from %d to %d goroutines",
				d.Name(), bytes0, bytes1, goroutines0, goroutines1)
		}
	}
}

// A run with a cancelled context ends with the context's error. Repeat is an error before the first run.
func TestRunStops(t *testing.T) {
	d := devices(t)[0]
	f, _ := testNet(t, d, Single, 2, false)
	p, err := f.Compile(Plan{Outputs: []*Node{f.Output}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Repeat(context.Background()); err == nil {
		t.Error("Repeat before Run succeeded")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("run with a cancelled context: %v", err)
	}
}

// A mistake in building a graph is an error that names the place in the graph. It is not a panic.
func TestMistakes(t *testing.T) {
	mistakes := map[string]func(g *Graph, x, m *Node) *Node{
		"operands of shape (5, 1) and (5)": func(g *Graph, x,
			m *Node) *Node {
			return g.Add(g.Input("column", 5, 1), g.Input("vector", 5))
		},
		"read 4 channels, the input has 3": func(g *Graph, x,
			m *Node) *Node {
			return g.Conv(x, g.Param("w", 2, 4, 3, 3), Conv2D{})
		},
		"do not fit in images of 5×5": func(g *Graph, x,
			m *Node) *Node {
			return g.Conv(x, g.Param("w", 2, 3, 7, 7), Conv2D{})
		},
		"strides and dilations must be at": func(g *Graph, x,
			m *Node) *Node {
			return g.Conv(x, g.Param("w", 2, 3, 1, 1), Conv2D{StrideH: -1})
		},
		"convolution of (4, 6)": func(g *Graph, x,
			m *Node) *Node {
			return g.Conv(m, g.Param("w", 2, 3, 1, 1), Conv2D{})
		},
		"want one shape":                func(g *Graph, x, m *Node) *Node { return g.Add(x, m) },
		"want two matrices":             func(g *Graph, x, m *Node) *Node { return g.MatMul(x, m, false, false) },
		"matrix product of 4×6 and 4×6": func(g *Graph, x, m *Node) *Node { return g.MatMul(m, m, false, false) },
		"weights of shape (2, 5) read 5": func(g *Graph, x,
			m *Node) *Node {
			return g.Linear(m, g.Param("w", 2, 5))
		},
		"want length 3": func(g *Graph, x, m *Node) *Node { return g.RowAdd(x, g.Param("b", 4)) },
		"a window of 6 does not fit in 5": func(g *Graph, x,
			m *Node) *Node {
			return g.MaxPool(x, Pool2D{SizeH: 6, SizeW: 2})
		},
		"padding between 0 and half the size": func(g *Graph, x,
			m *Node) *Node {
			return g.AvgPool(x, Pool2D{SizeH: 2, SizeW: 2, PadH: 2})
		},
		"want both at least 1":           func(g *Graph, x, m *Node) *Node { return g.AdaptiveAvgPool(x, 0, 1) },
		"flatten of (4, 6)":              func(g *Graph, x, m *Node) *Node { return g.Flatten(m) },
		"want 24 elements":               func(g *Graph, x, m *Node) *Node { return g.Reshape(m, 5, 5) },
		"every size must be at least 1":  func(g *Graph, x, m *Node) *Node { return g.Input("bad", 3, 0) },
		"two inputs or parameters named": func(g *Graph, x, m *Node) *Node { return g.Input("x", 3) },
		"a stride of at least 1":         func(g *Graph, x, m *Node) *Node { return g.Subsample(x, 0, 0, 0) },
		"a cotangent of shape (1)": func(g *Graph, x, m *Node) *Node {
			return g.Pullback([]*Node{m}, []*Node{g.Input("c", 1)}, []*Node{m})[0]
		},
	}
	for want, build := range mistakes {
		g := New(nil, Single)
		x, m := g.Input("x", 2, 5, 5, 3), g.Input("m", 4, 6)
		g.At("layer7")
		y := g.ReLU(build(g, x, m)) // later ops must pass on the failure
		if y != nil || g.Err() == nil || !strings.Contains(g.Err().Error(), want) ||
			!strings.HasPrefix(g.Err().Error(), "layer7: ") {
			t.Errorf("want an error at layer7 with %q, got node %v, error %v", want, y, g.Err())
		}
		if _, err := g.Function(y); err == nil {
			t.Errorf("%s: a function came of it", want)
		}
	}
}

// A panic inside an engine becomes an error of the run.
func TestPanicInOp(t *testing.T) {
	for _, d := range devices(t) {
		g := New(d, Single)
		x := g.Input("x", 3)
		y := g.apply(spec{name: "broken", in: []*Node{x}, shape: tensor.Shape{3},
			f32: func(c *call[float32]) error { panic("ouch") }})
		p, err := g.Compile(Plan{Outputs: []*Node{y}})
		if err != nil {
			t.Fatal(err)
		}
		var pe *backend.PanicError
		if err := p.RunAll(); !errors.As(err, &pe) || pe.Value != "ouch" {
			t.Errorf("%s: %v", d.Name(), err)
		}
	}
}
