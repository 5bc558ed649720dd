package experiments

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// openImages opens image sets.
func openImages(ctx context.Context, s ExamplesSpec) (*examples, error) {
	train, err := openPart(s, "train", s.Data, s.Train)
	if err != nil {
		return nil, err
	}
	sets, err := openImageSets(s, train)
	if err != nil {
		return nil, err
	}
	e := &examples{about: sets.about}
	if e.train, err = readExamples(ctx, train.set, sets.normalisation, len(e.classes)); err == nil && sets.test != nil {
		e.test, err = readExamples(ctx, sets.test.set, sets.normalisation, len(e.classes))
	}
	return e, err
}

// imageSets are the images that a spec names, not yet read.
type imageSets struct {
	about
	train, test   *source // test is nil where there is none
	normalisation data.Normalisation
}

// openImageSets opens what belongs to the images to train on.
func openImageSets(s ExamplesSpec, train *source) (*imageSets, error) {
	shape := train.set.Shape()
	e := &imageSets{about: about{name: train.set.Name(), task: rfm.Classification, shape: &shape, classes: train.set.Classes(), unit: 1}, train: train}
	if len(e.classes) < 2 {
		return nil, badInput("%s has %d classes: want labelled images of at least two", s.Data, len(e.classes))
	}
	var err error
	if e.normalisation, err = imagesNormalisation(s, train); err != nil {
		return nil, err
	}
	e.conv.Inputs = "pixels in [0,1] in the order (row, column, channel)"
	if text := normalisationText(e.normalisation); text != noTransform {
		e.conv.Inputs = "pixels in the order (row, column, channel), normalised by " + text
	}
	e.conv.Targets = e.describeTargets()
	if e.conv.Train, e.conv.TrainSHA, err = train.tell(); err != nil {
		return nil, err
	}
	return e, e.openTest(s)
}

// openTest opens the test images, if there are any.
func (e *imageSets) openTest(s ExamplesSpec) error {
	name, split := s.Data, "test"
	if isFolder(s.Data) {
		if s.TestData == "" {
			return nil
		}
		name = s.TestData
	} else if s.TestData != "" {
		return badInput("--test-data is for folders and files: %s has a test split of its own", s.Data)
	}
	test, err := openPart(s, split, name, s.Test)
	if err != nil {
		return err
	}
	if got := test.set.Shape(); got != *e.shape {
		return badInput("the training images are of %v, the test images of %v: give one --size", *e.shape, got)
	}
	if got := test.set.Classes(); len(got) != len(e.classes) {
		return badInput("the training images have %d classes, the test images %d", len(e.classes), len(got))
	}
	e.test = test
	e.conv.Test, e.conv.TestSHA, err = test.tell()
	return err
}

// openPart opens a split and takes its first n images, all for 0.
func openPart(s ExamplesSpec, split, name string, n int) (*source, error) {
	src, err := openWhole(s, split, name, n)
	if err != nil {
		return nil, err
	}
	if s.Balanced {
		src.set, err = balance(src.set, n, s.Seed)
	} else {
		src.set, err = firstImages(split, src.set, n)
	}
	return src, err
}

// openWhole opens a split of the classes that are asked for: all there is, of a
// generated set n images, its own number for 0.
func openWhole(s ExamplesSpec, split, name string, n int) (*source, error) {
	spec := DataSpec{Data: name, Split: split, Dir: s.Dir, Size: s.Size, Fit: s.Fit, Count: n, Seed: s.Seed}
	if s.Classes != "" || s.Balanced {
		spec.Count = 0 // not all that are generated are wanted
	}
	if spec.Size == 0 && imagesVary(name) && (data.IsKnown(name) || isFolder(name)) {
		return nil, badInput("the images of %s may be of different sizes: give --size, to which they are scaled", name)
	}
	src, err := openData(spec, &models.Architecture{})
	if err != nil {
		return nil, err
	}
	if s.Grey {
		if src.set, err = data.Grey(src.set); err != nil {
			return nil, &InputError{err}
		}
	}
	src.set, err = ofClasses(src.set, s.Classes)
	return src, err
}

// balance returns as many images of every class as the rarest has, at most n in
// all.
func balance(set data.Dataset, n int, seed uint64) (data.Dataset, error) {
	labels, err := data.Labels(set)
	if err != nil {
		return nil, &InputError{err}
	}
	counts := make([]int, len(set.Classes()))
	for _, l := range labels {
		counts[l]++
	}
	each := set.Len()
	for _, c := range counts {
		each = min(each, c)
	}
	if n > 0 {
		each = min(each, n/len(counts))
	}
	if each == 0 {
		return nil, badInput("--balanced: a class of %s has no images", set.Name())
	}
	balanced, err := data.Balanced(set, each, seed)
	if err != nil {
		return nil, &InputError{err}
	}
	return balanced, nil
}

// imagesNormalisation is the one asked for, none by default.
func imagesNormalisation(s ExamplesSpec, train *source) (data.Normalisation, error) {
	text := s.Normalise
	if text == "" {
		text = "none"
	}
	n, err := data.ParseNormalisation(text, func() (data.Normalisation, error) { return data.Measure(train.set, 0) })
	if err == nil {
		err = n.Check(train.set.Shape().Channels)
	}
	if err != nil {
		return n, &InputError{err}
	}
	return n, nil
}

// tell says which images the source has, and their digest.
func (s *source) tell() (text, digest string, err error) {
	info, err := data.Describe(s.set)
	if err != nil {
		return "", "", &InputError{err}
	}
	which, split := s.which, ""
	if which == "" {
		which = fmt.Sprintf("the first %d", s.set.Len())
	}
	if info.Split != "" {
		split = " of the " + info.Split + " split"
	}
	return fmt.Sprintf("%s%s of %s, %s", which, split, s.set.Name(), s.order), info.SHA256, nil
}
