package workload

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/catalogue"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
)

// DatasetSize is what is known of a set of images without opening it.
type DatasetSize struct {
	Shape         models.Shape
	Classes       int
	Train, Tested int        // images
	opened        [2]float64 // numbers in all of these images, where they are held
	scaled        bool
	all           int // training images of the set, whatever is used of them
}

// usualSize is the size of images if a set has several and none was given.
const usualSize = 32

// largestSize is the largest side that package data scales images to.
const largestSize = 4096

// FindDatasetSize returns the size of a set with its images scaled to a size; 0 leaves them as they
// are. The size of a set that is made of another one, such as noisydigits:mnist, follows from that
// one. An unknown set, and images of more than 4096×4096, are an [*input.Error].
func FindDatasetSize(set string, size int) (DatasetSize, error) {
	if size > largestSize {
		return DatasetSize{}, input.Errorf("images of %d×%d pixels: want at most %d×%d", size, size, largestSize,
			largestSize)
	}
	name, words, _ := strings.Cut(set, ":")
	e, known := catalogue.Find(name)
	if !known {
		return DatasetSize{}, input.Errorf("%q is no known set", set)
	}
	word, _, _ := strings.Cut(words, ",")
	s := DatasetSize{Shape: shapeIn(e.Shape), Classes: max(e.Classes, 2)}
	splits := e.Splits
	if variant := e.Of[word]; len(variant) > 0 {
		splits = variant
	}
	for _, split := range splits {
		switch {
		case split.Name == "train" || split.Name == "all":
			s.Train = split.Size
		case s.Tested == 0 && (split.Name == "test" || split.Name == "validation"):
			s.Tested = split.Size
		}
	}
	s = s.variant(set)
	if base, err := FindDatasetSize(word, 0); s.Train == 0 && word != "" && err == nil {
		s = s.madeOf(base, e, name)
	}
	if !slices.Contains(onDisk, name) && !strings.Contains(e.Shape, "?") {
		pixels := float64(ValuesPerImage(s.Shape))
		s.opened = [2]float64{pixels * float64(s.Train), pixels * float64(s.Tested)}
	}
	s.all = s.Train
	if size > 0 {
		s.Shape.Height, s.Shape.Width, s.scaled = size, size, true
	}
	return s, nil
}

// variant returns the set with the classes of a variant.
func (s DatasetSize) variant(set string) DatasetSize {
	switch set {
	case "emnist:letters":
		s.Classes = 26
	case "emnist:digits", "emnist:mnist":
		s.Classes = 10
	case "emnist:byclass":
		s.Classes = 62
	case "cifar100:coarse":
		s.Classes = 20
	case "imagenet:snakes":
		s.Train, s.Tested, s.Classes = s.Train*snakesClasses/s.Classes, s.Tested*snakesClasses/s.Classes, snakesClasses
	}
	return s
}

// snakesClasses are the classes of imagenet:snakes.
const snakesClasses = 10

// madeOf returns the size of a set that is made of all or some classes of another.
func (s DatasetSize) madeOf(base DatasetSize, e catalogue.Entry, name string) DatasetSize {
	s.Train, s.Tested = base.Train, base.Tested
	if e.Classes == 0 {
		s.Classes = base.Classes
	}
	if s.Classes < base.Classes {
		s.Train, s.Tested = base.Train*s.Classes/base.Classes, base.Tested*s.Classes/base.Classes
	}
	if strings.HasPrefix(e.Shape, "?") {
		s.Shape = base.Shape
	}
	if name == "sidebyside" {
		s.Shape.Width *= 2
	}
	return s
}

// Of returns the set with only some of its classes, given as A,B,…; "" selects all.
func (s DatasetSize) Of(classes string) DatasetSize {
	if classes == "" {
		return s
	}
	n := strings.Count(classes, ",") + 1
	s.Train, s.Tested, s.Classes = s.Train*n/s.Classes, s.Tested*n/s.Classes, n
	return s
}

// Reading returns what has to be read of the set if some of its images are used. To normalise by
// the set, all of its training images are scaled too.
func (s DatasetSize) Reading(images int, bySet bool) cost.Reading {
	r := cost.Reading{Opened: s.opened[0] + s.opened[1]}
	if s.scaled {
		r.Scaled = float64(images) * float64(ValuesPerImage(s.Shape))
	}
	if s.scaled && bySet {
		r.Scaled += float64(s.all) * float64(ValuesPerImage(s.Shape))
	}
	return r
}

// ReadingOf is [DatasetSize.Reading] for the name of a set, scaled to a size unless that is 0. It
// is zero for unknown sets.
func ReadingOf(set string, size, images int, bySet bool) cost.Reading {
	s, err := FindDatasetSize(set, size)
	if err != nil {
		return cost.Reading{}
	}
	return s.Reading(images, bySet)
}

// ReadingOfSpec returns what has to be read for images of one split. Images of the other split are
// read too if the set is normalised by its own mean.
func ReadingOfSpec(s input.DataSpec, images int, bySet bool) cost.Reading {
	set, err := FindDatasetSize(s.Data, s.Size)
	if err != nil {
		return cost.Reading{}
	}
	switch {
	case s.Split == "train":
		set.opened[1] = 0
	case !bySet:
		set.opened[0] = 0
	}
	return set.Reading(images, bySet)
}

// ByDataset is the name of the normalisation by a set's own mean and standard deviation.
const ByDataset = "dataset"

// onDisk are sets of images of one size that are read when needed. No estimate includes the
// decoding of JPEGs.
var onDisk = []string{"celeba", "pcam", "stl10"}

// shapeIn reads the shape of a catalogue, some of whose numbers may be missing.
func shapeIn(text string) models.Shape {
	dims := []int{3, usualSize, usualSize}
	for i, word := range strings.Split(text, "×") {
		if n, err := strconv.Atoi(word); err == nil && i < len(dims) {
			dims[i] = n
		}
	}
	return models.Shape{Channels: dims[0], Height: dims[1], Width: dims[2]}
}

// ImagesUsed returns the number of images that n of all stands for: 0 stands for all.
func ImagesUsed(n, all int) int {
	if n > 0 && (all == 0 || n < all) {
		return n
	}
	return all
}

// LayersFor returns the layers of an architecture's network without making the network.
func LayersFor(a *models.Architecture, in models.Shape, classes int) ([]models.LayerInfo, error) {
	f, err := a.Fresh(in, classes, 0)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	return f.Layers(), nil
}

// NetworkOf returns the size of an architecture's network.
func NetworkOf(arch string, width float64, in models.Shape, classes int) (cost.Net, error) {
	layers, err := LayersAt(arch, width, in, classes)
	return cost.NetOf(layers), err
}

// LayersAt returns the layers of an architecture's network at a width.
func LayersAt(arch string, width float64, in models.Shape, classes int) ([]models.LayerInfo, error) {
	a, err := input.LookupArchitecture(arch)
	if err != nil {
		return nil, err
	}
	a.Width = width
	return LayersFor(a, in, classes)
}

// ValuesPerImage returns how many numbers an image has.
func ValuesPerImage(s models.Shape) int { return s.Channels * s.Height * s.Width }
