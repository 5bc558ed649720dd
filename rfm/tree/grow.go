package tree

import (
	"context"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/internal/random"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// fit holds the state of a call of [Machine.Fit].
type fit struct {
	*Machine
	plan  Plan
	all   rfm.Examples
	leaf  rfm.Machine // for the leaves and the subsamples
	model *Model
	parts []part // of the leaves, in their order
}

// part holds the rows of a node.
type part struct {
	node              int         // index of the node
	train, validation []int       // rows in ascending order
	metric            *rfm.Metric // the initial M of the node's machine; nil is I
}

// grow divides the training rows, level by level, until no node has more than a leaf may have.
func (f *fit) grow(ctx context.Context, train, validation []int) error {
	f.model.nodes = []node{{}}
	level := []part{{train: train, validation: validation}}
	for len(level) > 0 {
		children := make([][]part, len(level))
		splits := make([]node, len(level))
		done := func(finished int) { f.report("split", len(f.model.nodes)-len(level)+finished, 2*f.plan.Leaves-1) }
		err := parallel.Run(ctx, f.plan.AtATime, len(level), done, func(int) (func(context.Context, int) error, error) {
			return func(ctx context.Context, i int) (err error) {
				if len(level[i].train) > f.Rows {
					splits[i], children[i], err = f.split(ctx, level[i])
				}
				return err
			}, nil
		})
		if err != nil {
			return err
		}
		var next []part
		for i, p := range level {
			if children[i] == nil {
				f.addLeaf(p)
				continue
			}
			splits[i].left = len(f.model.nodes)
			f.model.nodes[p.node] = splits[i]
			for _, c := range children[i] {
				c.node = len(f.model.nodes)
				f.model.nodes = append(f.model.nodes, node{})
				next = append(next, c)
			}
		}
		level = next
	}
	return nil
}

// addLeaf makes a node a leaf. If it has too many rows, since no split divides them, the seed draws those that it keeps.
func (f *fit) addLeaf(p part) {
	if extra := len(p.train) - f.Rows; extra > 0 {
		f.model.leftOut += extra
		p.train = f.draw(p.train, f.Rows, "tree/equal", p.node)
	}
	f.model.nodes[p.node].leaf = len(f.parts) + 1
	f.parts = append(f.parts, p)
}

// draw returns n of the rows, in ascending order.
func (f *fit) draw(rows []int, n int, stream string, node int) []int {
	if n >= len(rows) {
		return rows
	}
	drawn := make([]int, n)
	for i, k := range random.New(f.leaf.Seed, stream, uint64(node)).Perm(len(rows))[:n] {
		drawn[i] = rows[k]
	}
	slices.Sort(drawn)
	return drawn
}

// split fits a machine to a subsample of a node's rows, and divides the rows along the top eigenvector of its AGOP. It
// returns no children if all rows are equal.
func (f *fit) split(ctx context.Context, p part) (node, []part, error) {
	m := f.leaf
	m.Iterations, m.Metric = firstIterations, p.metric
	if p.metric != nil || f.leaf.Iterations == 0 {
		m.Iterations = nextIterations
	}
	if m.Select == rfm.Best && len(p.validation) > 0 {
		v := f.all.Rows(f.draw(p.validation, f.splitRows(), "tree/validation", p.node))
		m.Validation = &v
	}
	sample := f.all.Rows(f.draw(p.train, f.splitRows(), "tree/sample", p.node))
	model, err := m.Fit(ctx, sample.X, sample.Y)
	if err != nil {
		return node{}, nil, err
	}
	agop, err := model.AGOP(ctx, sample.X, m.CentreGradients)
	if err != nil {
		return node{}, nil, err
	}
	if m.Diagonal {
		agop = rfm.DiagonalMetric(agop.Diagonal())
	}
	_, vectors, err := backend.EigenSym(agop.Dense(), true)
	if err != nil {
		return node{}, nil, err
	}
	best, divided := f.bestSplit(p.train, vectors)
	if !divided {
		return node{}, nil, nil
	}
	metric := model.Metric()
	if f.leaf.Iterations == 0 {
		metric = nil // plain kernel machines
	}
	left, right := part{metric: metric}, part{metric: metric}
	left.train, right.train = best.divide(f.all.X, p.train)
	left.validation, right.validation = best.divide(f.all.X, p.validation)
	return best, []part{left, right}, nil
}

// enough is the share of the rows on the smaller side with which a split is accepted at once.
const enough = .1

// bestSplit tries the vectors from the last column to the first. It returns the first split with enough rows on either side,
// or else the most even one.
func (f *fit) bestSplit(rows []int, vectors *mat.Dense) (best node, divided bool) {
	_, d := vectors.Dims()
	most := 0
	for k := d - 1; k >= 0 && float64(most) < enough*float64(len(rows)); k-- {
		v := mat.Col(nil, k, vectors)
		if v[blas64.Iamax(blas64.Vector{N: len(v), Inc: 1, Data: v})] < 0 {
			floats.Scale(-1, v) // the sign of an eigenvector is arbitrary
		}
		if n, smaller := splitAlong(f.all.X, rows, v); smaller > most {
			best, most = n, smaller
		}
	}
	return best, most > 0
}

// splitAlong splits rows halfway between the median of vᵀx and the next value, or between the median and the value before it
// if that is more even. It returns the split and the number of rows on its smaller side, 0 if it cannot divide them.
func splitAlong(x *mat.Dense, rows []int, v []float64) (node, int) {
	s := make([]float64, len(rows))
	for i, r := range rows {
		s[i] = floats.Dot(v, x.RawRowView(r))
	}
	slices.Sort(s)
	n := node{vector: v, scale: stat.PopStdDev(s, nil)}
	median := s[(len(s)-1)/2]
	below, _ := slices.BinarySearch(s, median)                             // number of values less than the median
	upTo, _ := slices.BinarySearch(s, math.Nextafter(median, math.Inf(1))) // number of values up to the median
	smaller := func(left int) int { return min(left, len(s)-left) }
	left := upTo
	if smaller(below) > smaller(upTo) {
		left = below
	}
	if smaller(left) == 0 || !(n.scale > 0) {
		return n, 0
	}
	if n.threshold = s[left-1] + (s[left]-s[left-1])/2; n.threshold >= s[left] {
		n.threshold = s[left-1] // there is no number between them
	}
	return n, smaller(left)
}
