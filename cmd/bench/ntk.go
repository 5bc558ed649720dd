package main

import (
	"context"
	"fmt"
)

// ntk times the neural tangent kernels of LeNet on 100 digits, which has 1000 rows, against gradients one by one, and of a
// ResNet-20 on 20 images against functorch. The times are those of the gradients and their products.
func (b *bench) ntk(ctx context.Context) ([]row, error) {
	var rows []row
	for _, c := range []struct {
		arch, data    string
		images, width int
		name          string
	}{
		{"lenet", "glyphs", 100, 1, "LeNet, 100 images"}, {"lenet", "glyphs", 100, 2, "LeNet ×2, 100 images"},
		{"resnet20", "streetdigits", 20, 1, "ResNet-20, 20 images, PyTorch by functorch"},
	} {
		images, width := fmt.Sprint(c.images), fmt.Sprint(c.width)
		command := []string{"ntk", "--arch", c.arch, "--width", width, "--data", c.data, "--images", images}
		t, err := b.inTurn(ctx, command, []string{"ntk.py", c.arch, images, width}, nil)
		if err != nil {
			return nil, err
		}
		net, err := newNetwork(c.arch, float64(c.width))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{Work: fmt.Sprintf("tangent kernel of %s", c.name), Unit: "s", Ours: t.ours, Peer: t.peer,
			Flops: ntkFlops(net, c.images)})
	}
	return rows, nil
}
