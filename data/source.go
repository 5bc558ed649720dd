package data

import (
	"encoding/binary"
	"io"

	"github.com/ansatz-lab/ansatz/data/imagefile"
)

// A source holds or makes images of 8-bit pixels. It is safe for concurrent
// use.
type source interface {
	Name() string
	Split() string
	Len() int
	Shape() Shape
	Classes() []string

	// image returns the pixels of image i in channel, row, column order, and its
	// label. The caller must not change the pixels, which may lie in the memory of
	// scratch. It does not check that i is valid.
	image(i int, scratch []uint8) (pix []uint8, label int)

	// labelAt returns the label of image i.
	labelAt(i int) int

	// identify writes to w the source of image i and its label, for a digest.
	identify(w io.Writer, i int) error
}

// eightBit is the Dataset of a source.
type eightBit struct {
	source
	size int // height and width to scale images to; 0 keeps the source's
}

// Shape returns the size of the images after scaling.
func (d eightBit) Shape() Shape { return d.source.Shape().scaledTo(d.size) }

// scaledTo returns the shape after scaling to size×size; 0 means no scaling.
func (s Shape) scaledTo(size int) Shape {
	if size > 0 {
		s.Height, s.Width = size, size
	}
	return s
}

// Read implements Dataset.
func (d eightBit) Read(i int, dst []float32) (int, error) {
	if err := checkRead(d, i, dst); err != nil {
		return 0, err
	}
	pix, label := d.image(i, nil)
	writePixels(dst, d.Shape(), pix, d.source.Shape())
	return label, nil
}

// writePixels converts pixels from channel, row, column order to floats in row, column,
// channel order, and scales them if the shapes differ.
func writePixels(dst []float32, to Shape, pix []uint8, native Shape) {
	if to != native {
		p := imagefile.Picture{Width: native.Width, Height: native.Height, Channels: native.Channels,
			Pix: interleaved(pix, native.Channels)}
		p.Scale(dst, to.Width, to.Height)
		return
	}
	imagefile.PlanesToUnit(dst, pix, native.Channels)
}

func (d eightBit) bytes(i int, scratch []uint8) ([]uint8, int, bool) {
	if d.Shape() != d.source.Shape() {
		return nil, 0, false
	}
	pix, label := d.image(i, scratch)
	return pix, label, true
}

func (d eightBit) label(i int) (int, error) { return d.labelAt(i), nil }

// interleaved converts pixels from channel, row, column order to row, column, channel
// order.
func interleaved(pix []uint8, channels int) []uint8 {
	dst := make([]uint8, len(pix))
	area := len(pix) / channels
	for k, v := range pix {
		dst[k%area*channels+k/area] = v
	}
	return dst
}

// planes is a source that holds its images in memory, in channel, row, column order.
type planes struct {
	name, split string
	shape       Shape
	classes     []string
	labels      []uint16  // nil when unlabelled
	images      [][]uint8 // by image: shape.Pixels() bytes
}

func (p *planes) Name() string      { return p.name }
func (p *planes) Split() string     { return p.split }
func (p *planes) Len() int          { return len(p.images) }
func (p *planes) Shape() Shape      { return p.shape }
func (p *planes) Classes() []string { return p.classes }

func (p *planes) labelAt(i int) int {
	if p.labels == nil {
		return -1
	}
	return int(p.labels[i])
}

func (p *planes) image(i int, _ []uint8) ([]uint8, int) {
	return p.images[i], p.labelAt(i)
}

// identify writes the label and the pixels in the form of a CIFAR-10 record.
func (p *planes) identify(w io.Writer, i int) error {
	return writeRecord(w, p.labelAt(i), len(p.classes), p.images[i])
}

// writeRecord writes a label and the pixels. The label takes one byte if there are at
// most 256 classes, else two, big-endian; a negative label is omitted.
func writeRecord(w io.Writer, label, classes int, pix []uint8) error {
	var head []byte
	switch {
	case label < 0:
	case classes <= 256:
		head = []byte{byte(label)}
	default:
		head = binary.BigEndian.AppendUint16(nil, uint16(label))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(pix)
	return err
}
