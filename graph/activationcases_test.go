package graph

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// activations are the functions of one element, with their definitions. positive marks those that are tested at
// positive x only.
var activations = []struct {
	name     string
	op       func(g *Graph, x *Node) *Node
	f        func(x float64) float64
	positive bool
}{
	{"sigmoid", (*Graph).Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, false},
	{"softplus", (*Graph).Softplus, func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, false},
	{"erf", (*Graph).Erf, math.Erf, false},
	{"log", (*Graph).Log, math.Log, true},
	{"square root", (*Graph).Sqrt, math.Sqrt, true},
	{"reciprocal", (*Graph).Reciprocal, func(x float64) float64 { return 1 / x }, true},
	{"sine", (*Graph).Sin, math.Sin, false},
	{"cosine", (*Graph).Cos, math.Cos, false},
	{"square", func(g *Graph, x *Node) *Node { return g.PowerOf(2, x) }, func(x float64) float64 { return x * x }, false},
	{"cube", func(g *Graph, x *Node) *Node { return g.PowerOf(3, x) }, func(x float64) float64 { return x * x * x }, false},
	{"power 4", func(g *Graph, x *Node) *Node { return g.PowerOf(4, x) }, func(x float64) float64 { return x * x * x * x },
		false},
	{"power 1.7", func(g *Graph, x *Node) *Node { return g.PowerOf(1.7, x) },
		func(x float64) float64 { return math.Pow(x, 1.7) }, true},
	{"absolute value", (*Graph).Abs, math.Abs, false},
	{"relu6", func(g *Graph, x *Node) *Node { return g.ReLU6(g.Scale(6, x)) },
		func(x float64) float64 { return max(0, min(6, 6*x)) }, false},
	{"clip", func(g *Graph, x *Node) *Node { return g.Clip(x, -.5, .7) },
		func(x float64) float64 { return max(-.5, min(.7, x)) }, false},
	{"leaky relu", func(g *Graph, x *Node) *Node { return g.LeakyReLU(x, .2) },
		func(x float64) float64 { return max(x, .2*x) }, false},
	{"elu", func(g *Graph, x *Node) *Node { return g.ELU(x, 1.3) }, func(x float64) float64 {
		if x > 0 {
			return x
		}
		return 1.3 * (math.Exp(x) - 1)
	}, false},
	{"silu", (*Graph).SiLU, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, false},
	{"gelu", (*Graph).GELU, func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }, false},
	{"gelu, tanh", (*Graph).GELUTanh, func(x float64) float64 {
		return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+.044715*x*x*x)))
	}, false},
	{"hard sigmoid", func(g *Graph, x *Node) *Node { return g.HardSigmoid(g.Scale(3, x), 1./6, .5) },
		func(x float64) float64 { return max(0, min(1, x/2+.5)) }, false},
	{"hard swish", func(g *Graph, x *Node) *Node { return g.HardSwish(g.Scale(3, x)) },
		func(x float64) float64 { return 3 * x * max(0, min(1, x/2+.5)) }, false},
	{"mish", (*Graph).Mish, func(x float64) float64 { return x * math.Tanh(math.Log(1+math.Exp(x))) }, false},
}

func activationCases() []opCase {
	var cases []opCase
	for _, a := range activations {
		cases = append(cases, opCase{name: a.name, shapes: [][]int{{3, 7}}, positive: a.positive,
			build: func(g *Graph, x []*Node) *Node { return a.op(g, x[0]) },
			want:  each(func(v []float64) float64 { return a.f(v[0]) })})
	}
	return append(cases,
		opCase{name: "division", shapes: [][]int{{3, 5}, {3, 5}}, positive: true,
			build: func(g *Graph, x []*Node) *Node { return g.Div(x[0], x[1]) },
			want:  each(func(v []float64) float64 { return v[0] / v[1] })},
		opCase{name: "maximum", shapes: [][]int{{3, 5}, {3, 5}},
			build: func(g *Graph, x []*Node) *Node { return g.Maximum(x[0], x[1]) },
			want:  each(func(v []float64) float64 { return max(v[0], v[1]) })},
		opCase{name: "minimum", shapes: [][]int{{3, 5}, {3, 5}},
			build: func(g *Graph, x []*Node) *Node { return g.Minimum(x[0], x[1]) },
			want:  each(func(v []float64) float64 { return min(v[0], v[1]) })})
}

// TestActivationsAtExtremes compares activations far from 0 with their definitions, in both precisions. No intermediate
// result may overflow where the value is finite.
func TestActivationsAtExtremes(t *testing.T) {
	at := []float64{-1e4, -100, -30, -1e-30, 0, 1e-30, 30, 100, 1e4}
	for _, d := range devices(t) {
		for _, p := range []Precision{Single, Double} {
			for _, a := range activations {
				if a.positive || a.name == "sine" || a.name == "cosine" {
					continue
				}
				g := New(d, p)
				x := g.Param("x", len(at))
				for i, v := range at {
					set(g.Data(x), i, v)
				}
				r := g.Input("r", len(at))
				for i := range at {
					set(g.Data(r), i, 1)
				}
				y := a.op(g, x)
				dx := g.Pullback([]*Node{y}, []*Node{r}, []*Node{x})[0]
				prog, err := g.Compile(Plan{Outputs: []*Node{y, dx}})
				if err != nil {
					t.Fatal(err)
				}
				if err := prog.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				for i, v := range get(prog.Value(y)) {
					want := a.f(at[i])
					if math.IsNaN(want) || math.IsInf(want, 0) {
						t.Fatalf("the definition of %s overflows at %g", a.name, at[i])
					}
					if !(math.Abs(v-want) <= 2e-6*math.Max(math.Abs(want), 1e-2)) || math.IsInf(v, 0) {
						t.Errorf("%s, %v, %s(%g) = %g, want %g", d.Name(), p, a.name, at[i], v, want)
					}
				}
				for i, v := range get(prog.Value(dx)) {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%s, %v, the derivative of %s at %g is %g", d.Name(), p, a.name, at[i], v)
					}
				}
			}
		}
	}
}

// TestNaNStays checks that a NaN among the operands of an activation, a maximum or a minimum is a NaN in the result, on
// every backend, as in PyTorch.
func TestNaNStays(t *testing.T) {
	for _, d := range devices(t) {
		for _, p := range []Precision{Single, Double} {
			b := &bench{t: t, g: New(d, p)}
			x, y := b.g.Param("x", 50), b.g.Param("y", 50)
			for i := range 50 {
				set(b.g.Data(x), i, []float64{.5, math.NaN()}[i%2])
				set(b.g.Data(y), i, []float64{.25, .75}[i/2%2])
			}
			names := []string{"maximum", "maximum the other way", "minimum", "minimum the other way"}
			nodes := []*Node{b.g.Maximum(x, y), b.g.Maximum(y, x), b.g.Minimum(x, y), b.g.Minimum(y, x)}
			for _, a := range activations {
				names, nodes = append(names, a.name), append(nodes, a.op(b.g, x))
			}
			for k, got := range b.eval(false, nodes...) {
				for i, v := range got {
					if math.IsNaN(v) != (i%2 == 1) {
						t.Fatalf("%s, %v, %s: element %d is %v", d.Name(), p, names[k], i, v)
					}
				}
			}
		}
	}
}

// TestKinks compares the derivatives at kinks with PyTorch's.
func TestKinks(t *testing.T) {
	for _, c := range []struct {
		name  string
		op    func(g *Graph, x *Node) *Node
		at, d float64
	}{
		{"relu", (*Graph).ReLU, 0, 0},
		{"relu6", (*Graph).ReLU6, 6, 0},
		{"leaky relu", func(g *Graph, x *Node) *Node { return g.LeakyReLU(x, .1) }, 0, .1},
		{"elu", func(g *Graph, x *Node) *Node { return g.ELU(x, 2) }, 0, 2},
		{"absolute value", (*Graph).Abs, 0, 0},
		{"hard sigmoid", func(g *Graph, x *Node) *Node { return g.HardSigmoid(x, 1./6, .5) }, -3, 0},
	} {
		g := New(devices(t)[0], Double)
		x, r := g.Param("x", 1), g.Input("r", 1)
		set(g.Data(x), 0, c.at)
		set(g.Data(r), 0, 1)
		dx := g.Pullback([]*Node{c.op(g, x)}, []*Node{r}, []*Node{x})[0]
		p, err := g.Compile(Plan{Outputs: []*Node{dx}})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := get(p.Value(dx))[0]; math.Abs(got-c.d) > 1e-12 {
			t.Errorf("%s: the derivative at %g is %g, PyTorch's is %g", c.name, c.at, got, c.d)
		}
	}
}

// viewCases are the ops that move elements. Each has a reference that says from where an element of the result is
// taken.
func viewCases() []opCase {
	from := func(name string, shape, to []int, build func(g *Graph, x *Node) *Node, source func(at []int) []int) opCase {
		return opCase{name: name, shapes: [][]int{shape},
			build: func(g *Graph, x []*Node) *Node { return build(g, x[0]) },
			want: func(x []array) array {
				y := newArray(to...)
				at := make([]int, len(to))
				for i := range y.data {
					rest := i
					for k := len(to) - 1; k >= 0; k-- {
						at[k] = rest % to[k]
						rest /= to[k]
					}
					if s := source(at); s != nil {
						y.data[i] = *x[0].at(s...)
					}
				}
				return y
			}}
	}
	cases := []opCase{
		from("permute", []int{2, 3, 4}, []int{4, 2, 3}, func(g *Graph, x *Node) *Node { return g.Permute(x, 2, 0, 1) },
			func(a []int) []int { return []int{a[1], a[2], a[0]} }),
		from("permute in tiles", []int{2, 19, 3, 21}, []int{2, 21, 3, 19},
			func(g *Graph, x *Node) *Node { return g.Permute(x, 0, 3, 2, 1) },
			func(a []int) []int { return []int{a[0], a[3], a[2], a[1]} }),
		from("permute axes of one element", []int{1, 3, 1, 2}, []int{3, 1, 2, 1},
			func(g *Graph, x *Node) *Node { return g.Permute(x, 1, 0, 3, 2) },
			func(a []int) []int { return []int{0, a[0], 0, a[2]} }),
		from("slice", []int{3, 7, 2}, []int{3, 3, 2}, func(g *Graph, x *Node) *Node { return g.Slice(x, 1, 1, 7, 2) },
			func(a []int) []int { return []int{a[0], 1 + 2*a[1], a[2]} }),
		from("slice backwards", []int{3, 5}, []int{3, 5}, func(g *Graph, x *Node) *Node { return g.Slice(x, 1, 4, -1, -1) },
			func(a []int) []int { return []int{a[0], 4 - a[1]} }),
		from("take", []int{4, 3}, []int{5, 3},
			func(g *Graph, x *Node) *Node { return g.TakeAlong(x, 0, []int{3, 0, 0, 2, 3}) },
			func(a []int) []int { return []int{[]int{3, 0, 0, 2, 3}[a[0]], a[1]} }),
		from("take, with repeats at the start", []int{2, 6}, []int{2, 4},
			func(g *Graph, x *Node) *Node { return g.TakeAlong(x, 1, []int{0, 0, 5, 0}) },
			func(a []int) []int { return []int{a[0], []int{0, 0, 5, 0}[a[1]]} }),
		from("take, one element again", []int{2, 6}, []int{2, 3},
			func(g *Graph, x *Node) *Node { return g.TakeAlong(x, 1, []int{4, 4, 4}) },
			func(a []int) []int { return []int{a[0], 4} }),
		from("pad", []int{2, 3, 2}, []int{2, 6, 3},
			func(g *Graph, x *Node) *Node { return g.Pad(x, []int{0, 1, 0}, []int{0, 2, 1}, PadConstant, 0) },
			func(a []int) []int {
				if a[1] < 1 || a[1] > 3 || a[2] > 1 {
					return nil
				}
				return []int{a[0], a[1] - 1, a[2]}
			}),
		from("reflect", []int{2, 4}, []int{2, 9},
			func(g *Graph, x *Node) *Node { return g.Pad(x, []int{0, 3}, []int{0, 2}, PadReflect, 0) },
			func(a []int) []int { return []int{a[0], []int{3, 2, 1, 0, 1, 2, 3, 2, 1}[a[1]]} }),
		from("edge", []int{2, 3}, []int{3, 6},
			func(g *Graph, x *Node) *Node { return g.Pad(x, []int{1, 2}, []int{0, 1}, PadEdge, 0) },
			func(a []int) []int { return []int{max(0, a[0]-1), max(0, min(2, a[1]-2))} }),
		{name: "pad with a value", shapes: [][]int{{2, 2}},
			build: func(g *Graph, x []*Node) *Node { return g.Pad(x[0], []int{0, 1}, []int{1, 0}, PadConstant, -2.5) },
			want: func(x []array) array {
				d := x[0].data
				return array{[]int{3, 3}, []float64{-2.5, d[0], d[1], -2.5, d[2], d[3], -2.5, -2.5, -2.5}}
			}},
		{name: "concat", shapes: [][]int{{2, 1, 2}, {2, 3, 2}, {2, 2, 2}},
			build: func(g *Graph, x []*Node) *Node { return g.Concat(1, x...) },
			want: func(x []array) array {
				y := newArray(2, 6, 2)
				at := 0
				for n := range 2 {
					for _, v := range x {
						size := len(v.data) / 2
						at += copy(y.data[at:], v.data[n*size:(n+1)*size])
					}
				}
				return y
			}},
		from("split and join", []int{2, 5}, []int{2, 5},
			func(g *Graph, x *Node) *Node {
				p := g.Split(x, 1, 2, 3)
				return g.Concat(1, p[1], p[0])
			},
			func(a []int) []int { return []int{a[0], (a[1] + 2) % 5} }),
	}
	for _, c := range []struct{ shape, to []int }{
		{[]int{3}, []int{2, 3}}, {[]int{2, 1}, []int{2, 4}}, {[]int{1}, []int{2, 3}}, {[]int{2, 1, 1, 3}, []int{2, 4, 2, 3}},
		{[]int{1, 3, 1}, []int{2, 3, 4}}, {[]int{3, 1, 1}, []int{3, 1, 2}},
	} {
		cases = append(cases, from(fmt.Sprintf("expand %v to %v", c.shape, c.to), c.shape, c.to,
			func(g *Graph, x *Node) *Node { return g.Expand(x, c.to...) },
			func(a []int) []int {
				s := make([]int, len(c.shape))
				for k := range s {
					s[k] = min(a[len(a)-len(s)+k], c.shape[k]-1)
				}
				return s
			}))
	}
	return cases
}
