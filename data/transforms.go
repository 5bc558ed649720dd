package data

import (
	"fmt"
	"image"
	"io"
	"math"
	"slices"
)

// mapped is a Dataset whose images are those of another, transformed by a function of the pixels.
type mapped struct {
	Dataset
	shape Shape
	how   string // describes the transformation, for the digest

	// floats transforms an image in row, column, channel order.
	floats func(dst, src []float32)

	// planes transforms an image of bytes, channel by channel, to the pixels of floats up to rounding; nil if the
	// result is not bytes.
	planes func(dst, src []uint8)
}

// Shape implements Dataset.
func (m *mapped) Shape() Shape { return m.shape }

// Read implements Dataset. Where the images are bytes, its pixels are those of bytes.
func (m *mapped) Read(i int, dst []float32) (int, error) {
	if err := checkRead(m, i, dst); err != nil {
		return 0, err
	}
	scratch := newBytes(len(dst))
	defer freeBytes(scratch)
	if pix, label, ok := m.bytes(i, scratch); ok {
		planesToUnit(dst, pix, m.shape.Channels)
		return label, nil
	}
	plain := make([]float32, m.Dataset.Shape().Pixels())
	label, err := m.Dataset.Read(i, plain)
	if err != nil {
		return 0, err
	}
	m.floats(dst, plain)
	return label, nil
}

func (m *mapped) bytes(i int, scratch []uint8) ([]uint8, int, bool) {
	if m.planes == nil {
		return nil, 0, false
	}
	inner := newBytes(m.Dataset.Shape().Pixels())
	defer freeBytes(inner)
	pix, label, ok := bytesOf(m.Dataset, i, inner)
	if !ok {
		return nil, 0, false
	}
	scratch = slices.Grow(scratch[:0], m.shape.Pixels())[:m.shape.Pixels()]
	m.planes(scratch, pix)
	return scratch, label, true
}

func (m *mapped) label(i int) (int, error) { return labelOf(m.Dataset, i) }

// Split returns the split of the set that the images are made from.
func (m *mapped) Split() string { return splitOf(m.Dataset) }

// identify writes the transformation and the original shape before the source of the image, which may have been scaled.
func (m *mapped) identify(w io.Writer, i int) error {
	if _, err := fmt.Fprintf(w, "%s of %v\n", m.how, m.Dataset.Shape()); err != nil {
		return err
	}
	return identify(w, m.Dataset, i)
}

// Resize returns the images of ds scaled to a height and a width, without keeping the aspect ratio: torchvision's
// Resize((height, width), antialias=True). Bytes stay bytes, and are Pillow's to the bit; images that are decoded or
// scaled as they are read are not rounded again. Resize returns a set of that size as it is, and an error for a side of
// less than 1 or more than 4096.
func Resize(ds Dataset, height, width int) (Dataset, error) {
	if min(height, width) < 1 || max(height, width) > maxSize {
		return nil, fmt.Errorf("data: resizing %s to %d×%d: expected sides of 1 to %d",
			ds.Name(), height, width, maxSize)
	}
	from := ds.Shape()
	to := Shape{from.Channels, height, width}
	if from == to {
		return ds, nil
	}
	return &mapped{
		Dataset: ds,
		shape:   to,
		how:     fmt.Sprintf("resized to %d×%d", height, width),
		floats:  func(dst, src []float32) { scaleFloats(dst, to, src, from) },
		planes:  func(dst, src []uint8) { scalePlanes(dst, to, src, from) },
	}, nil
}

// scalePlanes scales pixels that lie channel by channel.
func scalePlanes(dst []uint8, to Shape, src []uint8, from Shape) {
	area := from.Height * from.Width
	for c := range from.Channels {
		plane := &picture{from.Width, from.Height, 1, src[c*area:][:area]}
		r := newResampler(image.Pt(to.Width, to.Height), image.Rect(0, 0, to.Width, to.Height), plane)
		for range to.Height {
			copy(dst, r.next())
			dst = dst[to.Width:]
		}
		r.free()
	}
}

// scaleFloats scales pixels that lie channel beside channel, along the columns
// and then along the rows, like Pillow those of mode F. Products are kept from
// being fused with sums, so that every machine finds the same.
func scaleFloats(dst []float32, to Shape, src []float32, from Shape) {
	var columns, rows axis
	columns.set(from.Width, to.Width, 0, to.Width)
	rows.set(from.Height, to.Height, 0, to.Height)
	n, channels := to.Width*to.Channels, to.Channels
	narrowed := make([]float32, from.Height*n)
	for y := range from.Height {
		line := src[y*from.Width*channels:]
		for k := range n {
			s := columns.spans[k/channels]
			narrowed[y*n+k] = columns.weigh(s, line[s.first*channels+k%channels:], channels)
		}
	}
	for y, s := range rows.spans {
		for k := range n {
			dst[y*n+k] = rows.weigh(s, narrowed[s.first*n+k:], n)
		}
	}
}

// weigh returns the weighted sum of the values of a span, which are step apart.
func (a *axis) weigh(s span, values []float32, step int) float32 {
	sum := 0.
	for t, w := range a.weights[s.at:][:s.n] {
		sum += float64(w * float64(values[t*step]))
	}
	return float32(sum)
}

// CentreCrop returns the central size×size pixels of the images of ds, like torchvision's CenterCrop(size): of an odd
// number of rows to cut off, an even number is above, and likewise columns to the left. It returns an error for a size
// of less than 1 or more than a side, where torchvision would pad the image.
func CentreCrop(ds Dataset, size int) (Dataset, error) {
	from := ds.Shape()
	if size < 1 || size > min(from.Height, from.Width) {
		return nil, fmt.Errorf("data: the central %d×%d pixels of the images of %s, of %v: expected 1 to %d",
			size, size, ds.Name(), from, min(from.Height, from.Width))
	}
	top, left := cropOffset(from.Height, size), cropOffset(from.Width, size)
	channels := from.Channels
	return &mapped{
		Dataset: ds,
		shape:   Shape{channels, size, size},
		how:     fmt.Sprintf("cropped to %d×%d", size, size),
		floats: func(dst, src []float32) {
			cropPlane(dst, size*channels, src, from.Width*channels, top, left*channels)
		},
		planes: func(dst, src []uint8) {
			for c := range channels {
				cropPlane(dst[c*size*size:][:size*size], size, src[c*from.Height*from.Width:], from.Width, top, left)
			}
		},
	}, nil
}

// cropPlane copies to dst, whose rows are of width values, as many rows of src
// as it has.
func cropPlane[T any](dst []T, width int, src []T, srcWidth, top, left int) {
	for y := 0; y*width < len(dst); y++ {
		copy(dst[y*width:][:width], src[(top+y)*srcWidth+left:])
	}
}

// Grey returns the images of ds in one channel, .299 red + .587 green + .114 blue (ITU-R 601), like torchvision's
// Grayscale. Bytes stay bytes, and are those of Pillow's convert("L") to the bit; images that are decoded or scaled as
// they are read are not rounded again. Grey returns a set of one channel as it is, and an error unless there are one or
// three channels.
func Grey(ds Dataset) (Dataset, error) {
	s := ds.Shape()
	switch s.Channels {
	case 1:
		return ds, nil
	case 3:
	default:
		return nil, fmt.Errorf("data: grey images of %s: it has %d channels, expected 1 or 3", ds.Name(), s.Channels)
	}
	s.Channels = 1
	return &mapped{Dataset: ds, shape: s, how: "grey", floats: greyFloats, planes: greyPlanes}, nil
}

func greyFloats(dst, src []float32) {
	for k := range dst {
		r, g, b := float64(src[3*k]), float64(src[3*k+1]), float64(src[3*k+2])
		// The conversions forbid fused operations.
		dst[k] = float32(float64(.299*r) + float64(.587*g) + float64(.114*b))
	}
}

// greyPlanes rounds as Pillow does, with the weights in 16 bits.
func greyPlanes(dst, src []uint8) {
	n := len(dst)
	r, g, b := src[:n], src[n:2*n], src[2*n:3*n]
	for k := range dst {
		dst[k] = uint8((19595*uint32(r[k]) + 38470*uint32(g[k]) + 7471*uint32(b[k]) + 1<<15) >> 16)
	}
}

// UnitSphere returns the images of ds, each divided by its Euclidean norm, like PyTorch's x / x.norm() (paper rfm, all
// tasks of CelebA). An image of zeros does not change. A Normalisation that was measured on ds does not fit the result.
func UnitSphere(ds Dataset) Dataset {
	return &mapped{Dataset: ds, shape: ds.Shape(), how: "on the unit sphere", floats: toSphere}
}

// toSphere sums in float64, and keeps products from being fused with sums.
func toSphere(dst, src []float32) {
	squares := 0.
	for _, v := range src {
		squares += float64(float64(v) * float64(v))
	}
	norm := math.Sqrt(squares)
	if norm == 0 {
		norm = 1
	}
	for k, v := range src {
		dst[k] = float32(float64(v) / norm)
	}
}
