package models

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// CrossNTK is the neural tangent kernel Θ(x, z) = J(x)J(z)ᵀ of images x with other images z, such as test images with
// training images, at the weights of a network.
type CrossNTK struct {
	kernels.Block // rows for the images x, columns for z
	// Outputs are f(w₀, x) and Others f(w₀, z), images × outputs.
	Outputs, Others *mat.Dense
	Parameters      int // the columns of J

	form kernels.Form
}

// CrossNTK computes the kernel of images x, (image, row, column, channel), with others z, both normalised as the network
// reads them. The options and errors are those of [Network.NTK]; the gradients of neither x nor z need to fit into memory.
func (n *Network) CrossNTK(ctx context.Context, x, z []float32, o NTKOptions) (*CrossNTK, error) {
	size := n.Input.Size()
	rows, columns := len(x)/size, len(z)/size
	if rows < 1 || columns < 1 || rows*size != len(x) || columns*size != len(z) {
		return nil, fmt.Errorf("models: %d and %d numbers are not images of %v", len(x), len(z), n.Input)
	}
	t, err := newNTKWorkers(n, rows+columns, o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	most := t.largest()
	t.batches = split(rows, most)
	middle := len(t.batches)
	for _, b := range split(columns, most) {
		t.batches = append(t.batches, [2]int{rows + b[0], rows + b[1]})
	}
	k := &CrossNTK{Block: t.layout.NewBlock(rows, columns), form: o.Form,
		Outputs: t.outputs.Slice(0, rows, 0, n.Classes).(*mat.Dense),
		Others:  t.outputs.Slice(rows, rows+columns, 0, n.Classes).(*mat.Dense), Parameters: t.workers[0].j.Columns()}
	return k, t.runCross(ctx, t.layout.InBlock(k.Block, 0, rows), imagePixels{0, size, x}, imagePixels{rows, size, z},
		middle)
}

// Times returns Θ(x, z)α for each of several α of the images z, all images × outputs; see [kernels.Form.Times].
func (k *CrossNTK) Times(alphas ...*mat.Dense) []*mat.Dense { return k.form.Times(k.Gram, alphas...) }

// runCross computes the kernel of the images in the batches before middle with the images in the others.
func (t *ntkTeam) runCross(ctx context.Context, to kernels.Target, x, z imagePixels, middle int) error {
	bytes := t.layout.Bytes(z.first, t.images-z.first)
	above, err := t.tile([2]int{0, middle}, bytes)
	if err != nil {
		return err
	}
	beside, err := t.tile([2]int{middle, len(t.batches)}, bytes)
	if err != nil {
		return err
	}
	t.total = z.first + len(above)*(t.images-z.first)
	for _, tile := range above {
		rows, err := t.rows(ctx, x, tile)
		if err != nil {
			return err
		}
		for _, other := range beside {
			columns, err := t.rows(ctx, z, other)
			if err != nil {
				return err
			}
			if err := t.products(ctx, to, tile, other, rows, columns); err != nil {
				return err
			}
		}
	}
	return nil
}
