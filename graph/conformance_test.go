package graph

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// opCase is an op with the shapes of its operands and a naive reference. The functions whose names begin with law check
// the laws that every op must obey.
type opCase struct {
	name   string
	shapes [][]int
	build  func(g *Graph, x []*Node) *Node
	want   func(x []array) array
	// positive says that the operands are drawn from (0.5, 1.5) and not from N(0, 1).
	positive bool
	// computed, if not 0, is the number of an operand, counted from 1, that an op computes, so that a program may overwrite it.
	computed int
}

// array is a naive tensor in float64.
type array struct {
	shape []int
	data  []float64
}

func newArray(shape ...int) array {
	return array{shape, make([]float64, tensor.Shape(shape).TotalSize())}
}

// at returns a pointer to an element.
func (a array) at(index ...int) *float64 {
	k := 0
	for i, v := range index {
		if v < 0 || v >= a.shape[i] {
			panic(fmt.Sprintf("index %v of shape %v", index, a.shape))
		}
		k = k*a.shape[i] + v
	}
	return &a.data[k]
}

// devices opens every available backend.
func devices(t testing.TB) []*backend.Device {
	t.Helper()
	var all []*backend.Device
	for _, n := range gputest.Backends(t) {
		d, err := backend.Open(backend.Options{Backend: n, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		all = append(all, d)
	}
	return all
}

// TestOps checks that every op obeys its laws on the backend go in float64, and that every other backend and precision
// agrees with that.
func TestOps(t *testing.T) {
	all := devices(t)
	for _, c := range opCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Run("value", func(t *testing.T) { lawValue(t, all[0], c) })
			t.Run("first derivative", func(t *testing.T) { lawFirst(t, all[0], c) })
			t.Run("second derivative", func(t *testing.T) { lawSecond(t, all[0], c) })
			t.Run("pushforward", func(t *testing.T) { lawPushforward(t, all[0], c) })
			t.Run("tape machine", func(t *testing.T) { lawTapeMachine(t, all[0], c) })
			t.Run("agreement", func(t *testing.T) { lawAgreement(t, all, c) })
			t.Run("in place", func(t *testing.T) { lawInPlace(t, all, c) })
		})
	}
}

// bench is a graph with an op and its operands.
type bench struct {
	t   testing.TB
	g   *Graph
	x   []*Node
	y   *Node
	rng *rand.Rand
}

func (c opCase) bench(t testing.TB, d *backend.Device, p Precision) *bench {
	t.Helper()
	b := &bench{t: t, g: New(d, p), rng: rand.New(rand.NewPCG(1, uint64(len(c.name))))}
	for i, s := range c.shapes {
		x := b.g.Param(fmt.Sprintf("x%d", i), s...)
		b.fill(x, c.positive)
		b.x = append(b.x, x)
	}
	x := slices.Clone(b.x)
	if k := c.computed - 1; k >= 0 {
		back := indices(c.shapes[k][0])
		slices.Reverse(back)
		x[k] = b.g.TakeAlong(b.g.TakeAlong(x[k], 0, back), 0, back)
	}
	b.y = c.build(b.g, x)
	if err := b.g.Err(); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) fill(n *Node, positive bool) {
	if b.g.err != nil {
		b.t.Fatal(b.g.err)
	}
	v := b.g.Data(n)
	for i := range size(n) {
		r := b.rng.NormFloat64()
		if positive {
			r = .5 + b.rng.Float64()
		}
		set(v, i, r)
	}
}

func set(v *tensor.Dense, i int, x float64) {
	switch d := v.Data().(type) {
	case []float32:
		d[i] = float32(x)
	case []float64:
		d[i] = x
	}
}

func get(v *tensor.Dense) []float64 {
	switch d := v.Data().(type) {
	case []float64:
		return append([]float64(nil), d...)
	case []float32:
		out := make([]float64, len(d))
		for i, x := range d {
			out[i] = float64(x)
		}
		return out
	}
	panic("not floats")
}

func (b *bench) eval(unfused bool, ns ...*Node) [][]float64 {
	b.t.Helper()
	p, err := b.g.Compile(Plan{Outputs: ns, Unfused: unfused})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := p.Run(context.Background()); err != nil {
		b.t.Fatal(err)
	}
	var out [][]float64
	for _, n := range ns {
		out = append(out, get(p.Value(n)))
	}
	return out
}

// near compares with a tolerance relative to the largest element.
func near(t testing.TB, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	top := 1e-3
	for _, w := range want {
		top = math.Max(top, math.Abs(w))
	}
	for i, w := range want {
		if d := math.Abs(got[i] - w); !(d <= tol*top) {
			t.Fatalf("%s[%d] = %.10g, want %.10g (difference %.2g of the largest, tolerance %.2g)",
				what, i, got[i], w, d/top, tol)
		}
	}
}

func lawValue(t *testing.T, d *backend.Device, c opCase) {
	b := c.bench(t, d, Double)
	var x []array
	for i, n := range b.x {
		x = append(x, array{c.shapes[i], get(b.g.Data(n))})
	}
	want := c.want(x)
	if !slices.Equal(b.y.Shape(), tensor.Shape(want.shape)) {
		t.Fatalf("shape %v, want %v", b.y.Shape(), want.shape)
	}
	near(t, "value", b.eval(false, b.y)[0], want.data, 1e-12)
}

// lawAgreement compares values, first and second derivatives on every backend, in either precision, fused or not, with
// those of the first backend in float64.
func lawAgreement(t *testing.T, all []*backend.Device, c opCase) {
	var want [][]float64
	for _, d := range all {
		for _, p := range []Precision{Double, Single} {
			b := c.bench(t, d, p)
			nodes := b.derivatives()
			tol := 1e-12
			if p == Single {
				tol = 2e-5
			}
			for _, unfused := range []bool{true, false} {
				got := b.eval(unfused, nodes...)
				if want == nil {
					want = got
				}
				for i := range got {
					near(t, fmt.Sprintf("%s, %v, unfused %v: %v", d.Name(), nodes[i].Dtype(), unfused, nodes[i]),
						got[i], want[i], tol)
				}
			}
		}
	}
}

// lawInPlace checks that the value is the same if it may overwrite an operand.
func lawInPlace(t *testing.T, all []*backend.Device, c opCase) {
	for _, d := range all {
		for _, p := range []Precision{Double, Single} {
			plain := c.bench(t, d, p)
			want := plain.eval(true, plain.y)[0]
			for k := range c.shapes {
				c.computed = k + 1
				b := c.bench(t, d, p)
				near(t, fmt.Sprintf("%s, %v, operand %d in memory", d.Name(), p, k), b.eval(false, b.y)[0], want, 1e-5)
			}
			c.computed = 0
		}
	}
}

// derivatives returns the op's result, its pullback, and the pullback of a random functional of the pullback. The functional
// itself is not among them: it is one sum, whose rounding errors are relative to its terms and not to what they cancel to.
func (b *bench) derivatives() []*Node {
	b.t.Helper()
	r, functional, grads := b.functional()
	nodes := append([]*Node{b.y}, grads...)
	one := b.g.Input("one", 1)
	set(b.g.Data(one), 0, 1)
	nodes = append(nodes, b.g.Pullback([]*Node{functional}, []*Node{one}, append([]*Node{r}, b.x...))...)
	return slices.DeleteFunc(nodes, func(n *Node) bool { return n == nil })
}

// functional returns the cotangent r, ⟨u, pullback⟩ for random u, and the pullback of r itself.
func (b *bench) functional() (r, functional *Node, grads []*Node) {
	b.t.Helper()
	r = b.g.Input("r", b.y.Shape()...)
	b.fill(r, false)
	grads = b.g.Pullback([]*Node{b.y}, []*Node{r}, b.x)
	for i, g := range grads {
		if g == nil {
			continue
		}
		u := b.g.Input(fmt.Sprintf("u%d", i), g.Shape()...)
		b.fill(u, false)
		if term := b.g.Dot(u, g); functional == nil {
			functional = term
		} else {
			functional = b.g.Add(functional, term)
		}
	}
	if functional == nil {
		b.t.Fatal("no gradient")
	}
	return r, functional, grads
}

const delta = 1e-5

// lawFirst compares the pullback of ⟨r, y⟩ with central differences.
func lawFirst(t *testing.T, d *backend.Device, c opCase) {
	b := c.bench(t, d, Double)
	r := b.g.Input("r", b.y.Shape()...)
	b.fill(r, false)
	grads := b.g.Pullback([]*Node{b.y}, []*Node{r}, b.x)
	b.compare("gradient", b.g.Dot(r, b.y), b.x, grads)
}

// lawSecond compares the pullback of a random functional of the pullback with central differences. That is the second
// derivatives, and the derivative in the cotangent.
func lawSecond(t *testing.T, d *backend.Device, c opCase) {
	b := c.bench(t, d, Double)
	r, functional, _ := b.functional()
	one := b.g.Input("one", 1)
	set(b.g.Data(one), 0, 1)
	wrt := append([]*Node{r}, b.x...)
	b.compare("second derivative", functional, wrt, b.g.Pullback([]*Node{functional}, []*Node{one}, wrt))
}

// compare compares derivatives of the scalar f with central differences.
func (b *bench) compare(what string, f *Node, wrt, derivs []*Node) {
	b.t.Helper()
	if err := b.g.Err(); err != nil {
		b.t.Fatal(err)
	}
	p, err := b.g.Compile(Plan{Outputs: []*Node{f}})
	if err != nil {
		b.t.Fatal(err)
	}
	at := func() float64 {
		if err := p.Run(context.Background()); err != nil {
			b.t.Fatal(err)
		}
		return get(p.Value(f))[0]
	}
	for k, x := range wrt {
		v := b.g.Data(x).Float64s()
		want := make([]float64, len(v))
		for i, x0 := range v {
			v[i] = x0 + delta
			plus := at()
			v[i] = x0 - delta
			want[i] = (plus - at()) / (2 * delta)
			v[i] = x0
		}
		got := make([]float64, len(v))
		if derivs[k] != nil {
			got = b.eval(false, derivs[k])[0]
		}
		near(b.t, fmt.Sprintf("%s in %s", what, x.Name()), got, want, 1e-7)
	}
}

// lawPushforward compares J·u with the difference quotient along u.
func lawPushforward(t *testing.T, d *backend.Device, c opCase) {
	b := c.bench(t, d, Double)
	var us []*Node
	for i, x := range b.x {
		u := b.g.Input(fmt.Sprintf("u%d", i), x.Shape()...)
		b.fill(u, false)
		us = append(us, u)
	}
	got := b.eval(false, b.g.Pushforward(b.y, b.x, us))[0]
	along := func(h float64) []float64 {
		for i, x := range b.x {
			v, u := b.g.Data(x).Float64s(), b.g.Data(us[i]).Float64s()
			for j := range v {
				v[j] += h * u[j]
			}
		}
		return b.eval(false, b.y)[0]
	}
	plus := along(delta)
	minus := along(-2 * delta)
	for i := range plus {
		plus[i] = (plus[i] - minus[i]) / (2 * delta)
	}
	near(t, "J·u", got, plus, 1e-7)
}

// lawTapeMachine compares the op and its pullback with what Gorgonia's own tape machine computes from the same graph.
func lawTapeMachine(t *testing.T, d *backend.Device, c opCase) {
	b := c.bench(t, d, Double)
	r := b.g.Input("r", b.y.Shape()...)
	b.fill(r, false)
	var want []*Node
	for _, n := range append([]*Node{b.y}, b.g.Pullback([]*Node{b.y}, []*Node{r}, b.x)...) {
		if n != nil && n.Op() != nil { // an operand or r is no result
			want = append(want, n)
		}
	}
	if len(want) == 0 {
		return
	}
	ours := b.eval(false, want...)
	values := make([]gorgonia.Value, len(want))
	for i, n := range want {
		gorgonia.Read(n, &values[i])
	}
	m := gorgonia.NewTapeMachine(b.g.Expr())
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		near(t, want[i].Op().String(), get(values[i].(*tensor.Dense)), ours[i], 1e-13)
	}
}
