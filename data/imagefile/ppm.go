package imagefile

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
)

// maxPPMHeader bounds the bytes of a header, which may have long comments.
const maxPPMHeader = 1 << 16

// ppmHeader is the header of a binary PPM or PGM file.
type ppmHeader struct {
	channels      int // 3 for PPM, 1 for PGM
	width, height int
	max           int // the sample value of full intensity
}

// ppmConfig reads the header of a binary PPM or PGM file (P6, P5).
func ppmConfig(r io.Reader) (image.Config, error) {
	h, err := readPPMHeader(r)
	return image.Config{ColorModel: color.RGBAModel, Width: h.width, Height: h.height}, err
}

// decodePPM reads a binary PPM or PGM file with samples of one or two bytes, and scales
// them to 8 bits as Pillow does. It does not read beyond the image. Memory grows with the
// bytes read, whatever the header says.
func decodePPM(r io.Reader) (image.Image, error) {
	h, err := readPPMHeader(r)
	if err != nil {
		return nil, err
	}
	want := int64(h.width) * int64(h.height) * int64(h.channels) * int64(h.sampleBytes())
	var raster bytes.Buffer
	n, err := io.Copy(&raster, io.LimitReader(r, want))
	if err != nil {
		return nil, err
	}
	if n < want {
		return nil, fmt.Errorf("%d of the %d bytes of its pixels: %w", n, want, io.ErrUnexpectedEOF)
	}
	return h.toImage(raster.Bytes())
}

// sampleBytes returns the number of bytes of a sample.
func (h ppmHeader) sampleBytes() int {
	if h.max > 0xff {
		return 2
	}
	return 1
}

// toImage makes an image from the samples of the raster.
func (h ppmHeader) toImage(raster []byte) (image.Image, error) {
	img := image.NewRGBA(image.Rect(0, 0, h.width, h.height))
	n := h.sampleBytes()
	for k := range h.width * h.height {
		p := img.Pix[4*k : 4*k+4]
		for c := range h.channels {
			at := n * (k*h.channels + c)
			v, err := h.scaled(raster[at : at+n])
			if err != nil {
				return nil, fmt.Errorf("byte %d of its pixels: %w", at, err)
			}
			p[c] = v
		}
		if h.channels == 1 {
			p[1], p[2] = p[0], p[0]
		}
		p[3] = 0xff
	}
	return img, nil
}

// scaled scales a sample to 8 bits. Halves round to even.
func (h ppmHeader) scaled(sample []byte) (uint8, error) {
	v := int(sample[0])
	if len(sample) == 2 {
		v = v<<8 | int(sample[1])
	}
	switch {
	case v > h.max:
		return 0, fmt.Errorf("a sample of %d, above the maximum of %d", v, h.max)
	case h.max == 0xff:
		return uint8(v), nil
	}
	return uint8(math.RoundToEven(float64(v) / float64(h.max) * 0xff)), nil
}

// readPPMHeader reads a header, up to the byte before the pixels.
func readPPMHeader(r io.Reader) (h ppmHeader, err error) {
	t := &ppmText{r: r}
	magic := string([]byte{t.next(), t.next()})
	switch {
	case t.err != nil:
		return h, t.err
	case magic == "P6":
		h.channels = 3
	case magic == "P5":
		h.channels = 1
	default:
		return h, fmt.Errorf("it begins with %q, not P5 or P6", magic)
	}
	if b := t.next(); !isPPMSpace(b) {
		t.fail(fmt.Errorf("%q after %s, not white space", b, magic))
	}
	h.width = t.number("width", math.MaxInt32)
	h.height = t.number("height", math.MaxInt32)
	h.max = t.number("maximum", math.MaxUint16)
	return h, t.err
}

// ppmText reads the text of a header byte by byte, so that it stops exactly before the
// pixels. It keeps the first error.
type ppmText struct {
	r   io.Reader
	n   int // bytes read
	err error
}

func (t *ppmText) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// next returns the next byte, 0 after an error.
func (t *ppmText) next() byte {
	if t.n++; t.n > maxPPMHeader {
		t.fail(fmt.Errorf("a header of more than %d bytes", maxPPMHeader))
	}
	if t.err != nil {
		return 0
	}
	var b [1]byte
	switch _, err := io.ReadFull(t.r, b[:]); {
	case errors.Is(err, io.EOF):
		t.fail(fmt.Errorf("its header ends early: %w", io.ErrUnexpectedEOF))
	case err != nil:
		t.fail(err)
	}
	return b[0]
}

// character returns the next byte. In place of a comment, from # to the end of the line, it returns the byte that ends the
// line, as Netpbm does.
func (t *ppmText) character() byte {
	b := t.next()
	for comment := b == '#'; comment && t.err == nil; {
		b = t.next()
		comment = b != '\n' && b != '\r'
	}
	return b
}

// number reads the next number, from 1 to most. It skips white space before the number, and consumes the one byte of
// white space after it.
func (t *ppmText) number(what string, most int) int {
	b := t.character()
	for isPPMSpace(b) {
		b = t.character()
	}
	v := 0
	for ; '0' <= b && b <= '9'; b = t.character() {
		v = min(10*v+int(b-'0'), most+1)
	}
	switch {
	case !isPPMSpace(b):
		t.fail(fmt.Errorf("%q in the %s, not a digit or white space", b, what))
	case v < 1 || v > most:
		t.fail(fmt.Errorf("the %s is not from 1 to %d", what, most))
	}
	return v
}

func isPPMSpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }
