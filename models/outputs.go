package models

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/values"
	"gonum.org/v1/gonum/mat"
)

// Outputs returns the outputs of the network for images px, (image, row, column, channel), as images × outputs. It
// computes in evaluation mode and in precision p, batch images at a time.
func (n *Network) Outputs(ctx context.Context, d *backend.Device, px []float32, batch int,
	p graph.Precision) (*mat.Dense, error) {
	f, err := n.Function(d, batch, p)
	if err != nil {
		return nil, err
	}
	program, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}})
	if err != nil {
		return nil, err
	}
	var out *mat.Dense
	err = EachBatch(f, px, func(lo, hi int) error {
		if err := program.Run(ctx); err != nil {
			return err
		}
		if out == nil {
			out = mat.NewDense(len(px)/n.Input.Size(), n.Classes, nil)
		}
		values.CopyTo(out.RawMatrix().Data[lo*n.Classes:hi*n.Classes], program.Value(f.Output))
		return nil
	})
	return out, err
}

// EachBatch writes images px, (image, row, column, channel), to the first input of f, one batch of f's size after another.
// After each it calls do with the range lo ≤ i < hi of the images that it wrote. The last batch may be smaller; the rest of
// the input then holds copies of its images.
func EachBatch(f *graph.Function, px []float32, do func(lo, hi int) error) error {
	in := f.Data(f.Inputs()[0])
	batch := in.Shape()[0]
	size := in.Size() / batch
	images := len(px) / size
	if images < 1 || images*size != len(px) {
		return fmt.Errorf("models: %d numbers are not images of %v", len(px), in.Shape()[1:])
	}
	for lo := 0; lo < images; lo += batch {
		hi := min(images, lo+batch)
		values.Repeat(in, px[lo*size:hi*size])
		if err := do(lo, hi); err != nil {
			return err
		}
	}
	return nil
}
