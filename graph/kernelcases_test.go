package graph

import "math"

// kernelCases are the ops that kernels are made of.
func kernelCases() []opCase {
	s := []int{2, 3, 1, 5}
	points := [][]int{{7, 3}, {5, 3}}
	wide := [][]int{{3, 2}, {1100, 2}} // rows longer than a block
	cosine := func(u, v []float64) float64 { return dotOf(u, v) / math.Sqrt(dotOf(u, u)*dotOf(v, v)) }
	return []opCase{
		{name: "exp", shapes: [][]int{s}, build: func(g *Graph, x []*Node) *Node { return g.Exp(x[0]) },
			want: each(func(v []float64) float64 { return math.Exp(v[0]) })},
		{name: "square root", shapes: [][]int{s}, positive: true,
			build: func(g *Graph, x []*Node) *Node { return g.Power(.5, x[0]) },
			want:  each(func(v []float64) float64 { return math.Sqrt(v[0]) })},
		{name: "power .7", shapes: [][]int{s}, positive: true,
			build: func(g *Graph, x []*Node) *Node { return g.Power(.7, x[0]) },
			want:  each(func(v []float64) float64 { return math.Pow(v[0], .7) })},
		{name: "power of what may be negative", shapes: [][]int{s},
			build: func(g *Graph, x []*Node) *Node { return g.Power(3, x[0]) },
			want:  each(func(v []float64) float64 { return math.Pow(math.Max(0, v[0]), 3) })},
		{name: "column fill", shapes: [][]int{{6}},
			build: func(g *Graph, x []*Node) *Node { return g.ColFill(x[0], 2, 3, 4) },
			want: func(x []array) array {
				y := newArray(2, 3, 4)
				for i := range y.data {
					y.data[i] = x[0].data[i/4]
				}
				return y
			}},
		{name: "sum columns", shapes: [][]int{{5, 700}},
			build: func(g *Graph, x []*Node) *Node { return g.SumCols(x[0]) },
			want: func(x []array) array {
				y := newArray(5)
				for i, v := range x[0].data {
					y.data[i/700] += v
				}
				return y
			}},
		{name: "norms", shapes: [][]int{{4, 3}}, build: func(g *Graph, x []*Node) *Node { return g.Norms(x[0]) },
			want: func(x []array) array {
				y := newArray(4)
				for i := range y.data {
					y.data[i] = math.Sqrt(dotOf(x[0].data[3*i:3*i+3], x[0].data[3*i:3*i+3]))
				}
				return y
			}},
		{name: "squared distances", shapes: points, build: func(g *Graph, x []*Node) *Node {
			return g.SquaredDistances(x[0], x[1])
		}, want: pairwise(squaredDistance)},
		{name: "squared distances, long rows", shapes: wide,
			build: func(g *Graph, x []*Node) *Node { return g.SquaredDistances(x[0], x[1]) },
			want:  pairwise(squaredDistance)},
		{name: "cosines", shapes: points, build: func(g *Graph, x []*Node) *Node { return g.Cosines(x[0], x[1]) },
			want: pairwise(cosine)},
		{name: "arc-cosine 0", shapes: points,
			build: func(g *Graph, x []*Node) *Node { return g.ArcCosine0(g.Cosines(x[0], x[1])) },
			want:  pairwise(func(u, v []float64) float64 { return 1 - math.Acos(cosine(u, v))/math.Pi })},
		{name: "arc-cosine 1", shapes: points,
			build: func(g *Graph, x []*Node) *Node { return g.ArcCosine1(g.Cosines(x[0], x[1])) },
			want: pairwise(func(u, v []float64) float64 {
				t := math.Acos(cosine(u, v))
				return (math.Sin(t) + math.Cos(t)*(math.Pi-t)) / math.Pi
			})},
	}
}

// pairwise returns the reference of an op on all pairs of rows of two matrices.
func pairwise(f func(u, v []float64) float64) func([]array) array {
	return func(x []array) array {
		b, n, d := x[0].shape[0], x[1].shape[0], x[0].shape[1]
		y := newArray(b, n)
		for i := range b {
			for j := range n {
				y.data[i*n+j] = f(x[0].data[i*d:(i+1)*d], x[1].data[j*d:(j+1)*d])
			}
		}
		return y
	}
}

func squaredDistance(u, v []float64) float64 {
	s := 0.
	for k := range u {
		s += (u[k] - v[k]) * (u[k] - v[k])
	}
	return s
}

func dotOf(u, v []float64) float64 {
	s := 0.
	for k := range u {
		s += u[k] * v[k]
	}
	return s
}
