package main

import (
	"context"
	"path/filepath"
)

// agop times the ansatz of a ResNet-20 over 500 images. PyTorch is timed on the loop for the second moments alone, ansatz
// with the similarities, their nulls and their error bars.
func (b *bench) agop(ctx context.Context) ([]row, error) {
	weights := filepath.Join(b.peers, "resnet20.safetensors")
	if err := saveFresh("resnet20", classes, weights); err != nil {
		return nil, err
	}
	t, err := b.inTurn(ctx, []string{"verify", "--arch", "resnet20", "--weights", weights, "--data", "streetdigits", "--images",
		"500"}, []string{"agop.py", "500"}, nil)
	if err != nil {
		return nil, err
	}
	net, err := newNetwork("resnet20", 1)
	if err != nil {
		return nil, err
	}
	flops := agopFlops(net, 500)
	return []row{
		{Work: "AGOP of ResNet-20, 500 images, with nulls and error bars", Unit: "s", Ours: t.ours, Peer: t.peer, Flops: flops},
		{Work: "the same, the whole command", Unit: "s", Ours: t.whole, Peer: t.peer, Flops: flops},
	}, nil
}
