package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// axesCases are reductions over axes, broadcasting, batches of matrix products, norms and interpolation.
func axesCases() []opCase {
	var cases []opCase
	shape := []int{2, 3, 4, 2}
	for _, axes := range [][]int{{0}, {1}, {3}, {1, 2}, {0, 2}, {0, 1, 2, 3}} {
		for _, f := range []struct {
			name string
			op   func(g *Graph, x *Node, axes ...int) *Node
			f    func(v []float64) float64
		}{
			{"sum", (*Graph).SumAxes, func(v []float64) float64 { return total(v) }},
			{"mean", (*Graph).MeanAxes, func(v []float64) float64 { return total(v) / float64(len(v)) }},
			{"maximum", (*Graph).MaxAxes, func(v []float64) float64 { return extremeOf(v, 1) }},
			{"minimum", (*Graph).MinAxes, func(v []float64) float64 { return -extremeOf(v, -1) }},
		} {
			cases = append(cases, opCase{name: fmt.Sprintf("%s over %v", f.name, axes), shapes: [][]int{shape},
				build: func(g *Graph, x []*Node) *Node { return f.op(g, x[0], axes...) },
				want:  func(x []array) array { return naiveReduce(x[0], axes, f.f) }})
		}
	}
	for _, c := range [][2][]int{
		{{2, 3, 4}, {4}}, {{2, 3, 4}, {3, 4}}, {{3}, {2, 3}}, {{2, 3, 4}, {3, 1}}, {{2, 1, 4}, {2, 3, 4}}, {{2, 1}, {1, 3}},
		{{2, 3}, {1}}, {{2, 3}, {2, 3}}, {{2, 2, 3, 2}, {2, 1, 1, 2}},
	} {
		for _, f := range []struct {
			name string
			op   func(g *Graph, a, b *Node) *Node
			f    func(a, b float64) float64
		}{
			{"+", (*Graph).AddBroadcast, func(a, b float64) float64 { return a + b }},
			{"−", (*Graph).SubBroadcast, func(a, b float64) float64 { return a - b }},
			{"·", (*Graph).MulBroadcast, func(a, b float64) float64 { return a * b }},
			{"/", (*Graph).DivBroadcast, func(a, b float64) float64 { return a / b }},
		} {
			cases = append(cases, opCase{name: fmt.Sprintf("%v %s %v", c[0], f.name, c[1]), shapes: c[:], positive: true,
				build: func(g *Graph, x []*Node) *Node { return f.op(g, x[0], x[1]) },
				want:  func(x []array) array { return naiveBroadcast(x[0], x[1], f.f) }})
		}
	}
	for _, flags := range [][2]bool{{}, {true, false}, {false, true}, {true, true}} {
		a, b := []int{2, 3, 2, 4}, []int{2, 3, 4, 5}
		if flags[0] {
			a[2], a[3] = a[3], a[2]
		}
		if flags[1] {
			b[2], b[3] = b[3], b[2]
		}
		cases = append(cases, opCase{name: fmt.Sprintf("batch matmul %v", flags), shapes: [][]int{a, b},
			build: func(g *Graph, x []*Node) *Node { return g.BatchMatMul(x[0], x[1], flags[0], flags[1]) },
			want: func(x []array) array {
				y := newArray(2, 3, 2, 5)
				for p := range 6 {
					for i := range 2 {
						for j := range 5 {
							for k := range 4 {
								at, bt := []int{p / 3, p % 3, i, k}, []int{p / 3, p % 3, k, j}
								if flags[0] {
									at[2], at[3] = at[3], at[2]
								}
								if flags[1] {
									bt[2], bt[3] = bt[3], bt[2]
								}
								*y.at(p/3, p%3, i, j) += *x[0].at(at...) * *x[1].at(bt...)
							}
						}
					}
				}
				return y
			}})
	}
	return append(cases, rowNormCases()...)
}

func total(v []float64) float64 {
	t := 0.
	for _, x := range v {
		t += x
	}
	return t
}

func extremeOf(v []float64, sign float64) float64 {
	best := math.Inf(-1)
	for _, x := range v {
		best = max(best, sign*x)
	}
	return best
}

func naiveReduce(x array, axes []int, f func([]float64) float64) array {
	to := append([]int(nil), x.shape...)
	for _, a := range axes {
		to[a] = 1
	}
	y := newArray(to...)
	parts := make([][]float64, len(y.data))
	for i, v := range x.data {
		at, rest := make([]int, len(to)), i
		for k := len(to) - 1; k >= 0; k-- {
			at[k] = min(rest%x.shape[k], to[k]-1)
			rest /= x.shape[k]
		}
		k := 0
		for j, a := range at {
			k = k*to[j] + a
		}
		parts[k] = append(parts[k], v)
	}
	for i, p := range parts {
		y.data[i] = f(p)
	}
	return y
}

func naiveBroadcast(a, b array, f func(a, b float64) float64) array {
	shape, err := BroadcastShape(a.shape, b.shape)
	if err != nil {
		panic(err)
	}
	y := newArray(shape...)
	read := func(x array, at []int) float64 {
		own := make([]int, len(x.shape))
		for k := range own {
			own[k] = min(at[len(at)-len(own)+k], x.shape[k]-1)
		}
		return *x.at(own...)
	}
	for i := range y.data {
		at, rest := make([]int, len(shape)), i
		for k := len(shape) - 1; k >= 0; k-- {
			at[k] = rest % shape[k]
			rest /= shape[k]
		}
		y.data[i] = f(read(a, at), read(b, at))
	}
	return y
}

// normalised returns (v − mean)/√(var + eps).
func normalised(v []float64, eps float64) []float64 {
	mean := total(v) / float64(len(v))
	variance := 0.
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v))
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = (x - mean) / math.Sqrt(variance+eps)
	}
	return out
}

func rowNormCases() []opCase {
	weights := mat.NewDense(3, 4, []float64{1, 0, 0, 0, .5, .25, 0, .25, 0, 0, 2, -1})
	return []opCase{
		{name: "normalise rows", shapes: [][]int{{2, 3, 5}},
			build: func(g *Graph, x []*Node) *Node { return g.NormaliseRows(x[0], .1) },
			want: func(x []array) array {
				y := newArray(2, 3, 5)
				for i := range 6 {
					copy(y.data[5*i:], normalised(x[0].data[5*i:5*i+5], .1))
				}
				return y
			}},
		{name: "layer norm", shapes: [][]int{{4, 6}, {6}, {6}},
			build: func(g *Graph, x []*Node) *Node { return g.LayerNorm(x[0], x[1], x[2], 1e-2) },
			want: func(x []array) array {
				y := newArray(4, 6)
				for i := range 4 {
					for j, v := range normalised(x[0].data[6*i:6*i+6], 1e-2) {
						y.data[6*i+j] = v*x[1].data[j] + x[2].data[j]
					}
				}
				return y
			}},
		{name: "group norm", shapes: [][]int{{2, 2, 3, 4}, {4}, {4}},
			build: func(g *Graph, x []*Node) *Node { return g.GroupNorm(x[0], 2, x[1], x[2], 1e-2) },
			want:  func(x []array) array { return naiveGroupNorm(x, 2, 1e-2) }},
		{name: "instance norm", shapes: [][]int{{2, 3, 2, 3}, {3}, {3}},
			build: func(g *Graph, x []*Node) *Node { return g.GroupNorm(x[0], 3, x[1], x[2], 1e-2) },
			want:  func(x []array) array { return naiveGroupNorm(x, 3, 1e-2) }},
		{name: "softmax along an axis", shapes: [][]int{{2, 3, 4}},
			build: func(g *Graph, x []*Node) *Node { return g.SoftmaxAxis(x[0], 1) },
			want:  func(x []array) array { return naiveSoftmax(x[0], func(p float64) float64 { return p }) }},
		{name: "log softmax along an axis", shapes: [][]int{{2, 3, 4}},
			build: func(g *Graph, x []*Node) *Node { return g.LogSoftmaxAxis(x[0], 1) },
			want:  func(x []array) array { return naiveSoftmax(x[0], math.Log) }},
		{name: "resize", shapes: [][]int{{2, 4, 2, 3}},
			build: func(g *Graph, x []*Node) *Node {
				return g.Resize(x[0], weights, mat.NewDense(3, 2, []float64{1, 0, .5, .5, 0, 1}))
			},
			want: func(x []array) array {
				y := newArray(2, 3, 3, 3)
				cols := [][]float64{{1, 0}, {.5, .5}, {0, 1}}
				for i := range y.data {
					n, h, w, c := i/27, i/9%3, i/3%3, i%3
					for k := range 4 {
						for l := range 2 {
							y.data[i] += weights.At(h, k) * cols[w][l] * *x[0].at(n, k, l, c)
						}
					}
				}
				return y
			}},
	}
}

func naiveGroupNorm(x []array, groups int, eps float64) array {
	s := x[0].shape
	y := newArray(s...)
	each := s[3] / groups
	for n := range s[0] {
		for g := range groups {
			var v []float64
			var at []int
			for p := range s[1] * s[2] {
				for c := g * each; c < (g+1)*each; c++ {
					i := (n*s[1]*s[2]+p)*s[3] + c
					v, at = append(v, x[0].data[i]), append(at, i)
				}
			}
			for k, r := range normalised(v, eps) {
				y.data[at[k]] = r*x[1].data[at[k]%s[3]] + x[2].data[at[k]%s[3]]
			}
		}
	}
	return y
}

func naiveSoftmax(x array, f func(float64) float64) array {
	y := newArray(x.shape...)
	for n := range x.shape[0] {
		for j := range x.shape[2] {
			sum := 0.
			for k := range x.shape[1] {
				sum += math.Exp(*x.at(n, k, j))
			}
			for k := range x.shape[1] {
				*y.at(n, k, j) = f(math.Exp(*x.at(n, k, j)) / sum)
			}
		}
	}
	return y
}
