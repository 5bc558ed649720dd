package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/graph/values"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// AGOP returns the average gradient outer product of f's outputs at a tap,
//
//	(1/n) Σ over examples, positions and outputs of ggᵀ,
//
// where g is the gradient of one output in one row of the tap. The rows of the tap LAYER/in are the patches (cnfa
// eq. 2) or features that a convolution or linear layer reads, so that the result is d×d with d the layer's patch
// size. batches yields the inputs of f, batch by batch, each with at most as many examples as a batch of f.
//
// A layer reads its input through W alone. So g = Wᵀδ with δ the gradient at the pre-activation, and the AGOP of a
// layer is Wᵀ(Σδδᵀ)W / n: no patch is formed, and biases and other branches do not matter. The sum runs over all uses
// of the layer's weights. [Function.Moments] is cheaper for many layers at once. A convolution with groups has one AGOP
// per group: see [Function.AGOPBlocks].
func (f *Function) AGOP(ctx context.Context, tap string, batches iter.Seq2[*tensor.Dense, error],
	o Outputs) (*mat.SymDense, error) {
	_, layer, err := f.agopSource(tap)
	if err != nil {
		return nil, err
	}
	if layer != nil && layer.Groups() > 1 {
		return nil, fmt.Errorf("graph: AGOP at %s: a convolution with %d groups has one matrix per group: use AGOPBlocks",
			tap, layer.Groups())
	}
	blocks, err := f.AGOPBlocks(ctx, tap, batches, o)
	if err != nil {
		return nil, err
	}
	return blocks[0], nil
}

// AGOPBlocks returns the AGOP of every group of a convolution, W_gᵀS_gW_g / n, where W_g holds the group's filters and
// S_g is the second moment Σδδᵀ of the gradients at their outputs. Any other tap has one block, its [Function.AGOP].
func (f *Function) AGOPBlocks(ctx context.Context, tap string, batches iter.Seq2[*tensor.Dense, error],
	o Outputs) ([]*mat.SymDense, error) {
	if len(f.Inputs()) != 1 {
		return nil, fmt.Errorf("graph: AGOP of a function with %d inputs: want 1", len(f.Inputs()))
	}
	source, layer, err := f.agopSource(tap)
	if err != nil {
		return nil, err
	}
	if o.Diagonal && layer != nil {
		return nil, errors.New("graph: the diagonal of a layer's AGOP needs all of S: do not set Outputs.Diagonal")
	}
	s, n, err := f.sumOver(ctx, source, batches, o)
	if err != nil {
		return nil, err
	}
	var out []*mat.SymDense
	at := 0
	for _, b := range s.Blocks() {
		a := b.Sym()
		if layer != nil {
			a = b.Sandwich(f.Filters(*layer).Slice(at, at+b.N(), 0, layer.PatchSize()))
			at += b.N()
		}
		a.ScaleSym(1/float64(n), a)
		out = append(out, a)
	}
	return out, nil
}

// sumOver returns the second moment of a source, summed over batches of f's input, and the number of examples.
func (f *Function) sumOver(ctx context.Context, s Source, batches iter.Seq2[*tensor.Dense, error],
	o Outputs) (sum moment.Moment, n int, err error) {
	m, err := f.MomentsOf([]Source{s}, o)
	if err != nil {
		return sum, 0, err
	}
	for b, err := range batches {
		if err != nil {
			return sum, 0, err
		}
		if err := f.write(f.Inputs()[0], b); err != nil {
			return sum, 0, err
		}
		if err := m.Batch(ctx, b.Shape()[0], nil); err != nil {
			return sum, 0, err
		}
		n += b.Shape()[0]
	}
	if n == 0 {
		return sum, 0, errors.New("graph: AGOP over no examples")
	}
	return m.Take()[0], n, nil
}

// agopSource returns the source of the AGOP at a tap: for a layer's input its pre-activation, with the layer; else the tap.
func (f *Function) agopSource(tap string) (Source, *Layer, error) {
	for _, l := range f.Layers {
		for _, u := range l.Uses() {
			if tap == u.Name+"/in" {
				return l.Source(Part{To: l.Filters()}), &l, nil
			}
		}
	}
	n, err := f.Tap(tap)
	if err != nil {
		return Source{}, nil, err
	}
	return Source{Nodes: []*Node{n}, To: cols(n), Groups: 1}, nil, nil
}

// Filters returns the weights of a layer as the matrix W, filters × patch size.
func (f *Function) Filters(l Layer) *mat.Dense {
	w := make([]float64, size(l.Weight))
	values.CopyTo(w, f.Data(l.Weight))
	return mat.NewDense(l.Filters(), l.PatchSize(), w)
}

// write copies a batch into n's value. If n has more examples the batch is repeated there, since examples of zeros may have
// no finite value, and a cotangent of 0 times infinity would be NaN in the sums.
func (f *Function) write(n *Node, b *tensor.Dense) error {
	want := n.Shape()
	if b.Dims() != len(want) || b.Shape()[0] > want[0] || !b.Shape()[1:].Eq(want[1:]) || b.Dtype() != n.Dtype() {
		return fmt.Errorf("%s: %w: want at most %v of %v, got %v of %v", n.Name(), ErrShape, want, n.Dtype(),
			b.Shape(), b.Dtype())
	}
	switch v := b.Materialize().Data().(type) { // the elements of a view, such as some columns, in its order
	case []float32:
		values.Repeat(f.Data(n), v)
	case []float64:
		values.Repeat(f.Data(n), v)
	}
	return nil
}
