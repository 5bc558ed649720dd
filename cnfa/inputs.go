package cnfa

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/models"
	"gorgonia.org/tensor"
)

// inputBatch is the number of images that [Inputs] passes to the network at a time.
const inputBatch = 64

// Inputs returns the input of a convolution, at its first use, for the images px, and the shape of one image of it. px and
// the input have the order (image, row, column, channel); px is normalised. Batch norms use their running statistics.
func Inputs(ctx context.Context, net *models.Network, layer string,
	px []float32) (out []float32, s models.Shape, err error) {
	size := net.Input.Channels * net.Input.Height * net.Input.Width
	if len(px)%size != 0 {
		return nil, s, fmt.Errorf("cnfa: %d values are not a whole number of images of %v", len(px), net.Input)
	}
	for lo := 0; lo < len(px); lo += inputBatch * size {
		part := px[lo:min(lo+inputBatch*size, len(px))]
		in := func(_ *graph.Function, l graph.Layer) *graph.Node { return l.In }
		v, err := atLayer(ctx, net, layer, part, len(part)/size, in)
		if err != nil {
			return nil, s, err
		}
		if v.Dims() != 4 || v.Shape()[0] != len(part)/size {
			return nil, s, fmt.Errorf("cnfa: %s is not a convolution: it reads no images", layer)
		}
		s = models.Shape{Height: v.Shape()[1], Width: v.Shape()[2], Channels: v.Shape()[3]}
		out = append(out, v.Float32s()...)
	}
	return out, s, nil
}

// atLayer computes a node of a layer, or of the layer that it is a part of, for n images.
func atLayer(ctx context.Context, net *models.Network, layer string, px []float32, n int,
	node func(*graph.Function, graph.Layer) *graph.Node) (*tensor.Dense, error) {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f, err := net.Function(d, n, graph.Single)
	if err != nil {
		return nil, err
	}
	copy(f.Data(f.Inputs()[0]).Float32s(), px)
	for _, info := range net.Layers() {
		l, ok := info.In(f)
		if !ok || info.Name != layer {
			continue
		}
		v := node(f, l)
		p, err := f.Compile(graph.Plan{Outputs: []*graph.Node{v}})
		if err != nil {
			return nil, err
		}
		if err := p.Run(ctx); err != nil {
			return nil, err
		}
		return p.Value(v), nil
	}
	return nil, fmt.Errorf("cnfa: %s has no layer %s", net.Arch.Name, layer)
}

// PatchNorms returns the norms ‖h‖ of the patches h that a convolution reads, image after image and row by row:
// what [Responses] would return for M = I. The images px are (image, row, column, channel) and normalised.
func PatchNorms(ctx context.Context, net *models.Network, layer string, px []float32) ([]float64, error) {
	n := len(px) / net.Input.Size()
	v, err := atLayer(ctx, net, layer, px, n, func(f *graph.Function, l graph.Layer) *graph.Node {
		if l.Conv == nil {
			return f.Fail("not a convolution: it sees no images")
		}
		s := l.Conv
		return f.Norms(f.Patches(l.In, s.KH, s.KW, oneGroup(s)))
	})
	if err != nil {
		return nil, fmt.Errorf("cnfa: norms of the patches of %s: %w", layer, err)
	}
	out := make([]float64, v.Size())
	values.CopyTo(out, v)
	return out, nil
}

// oneGroup returns the geometry of a convolution without its groups, whose patches [graph.Graph.Patches] returns.
func oneGroup(s *backend.ConvShape) graph.Conv2D {
	return graph.Conv2D{StrideH: s.StrideH, StrideW: s.StrideW, PadH: s.PadH, PadW: s.PadW, DilateH: s.DilateH,
		DilateW: s.DilateW}
}
