package data

import (
	"fmt"
	"image"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/internal/random"
)

const (
	spuriousName    = "spurious"
	spuriousVersion = "spurious/1"

	spuriousSide  = 5   // the default side of a patch
	spuriousAgree = .95 // the default probability that a patch agrees with the label
	minPatch      = 3   // the least side of a patch
	maxPatch      = 64  // the greatest side: patches are stored as lists of pixels
)

// The values of the argument test, for the patches of the test split.
const (
	randomPatches  = "random"
	alignedPatches = "aligned"
	noPatches      = "none"
)

// The corners where the patch may be.
const (
	upperLeft  = "upper-left"
	upperRight = "upper-right"
	lowerLeft  = "lower-left"
	lowerRight = "lower-right"
)

// openSpurious adds a spurious feature to the image set that the word names, by default
// glyphs: the feature is correlated with the label but not part of the labelled object.
// It is our surrogate for the finding of paper rfm, Fig. 9, in CelebA, where the eyes
// show whether somebody wears lipstick: a network that relies on the feature fails when
// the feature is replaced.
//
// The feature is a patch of black and white pixels in a corner, with a pattern for each
// class. In the training split the patch is with probability agree the label's, else
// that of a random other class. In the test split the argument test decides: with
// random, the default, it is that of a random class; with aligned it is as in the
// training split; with none there is no patch. The other arguments are side, in pixels,
// by default 5, and corner: upper-left (the default), upper-right, lower-left or
// lower-right.
//
// The patterns depend only on the seed, and so are the same in both splits. The pattern
// of image i depends on the seed, the split, i and the label.
func openSpurious(o Options) (Dataset, error) {
	base, err := openFirst(o, 0)
	if err != nil {
		return nil, err
	}
	if err := checkClasses(o, base, 2); err != nil {
		return nil, err
	}
	square, err := patchSquare(o, base.Shape())
	if err != nil {
		return nil, err
	}
	patches, err := classPatches(o, square, len(base.Classes()))
	if err != nil {
		return nil, err
	}
	g := newGenerated(o, spuriousVersion, base.Len())
	images, err := spuriousImages(o, &g, base)
	if err != nil {
		return nil, err
	}
	return &stamped{generated: g, base: base, classes: base.Classes(), images: images, stamps: patches}, nil
}

// patchSquare returns the square of the patch in images of shape s.
func patchSquare(o Options, s Shape) (image.Rectangle, error) {
	var none image.Rectangle
	side, err := o.args.whole("side", spuriousSide, minPatch, maxPatch)
	if err != nil {
		return none, err
	}
	corner, err := o.args.choice("corner", upperLeft, upperRight, lowerLeft, lowerRight)
	if err != nil {
		return none, err
	}
	if side > min(s.Height, s.Width) {
		return none, o.args.fail("a patch that fits into images of "+s.String(), fmt.Sprintf("side %d", side))
	}
	at := image.Pt(0, 0)
	if corner == upperRight || corner == lowerRight {
		at.X = s.Width - side
	}
	if corner == lowerLeft || corner == lowerRight {
		at.Y = s.Height - side
	}
	return image.Rectangle{at, at.Add(image.Pt(side, side))}, nil
}

// classPatches returns a different patch for each class.
func classPatches(o Options, square image.Rectangle, classes int) ([][]mark, error) {
	// With at least twice as many patterns as classes, a new one is soon found.
	if pixels := square.Dx() * square.Dy(); classes > 1<<min(pixels-1, 30) {
		return nil, o.args.fail(fmt.Sprintf("a side with enough patterns for %d classes", classes),
			strconv.Itoa(square.Dx()))
	}
	var patches [][]mark
	rng := random.New(o.Seed, spuriousVersion+"/patterns", 0)
	for len(patches) < classes {
		p := randomPatch(rng, square)
		if !slices.ContainsFunc(patches, func(q []mark) bool { return slices.Equal(p, q) }) {
			patches = append(patches, p)
		}
	}
	return patches, nil
}

// randomPatch draws a square of black and white pixels.
func randomPatch(rng *random.Source, square image.Rectangle) []mark {
	var marks []mark
	for y := square.Min.Y; y < square.Max.Y; y++ {
		for x := square.Min.X; x < square.Max.X; x++ {
			v := uint8(rng.IntN(2))
			marks = append(marks, mark{x, y, [3]uint8{v, v, v}})
		}
	}
	return marks
}

// spuriousImages chooses the patch of every image.
func spuriousImages(o Options, g *generated, base Dataset) ([]stampedImage, error) {
	agree, err := o.args.number("agree", spuriousAgree, 0, 1)
	if err != nil {
		return nil, err
	}
	plan, err := o.args.choice("test", randomPatches, alignedPatches, noPatches)
	if err != nil {
		return nil, err
	}
	if o.Split == trainSplit {
		plan = alignedPatches
	}
	labels, err := Labels(base)
	if err != nil {
		return nil, err
	}
	images := make([]stampedImage, len(labels))
	for i, l := range labels {
		images[i] = stampedImage{i, l, -1}
		rng := g.stream("patch", i)
		switch plan {
		case randomPatches:
			images[i].stamp = rng.IntN(len(base.Classes()))
		case alignedPatches:
			images[i].stamp = alignedPatch(rng, agree, l, len(base.Classes()))
		}
	}
	return images, nil
}

// alignedPatch draws the class of the patch for an image with that label.
func alignedPatch(rng *random.Source, agree float64, label, classes int) int {
	if rng.Float64() < agree {
		return label
	}
	return (label + 1 + rng.IntN(classes-1)) % classes
}
