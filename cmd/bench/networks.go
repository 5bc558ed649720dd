package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// networksPeer measures the ansatz of torchvision's networks in PyTorch.
//
//go:embed networks.py
var networksPeer string

// networks times ansatz verify, the whole command, on ONNX files of two torchvision networks with ten outputs and four
// images of 224×224 pixels. PyTorch's time is that of its loops alone: for the gradients and the similarities, by the
// identity AGOP = WᵀSW, and for these and as many draws of the null.
func (b *bench) networks(ctx context.Context) ([]row, error) {
	dir, err := os.MkdirTemp("", "ansatz-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "networks.py")
	if err := os.WriteFile(script, []byte(networksPeer), 0o666); err != nil {
		return nil, err
	}
	var rows []row
	for _, name := range []string{"mobilenet_v2", "vit_b_16"} {
		if _, err := output(ctx, b.python, script, name, dir, "--prepare"); err != nil {
			return nil, err
		}
		var ours, cheap, whole []float64
		for range b.runs {
			var p struct{ Gradients, Similarities, Nulls float64 }
			if err := jsonOf(ctx, &p, b.python, script, name, dir); err != nil {
				return nil, err
			}
			start := time.Now()
			if _, err := output(ctx, b.ansatz, "verify", "--arch", filepath.Join(dir, name+".onnx"), "--data",
				filepath.Join(dir, "images"), "--normalise", "imagenet", "--images", "4", "--json"); err != nil {
				return nil, err
			}
			ours = append(ours, time.Since(start).Seconds())
			cheap = append(cheap, p.Gradients+p.Similarities)
			whole = append(whole, p.Gradients+p.Similarities+p.Nulls)
		}
		rows = append(rows,
			compare(fmt.Sprintf("verify of %s, 4 images, 10 outputs, the whole command", name), ours, whole, "%.1f s"),
			compare("PyTorch without nulls, ansatz with them", ours, cheap, "%.1f s"))
	}
	return rows, nil
}
