package examples

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/rfm"
)

// ImageSet holds examples in the form that a convolutional kernel machine reads.
type ImageSet struct {
	Description
	Train, Validation, Test rfm.ImageExamples // the last two may be empty
}

// OpenImages opens the images that a spec names. If divide is set, it also opens n validation
// images to choose on; 0 stands for a quarter of the training images. Its errors are an
// [*input.Error].
func OpenImages(ctx context.Context, s Spec, divide bool, n int) (*ImageSet, error) {
	if err := s.CheckImages(); err != nil {
		return nil, err
	}
	var train, validation *input.Source
	var err error
	if divide {
		train, validation, err = openDivided(s, n)
	} else {
		train, err = OpenPart(s, "train", s.Data, s.Train)
	}
	if err != nil {
		return nil, err
	}
	sets, err := OpenImageSets(s, train)
	if err != nil {
		return nil, err
	}
	return sets.read(ctx, validation)
}

// CheckImages returns an [*input.Error] if the data are not images, or if a flag is not for images.
func (s Spec) CheckImages() error {
	if s.Train < 0 || s.Test < 0 {
		return input.Errorf("--train %d and --test %d: want at least 1, or 0 for all", s.Train, s.Test)
	}
	if input.IsTable(s.Data) {
		return input.Errorf("%s has no images: ansatz convrfm reads patches of images; use ansatz rfm for tables",
			s.Data)
	}
	if s.Sphere {
		return input.Errorf("--unit-sphere is for ansatz rfm, not for convolutional kernels")
	}
	return s.checkKind()
}

// read reads all images, and the validation images if there are any.
func (sets *imageSets) read(ctx context.Context, validation *input.Source) (*ImageSet, error) {
	e := &ImageSet{Description: sets.Description}
	e.Conventions.Features = e.Shape.Pixels()
	for _, part := range []struct {
		into *rfm.ImageExamples
		src  *input.Source
	}{{&e.Train, sets.train}, {&e.Validation, validation}, {&e.Test, sets.Test}} {
		if part.src == nil {
			continue
		}
		var err error
		if *part.into, err = ReadImages(ctx, part.src.Dataset, sets.Normalisation, len(e.Classes)); err != nil {
			return nil, err
		}
		if part.into.Y == nil {
			return nil, errUnlabelled(part.src.Dataset, len(e.Classes))
		}
	}
	if validation == nil {
		return e, nil
	}
	var err error
	e.Conventions.Validation, e.Conventions.ValidationSHA, err = describeImages(validation)
	return e, err
}
