package imagefile

import (
	"encoding/binary"
	"image"
	"math"
	"sync"
)

// A resampler scales a picture. It first scales all needed rows horizontally; next then scales vertically, a row at a
// time. Both passes round to bytes, as in Pillow. It is not safe for concurrent use.
type resampler struct {
	columns, rows axis
	narrowed      *Picture // the source rows from top on, scaled horizontally
	top           int
	y             int // the next row of the window
	out           []uint8
}

// spareResamplers holds resamplers whose memory can be reused.
var spareResamplers = sync.Pool{New: func() any { return new(resampler) }}

// newResampler returns a resampler that scales a picture to the size full and returns
// a window of that, which must lie within it. The caller may free the resampler.
func newResampler(full image.Point, window image.Rectangle, src *Picture) *resampler {
	r := spareResamplers.Get().(*resampler)
	r.columns.set(src.Width, full.X, window.Min.X, window.Max.X)
	r.rows.set(src.Height, full.Y, window.Min.Y, window.Max.Y)
	r.y = 0
	lo, hi := r.rows.reach()
	r.top, r.narrowed = lo, newPicture(window.Dx(), hi-lo, src.Channels)
	for y := lo; y < hi; y++ {
		r.columns.scale(r.narrowed.row(y-lo), src.row(y), src.Channels)
	}
	if n := window.Dx() * src.Channels; cap(r.out) < n {
		r.out = make([]uint8, n)
	} else {
		r.out = r.out[:n]
	}
	return r
}

// free returns the memory of r for reuse. Do not use r again.
func (r *resampler) free() {
	r.narrowed.Free()
	r.narrowed = nil
	spareResamplers.Put(r)
}

// next returns the next row of the window, valid until the next call.
func (r *resampler) next() []uint8 {
	s := r.rows.spans[r.y]
	r.y++
	if r.rows.same {
		return r.narrowed.row(s.first - r.top)
	}
	from := r.narrowed.Pix[(s.first-r.top)*len(r.out):]
	weighRows(r.out, from, r.rows.fixed[s.at:][:s.n])
	return r.out
}

// half, added to a sum of weighted bytes, makes the shift by weightBits round to nearest.
const half = 1 << (weightBits - 1)

// scale scales a line of pixels, with their channels side by side, to dst.
func (a *axis) scale(dst, src []uint8, channels int) {
	switch {
	case a.same:
		copy(dst, src[a.spans[0].first*channels:])
	case channels == 3:
		a.scale3(dst, src)
	default:
		a.scaleAny(dst, src, channels)
	}
}

func (a *axis) scaleAny(dst, src []uint8, channels int) {
	for k, s := range a.spans {
		for c := range channels {
			sum := uint32(half)
			at := s.first*channels + c
			for _, w := range a.fixed[s.at:][:s.n] {
				sum += w * uint32(src[at])
				at += channels
			}
			dst[k*channels+c] = uint8(sum >> weightBits)
		}
	}
}

// scale3 is scaleAny for three channels, optimised because most of the time is spent here.
// An image that grows has spans of two pixels, for which a loop costs as much as its body.
func (a *axis) scale3(dst, src []uint8) {
	for k, s := range a.spans {
		w := a.fixed[s.at:][:s.n]
		p := src[3*s.first:][:3*s.n]
		var r, g, b uint32 = half, half, half
		if len(w) == 2 && len(p) == 6 {
			r += w[0]*uint32(p[0]) + w[1]*uint32(p[3])
			g += w[0]*uint32(p[1]) + w[1]*uint32(p[4])
			b += w[0]*uint32(p[2]) + w[1]*uint32(p[5])
		} else {
			for len(w) >= 2 && len(p) >= 6 {
				r += w[0]*uint32(p[0]) + w[1]*uint32(p[3])
				g += w[0]*uint32(p[1]) + w[1]*uint32(p[4])
				b += w[0]*uint32(p[2]) + w[1]*uint32(p[5])
				w, p = w[2:], p[6:]
			}
			if len(w) == 1 && len(p) == 3 {
				r += w[0] * uint32(p[0])
				g += w[0] * uint32(p[1])
				b += w[0] * uint32(p[2])
			}
		}
		d := dst[3*k:][:3]
		d[0], d[1], d[2] = uint8(r>>weightBits), uint8(g>>weightBits), uint8(b>>weightBits)
	}
}

// weighRows writes to dst the weighted sum of rows, each of the length of dst; there is a weight for each row.
//
// It weighs eight bytes at once, two per 64-bit product: 32 bits have room for the weighted sum of a byte.
func weighRows(dst, rows []uint8, weights []uint32) {
	const (
		lanes   = 0x000000ff000000ff
		rounded = half<<32 | half
	)
	n := len(dst)
	k := 0
	for ; k+8 <= n; k += 8 {
		var s0, s1, s2, s3 uint64 = rounded, rounded, rounded, rounded
		at := k
		for _, w := range weights {
			v := binary.LittleEndian.Uint64(rows[at:])
			s0 += v & lanes * uint64(w)
			s1 += v >> 8 & lanes * uint64(w)
			s2 += v >> 16 & lanes * uint64(w)
			s3 += v >> 24 & lanes * uint64(w)
			at += n
		}
		binary.LittleEndian.PutUint64(dst[k:], s0>>weightBits&lanes|s1>>weightBits&lanes<<8|
			s2>>weightBits&lanes<<16|s3>>weightBits&lanes<<24)
	}
	for ; k < n; k++ {
		sum := uint32(half)
		for t, w := range weights {
			sum += w * uint32(rows[t*n+k])
		}
		dst[k] = uint8(sum >> weightBits)
	}
}

const (
	// weightBits is the precision of the weights of 8-bit pixels, as in Pillow:
	// 32 bits minus eight for a byte and two to spare.
	weightBits = 22

	// maxWeights bounds the sum of the weights of a pixel, so that the weighted sum of bytes, rounded, is a byte. The
	// sum reaches the bound only if sixteen thousand weights are all rounded up.
	maxWeights = (1<<(weightBits+8) - 1 - 1<<(weightBits-1)) / 255
)

// An axis scales a line of pixels with a triangle filter that widens as the line shrinks: torchvision's and Pillow's
// antialiased bilinear filter. Its weights are rounded as in Pillow.
type axis struct {
	spans   []span    // by pixel of the scaled line
	same    bool      // whether the line keeps its length, and so its pixels
	weights []float64 // the weights of all spans, one after the other
	fixed   []uint32  // the weights in units of 2^-weightBits
}

// A span says that a scaled pixel is the sum of n pixels, starting at first, with weights starting at index at of its axis.
type span struct{ first, n, at int }

// set makes a scale a line of from pixels to one of to pixels, and keep pixels lo to hi-1 of that.
func (a *axis) set(from, to, lo, hi int) {
	a.spans, a.weights, a.fixed = a.spans[:0], a.weights[:0], a.fixed[:0]
	a.same = from == to
	ratio := float64(from) / float64(to)
	radius := max(ratio, 1)
	for k := lo; k < hi; k++ {
		centre := float64((float64(k) + .5) * ratio)
		first := max(int(centre-radius+.5), 0)
		a.add(span{first, min(int(centre+radius+.5), from) - first, len(a.weights)}, centre, radius)
	}
}

// add adds a span and its weights.
func (a *axis) add(s span, centre, radius float64) {
	sum, narrow := 0., 1/radius
	for k := range s.n {
		w := max(0, 1-math.Abs(float64((float64(s.first+k)-centre+.5)*narrow)))
		a.weights = append(a.weights, w)
		sum += w
	}
	room := uint32(maxWeights)
	for k, w := range a.weights[s.at:] {
		w /= sum
		fixed := min(uint32(.5+float64(w*(1<<weightBits))), room)
		room -= fixed
		a.weights[s.at+k] = w
		a.fixed = append(a.fixed, fixed)
	}
	a.spans = append(a.spans, s)
}

// reach returns the range of pixels, lo to hi-1, that the axis uses.
func (a *axis) reach() (lo, hi int) {
	last := a.spans[len(a.spans)-1]
	return a.spans[0].first, last.first + last.n
}

// Fit brings the picture to size×size pixels and writes them to dst, size·size·Channels values in [0,1] in row, column,
// channel order. It scales both sides to size if stretch is set. Otherwise it scales the shorter side to 256/224 of size and
// keeps the centre; a picture that has the size already stays as it is. The pixels are exactly those of torchvision's Resize,
// and CenterCrop, of a Pillow image.
func (p *Picture) Fit(dst []float32, size int, stretch bool) {
	full, window := fitWindow(p.Width, p.Height, size, stretch)
	p.resample(dst, full, window)
}

// Scale scales the picture to width×height pixels and writes them to dst, height·width·Channels values in [0,1] in row,
// column, channel order.
func (p *Picture) Scale(dst []float32, width, height int) {
	p.resample(dst, image.Pt(width, height), image.Rect(0, 0, width, height))
}

// resample scales the picture to the size full, and writes a window of that to dst.
func (p *Picture) resample(dst []float32, full image.Point, window image.Rectangle) {
	r := newResampler(full, window, p)
	defer r.free()
	for y := range window.Dy() {
		ToUnit(dst[y*window.Dx()*p.Channels:], r.next())
	}
}

// fitWindow returns the size to which a w×h image is scaled, and the window of that to keep. An image of the right size
// stays as it is. Every side and offset is rounded as in torchvision.
func fitWindow(w, h, size int, stretch bool) (full image.Point, window image.Rectangle) {
	if stretch || w == size && h == size {
		return image.Pt(size, size), image.Rect(0, 0, size, size)
	}
	full.X, full.Y = scaledSides(w, h, scaledShort(size))
	corner := image.Pt(cropOffset(full.X, size), cropOffset(full.Y, size))
	return full, image.Rect(0, 0, size, size).Add(corner)
}

// scaledShort returns the shorter side of an image before it is cropped to
// size: 256 for 224, as in ImageNet's usual evaluation.
func scaledShort(size int) int { return size * 256 / 224 }

// scaledSides returns the sides of a w×h image scaled so that the shorter one is short.
func scaledSides(w, h, short int) (width, height int) {
	if w <= h {
		return short, short * h / w
	}
	return short * w / h, short
}

// cropOffset returns the index of the first of the central size pixels of a side. Halves round to even, as in Python.
func cropOffset(side, size int) int {
	return int(math.RoundToEven(float64(side-size) / 2))
}

// unit maps a byte pixel to [0,1].
var unit = func() (u [256]float32) {
	for v := range u {
		u[v] = float32(v) / 0xff
	}
	return u
}()

// PlanesToUnit writes bytes/255 to dst. It converts channel, row, column order to row, column, channel order.
func PlanesToUnit(dst []float32, pix []uint8, channels int) {
	area := len(pix) / channels
	for c := range channels {
		for k, v := range pix[c*area:][:area] {
			dst[k*channels+c] = unit[v]
		}
	}
}

// ToUnit writes bytes/255 to the beginning of dst.
func ToUnit(dst []float32, pix []uint8) {
	dst = dst[:len(pix)]
	for k, v := range pix {
		dst[k] = unit[v]
	}
}
