package data

import (
	"fmt"
	"io"
	"sync"

	"github.com/ansatz-lab/ansatz/data/array"
)

// stored is a Dataset whose images, of 8-bit pixels, stay on disk until they are read,
// because they may not all fit into memory.
type stored struct {
	name, split string
	shape       Shape
	n           int
	classes     []string
	labels      []uint16 // nil when unlabelled
	size        int      // height and width to scale images to; 0 keeps their own

	// fetch reads the pixels of image i in channel, row, column order. It is safe
	// for concurrent use.
	fetch func(i int, pix []uint8) error

	scratch sync.Pool // of *[]uint8
}

func (d *stored) Name() string      { return d.name }
func (d *stored) Split() string     { return d.split }
func (d *stored) Len() int          { return d.n }
func (d *stored) Classes() []string { return d.classes }

// Shape returns the size of the images after scaling.
func (d *stored) Shape() Shape { return d.shape.scaledTo(d.size) }

// Read implements Dataset.
func (d *stored) Read(i int, dst []float32) (int, error) {
	if err := checkRead(d, i, dst); err != nil {
		return 0, err
	}
	pix := d.buffer()
	defer d.scratch.Put(pix)
	if err := d.fetch(i, *pix); err != nil {
		return 0, err
	}
	writePixels(dst, d.Shape(), *pix, d.shape)
	return d.labelAt(i), nil
}

// buffer returns memory for the pixels of an image; put it back into scratch.
func (d *stored) buffer() *[]uint8 {
	if b, ok := d.scratch.Get().(*[]uint8); ok {
		return b
	}
	b := make([]uint8, d.shape.Pixels())
	return &b
}

func (d *stored) labelAt(i int) int {
	if d.labels == nil {
		return -1
	}
	return int(d.labels[i])
}

func (d *stored) label(i int) (int, error) { return d.labelAt(i), nil }

// identify writes the label and the pixels.
func (d *stored) identify(w io.Writer, i int) error {
	pix := d.buffer()
	defer d.scratch.Put(pix)
	if err := d.fetch(i, *pix); err != nil {
		return err
	}
	return writeRecord(w, d.labelAt(i), len(d.classes), *pix)
}

// readPart reads a file of at most limit bytes that a dataset needs.
func readPart(dataset, path string, limit int64) ([]byte, error) {
	if _, err := firstFile(dataset, getHint(dataset), path); err != nil {
		return nil, err
	}
	return readFile(path, limit)
}

// tooFew returns the error of a file whose number of labels is not that of its images.
func tooFew(path string, images, labels int, hint string) error {
	return &FormatError{
		Path:   path,
		Offset: array.NoOffset,
		Want:   fmt.Sprintf("%d labels, one for each image", images),
		Got:    fmt.Sprint(labels),
		Hint:   hint,
	}
}
