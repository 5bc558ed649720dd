package tree

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Model is a fitted tree. Its methods may be used from several goroutines at once.
type Model struct {
	nodes       []node // the root is the first
	leaves      []*rfm.Model
	leftOut     int
	temperature float64
	task        rfm.Task
	features    int
	outputs     int
	threads     int
}

// node is a split of a tree, or a leaf.
type node struct {
	leaf      int       // the number of a leaf, from 1; 0 for a split
	left      int       // the index of the left child; the right one is the next
	vector    []float64 // v
	threshold float64   // rows with vᵀx ≤ threshold go to the left
	scale     float64   // the standard deviation of vᵀx over the rows of the node
}

// divide returns the rows that go to the left and to the right, in their order.
func (n *node) divide(x *mat.Dense, rows []int) (left, right []int) {
	for _, r := range rows {
		if floats.Dot(n.vector, x.RawRowView(r)) <= n.threshold {
			left = append(left, r)
		} else {
			right = append(right, r)
		}
	}
	return left, right
}

// Leaves returns the machines of the leaves. The caller must not change the slice.
func (m *Model) Leaves() []*rfm.Model { return m.leaves }

// LeafRows returns the number of rows that every leaf was fitted to. A leaf that no validation row reached held out some of its
// own.
func (m *Model) LeafRows() []int {
	rows := make([]int, len(m.leaves))
	for i, leaf := range m.leaves {
		rows[i], _ = leaf.Centres().Dims()
	}
	return rows
}

// LeftOut returns the number of training rows that were dropped because a leaf had too many equal rows to divide.
func (m *Model) LeftOut() int { return m.leftOut }

// Temperature returns the T of the soft routing; 0 is hard routing.
func (m *Model) Temperature() float64 { return m.temperature }

// Task returns the task of the machines.
func (m *Model) Task() rfm.Task { return m.task }

// Kernel returns the kernel of the leaves.
func (m *Model) Kernel() rfm.Kernel { return m.leaves[0].Kernel() }

// Features returns the number of features of an input.
func (m *Model) Features() int { return m.features }

// Outputs returns the number of outputs.
func (m *Model) Outputs() int { return m.outputs }

// On returns the model on a backend, native, go, or "" for the best, with a number of leaves that predict at the same
// time; 0 is one for each core.
func (m *Model) On(backend string, threads int) *Model {
	on := *m
	if on.threads = threads; threads == 0 {
		on.threads = runtime.GOMAXPROCS(0)
	}
	on.leaves = make([]*rfm.Model, len(m.leaves))
	for i, leaf := range m.leaves {
		on.leaves[i] = leaf.On(backend, 1)
	}
	return &on
}

// leastWeight is the weight below which a branch is dropped.
const leastWeight = 1e-3

// share is the weight of a leaf in the outputs for a row.
type share struct {
	row    int
	weight float64
}

// route adds a row to the lists of the leaves that it reaches, with their weights.
func (m *Model) route(x []float64, row int, lists [][]share) {
	type branch struct {
		node   int
		weight float64
	}
	reached, total := []branch{}, 0.
	for stack := []branch{{0, 1}}; len(stack) > 0; {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &m.nodes[b.node]
		if n.leaf > 0 {
			reached, total = append(reached, b), total+b.weight
			continue
		}
		right := n.right(floats.Dot(n.vector, x), m.temperature)
		for side, p := range []float64{1 - right, right} {
			if w := b.weight * p; w >= leastWeight || !(p < .5) { // the likelier side is never dropped, nor a NaN
				stack = append(stack, branch{n.left + side, w})
			}
		}
	}
	for _, b := range reached {
		leaf := m.nodes[b.node].leaf - 1
		lists[leaf] = append(lists[leaf], share{row, b.weight / total})
	}
}

// right returns the probability of the right side for a row with the projection s.
func (n *node) right(s, temperature float64) float64 {
	if temperature == 0 {
		if s <= n.threshold {
			return 0
		}
		return 1
	}
	return 1 / (1 + math.Exp(-(s-n.threshold)/(temperature*n.scale)))
}

// blockRows is the number of rows predicted at a time, so that the copies of rows for the leaves stay small.
const blockRows = 1 << 16

// Predict returns the outputs for the rows of x, n×outputs. The outputs for a row depend neither on the other rows nor on the
// number of threads.
func (m *Model) Predict(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	return m.PredictReporting(ctx, x, nil)
}

// PredictReporting is [Model.Predict] with a callback, which may be nil, that reports the number of finished rows. Its calls
// do not overlap.
func (m *Model) PredictReporting(ctx context.Context, x *mat.Dense, report func(done, total int)) (*mat.Dense, error) {
	n, d := x.Dims()
	if d != m.features {
		return nil, fmt.Errorf("tree: the model was fitted to %d features, these examples have %d", m.features, d)
	}
	out := mat.NewDense(n, m.outputs, nil)
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		block := x.Slice(lo, hi, 0, d).(*mat.Dense)
		into := out.Slice(lo, hi, 0, m.outputs).(*mat.Dense)
		err := m.predictBlock(ctx, block, into, func(done, total int) {
			if report != nil {
				report(lo+(hi-lo)*done/total, n)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// predictBlock adds the outputs for the rows of x to out.
func (m *Model) predictBlock(ctx context.Context, x, out *mat.Dense, report func(done, total int)) error {
	lists := make([][]share, len(m.leaves))
	rows, d := x.Dims()
	for i := range rows {
		m.route(x.RawRowView(i), i, lists)
	}
	outputs := make([]*mat.Dense, len(m.leaves))
	done := func(finished int) { report(finished, len(m.leaves)) }
	err := parallel.Run(ctx, m.threads, len(m.leaves), done, func(int) (func(context.Context, int) error, error) {
		return func(ctx context.Context, leaf int) (err error) {
			list := lists[leaf]
			if len(list) == 0 {
				return nil
			}
			own := mat.NewDense(len(list), d, nil)
			for i, s := range list {
				own.SetRow(i, x.RawRowView(s.row))
			}
			outputs[leaf], err = m.leaves[leaf].PredictRows(ctx, own)
			return err
		}, nil
	})
	if err != nil {
		return err
	}
	for leaf, list := range lists { // in the same order for any number of threads
		for i, s := range list {
			floats.AddScaled(out.RawRowView(s.row), s.weight, outputs[leaf].RawRowView(i))
		}
	}
	return nil
}

// Score compares the predictions for the rows of x with the targets y, n×outputs.
func (m *Model) Score(ctx context.Context, x, y *mat.Dense) (rfm.Scores, error) {
	p, err := m.Predict(ctx, x)
	if err != nil {
		return rfm.Scores{}, err
	}
	return m.task.Score(p, y)
}

// Importances returns each feature's share of the trace of M, averaged over the leaves, weighted by their rows; nil if no leaf
// has learned an M.
func (m *Model) Importances() []float64 {
	learned := func(leaf *rfm.Model) bool {
		m := leaf.Metric()
		return !m.IsDiagonal() || slices.ContainsFunc(m.Diagonal(), func(v float64) bool { return v != 1 })
	}
	if !slices.ContainsFunc(m.leaves, learned) {
		return nil
	}
	sum, rows := make([]float64, m.features), m.LeafRows()
	for i, leaf := range m.leaves {
		if trace := leaf.Metric().Trace(); trace > 0 {
			floats.AddScaled(sum, float64(rows[i])/trace, leaf.Metric().Diagonal())
		}
	}
	if total := floats.Sum(sum); total > 0 {
		floats.Scale(1/total, sum)
	}
	return slices.Clip(sum)
}
