package experiments

import (
	"slices"
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
	train, tested int        // images
	opened        [2]float64 // numbers in all of these images, where they are held
	scaled        bool
	all           int // training images of the set, whatever is used of them
}

// usualSize is the size of images where a set has several, and none was given.
const usualSize = 32

// sizeOfSet is that of a set with its images scaled, 0 for as they are. Of a set that
// is made of another one, such as noisydigits:mnist, it is known from that one.
func sizeOfSet(set string, size int) (setSize, error) {
	name, words, _ := strings.Cut(set, ":")
	e, known := catalogue.Find(name)
	if !known {
		return setSize{}, badInput("%q is no known set", set)
	}
	word, _, _ := strings.Cut(words, ",")
	s := setSize{shape: shapeIn(e.Shape), classes: max(e.Classes, 2)}
	splits := e.Splits
	if variant := e.Of[word]; len(variant) > 0 {
		splits = variant
	}
	for _, split := range splits {
		switch {
		case split.Name == "train" || split.Name == "all":
			s.train = split.Size
		case s.tested == 0 && (split.Name == "test" || split.Name == "validation"):
			s.tested = split.Size
		}
	}
	s = s.variant(set)
	if base, err := sizeOfSet(word, 0); s.train == 0 && word != "" && err == nil {
		s = s.madeOf(base, e, name)
	}
	if !slices.Contains(onDisk, name) && !strings.Contains(e.Shape, "?") {
		pixels := float64(pixelsIn(s.shape))
		s.opened = [2]float64{pixels * float64(s.train), pixels * float64(s.tested)}
	}
	s.all = s.train
	if size > 0 {
		s.shape.Height, s.shape.Width, s.scaled = size, size, true
	}
	return s, nil
}

// variant is the set with the classes of a variant, where these are others.
func (s setSize) variant(set string) setSize {
	switch set {
	case "emnist:letters":
		s.classes = 26
	case "emnist:digits", "emnist:mnist":
		s.classes = 10
	case "emnist:byclass":
		s.classes = 62
	case "cifar100:coarse":
		s.classes = 20
	case "imagenet:snakes":
		s.train, s.tested, s.classes = s.train*snakesClasses/s.classes, s.tested*snakesClasses/s.classes, snakesClasses
	}
	return s
}

// snakesClasses are the classes of imagenet:snakes.
const snakesClasses = 10

// madeOf is a set that is made of another one, of some of its classes or all.
func (s setSize) madeOf(base setSize, e catalogue.Entry, name string) setSize {
	s.train, s.tested = base.train, base.tested
	if e.Classes == 0 {
		s.classes = base.classes
	}
	if s.classes < base.classes {
		s.train, s.tested = base.train*s.classes/base.classes, base.tested*s.classes/base.classes
	}
	if strings.HasPrefix(e.Shape, "?") {
		s.shape = base.shape
	}
	if name == "sidebyside" {
		s.shape.Width *= 2
	}
	return s
}

// of is the set with some of its classes alone, A,B,…; "" is all.
func (s setSize) of(classes string) setSize {
	if classes == "" {
		return s
	}
	n := strings.Count(classes, ",") + 1
	s.train, s.tested, s.classes = s.train*n/s.classes, s.tested*n/s.classes, n
	return s
}

// reading is what there is to read of the set where so many of its images are used.
// Where they are normalised by the set, all of its training images are scaled too.
func (s setSize) reading(images int, bySet bool) need.Reading {
	r := need.Reading{Opened: s.opened[0] + s.opened[1]}
	if s.scaled {
		r.Scaled = float64(images) * float64(pixelsIn(s.shape))
	}
	if s.scaled && bySet {
		r.Scaled += float64(s.all) * float64(pixelsIn(s.shape))
	}
	return r
}

// readingOf is what there is to read of the named set, scaled to a size unless it is
// 0; nothing is known of others.
func readingOf(set string, size, images int, bySet bool) need.Reading {
	s, err := sizeOfSet(set, size)
	if err != nil {
		return need.Reading{}
	}
	return s.reading(images, bySet)
}

// reading is what there is to read for images of one split, of which those of the
// other are read too where all are normalised by the set.
func (s DataSpec) reading(images int, bySet bool) need.Reading {
	set, err := sizeOfSet(s.Data, s.Size)
	if err != nil {
		return need.Reading{}
	}
	switch {
	case s.Split == "train":
		set.opened[1] = 0
	case !bySet:
		set.opened[0] = 0
	}
	return set.reading(images, bySet)
}

// bySet is the name of the normalisation by a set's own mean and deviation.
const bySet = "dataset"

// onDisk are sets of images of one size that are read when they are needed; what
// decoding JPEGs takes is in no estimate.
var onDisk = []string{"celeba", "pcam", "stl10"}

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

// layersFor are those of a network of an architecture, which is not made.
func layersFor(a *models.Architecture, in models.Shape, classes int) ([]models.LayerInfo, error) {
	f, err := a.Fresh(in, classes, 0)
	if err != nil {
		return nil, &InputError{err}
	}
	return f.Layers(), nil
}

// netOf is what there is of a network of an architecture.
func netOf(arch string, width float64, in models.Shape, classes int) (need.Net, error) {
	layers, err := layersAt(arch, width, in, classes)
	return need.NetOf(layers), err
}

// layersAt are the layers of a network of an architecture.
func layersAt(arch string, width float64, in models.Shape, classes int) ([]models.LayerInfo, error) {
	a, err := lookup(arch)
	if err != nil {
		return nil, err
	}
	a.Width = width
	return layersFor(a, in, classes)
}

// pixelsIn is how many numbers an image has.
func pixelsIn(s models.Shape) int { return s.Channels * s.Height * s.Width }
