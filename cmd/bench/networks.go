package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// networks times ansatz verify, the whole command, on ONNX files of two torchvision networks with ten outputs and four
// images of 224×224 pixels. PyTorch's time is that of its loops alone: for the gradients and the similarities, by the
// identity AGOP = WᵀSW, and for these and as many draws of the null.
func (b *bench) networks(ctx context.Context) ([]row, error) {
	var rows []row
	for _, name := range []string{"mobilenet_v2", "vit_b_16"} {
		if _, err := output(ctx, b.python, filepath.Join(b.peers, "networks.py"), name, b.peers, "--prepare"); err != nil {
			return nil, err
		}
		var ours, cheap, whole []float64
		for range b.runs {
			var p struct{ Gradients, Similarities, Nulls float64 }
			if err := b.peer(ctx, &p, "networks.py", name, b.peers); err != nil {
				return nil, err
			}
			start := time.Now()
			if _, err := output(ctx, b.ansatz, "verify", "--arch", filepath.Join(b.peers, name+".onnx"), "--data",
				filepath.Join(b.peers, "images"), "--normalise", "imagenet", "--images", "4", "--json"); err != nil {
				return nil, err
			}
			ours = append(ours, time.Since(start).Seconds())
			cheap = append(cheap, p.Gradients+p.Similarities)
			whole = append(whole, p.Gradients+p.Similarities+p.Nulls)
		}
		work := fmt.Sprintf("verify of %s, 4 images, 10 outputs, the whole command", name)
		rows = append(rows, row{Work: work, Unit: "s", Ours: ours, Peer: whole},
			row{Work: "the same", Unit: "s", Ours: ours, Peer: cheap, Note: "PyTorch without nulls, ansatz with them"})
	}
	return rows, nil
}
