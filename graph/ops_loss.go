package graph

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// Softmax returns the softmax of every row of the matrix z.
func (g *Graph) Softmax(z *Node) *Node {
	if g.err != nil {
		return nil
	}
	return g.apply(spec{
		name: "softmax", in: []*Node{z}, shape: z.Shape(),
		f32: softmax[float32](cols(z)), f64: softmax[float64](cols(z)),
		rule: func(p pull) []*Node {
			return []*Node{g.Sub(g.Mul(p.out, p.cot), g.ColMul(p.out, g.DotCols(p.out, p.cot)))}
		},
	})
}

// LogSumExp returns the vector log Σⱼ exp z[·,j], one element per row.
func (g *Graph) LogSumExp(z *Node) *Node {
	if g.err != nil {
		return nil
	}
	return g.apply(spec{
		name: "log sum exp", in: []*Node{z}, shape: tensor.Shape{rows(z)},
		f32: logSumExp[float32](cols(z)), f64: logSumExp[float64](cols(z)),
		rule: func(p pull) []*Node { return []*Node{g.ColMul(g.Softmax(p.in[0]), p.cot)} },
	})
}

func softmax[T backend.Float](cols int) func(*call[T]) error {
	return func(c *call[T]) error { c.engine.Softmax(cols, c.in[0], c.out); return nil }
}

func logSumExp[T backend.Float](cols int) func(*call[T]) error {
	return func(c *call[T]) error { c.engine.LogSumExp(cols, c.in[0], c.out); return nil }
}

// CrossEntropy returns −(1/batch) Σ t·log softmax(z), a node of shape (1), for
// logits z and targets t, (batch, classes). The rows of t must sum to 1.
func (g *Graph) CrossEntropy(z, t *Node) *Node {
	if !g.sameShape("cross-entropy", z, t) {
		return nil
	}
	return g.Scale(1/float64(rows(z)), g.Sub(g.Sum(g.LogSumExp(z)), g.Dot(z, t)))
}

// MeanSquaredError returns the mean of (z − t)² over all elements, a node of
// shape (1).
func (g *Graph) MeanSquaredError(z, t *Node) *Node {
	if !g.sameShape("mean squared error", z, t) {
		return nil
	}
	d := g.Sub(z, t)
	return g.Scale(1/float64(size(z)), g.Dot(d, d))
}

// Dropout returns x·mask. The mask is an input: the training loop fills it with 0
// and 1/(1 − p) before every step, from a separate random stream.
func (g *Graph) Dropout(x, mask *Node) *Node { return g.Mul(x, mask) }
