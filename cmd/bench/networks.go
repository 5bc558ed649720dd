package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// networks times ansatz verify, the whole command, on ONNX files of two torchvision networks with ten outputs and four
// images of 224×224 pixels: with its defaults, and with little beyond the similarities, since verify needs one draw of
// the null at least, and a group of images for each core. PyTorch is timed on its loops: for the gradients and the
// similarities, by the identity AGOP = WᵀSW, and in the first run also for as many draws of the null as verify has by default.
func (b *bench) networks(ctx context.Context) ([]row, error) {
	var rows []row
	for _, name := range []string{"mobilenet_v2", "vit_b_16"} {
		if _, err := output(ctx, b.python, filepath.Join(b.peers, "networks.py"), name, b.peers, "--prepare"); err != nil {
			return nil, err
		}
		verify := []string{"verify", "--arch", filepath.Join(b.peers, name+".onnx"), "--data", filepath.Join(b.peers, "images"),
			"--normalise", "imagenet", "--images", "4", "--json"}
		alone := append(slices.Clone(verify), "--alignments", "nfa", "--null-draws", "1", "--groups", "2")
		var ours, oursAlone, cheap, whole []float64
		for i := range b.runs {
			var p struct{ Gradients, Similarities, Nulls float64 }
			arguments := []string{name, b.peers}
			if i == 0 {
				arguments = append(arguments, "--nulls") // minutes
			}
			if err := b.peer(ctx, &p, "networks.py", arguments...); err != nil {
				return rows, err
			}
			if i == 0 {
				whole = append(whole, p.Gradients+p.Similarities+p.Nulls)
			}
			cheap = append(cheap, p.Gradients+p.Similarities)
			for _, c := range []struct {
				command []string
				times   *[]float64
			}{{verify, &ours}, {alone, &oursAlone}} {
				start := time.Now()
				if _, err := output(ctx, b.ansatz, c.command...); err != nil {
					return nil, err
				}
				*c.times = append(*c.times, time.Since(start).Seconds())
			}
		}
		work := fmt.Sprintf("verify of %s, 4 images, 10 outputs, the whole command", name)
		rows = append(rows, row{Work: work, Unit: "s", Ours: ours[:1], Peer: whole},
			row{Work: "the same", Unit: "s", Ours: ours, Peer: cheap, Note: "PyTorch without nulls, ansatz with them"},
			row{Work: "the same", Unit: "s", Ours: oursAlone, Peer: cheap,
				Note: "similarities alone: PyTorch without nulls, ansatz with one draw and two groups of images"})
	}
	return rows, nil
}
