package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

// ntkPeer computes the neural tangent kernel of a ResNet-20 in functorch.
//
//go:embed ntk.py
var ntkPeer string

// ntk times the neural tangent kernel of LeNet on 100 digits, which has 1000 rows, against gradients one by one, and of a
// ResNet-20 on 20 images against functorch. The times are those of the gradients and their products.
func (b *bench) ntk(ctx context.Context) ([]row, error) {
	var rows []row
	for _, width := range []string{"1", "2"} {
		var ours, peer []float64
		for range b.runs {
			var p, v struct{ Seconds float64 }
			if err := b.peer(ctx, &p, "ntk.py", "--data", b.data, "--images", "100", "--width", width); err != nil {
				return nil, err
			}
			if err := jsonOf(ctx, &v, b.ansatz, "ntk", "--arch", "lenet", "--width", width, "--data", "mnist",
				"--data-dir", b.data, "--images", "100", "--json"); err != nil {
				return nil, err
			}
			peer, ours = append(peer, p.Seconds), append(ours, v.Seconds)
		}
		rows = append(rows, compare(fmt.Sprintf("neural tangent kernel of LeNet ×%s, 100 images", width), ours, peer,
			"%.2f s"))
	}
	resnet, err := b.resnetNTK(ctx)
	return append(rows, resnet), err
}

// resnetNTK times the kernel of a ResNet-20 with random weights.
func (b *bench) resnetNTK(ctx context.Context) (row, error) {
	dir, err := os.MkdirTemp("", "ansatz-bench")
	if err != nil {
		return row{}, err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "ntk.py")
	if err := os.WriteFile(script, []byte(ntkPeer), 0o666); err != nil {
		return row{}, err
	}
	var ours, peer []float64
	for range b.runs {
		var p, v struct{ Seconds float64 }
		if err := jsonOf(ctx, &p, b.python, script, "20"); err != nil {
			return row{}, err
		}
		if err := jsonOf(ctx, &v, b.ansatz, "ntk", "--arch", "resnet20", "--data", "cifar10", "--data-dir", b.data, "--images",
			"20", "--json"); err != nil {
			return row{}, err
		}
		peer, ours = append(peer, p.Seconds), append(ours, v.Seconds)
	}
	return compare("neural tangent kernel of ResNet-20, 20 images, against functorch", ours, peer, "%.2f s"), nil
}
