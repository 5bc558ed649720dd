package examples

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// openImages opens image sets.
func openImages(ctx context.Context, s Spec) (*Set, error) {
	train, err := OpenPart(s, "train", s.Data, s.Train)
	if err != nil {
		return nil, err
	}
	sets, err := OpenImageSets(s, train)
	if err != nil {
		return nil, err
	}
	e := &Set{Description: sets.Description}
	if e.Train, err = Read(ctx, train.Dataset, sets.Normalisation, len(e.Classes)); err != nil || sets.Test == nil {
		return e, err
	}
	e.Test, err = Read(ctx, sets.Test.Dataset, sets.Normalisation, len(e.Classes))
	if err == nil && e.Test.Y == nil && !s.Unlabelled {
		err = errUnlabelled(sets.Test.Dataset, len(e.Classes))
	}
	return e, err
}

// imageSets are the images that a spec names, not yet read.
type imageSets struct {
	Description
	train, Test   *input.Source // Test is nil if there are no test images
	Normalisation data.Normalisation
}

// OpenImageSets opens the test images that belong to training images.
func OpenImageSets(s Spec, train *input.Source) (*imageSets, error) {
	shape := train.Dataset.Shape()
	e := &imageSets{Description: Description{Name: train.Dataset.Name(), Task: rfm.Classification, Shape: &shape,
		Classes: train.Dataset.Classes(), Unit: 1}, train: train}
	if len(e.Classes) < 2 {
		return nil, input.Errorf("%s has %s: want labelled images of at least two", s.Data, words.Count(len(e.Classes), "class"))
	}
	var err error
	if e.Normalisation, err = imagesNormalisation(s, train); err != nil {
		return nil, err
	}
	e.Conventions.Inputs = "pixels in [0,1] in the order (row, column, channel)"
	if text := input.NormalisationText(e.Normalisation); text != noNormalisation {
		e.Conventions.Inputs = "pixels in the order (row, column, channel), normalised by " + text
	}
	e.Pipeline.Images = &ImageInputs{Size: s.Size, Fit: s.Fit, Grey: s.Grey, Classes: s.Classes,
		Normalise: cmp.Or(s.Normalise, noNormalisation), Constants: e.Normalisation.String()}
	if e.Conventions.Targets = e.describeTargets(); s.Classes != "" {
		e.Conventions.Targets += ": " + strings.Join(e.Classes, ", ") + ", whose images alone are counted"
	}
	if e.Conventions.Train, e.Conventions.TrainSHA, err = describeImages(train); err != nil {
		return nil, err
	}
	return e, e.openTest(s)
}

// openTest opens the test images, if there are any.
func (e *imageSets) openTest(s Spec) error {
	name, split := s.Data, "test"
	if input.IsFolder(s.Data) {
		if s.TestData == "" {
			return nil
		}
		var err error
		if e.Conventions.TestCopies, err = input.CheckTestData(s.Data, s.TestData); err != nil {
			return err
		}
		name = s.TestData
	} else if s.TestData != "" {
		return input.Errorf("--test-data is for folders and files: %s has its own test split", s.Data)
	}
	test, err := openPart(s, split, name, s.Test, e.train.Classes)
	if err != nil {
		return err
	}
	if got := test.Dataset.Shape(); got != *e.Shape {
		return input.Errorf("the training images are of %v, but the test images of %v: give one --size", *e.Shape, got)
	}
	e.Test = test
	for i := 0; i < test.Dataset.Len() && data.File(test.Dataset, i) != ""; i++ {
		e.TestFiles = append(e.TestFiles, data.File(test.Dataset, i))
	}
	e.Conventions.Test, e.Conventions.TestSHA, err = describeImages(test)
	return err
}

// OpenPart opens a split and takes its first n images, or draws up to n balanced images if the spec says so; 0 is all.
func OpenPart(s Spec, split, name string, n int) (*input.Source, error) {
	return openPart(s, split, name, n, nil)
}

// openPart is [OpenPart] with labels that are indices into the given classes, unless these are nil.
func openPart(s Spec, split, name string, n int, classes []string) (*input.Source, error) {
	src, err := openWhole(s, split, name, n, classes)
	if err != nil {
		return nil, err
	}
	if s.Balanced {
		src.Dataset, err = balance(src.Dataset, n, s.Seed)
		if err == nil {
			src.Which = fmt.Sprintf("%d, equally many of every class, drawn by seed %d,", src.Dataset.Len(), s.Seed)
		}
	} else {
		src.Dataset, err = input.FirstImages(split, src.Dataset, n)
	}
	return src, err
}

// openWhole opens all images of a split with the selected classes. Unless the given classes, of other
// images, are nil, it matches classes with them by name. Of a generated set it makes n images; 0 stands
// for the set's default.
func openWhole(s Spec, split, name string, n int, classes []string) (*input.Source, error) {
	spec := input.DataSpec{Data: name, Split: split, Dir: s.Dir, Size: s.Size, Fit: s.Fit, Count: n, Seed: s.Seed}
	if s.Classes != "" || s.Balanced {
		spec.Count = 0 // a selection follows, so that n generated images would be too few
	}
	src, err := input.Open(spec, &models.Architecture{Name: "the kernel machine"})
	if err != nil {
		return nil, err
	}
	if s.Grey {
		if err := src.MakeGrey(); err != nil {
			return nil, err
		}
	}
	if src.Dataset, err = input.MatchClasses(src.Dataset, classes); err != nil {
		return nil, err
	}
	src.Dataset, err = input.SelectClasses(src.Dataset, s.Classes)
	return src, err
}

// balance returns as many images of every class as the rarest class has, at most n in all.
func balance(set data.Dataset, n int, seed uint64) (data.Dataset, error) {
	labels, err := data.Labels(set)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	classes := len(set.Classes())
	if err := data.CheckLabels(set, classes); err != nil {
		return nil, input.Errorf("--balanced: %w", err)
	}
	counts := make([]int, classes)
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
		return nil, input.Errorf("--balanced: a class of %s has no images", set.Name())
	}
	balanced, err := data.Balanced(set, each, seed)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	return balanced, nil
}

// imagesNormalisation returns the normalisation that a spec asks for, none by default.
func imagesNormalisation(s Spec, train *input.Source) (data.Normalisation, error) {
	text := cmp.Or(s.Normalise, noNormalisation)
	n, err := data.ParseNormalisation(text, func() (data.Normalisation, error) { return data.Measure(train.Dataset, 0) })
	if err == nil {
		err = n.Check(train.Dataset.Shape().Channels)
	}
	if err != nil {
		return n, &input.Error{Err: err}
	}
	return n, nil
}

// describeImages describes the images of a source, and returns their digest.
func describeImages(s *input.Source) (text, digest string, err error) {
	info, err := data.Describe(s.Dataset)
	if err != nil {
		return "", "", &input.Error{Err: err}
	}
	which := cmp.Or(s.Which, fmt.Sprintf("the first %d", s.Dataset.Len()))
	return fmt.Sprintf("%s%s of %s, %s", which, input.OfSplit(info.Split), s.Dataset.Name(), s.Order), info.SHA256, nil
}
