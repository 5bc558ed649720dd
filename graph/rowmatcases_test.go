package graph

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// rowMatCases are the ops on rows that hold matrices, and sums over sets of rows.
func rowMatCases() []opCase {
	var cases []opCase
	for _, s := range [][4]int{{3, 2, 5, 4}, {2, 9, 3, 17}, {4, 1, 7, 16}, {2, 13, 6, 1}, {3, 4, 1, 35}, {1, 1, 1, 1},
		{2, 11, 40, 33}} {
		p, m, k, n := s[0], s[1], s[2], s[3]
		cases = append(cases, opCase{
			name: fmt.Sprintf("row matmul, %d of %d×%d×%d", p, m, k, n), shapes: [][]int{{p, m * k}, {p, k * n}},
			build: func(g *Graph, x []*Node) *Node { return g.RowMatMul(x[0], x[1], m, k, n) },
			want:  func(x []array) array { return naiveRowMatMul(x[0], x[1], p, m, k, n) },
		}, opCase{
			name:   fmt.Sprintf("scaled row matmul, %d of %d×%d×%d", p, m, k, n),
			shapes: [][]int{{p, m * k}, {m * k}, {p, k * n}},
			build:  func(g *Graph, x []*Node) *Node { return g.scaledRowMatMul(x[0], x[1], x[2], m, k, n) },
			want: func(x []array) array {
				a := newArray(p, m*k)
				for i, v := range x[0].data {
					a.data[i] = v * x[1].data[i%(m*k)]
				}
				return naiveRowMatMul(a, x[2], p, m, k, n)
			},
		})
	}
	sets, _ := backend.NewSets(5, [][]int{{0, 1, 2}, {4}, {}, {2, 2, 3}, {0, 4}, {1}})
	for _, cols := range []int{1, 7, 64, 131} {
		cases = append(cases, opCase{
			name: fmt.Sprintf("sum sets of rows of %d", cols), shapes: [][]int{{5, cols}},
			build: func(g *Graph, x []*Node) *Node { return g.SumSets(x[0], sets) },
			want: func(x []array) array {
				y := newArray(sets.Len(), cols)
				for i := range sets.Len() {
					for _, r := range sets.Of(i) {
						for c := range cols {
							*y.at(i, c) += *x[0].at(int(r), c)
						}
					}
				}
				return y
			},
		})
	}
	return append(cases, rowKernelCases()...)
}

// rowKernelCases are the ops that kernels of patches are made of.
func rowKernelCases() []opCase {
	const p, b, d, n = 3, 4, 5, 2
	vector := func(x array, row, i int) []float64 { return x.data[(row*x.shape[1]/d+i)*d:][:d] }
	pairs := func(f func(u, v []float64) float64) func([]array) array {
		return func(x []array) array {
			y := newArray(p, b*n)
			for row := range p {
				for i := range b {
					for j := range n {
						*y.at(row, i*n+j) = f(vector(x[0], row, i), vector(x[1], row, j))
					}
				}
			}
			return y
		}
	}
	shapes := [][]int{{p, b * d}, {p, n * d}}
	return []opCase{
		{name: "row transpose", shapes: [][]int{{p, b * d}},
			build: func(g *Graph, x []*Node) *Node { return g.RowTranspose(x[0], b, d) },
			want: func(x []array) array {
				y := newArray(p, b*d)
				for row := range p {
					for i := range b {
						for k := range d {
							*y.at(row, k*b+i) = *x[0].at(row, i*d+k)
						}
					}
				}
				return y
			}},
		{name: "row squares", shapes: [][]int{{p, b * d}},
			build: func(g *Graph, x []*Node) *Node { return g.RowSquares(x[0], b, d) },
			want: func(x []array) array {
				y := newArray(p, b)
				for k := range y.data {
					y.data[k] = dotOf(x[0].data[k*d:(k+1)*d], x[0].data[k*d:(k+1)*d])
				}
				return y
			}},
		{name: "row squared distances", shapes: shapes, build: func(g *Graph, x []*Node) *Node {
			return g.RowSquaredDistances(x[0], x[1], b, d, n)
		}, want: pairs(squaredDistance)},
		{name: "cosines of inner products", shapes: [][]int{{p, b}, {p, b}}, positive: true,
			build: func(g *Graph, x []*Node) *Node { return g.CosinesOf(x[0], g.Shift(2, x[1])) },
			want:  each(func(v []float64) float64 { return v[0] / (v[1] + 2) })},
		{name: "at least", shapes: [][]int{{p, b}, {p, b}}, positive: true,
			build: func(g *Graph, x []*Node) *Node { return g.atLeast(.9, x[0], x[1]) },
			want: each(func(v []float64) float64 {
				if v[0] >= .9*v[1] {
					return v[0]
				}
				return 0
			})},
		{name: "power −1", shapes: [][]int{{p, b}}, positive: true,
			build: func(g *Graph, x []*Node) *Node { return g.Power(-1, x[0]) },
			want:  each(func(v []float64) float64 { return 1 / v[0] })},
		// All cotangents of this case reach one weight, through sums over sets, sums and products.
		{name: "a kernel of two layers", shapes: [][]int{{p, b}, {p, b}}, positive: true,
			build: func(g *Graph, x []*Node) *Node {
				sets, _ := backend.NewSets(p, [][]int{{0, 1}, {1, 2}})
				t := g.CosinesOf(x[0], g.Shift(2, x[1]))
				a := g.SumSets(g.Mul(g.ArcCosine0(t), x[1]), sets)
				return g.SumRows(g.Add(g.Mul(a, a), g.SumSets(g.Mask(x[1], t), sets)))
			},
			want: func(x []array) array {
				y := newArray(b)
				for c := range b {
					t := func(row int) float64 { return *x[0].at(row, c) / (*x[1].at(row, c) + 2) }
					a := func(row int) float64 { return (1 - math.Acos(t(row))/math.Pi) * *x[1].at(row, c) }
					for row := range p - 1 {
						s := a(row) + a(row+1)
						y.data[c] += s*s + t(row) + t(row+1)
					}
				}
				return y
			}},
	}
}

func naiveRowMatMul(a, b array, p, m, k, n int) array {
	y := newArray(p, m*n)
	for row := range p {
		for i := range m {
			for j := range n {
				for c := range k {
					*y.at(row, i*n+j) += *a.at(row, i*k+c) * *b.at(row, c*n+j)
				}
			}
		}
	}
	return y
}
