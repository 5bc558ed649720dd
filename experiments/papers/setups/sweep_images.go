package setups

import (
	"context"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/catalogue"
	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// SweepImages is the number of images that convolutional machines learn from, see [OpenDraw].
type SweepImages struct {
	Train int `json:"train" toml:"train"`
	// Validation is the number of further training images that choose ridges, iterations and epochs.
	Validation int `json:"validation" toml:"validation"`
	Test       int `json:"test" toml:"test"`
	// Draws is the number of disjoint ranges of images, which the seeds use in turn.
	Draws int `json:"draws" toml:"draws"`
}

func (s SweepImages) check() error {
	if s.Train < 1 || s.Validation < 1 || s.Test < 1 || s.Draws < 1 {
		return input.Errorf("%d training, %d validation and %d test images in %d draws: want at least 1 of each",
			s.Train, s.Validation, s.Test, s.Draws)
	}
	return nil
}

// SweepExamples is images with their one-hot classes.
type SweepExamples struct {
	name                    string
	Classes                 []string
	Train, Validation, Test rfm.ImageExamples
}

// shape returns the shape of an image.
func (e *SweepExamples) shape() models.Shape {
	x := e.Train.X
	return models.Shape{Channels: x.Channels, Height: x.Height, Width: x.Width}
}

// key identifies the images, in the names of checkpoints.
func (e *SweepExamples) key() string {
	return e.name + " " + checkpoint.ContentDigest(e.Train.X.Pixels, e.Validation.X.Pixels, e.Test.X.Pixels)
}

// OpenSweep opens the seed's range of images, scaled to size unless that is 0, and records them. In a dry run the
// images and their classes are outlines.
func OpenSweep(ctx context.Context, in study.Setting, name string, size int, s SweepImages,
	o *study.Outcome) (*SweepExamples, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if in.Dry() {
		return outlineSweep(in, name, size, s)
	}
	all, err := OpenDraw(in, name, "train", size, s.Train+s.Validation, s.Draws)
	if err != nil {
		return nil, err
	}
	e := &SweepExamples{name: name, Classes: all.Classes()}
	train := data.Head(all, s.Train)
	validation, err := data.Subset(all, indexRange(s.Train, s.Validation))
	if err != nil {
		return nil, err
	}
	test, err := OpenDraw(in, name, "test", size, s.Test, s.Draws)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		what string
		set  data.Dataset
		into *rfm.ImageExamples
	}{{"training", train, &e.Train}, {"validation", validation, &e.Validation}, {"test", test, &e.Test}} {
		if *part.into, err = readImageExamples(ctx, part.set, len(e.Classes)); err != nil {
			return nil, err
		}
		if err := o.AddDataset(name+", "+part.what, part.set); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// outlineSweep is [OpenSweep] in a dry run.
func outlineSweep(in study.Setting, name string, size int, s SweepImages) (*SweepExamples, error) {
	set, err := workload.FindDatasetSize(name, size)
	if err != nil {
		return nil, err
	}
	in.AddReading(set.Reading(s.Train+s.Validation+s.Test, false))
	x := rfm.Images{Height: set.Shape.Height, Width: set.Shape.Width, Channels: set.Shape.Channels}
	outline := func(n int) rfm.ImageExamples { return rfm.ImageExamples{X: x, Y: linalg.Outline(n, set.Classes)} }
	return &SweepExamples{name: name, Classes: make([]string, set.Classes),
		Train: outline(s.Train), Validation: outline(s.Validation), Test: outline(s.Test)}, nil
}

// OpenDraw returns n images of a split: of draws disjoint ranges, the one whose turn it is for the seed. Images in
// files are first shuffled, always in the same way, since some datasets are sorted by class.
func OpenDraw(in study.Setting, name, split string, size, n, draws int) (data.Dataset, error) {
	lo := int(in.Seed%uint64(draws)) * n
	src, err := input.Open(input.DataSpec{Data: name, Split: split, Dir: in.DataDir, Size: size, Count: lo + n,
		Seed: in.Seed}, &models.Architecture{})
	if err != nil {
		return nil, err
	}
	if have := src.Dataset.Len(); have < lo+n {
		return nil, input.Errorf("%s has %d images to %s with, but draw %d of %d takes those from %d to %d: take "+
			"fewer",
			name, have, split, lo/n, draws, lo, lo+n)
	}
	if len(src.Dataset.Classes()) < 2 {
		return nil, input.Errorf("%s has %s: want labelled images of at least two", name,
			words.Count(len(src.Dataset.Classes()), "class"))
	}
	return data.Subset(src.Dataset, drawIndices(name, split, src.Dataset.Len(), lo, n))
}

// drawIndices returns the indices of n images of [OpenDraw] from lo on, among size images.
func drawIndices(name, split string, size, lo, n int) []int {
	base, _, _ := strings.Cut(name, ":")
	if e, known := catalogue.Find(base); known && e.Kind == catalogue.Generated { // already in random order
		return indexRange(lo, n)
	}
	return models.Stream(0, "order of "+name+"/"+split).Perm(size)[lo : lo+n]
}

// indexRange returns n integers from lo on.
func indexRange(lo, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = lo + i
	}
	return all
}

// readImageExamples reads a set without normalisation, with one-hot targets.
func readImageExamples(ctx context.Context, set data.Dataset, classes int) (rfm.ImageExamples, error) {
	if err := data.CheckLabels(set, classes); err != nil {
		return rfm.ImageExamples{}, &input.Error{Err: err}
	}
	x, labels, err := ReadImages(ctx, set)
	if err != nil {
		return rfm.ImageExamples{}, err
	}
	return rfm.ImageExamples{X: x, Y: rfm.OneHot(labels, classes)}, nil
}

// ReadImages reads all images of a set, without normalisation, and their labels.
func ReadImages(ctx context.Context, set data.Dataset) (x rfm.Images, labels []int, err error) {
	n, s := set.Len(), set.Shape()
	x = rfm.Images{Height: s.Height, Width: s.Width, Channels: s.Channels, Pixels: make([]float32, n*s.Pixels())}
	labels = make([]int, n)
	return x, labels, (&data.Loader{Dataset: set}).Load(ctx, 0, n, x.Pixels, labels)
}
