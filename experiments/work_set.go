package experiments

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/catalogue"
	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/models"
)

// setSize is what is known of a set of images before it is opened, enough for an
// estimate of what work on it takes.
type setSize struct {
	shape         models.Shape
	classes       int
	train, tested int // images
}

// usualSize is the size of images where a set has several, and none was given.
const usualSize = 32

// sizeOfSet is that of a set with its images scaled, 0 for as they are. Of a set that
// is made of another one, such as noisydigits:mnist, numbers are the other's.
func sizeOfSet(set string, size int) (setSize, error) {
	name, of, _ := strings.Cut(set, ":")
	e, known := catalogue.Find(name)
	if !known {
		return setSize{}, fmt.Errorf("%q is no known set", set)
	}
	s := setSize{shape: shapeIn(e.Shape), classes: max(e.Classes, 2)}
	for _, split := range e.Splits {
		switch split.Name {
		case "train", "all":
			s.train = split.Size
		case "test", "validation":
			s.tested = split.Size
		}
	}
	if base, _, _ := strings.Cut(of, ","); s.train == 0 && base != "" {
		if b, err := sizeOfSet(base, 0); err == nil {
			s.train, s.tested = b.train, b.tested
		}
	}
	if size > 0 {
		s.shape.Height, s.shape.Width = size, size
	}
	return s, nil
}

// shapeIn reads the shape of a catalogue, of which numbers may be missing.
func shapeIn(text string) models.Shape {
	dims := []int{3, usualSize, usualSize}
	for i, word := range strings.Split(text, "×") {
		if n, err := strconv.Atoi(word); err == nil && i < len(dims) {
			dims[i] = n
		}
	}
	return models.Shape{Channels: dims[0], Height: dims[1], Width: dims[2]}
}

// ofImages is how many images there are where a spec says n, and 0 says all.
func ofImages(n, all int) int {
	if n > 0 && (all == 0 || n < all) {
		return n
	}
	return all
}

// netOf is what there is of a network of an architecture, which is not made.
func netOf(arch string, width float64, in models.Shape, classes int) (need.Net, error) {
	a, err := lookup(arch)
	if err != nil {
		return need.Net{}, err
	}
	a.Width = width
	f, err := a.Fresh(in, classes, 0)
	if err != nil {
		return need.Net{}, &InputError{err}
	}
	return need.NetOf(f.Layers()), nil
}

// pixelsIn is how many numbers an image has.
func pixelsIn(s models.Shape) int { return s.Channels * s.Height * s.Width }
