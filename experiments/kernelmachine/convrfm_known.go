package kernelmachine

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// TakeKernel has the first iteration take the kernel matrix of the training images
// with M = I from an NPY file, as merging a plan of [SpreadConvRFM], or
// [ConvRFMRecord.SaveKernel] of a machine without iterations, writes it. Of a matrix
// of something else the error is the input's: some of its rows are computed to see.
func (c *ConvRFM) TakeKernel(ctx context.Context, path string) error {
	images := int64(c.examples.Train.X.Len())
	full, err := record.ReadLargeMatrix(path, max(array.MaxBytes, 8*images*images))
	if err != nil {
		return &input.Error{Err: err}
	}
	n, columns := full.Dims()
	if n != columns {
		return input.Errorf("%s is %d×%d: want a kernel matrix", path, n, columns)
	}
	k := mat.NewSymDense(n, full.RawMatrix().Data)
	parts, err := c.machine.KernelParts(c.examples.Train.X)
	if err != nil {
		return err
	}
	var other *rfm.InputError
	if err := parts.Check(ctx, k); errors.As(err, &other) {
		return &input.Error{Err: fmt.Errorf("%s: %w", path, err)}
	} else if err != nil {
		return err
	}
	c.machine.Known = k
	c.conv.Solver += "; the kernel matrix with M = I was read from " + path
	return nil
}
