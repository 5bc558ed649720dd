package experiments

import (
	"context"
	"strings"

	"github.com/ansatz-lab/ansatz/rfm"
)

// imageExamples are examples as a convolutional kernel machine reads them.
type imageExamples struct {
	about
	train, validation, test rfm.ImageExamples // the last two are empty where there are none
}

// openImageExamples opens the images that a spec names and, if divide is set,
// others to choose on: n of them, or a quarter as many for 0. Its errors are the
// input's.
func openImageExamples(ctx context.Context, s ExamplesSpec, divide bool, n int) (*imageExamples, error) {
	if err := s.checkImages(); err != nil {
		return nil, err
	}
	var train, validation *source
	var err error
	if divide {
		train, validation, err = openDivided(s, n)
	} else {
		train, err = openPart(s, "train", s.Data, s.Train)
	}
	if err != nil {
		return nil, err
	}
	sets, err := openImageSets(s, train)
	if err != nil {
		return nil, err
	}
	return sets.read(ctx, validation)
}

// checkImages refuses what is not of images, and flags that are not for them.
func (s ExamplesSpec) checkImages() error {
	if s.Train < 0 || s.Test < 0 {
		return badInput("--train %d and --test %d: want at least 1, or 0 for all", s.Train, s.Test)
	}
	if IsTable(s.Data) || strings.HasPrefix(s.Data, polynomials+":") {
		return badInput("%s has no images: patches are of images, and ansatz rfm is for tables", s.Data)
	}
	if s.Sphere {
		return badInput("--unit-sphere is for ansatz rfm: convolutional kernels read images as they are")
	}
	return s.checkKind()
}

// read reads all images, and those to choose on if there are any.
func (sets *imageSets) read(ctx context.Context, validation *source) (*imageExamples, error) {
	e := &imageExamples{about: sets.about}
	e.conv.Features = e.shape.Pixels()
	for _, part := range []struct {
		into *rfm.ImageExamples
		src  *source
	}{{&e.train, sets.train}, {&e.validation, validation}, {&e.test, sets.test}} {
		if part.src == nil {
			continue
		}
		var err error
		if *part.into, err = readImages(ctx, part.src.set, sets.normalisation, len(e.classes)); err != nil {
			return nil, err
		}
	}
	if validation == nil {
		return e, nil
	}
	var err error
	e.conv.Validation, e.conv.ValidationSHA, err = validation.tell()
	return e, err
}
