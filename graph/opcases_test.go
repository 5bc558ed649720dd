package graph

import (
	"fmt"
	"math"
)

// opCases lists every op, over odd shapes, each with a naive reference.
func opCases() []opCase {
	cases := elementwiseCases()
	cases = append(cases, reductionCases()...)
	cases = append(cases, matmulCases()...)
	cases = append(cases, convCases()...)
	cases = append(cases, poolCases()...)
	cases = append(cases, layoutCases()...)
	cases = append(cases, kernelCases()...)
	cases = append(cases, networkCases()...)
	cases = append(cases, rowMatCases()...)
	cases = append(cases, differenceCases()...)
	cases = append(cases, activationCases()...)
	cases = append(cases, viewCases()...)
	cases = append(cases, axesCases()...)
	return cases
}

// each returns a reference that computes every element from the same element of each operand.
func each(f func(v []float64) float64) func([]array) array {
	return func(x []array) array {
		y := newArray(x[0].shape...)
		for i := range y.data {
			v := make([]float64, len(x))
			for k := range x {
				v[k] = x[k].data[i]
			}
			y.data[i] = f(v)
		}
		return y
	}
}

// byRow is like each, but all operands after the first are vectors that are repeated for every row.
func byRow(f func(v []float64) float64) func([]array) array {
	return func(x []array) array {
		y := newArray(x[0].shape...)
		width := x[0].shape[len(x[0].shape)-1]
		for i := range y.data {
			v := []float64{x[0].data[i]}
			for _, w := range x[1:] {
				v = append(v, w.data[i%width])
			}
			y.data[i] = f(v)
		}
		return y
	}
}

func elementwiseCases() []opCase {
	s := []int{2, 3, 1, 5}
	wide := []int{32, 33} // several blocks, whose bounds lie within rows
	return []opCase{
		{name: "add", shapes: [][]int{s, s}, build: func(g *Graph, x []*Node) *Node { return g.Add(x[0], x[1]) },
			want: each(func(v []float64) float64 { return v[0] + v[1] })},
		{name: "add to itself", shapes: [][]int{s}, build: func(g *Graph, x []*Node) *Node { return g.Add(x[0], x[0]) },
			want: each(func(v []float64) float64 { return 2 * v[0] })},
		{name: "sub", shapes: [][]int{s, s}, build: func(g *Graph, x []*Node) *Node { return g.Sub(x[0], x[1]) },
			want: each(func(v []float64) float64 { return v[0] - v[1] })},
		{name: "mul", shapes: [][]int{s, s}, build: func(g *Graph, x []*Node) *Node { return g.Mul(x[0], x[1]) },
			want: each(func(v []float64) float64 { return v[0] * v[1] })},
		{name: "square", shapes: [][]int{s}, build: func(g *Graph, x []*Node) *Node { return g.Mul(x[0], x[0]) },
			want: each(func(v []float64) float64 { return v[0] * v[0] })},
		{name: "scale", shapes: [][]int{s}, build: func(g *Graph, x []*Node) *Node { return g.Scale(-1.5, x[0]) },
			want: each(func(v []float64) float64 { return -1.5 * v[0] })},
		{name: "shift", shapes: [][]int{s}, build: func(g *Graph, x []*Node) *Node { return g.Shift(.25, x[0]) },
			want: each(func(v []float64) float64 { return .25 + v[0] })},
		{name: "relu", shapes: [][]int{s}, build: func(g *Graph, x []*Node) *Node { return g.ReLU(x[0]) },
			want: each(func(v []float64) float64 { return math.Max(0, v[0]) })},
		{name: "mask", shapes: [][]int{s, s}, build: func(g *Graph, x []*Node) *Node { return g.Mask(x[0], x[1]) },
			want: each(func(v []float64) float64 {
				if v[0] > 0 {
					return v[1]
				}
				return 0
			})},
		{name: "tanh", shapes: [][]int{s}, build: func(g *Graph, x []*Node) *Node { return g.Tanh(x[0]) },
			want: each(func(v []float64) float64 { return math.Tanh(v[0]) })},
		{name: "rsqrt", shapes: [][]int{s}, positive: true,
			build: func(g *Graph, x []*Node) *Node { return g.Rsqrt(x[0]) },
			want:  each(func(v []float64) float64 { return 1 / math.Sqrt(v[0]) })},
		{name: "row add", shapes: [][]int{s, {5}},
			build: func(g *Graph, x []*Node) *Node { return g.RowAdd(x[0], x[1]) },
			want:  byRow(func(v []float64) float64 { return v[0] + v[1] })},
		{name: "row mul", shapes: [][]int{s, {5}},
			build: func(g *Graph, x []*Node) *Node { return g.RowMul(x[0], x[1]) },
			want:  byRow(func(v []float64) float64 { return v[0] * v[1] })},
		{name: "row affine", shapes: [][]int{wide, {33}, {33}},
			build: func(g *Graph, x []*Node) *Node { return g.RowAffine(x[0], x[1], x[2]) },
			want:  byRow(func(v []float64) float64 { return v[0]*v[1] + v[2] })},
		{name: "row affine, one row", shapes: [][]int{{1, 7}, {7}, {7}},
			build: func(g *Graph, x []*Node) *Node { return g.RowAffine(x[0], x[1], x[2]) },
			want:  byRow(func(v []float64) float64 { return v[0]*v[1] + v[2] })},
		{name: "row fill", shapes: [][]int{{5}},
			build: func(g *Graph, x []*Node) *Node { return g.RowFill(x[0], 2, 3, 5) },
			want: func(x []array) array {
				y := newArray(2, 3, 5)
				for i := range y.data {
					y.data[i] = x[0].data[i%5]
				}
				return y
			}},
		{name: "row mul of a vector with itself", shapes: [][]int{{5}},
			build: func(g *Graph, x []*Node) *Node { v := g.Scale(2, x[0]); return g.RowMul(v, v) },
			want:  each(func(v []float64) float64 { return 4 * v[0] * v[0] })},
		{name: "scalar mul of a number with itself", shapes: [][]int{{1}},
			build: func(g *Graph, x []*Node) *Node { v := g.Shift(1, x[0]); return g.Tanh(g.ScalarMul(v, v)) },
			want:  each(func(v []float64) float64 { return math.Tanh((v[0] + 1) * (v[0] + 1)) })},
		{name: "column mul", shapes: [][]int{{6, 4}, {6}},
			build: func(g *Graph, x []*Node) *Node { return g.ColMul(x[0], x[1]) },
			want: func(x []array) array {
				y := newArray(6, 4)
				for i := range y.data {
					y.data[i] = x[0].data[i] * x[1].data[i/4]
				}
				return y
			}},
		{name: "scalar mul", shapes: [][]int{s, {1}},
			build: func(g *Graph, x []*Node) *Node { return g.ScalarMul(x[0], x[1]) },
			want: func(x []array) array {
				y := newArray(s...)
				for i := range y.data {
					y.data[i] = x[0].data[i] * x[1].data[0]
				}
				return y
			}},
		{name: "scalar fill", shapes: [][]int{{1}},
			build: func(g *Graph, x []*Node) *Node { return g.ScalarFill(x[0], 3, 2) },
			want: func(x []array) array {
				y := newArray(3, 2)
				for i := range y.data {
					y.data[i] = x[0].data[0]
				}
				return y
			}},
		{name: "scalar fill of a matrix", shapes: [][]int{{1, 1}},
			build: func(g *Graph, x []*Node) *Node { return g.ScalarFill(g.Mul(x[0], x[0]), 3, 2) },
			want: func(x []array) array {
				y := newArray(3, 2)
				for i := range y.data {
					y.data[i] = x[0].data[0] * x[0].data[0]
				}
				return y
			}},
		{name: "dropout", shapes: [][]int{s, s},
			build: func(g *Graph, x []*Node) *Node { return g.Dropout(x[0], x[1]) },
			want:  each(func(v []float64) float64 { return v[0] * v[1] })},
		{name: "long chain", shapes: [][]int{{7, 150}, {7, 150}, {150}, {150}}, build: longChain,
			want: func(x []array) array {
				y := newArray(7, 150)
				for i := range y.data {
					a, b, v, w := x[0].data[i], x[1].data[i], x[2].data[i%150], x[3].data[i%150]
					h := math.Tanh(a*v + w)
					k := math.Tanh(b + v)
					y.data[i] = (math.Tanh(h*k-a) + h + .5*k) * w
				}
				return y
			}},
	}
}

// longChain has more elementwise ops than fit in one chain.
func longChain(g *Graph, x []*Node) *Node {
	a, b, v, w := x[0], x[1], x[2], x[3]
	h := g.Tanh(g.RowAffine(a, v, w))
	k := g.Tanh(g.RowAdd(b, v))
	return g.RowMul(g.Add(g.Add(g.Tanh(g.Sub(g.Mul(h, k), a)), h), g.Scale(.5, k)), w)
}

func reductionCases() []opCase {
	sum := func(out func(i, width int) int, n func(x []array) int) func([]array) array {
		return func(x []array) array {
			y := newArray(n(x))
			width := x[0].shape[len(x[0].shape)-1]
			for i, v := range x[0].data {
				if len(x) > 1 {
					v *= x[1].data[i]
				}
				y.data[out(i, width)] += v
			}
			return y
		}
	}
	byCol := func(i, width int) int { return i % width }
	byRow := func(i, width int) int { return i / width }
	all := func(i, width int) int { return 0 }
	width := func(x []array) int { return x[0].shape[len(x[0].shape)-1] }
	height := func(x []array) int { return len(x[0].data) / width(x) }
	one := func([]array) int { return 1 }
	sumRows := func(g *Graph, x []*Node) *Node { return g.SumRows(x[0]) }
	return []opCase{
		{name: "sum rows", shapes: [][]int{{2, 3, 5, 4}}, build: sumRows, want: sum(byCol, width)},
		{name: "sum of many short rows", shapes: [][]int{{100, 3}}, build: sumRows, want: sum(byCol, width)},
		{name: "sum of long rows", shapes: [][]int{{3, 130}}, build: sumRows, want: sum(byCol, width)},
		{name: "dot rows", shapes: [][]int{{2, 9, 7}, {2, 9, 7}}, want: sum(byCol, width),
			build: func(g *Graph, x []*Node) *Node { return g.DotRows(x[0], x[1]) }},
		{name: "dot columns", shapes: [][]int{{9, 7}, {9, 7}}, want: sum(byRow, height),
			build: func(g *Graph, x []*Node) *Node { return g.DotCols(x[0], x[1]) }},
		{name: "dot", shapes: [][]int{{5, 7}, {5, 7}}, want: sum(all, one),
			build: func(g *Graph, x []*Node) *Node { return g.Dot(x[0], x[1]) }},
		{name: "sum", shapes: [][]int{{5, 2, 7}}, want: sum(all, one),
			build: func(g *Graph, x []*Node) *Node { return g.Sum(x[0]) }},
		{name: "variance of rows", shapes: [][]int{{4, 5, 3}, {3}},
			build: func(g *Graph, x []*Node) *Node { return g.VarRows(x[0], x[1]) },
			want: func(x []array) array {
				y := newArray(3)
				for i, v := range x[0].data {
					d := v - x[1].data[i%3]
					y.data[i%3] += d * d / 20
				}
				return y
			}},
	}
}

func matmulCases() []opCase {
	var cases []opCase
	for _, ta := range []bool{false, true} {
		for _, tb := range []bool{false, true} {
			a, b := []int{4, 3}, []int{3, 5}
			if ta {
				a = []int{3, 4}
			}
			if tb {
				b = []int{5, 3}
			}
			cases = append(cases, opCase{
				name: fmt.Sprintf("matmul %v %v", ta, tb), shapes: [][]int{a, b},
				build: func(g *Graph, x []*Node) *Node { return g.MatMul(x[0], x[1], ta, tb) },
				want: func(x []array) array {
					y := newArray(4, 5)
					for i := range 4 {
						for j := range 5 {
							for k := range 3 {
								p, q := x[0].at, x[1].at
								u, v := 0., 0.
								if ta {
									u = *p(k, i)
								} else {
									u = *p(i, k)
								}
								if tb {
									v = *q(j, k)
								} else {
									v = *q(k, j)
								}
								*y.at(i, j) += u * v
							}
						}
					}
					return y
				},
			})
		}
	}
	return append(cases, opCase{name: "linear", shapes: [][]int{{2, 3}, {4, 3}},
		build: func(g *Graph, x []*Node) *Node { return g.Linear(x[0], x[1]) },
		want: func(x []array) array {
			y := newArray(2, 4)
			for n := range 2 {
				for o := range 4 {
					for i := range 3 {
						*y.at(n, o) += *x[0].at(n, i) * *x[1].at(o, i)
					}
				}
			}
			return y
		}})
}

func layoutCases() []opCase {
	shortcut := func(stride, before, after int, x []int) opCase {
		return opCase{name: fmt.Sprintf("subsample %v by %d, %d+%d", x, stride, before, after), shapes: [][]int{x},
			build: func(g *Graph, n []*Node) *Node { return g.Subsample(n[0], stride, before, after) },
			want: func(a []array) array {
				y := newArray(x[0], (x[1]+stride-1)/stride, (x[2]+stride-1)/stride, before+x[3]+after)
				for n := range y.shape[0] {
					for i := range y.shape[1] {
						for j := range y.shape[2] {
							for c := range x[3] {
								*y.at(n, i, j, before+c) = *a[0].at(n, i*stride, j*stride, c)
							}
						}
					}
				}
				return y
			}}
	}
	flatten := func(x ...int) opCase {
		return opCase{name: fmt.Sprintf("flatten %v", x), shapes: [][]int{x},
			build: func(g *Graph, n []*Node) *Node { return g.Flatten(n[0]) },
			want: func(a []array) array {
				y := newArray(x[0], x[3]*x[1]*x[2])
				for n := range x[0] {
					for h := range x[1] {
						for w := range x[2] {
							for c := range x[3] {
								*y.at(n, (c*x[1]+h)*x[2]+w) = *a[0].at(n, h, w, c)
							}
						}
					}
				}
				return y
			}}
	}
	return []opCase{
		flatten(2, 3, 4, 5), flatten(1, 1, 1, 7), flatten(3, 2, 5, 1), flatten(2, 17, 3, 18),
		shortcut(2, 1, 2, []int{2, 4, 5, 3}), shortcut(1, 0, 0, []int{1, 3, 3, 2}),
		shortcut(2, 4, 4, []int{2, 1, 1, 8}),
		{name: "reshape", shapes: [][]int{{3, 4}},
			build: func(g *Graph, n []*Node) *Node { return g.Tanh(g.Reshape(g.Scale(2, n[0]), 2, 6)) },
			want: func(a []array) array {
				y := newArray(2, 6)
				for i, v := range a[0].data {
					y.data[i] = math.Tanh(2 * v)
				}
				return y
			}},
	}
}

func networkCases() []opCase {
	norm := func(x []*Node) Norm { return Norm{Gamma: x[1], Beta: x[2], Mean: x[3], Var: x[4], Eps: 1e-3} }
	return []opCase{
		{name: "batch norm, evaluation", shapes: [][]int{{2, 3, 2, 4}, {4}, {4}, {4}, {4}}, positive: true,
			build: func(g *Graph, x []*Node) *Node { return g.BatchNorm(x[0], norm(x)) },
			want: byRow(func(v []float64) float64 {
				return v[1]*(v[0]-v[3])/math.Sqrt(v[4]+1e-3) + v[2]
			})},
		{name: "batch norm, training", shapes: [][]int{{3, 2, 2, 3}, {3}, {3}},
			build: func(g *Graph, x []*Node) *Node {
				y, _, _ := g.BatchNormTrain(x[0], Norm{Gamma: x[1], Beta: x[2], Eps: 1e-2})
				return y
			},
			want: func(x []array) array {
				y := newArray(3, 2, 2, 3)
				for c := range 3 {
					m, v := 0., 0.
					for i := c; i < 36; i += 3 {
						m += x[0].data[i] / 12
					}
					for i := c; i < 36; i += 3 {
						v += (x[0].data[i] - m) * (x[0].data[i] - m) / 12
					}
					for i := c; i < 36; i += 3 {
						y.data[i] = x[1].data[c]*(x[0].data[i]-m)/math.Sqrt(v+1e-2) + x[2].data[c]
					}
				}
				return y
			}},
		{name: "softmax", shapes: [][]int{{3, 5}}, build: func(g *Graph, x []*Node) *Node { return g.Softmax(x[0]) },
			want: func(x []array) array {
				y := newArray(3, 5)
				for i := range 3 {
					s := 0.
					for j := range 5 {
						s += math.Exp(*x[0].at(i, j))
					}
					for j := range 5 {
						*y.at(i, j) = math.Exp(*x[0].at(i, j)) / s
					}
				}
				return y
			}},
		{name: "log sum exp", shapes: [][]int{{3, 5}},
			build: func(g *Graph, x []*Node) *Node { return g.LogSumExp(x[0]) },
			want: func(x []array) array {
				y := newArray(3)
				for i := range 3 {
					s := 0.
					for j := range 5 {
						s += math.Exp(*x[0].at(i, j))
					}
					y.data[i] = math.Log(s)
				}
				return y
			}},
		{name: "cross-entropy", shapes: [][]int{{4, 3}},
			build: func(g *Graph, x []*Node) *Node {
				t := g.Input("targets", 4, 3)
				for i := range 4 {
					set(g.Data(t), i*3+i%3, 1)
				}
				return g.CrossEntropy(x[0], t)
			},
			want: func(x []array) array {
				y := newArray(1)
				for i := range 4 {
					s := 0.
					for j := range 3 {
						s += math.Exp(*x[0].at(i, j))
					}
					y.data[0] -= math.Log(math.Exp(*x[0].at(i, i%3))/s) / 4
				}
				return y
			}},
		{name: "mean squared error", shapes: [][]int{{4, 3}, {4, 3}},
			build: func(g *Graph, x []*Node) *Node { return g.MeanSquaredError(x[0], x[1]) },
			want: func(x []array) array {
				y := newArray(1)
				for i, v := range x[0].data {
					d := v - x[1].data[i]
					y.data[0] += d * d / 12
				}
				return y
			}},
	}
}
