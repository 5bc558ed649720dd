package imagefile

import (
	"bytes"
	"cmp"
	"fmt"
	"image"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/turbojpeg"
)

// maxScans bounds the scans of a progressive JPEG, which usually has about ten. A scan
// may be a few bytes long, but decoding it takes time in proportion to the image.
const maxScans = 500

// JPEGDecoder returns the name of the decoder of JPEGs: the file of libjpeg-turbo, whose name ends in its version, or
// "image/jpeg". The pixels that they decode differ by up to three grey levels.
func JPEGDecoder() string { return cmp.Or(turbojpeg.Version(), "image/jpeg") }

// decodeJPEG decodes with libjpeg-turbo if that is available. It leaves files that libjpeg-turbo rejects or warns about
// to image/jpeg, so that all machines reject the same files. The exception is arithmetic coding, which only libjpeg-turbo
// decodes; versions after 2 decode further kinds.
func decodeJPEG(c codec, path string, content []byte) (*Picture, error) {
	if n, at := countScans(content); n > maxScans {
		return nil, &array.FormatError{
			Path:   path,
			Offset: int64(at),
			Want:   fmt.Sprintf("a JPEG of at most %d scans", maxScans),
			Got:    "more",
			Hint:   Hint,
		}
	}
	if turbojpeg.Available() {
		if p, err := decodeTurbo(path, content); p != nil || err != nil {
			return p, err
		}
	}
	return c.decode(path, content)
}

// decodeTurbo decodes with libjpeg-turbo. It returns nil and no error for a file that libjpeg-turbo rejects.
func decodeTurbo(path string, content []byte) (*Picture, error) {
	var p *Picture
	var refused error
	err := turbojpeg.Decode(content, func(w, h int) ([]uint8, error) {
		if refused = checkSides(path, "JPEG", w, h, len(content)); refused != nil {
			return nil, refused
		}
		p = newPicture(w, h, 3)
		return p.Pix, nil
	})
	if err != nil && p != nil {
		p.Free()
		p = nil
	}
	return p, refused
}

// countScans counts the scans of a JPEG, up to maxScans+1, and returns the offset of
// the last one counted. It stops at bytes that are not valid.
func countScans(content []byte) (scans, at int) {
	const (
		restart0 = 0xd0 // to 0xd7; no length follows these, start and end
		start    = 0xd8
		end      = 0xd9
		scan     = 0xda
		padding  = 0xff
	)
	for k := 0; k+1 < len(content) && scans <= maxScans; {
		if content[k] != 0xff {
			// Skip the data of a scan, up to the next marker.
			next := bytes.IndexByte(content[k:], 0xff)
			if next < 0 {
				return scans, at
			}
			k += next
			continue
		}
		switch marker := content[k+1]; {
		case marker == end:
			return scans, at
		case marker == padding:
			k++
		case marker == 0 || marker >= restart0 && marker <= start:
			k += 2
		case k+3 >= len(content):
			return scans, at
		default:
			if marker == scan {
				scans, at = scans+1, k
			}
			k += 2 + int(content[k+2])<<8 + int(content[k+3])
		}
	}
	return scans, at
}

// ycbcrToRGB converts a decoded JPEG as libjpeg does, and hence Pillow and torchvision. If the file has fewer colour
// samples than pixels, it interpolates the missing ones with a triangle filter ("fancy upsampling"). The standard
// library repeats the nearest sample, which changes pixels beside a coloured edge by twenty grey levels and more.
func ycbcrToRGB(src *image.YCbCr) *Picture {
	b := src.Rect
	dst := newPicture(b.Dx(), b.Dy(), 3)
	cb, cr := newChroma(src, src.Cb), newChroma(src, src.Cr)
	for y := range dst.Height {
		cb.seek(y)
		cr.seek(y)
		luma := src.Y[src.YOffset(b.Min.X, b.Min.Y+y):]
		row := dst.row(y)
		for x := range dst.Width {
			p := row[3*x : 3*x+3 : 3*x+3]
			p[0], p[1], p[2] = jfifRGB(int(luma[x]), cb.at(x)-0x80, cr.at(x)-0x80)
		}
	}
	return dst
}

// jfifRGB converts a colour with the coefficients of the JFIF standard (1.402,
// .344, .714 and 1.772) in 16-bit fixed point, rounding as libjpeg does.
func jfifRGB(y, cb, cr int) (r, g, b uint8) {
	const half = 1 << 15
	return clamp8(y + (91881*cr+half)>>16),
		clamp8(y + (half-22554*cb-46802*cr)>>16),
		clamp8(y + (116130*cb+half)>>16)
}

func clamp8(v int) uint8 { return uint8(min(max(v, 0), 0xff)) }

// chroma reads one colour plane of a JPEG at the resolution of its pixels.
type chroma struct {
	plane         []uint8
	stride        int
	width, height int   // of the plane, in samples
	stepX, stepY  int   // the columns and rows of pixels that share a sample
	halfX, halfY  bool  // whether two columns, or rows, share a sample and libjpeg interpolates
	sums          []int // of the current row: samples, or 3·nearest + next if halfY
	lower         bool  // whether the current row is the lower of the two that share samples
}

func newChroma(src *image.YCbCr, plane []uint8) *chroma {
	stepX, stepY := sampling(src.SubsampleRatio)
	c := &chroma{
		plane:  plane[src.COffset(src.Rect.Min.X, src.Rect.Min.Y):],
		stride: src.CStride,
		width:  (src.Rect.Dx() + stepX - 1) / stepX,
		height: (src.Rect.Dy() + stepY - 1) / stepY,
		stepX:  stepX,
		stepY:  stepY,
		halfX:  stepX == 2 && stepY <= 2,
		halfY:  stepY == 2 && stepX <= 2,
	}
	c.sums = make([]int, c.width)
	return c
}

// sampling returns how many columns and rows of pixels share a colour sample.
func sampling(r image.YCbCrSubsampleRatio) (columns, rows int) {
	switch r {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

// seek makes y the current row of pixels, from which at reads.
func (c *chroma) seek(y int) {
	nearest := y / c.stepY
	row := c.plane[nearest*c.stride:]
	if !c.halfY {
		for x := range c.sums {
			c.sums[x] = int(row[x])
		}
		return
	}
	c.lower = y%2 == 1
	next := nearest - 1
	if c.lower {
		next = nearest + 1
	}
	other := c.plane[min(max(next, 0), c.height-1)*c.stride:]
	for x := range c.sums {
		c.sums[x] = 3*int(row[x]) + int(other[x])
	}
}

// at returns the colour of the pixel in column x. It adds libjpeg's constants before
// each shift; they alternate, so that rounding does not drift.
func (c *chroma) at(x int) int {
	s := c.sums[x/c.stepX]
	switch {
	case c.halfX && c.halfY:
		return (3*s + c.next(x) + 8 - x%2) >> 4
	case c.halfX:
		return (3*s + c.next(x) + 1 + x%2) >> 2
	case c.halfY && c.lower:
		return (s + 2) >> 2
	case c.halfY:
		return (s + 1) >> 2
	}
	return s
}

// next returns the second nearest sample to column x if a sample covers two columns. The edge repeats.
func (c *chroma) next(x int) int {
	if x%2 == 0 {
		return c.sums[max(x/2-1, 0)]
	}
	return c.sums[min(x/2+1, c.width-1)]
}
