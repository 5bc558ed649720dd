package cnfa

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
)

// PatchNorms returns, image after image and row by row, the norm ‖h‖ of the patch
// h that a convolution reads at every position: what [Responses] would return for
// M = I. Images are given as (image, row, column, channel) and normalised.
func PatchNorms(ctx context.Context, net *models.Network, layer string, px []float32) ([]float64, error) {
	n := len(px) / net.Input.Size()
	v, err := atLayer(ctx, net, layer, px, n, func(f *graph.Function, l graph.Layer) *graph.Node {
		if l.Conv == nil {
			return f.Fail("not a convolution: it sees no images")
		}
		s := l.Conv
		return f.Norms(f.Patches(l.In, s.KH, s.KW, graph.Conv2D{
			StrideH: s.StrideH, StrideW: s.StrideW, PadH: s.PadH, PadW: s.PadW, DilateH: s.DilateH, DilateW: s.DilateW,
		}))
	})
	if err != nil {
		return nil, fmt.Errorf("cnfa: norms of the patches of %s: %w", layer, err)
	}
	out := make([]float64, v.Size())
	for i, x := range v.Float32s() {
		out[i] = float64(x)
	}
	return out, nil
}
