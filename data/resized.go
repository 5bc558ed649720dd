package data

import (
	"fmt"
	"image"
)

// Resize returns the images of ds scaled to that height and width, whatever
// their form: torchvision's Resize((height, width), antialias=True). Where ds
// holds bytes they stay bytes, and are Pillow's to the bit; images that are
// decoded or scaled as they are read are not rounded again.
// A side of less than 1 or more than 4096 is an error. A set of that size is
// returned as it is.
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
