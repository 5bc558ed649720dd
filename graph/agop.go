package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"

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
// layer is Wᵀ(Σδδᵀ)W / n: no patch is formed, and biases and other branches do not matter. [Function.Moments] is
// cheaper for many layers at once.
func (f *Function) AGOP(ctx context.Context, tap string, batches iter.Seq2[*tensor.Dense, error],
	o Outputs) (*mat.SymDense, error) {
	if len(f.Inputs()) != 1 {
		return nil, fmt.Errorf("graph: AGOP of a function with %d inputs: want 1", len(f.Inputs()))
	}
	node, layer, err := f.agopNode(tap)
	if err != nil {
		return nil, err
	}
	if o.Diagonal && layer != nil {
		return nil, errors.New("graph: the diagonal of a layer's AGOP needs all of S: leave out Diagonal")
	}
	input := f.Inputs()[0]
	m, err := f.Moments([]*Node{node}, o)
	if err != nil {
		return nil, err
	}
	n := 0
	for b, err := range batches {
		if err != nil {
			return nil, err
		}
		if err := f.write(input, b); err != nil {
			return nil, err
		}
		if err := m.Batch(ctx, b.Shape()[0], nil); err != nil {
			return nil, err
		}
		n += b.Shape()[0]
	}
	if n == 0 {
		return nil, errors.New("graph: AGOP over no examples")
	}
	s := m.Take()[0]
	out := s.Sym()
	if layer != nil {
		out = s.Sandwich(f.Filters(*layer))
	}
	out.ScaleSym(1/float64(n), out)
	return out, nil
}

// agopNode returns the node whose cotangents give the AGOP at a tap, and the layer of the W between them, if any.
func (f *Function) agopNode(tap string) (*Node, *Layer, error) {
	for _, l := range f.Layers {
		if tap == l.Name+"/in" {
			return l.Pre, &l, nil
		}
	}
	n, err := f.Tap(tap)
	return n, nil, err
}

// Filters returns the weights of a layer as the matrix W, filters × patch size.
func (f *Function) Filters(l Layer) *mat.Dense {
	w := make([]float64, size(l.Weight))
	copyFloats(w, f.Data(l.Weight))
	return mat.NewDense(l.Filters(), l.PatchSize(), w)
}

// write copies a batch, of at most as many examples as n has, into n's value.
func (f *Function) write(n *Node, b *tensor.Dense) error {
	want := n.Shape()
	if b.Dims() != len(want) || b.Shape()[0] > want[0] || !b.Shape()[1:].Eq(want[1:]) || b.Dtype() != n.Dtype() {
		return fmt.Errorf("%s: %w: want at most %v of %v, got %v of %v", n.Name(), ErrShape, want, n.Dtype(),
			b.Shape(), b.Dtype())
	}
	switch x := f.Data(n).Data().(type) {
	case []float32:
		copy(x, b.Data().([]float32))
	case []float64:
		copy(x, b.Data().([]float64))
	}
	return nil
}
