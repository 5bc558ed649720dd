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

// DatasetSize is the size of an image dataset, found without opening it.
type DatasetSize struct {
	Shape         models.Shape
	Classes       int
	Train, Tested int        // images
	opened        [2]float64 // values in all of these images, if they are kept in memory
	scaled        bool
	all           int // training images of the whole dataset
}

// usualSize is the image size for datasets with several sizes if none was given.
const usualSize = 32

// largestSize is the largest side to which package data scales images.
const largestSize = 4096

// FindDatasetSize returns the size of a dataset whose images are scaled to a size; 0 leaves them unscaled. The size of
// a dataset that is made of another one, such as noisydigits:mnist, follows from the latter's. An unknown dataset, and
// images of more than 4096×4096, are an [*input.Error].
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

// variant returns the set with the number of classes of a variant.
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

// madeOf returns the size of a set made from all or some classes of another.
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

// Reading returns the work of reading a number of the set's images. To normalise by the set, all of its training
// images are scaled too.
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

// ReadingOf is [DatasetSize.Reading] for a set by name, scaled to a size unless that is 0. It is zero for unknown
// sets.
func ReadingOf(set string, size, images int, bySet bool) cost.Reading {
	s, err := FindDatasetSize(set, size)
	if err != nil {
		return cost.Reading{}
	}
	return s.Reading(images, bySet)
}

// ReadingOfSpec returns the work of reading images of one split. If the set is normalised by its own mean, images of
// the other split are read too.
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

// onDisk are datasets with images of one size that are read from disk when needed. Estimates do not include decoding
// JPEGs.
var onDisk = []string{"celeba", "pcam", "stl10"}

// shapeIn parses an image shape of a catalogue; some of its numbers may be missing.
func shapeIn(text string) models.Shape {
	dims := []int{3, usualSize, usualSize}
	for i, word := range strings.Split(text, "×") {
		if n, err := strconv.Atoi(word); err == nil && i < len(dims) {
			dims[i] = n
		}
	}
	return models.Shape{Channels: dims[0], Height: dims[1], Width: dims[2]}
}

// ImagesUsed returns n, or all if n is 0.
func ImagesUsed(n, all int) int {
	if n > 0 && (all == 0 || n < all) {
		return n
	}
	return all
}

// LayersFor returns the layers of an architecture's network without building it.
func LayersFor(a *models.Architecture, in models.Shape, classes int) ([]models.LayerInfo, error) {
	f, err := a.Fresh(in, classes, 0)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	return f.Layers(), nil
}

// NetworkOf returns the size of an architecture's network.
func NetworkOf(arch string, width float64, in models.Shape, classes int) (cost.Net, error) {
	a, err := input.LookupArchitecture(arch)
	if err != nil {
		return cost.Net{}, err
	}
	a.Width = width
	layers, err := LayersFor(a, in, classes)
	return cost.NetOf(layers), err
}

// ValuesPerImage returns how many numbers an image has.
func ValuesPerImage(s models.Shape) int { return s.Channels * s.Height * s.Width }
