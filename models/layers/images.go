package layers

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// images returns the shape of an input of images.
func images(b *models.Builder, x *graph.Node) (n, rows, columns, channels int, ok bool) {
	if b.Err() != nil {
		return 0, 0, 0, 0, false
	}
	s := x.Shape()
	if len(s) != 4 {
		b.Fail("it reads images, not an input of shape %v", s)
		return 0, 0, 0, 0, false
	}
	return s[0], s[1], s[2], s[3], true
}

// Pad adds rows and columns on each side of images.
type Pad struct {
	Rows, Columns int
	Mode          graph.PadMode
}

// Build implements [models.Layer].
func (l Pad) Build(b *models.Builder, _ string, x *graph.Node) *graph.Node {
	if _, _, _, _, ok := images(b, x); !ok {
		return nil
	}
	more := []int{0, l.Rows, l.Columns, 0}
	return b.Pad(x, more, more, l.Mode, 0)
}

// Upsample makes images larger by whole factors, as PyTorch's nn.Upsample: by repeating pixels or, if Bilinear is set,
// by interpolation between their centres.
type Upsample struct {
	Rows, Columns int
	Bilinear      bool
}

// Build implements [models.Layer].
func (l Upsample) Build(b *models.Builder, _ string, x *graph.Node) *graph.Node {
	_, rows, columns, _, ok := images(b, x)
	if !ok {
		return nil
	}
	if max(rows*l.Rows, columns*l.Columns) > models.MaxSide {
		return b.Fail("images of %d×%d pixels: want at most %d rows and columns", rows*l.Rows, columns*l.Columns,
			models.MaxSide)
	}
	return b.Resize(x, l.matrix(rows, l.Rows), l.matrix(columns, l.Columns))
}

// matrix returns the weights, in·factor × in, of the old positions in each of the new ones.
func (l Upsample) matrix(in, factor int) *mat.Dense {
	m := mat.NewDense(in*factor, in, nil)
	for i := range in * factor {
		if !l.Bilinear {
			m.Set(i, i/factor, 1)
			continue
		}
		at := max(0, (float64(i)+.5)/float64(factor)-.5)
		low := int(math.Floor(at))
		high, share := min(low+1, in-1), at-float64(low)
		m.Set(i, low, m.At(i, low)+1-share)
		m.Set(i, high, m.At(i, high)+share)
	}
	return m
}

// ConvTranspose is PyTorch's nn.ConvTranspose2d, the transpose of a convolution. It reads no patches, so it has no CNFM.
// Filters, multiplied by the network's width factor, is the number of its output channels.
type ConvTranspose struct {
	Filters  int
	Kernel   [2]int // rows, columns
	Geometry graph.Conv2D
	More     [2]int // additional rows and columns of the output, PyTorch's output_padding
	NoBias   bool
}

// Build implements [models.Layer].
func (l ConvTranspose) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	_, _, _, channels, ok := images(b, x)
	if !ok {
		return nil
	}
	groups, filters := max(1, l.Geometry.Groups), b.Wide(l.Filters)
	if channels%groups != 0 || filters%groups != 0 {
		return b.Fail("%d groups do not divide %d channels and %d filters", groups, channels, filters)
	}
	w := b.Declare(name+".weight", models.ConvWeight, nil, channels, filters/groups, l.Kernel[0], l.Kernel[1])
	var bias *graph.Node
	if !l.NoBias {
		bias = b.Declare(name+".bias", models.ConvBias, nil, filters)
	}
	y := b.ConvTranspose(x, w, l.Geometry, l.More[0], l.More[1])
	if bias == nil || b.Err() != nil {
		return y
	}
	return b.RowAdd(y, bias)
}

// AdaptiveMaxPool is PyTorch's nn.AdaptiveMaxPool2d: the largest element of each of H×W windows that cover the image.
type AdaptiveMaxPool struct{ H, W int }

// Build implements [models.Layer].
func (l AdaptiveMaxPool) Build(b *models.Builder, _ string, x *graph.Node) *graph.Node {
	return b.AdaptiveMaxPool(x, l.H, l.W)
}
