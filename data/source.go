package data

import (
	"io"
)

// A source holds or makes images of 8-bit pixels. It is safe for concurrent
// use.
type source interface {
	Name() string
	Split() string
	Len() int
	Shape() Shape
	Classes() []string

	// pixels writes image i to dst in row, column, channel order and returns
	// its label. The caller answers for i and for the length of dst.
	pixels(i int, dst []uint8) (label int)

	// identify writes to w what image i and its label are made from.
	identify(w io.Writer, i int) error
}

// eightBit is the Dataset of a source.
type eightBit struct {
	source
	size int // height and width to scale images to; 0 keeps those of the source
}

// Shape returns the size of the images after scaling.
func (d eightBit) Shape() Shape {
	s := d.source.Shape()
	if d.size > 0 {
		s.Height, s.Width = d.size, d.size
	}
	return s
}

// Read implements Dataset.
func (d eightBit) Read(i int, dst []float32) (int, error) {
	if err := checkRead(d, i, dst); err != nil {
		return 0, err
	}
	native := d.source.Shape()
	pix := make([]uint8, native.Pixels())
	label := d.pixels(i, pix)
	if d.Shape() != native {
		scale(dst, d.Shape(), pix, native)
		return label, nil
	}
	for k, v := range pix {
		dst[k] = float32(v) / 0xff
	}
	return label, nil
}

// planes is a source whose images are held in memory as their files store
// them: channel by channel, each row by row.
type planes struct {
	name, split string
	shape       Shape
	classes     []string
	labels      []uint8
	images      [][]uint8 // by image: shape.Pixels() bytes
}

func (p *planes) Name() string      { return p.name }
func (p *planes) Split() string     { return p.split }
func (p *planes) Len() int          { return len(p.images) }
func (p *planes) Shape() Shape      { return p.shape }
func (p *planes) Classes() []string { return p.classes }

func (p *planes) pixels(i int, dst []uint8) int {
	area := p.shape.Height * p.shape.Width
	for c := range p.shape.Channels {
		for k, v := range p.images[i][c*area : (c+1)*area] {
			dst[k*p.shape.Channels+c] = v
		}
	}
	return int(p.labels[i])
}

// identify writes the label and the pixels as a CIFAR-10 record does.
func (p *planes) identify(w io.Writer, i int) error {
	if _, err := w.Write(p.labels[i : i+1]); err != nil {
		return err
	}
	_, err := w.Write(p.images[i])
	return err
}
