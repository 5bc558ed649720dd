package examples

import (
	"context"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/rfm"
)

// ImageSet are examples as a convolutional kernel machine reads them.
type ImageSet struct {
	Description
	Train, Validation, Test rfm.ImageExamples // the last two are empty where there are none
}

// OpenImages opens the images that a spec names and, if divide is set,
// others to choose on: n of them, or a quarter as many for 0. Its errors are the
// input's.
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

// CheckImages refuses what is not of images, and flags that are not for them.
func (s Spec) CheckImages() error {
	if s.Train < 0 || s.Test < 0 {
		return input.Errorf("--train %d and --test %d: want at least 1, or 0 for all", s.Train, s.Test)
	}
	if input.IsTable(s.Data) || strings.HasPrefix(s.Data, input.Polynomials+":") {
		return input.Errorf("%s has no images: patches are of images, and ansatz rfm is for tables", s.Data)
	}
	if s.Sphere {
		return input.Errorf("--unit-sphere is for ansatz rfm: convolutional kernels read images as they are")
	}
	return s.checkKind()
}

// read reads all images, and those to choose on if there are any.
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
	}
	if validation == nil {
		return e, nil
	}
	var err error
	e.Conventions.Validation, e.Conventions.ValidationSHA, err = setExamplesInfo(validation)
	return e, err
}
