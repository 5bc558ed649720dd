package graph

import (
	"fmt"
	"math"
	"testing"
)

// differenceCases are the functions of differences, over odd shapes: distances, and weighted sums of differences with
// and without weights. The operands are kept apart (see [apartness]), because the functions are not smooth at 0.
func differenceCases() []opCase {
	var cases []opCase
	for _, s := range [][3]int{{3, 5, 7}, {1, 4, 1}, {5, 1, 18}, {2, 9, 35}} {
		b, n, d := s[0], s[1], s[2]
		for _, p := range []float64{.5, 1, 1.5, 2, 3} {
			cases = append(cases, opCase{
				name:   fmt.Sprintf("power distance %v of %d×%d and %d×%d", p, b, d, n, d),
				shapes: [][]int{{b, d}, {n, d}}, positive: true,
				build: func(g *Graph, x []*Node) *Node { return g.PowerDistance(p, x[0], apart(g, x[1])) },
				want: differenceReference(b, n, d, func(x []array, i, j, k int) (int, float64) {
					return i*n + j, math.Pow(math.Abs(*x[0].at(i, k)-*x[1].at(j, k)*apartness(j, k)), p)
				}, b, n),
			})
		}
	}
	for _, f := range []powerOf{{0, false}, {0, true}, {1, false}, {1, true}, {-.5, true}, {1.5, true}} {
		cases = append(cases, weightedCases(f, 3, 5, 18)...)
	}
	return cases
}

// weightedCases are sums and combinations of differences with one or two weights, and a transposed combination.
func weightedCases(f powerOf, b, n, d int) []opCase {
	at := func(x []array, i, j, k int) float64 {
		delta := *x[0].at(i, k) - *x[1].at(j, k)*apartness(j, k)
		if y := math.Pow(math.Abs(delta), f.p); !f.odd || delta > 0 {
			return y
		} else {
			return -y
		}
	}
	add := func(what string, third, fourth []int, build func(g *Graph, u, v *Node, x []*Node) *Node,
		term func(x []array, i, j, k int) (int, float64), shape ...int) opCase {
		shapes := [][]int{{b, d}, {n, d}, third}
		if fourth != nil {
			shapes = append(shapes, fourth)
		}
		return opCase{name: fmt.Sprintf("%s of differences, %+v", what, f), shapes: shapes, positive: true,
			build: func(g *Graph, x []*Node) *Node { return build(g, x[0], apart(g, x[1]), x[2:]) },
			want: differenceReference(b, n, d, func(x []array, i, j, k int) (int, float64) {
				to, weight := term(x, i, j, k)
				return to, weight * at(x, i, j, k)
			}, shape...)}
	}
	return []opCase{
		add("weighted sum", []int{b, d}, []int{n, d},
			func(g *Graph, u, v *Node, x []*Node) *Node { return g.sumDifferences(f, u, v, x[0], x[1]) },
			func(x []array, i, j, k int) (int, float64) { return i*n + j, *x[2].at(i, k) * *x[3].at(j, k) }, b, n),
		add("sum weighted once", []int{n, d}, nil,
			func(g *Graph, u, v *Node, x []*Node) *Node { return g.sumDifferences(f, u, v, nil, x[0]) },
			func(x []array, i, j, k int) (int, float64) { return i*n + j, *x[2].at(j, k) }, b, n),
		add("combination", []int{b, n}, nil,
			func(g *Graph, u, v *Node, x []*Node) *Node { return g.weighDifferences(f, u, v, x[0], nil, false) },
			func(x []array, i, j, k int) (int, float64) { return i*d + k, *x[2].at(i, j) }, b, d),
		add("transposed combination", []int{n, b}, nil,
			func(g *Graph, u, v *Node, x []*Node) *Node { return g.weighDifferences(f, u, v, x[0], nil, true) },
			func(x []array, i, j, k int) (int, float64) { return i*d + k, *x[2].at(j, i) }, b, d),
		add("weighted combination", []int{b, n}, []int{n, d},
			func(g *Graph, u, v *Node, x []*Node) *Node { return g.weighDifferences(f, u, v, x[0], x[1], false) },
			func(x []array, i, j, k int) (int, float64) { return i*d + k, *x[2].at(i, j) * *x[3].at(j, k) }, b, d),
	}
}

// differenceReference returns a reference that sums term over all rows i and j and columns k. term returns the index of
// an element of the result, and what is added to it.
func differenceReference(b, n, d int, term func(x []array, i, j, k int) (int, float64),
	shape ...int) func([]array) array {
	return func(x []array) array {
		y := newArray(shape...)
		for i := range b {
			for j := range n {
				for k := range d {
					to, v := term(x, i, j, k)
					y.data[to] += v
				}
			}
		}
		return y
	}
}

// apartness returns the factor that keeps operands from (0.5, 1.5) apart: the product is at least 0.5 above or below
// any of them, each for about half of the elements.
func apartness(j, k int) float64 {
	if (j+k)%2 == 0 {
		return 4
	}
	return -4
}

func apart(g *Graph, v *Node) *Node {
	n, d := v.Shape()[0], v.Shape()[1]
	by := g.Input("apartness", n, d)
	for i := range n * d {
		set(g.Data(by), i, apartness(i/d, i%d))
	}
	return g.Mul(v, by)
}

// Where coordinates coincide, distances have the derivative 0, and no first or second derivative is infinite or NaN.
func TestCoincident(t *testing.T) {
	for _, dev := range devices(t) {
		for _, precision := range []Precision{Double, Single} {
			for _, p := range []float64{.5, 1, 1.5, 2} {
				b := &bench{t: t, g: New(dev, precision)}
				u, v := b.g.Param("u", 2, 19), b.g.Param("v", 3, 19)
				for i := range size(u) {
					set(b.g.Data(u), i, float64(i%19))
				}
				for i := range size(v) { // differs from u in every other column
					set(b.g.Data(v), i, float64(i%19+i%19%2))
				}
				nodes := secondOrder(b, b.g.PowerDistance(p, u, v), u, v)
				for n, got := range b.eval(false, nodes...) {
					for i, x := range got {
						if math.IsNaN(x) || math.IsInf(x, 0) {
							t.Fatalf("%s, %v, p = %v: %v[%d] = %v", dev.Name(), precision, p, nodes[n], i, x)
						}
						if k := i % 19; n < 2 && k%2 == 0 && x != 0 || n < 2 && k%2 == 1 && x == 0 {
							t.Fatalf("%s, %v, p = %v: gradient[%d] = %v", dev.Name(), precision, p, i, x)
						}
					}
				}
			}
		}
	}
}

// secondOrder returns the gradients of the sum of y in u and v, and the gradients of the sum of the first of these.
func secondOrder(b *bench, y, u, v *Node) []*Node {
	one := b.g.Input("one", 1)
	set(b.g.Data(one), 0, 1)
	nodes := b.g.Pullback([]*Node{b.g.Sum(y)}, []*Node{one}, []*Node{u, v})
	for _, n := range b.g.Pullback([]*Node{b.g.Sum(nodes[0])}, []*Node{one}, []*Node{u, v}) {
		if n != nil {
			nodes = append(nodes, n)
		}
	}
	if err := b.g.Err(); err != nil {
		b.t.Fatal(err)
	}
	return nodes
}

func TestPowerDistanceRefuses(t *testing.T) {
	for _, p := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		g := New(nil, Double)
		if g.PowerDistance(p, g.Input("u", 2, 3), g.Input("v", 2, 3)); g.Err() == nil {
			t.Errorf("exponent %v is taken", p)
		}
	}
	g := New(nil, Double)
	if g.PowerDistance(1, g.Input("u", 2, 3), g.Input("v", 2, 4)); g.Err() == nil {
		t.Error("rows of 3 and 4 are taken")
	}
}
