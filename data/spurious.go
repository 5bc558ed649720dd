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

	spuriousSide  = 5   // of a patch by default
	spuriousAgree = .95 // the part of the patches that agree by default
	minPatch      = 3   // the least side of a patch
	maxPatch      = 64  // the greatest: patches are listed pixel by pixel
)

// What becomes of the patches of the test split.
const (
	randomPatches  = "random"
	alignedPatches = "aligned"
	noPatches      = "none"
)

// The corners that the patch may be in.
const (
	upperLeft  = "upper-left"
	upperRight = "upper-right"
	lowerLeft  = "lower-left"
	lowerRight = "lower-right"
)

// openSpurious makes, of the image set that the word names, by default the
// glyphs, a set with a feature that goes with the label and is no part of what
// is labelled. It is our surrogate for what paper rfm, Fig. 9, finds in CelebA,
// where the eyes tell whether somebody wears lipstick: a network that relies on
// it fails when it is replaced.
//
// The feature is a patch of black and white pixels in a corner. Each class has
// a pattern of its own. In the training split the patch is with probability
// agree that of the label, else that of another class, each as probable. In the
// test split it is, by test=…, that of any class, each as probable: random, the
// default; or as in the training split: aligned; or not there: none. The other
// arguments are side=5, in pixels, and corner=upper-left, upper-right,
// lower-left or lower-right.
//
// The patterns are a function of the seed, and so the same in both splits. Which
// of them image i has is one of the seed, the split, i and the label.
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

// patchSquare returns where the patch is.
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
	// Where there are twice as many patterns as classes, new ones are soon found.
	if pixels := square.Dx() * square.Dy(); classes > 1<<min(pixels-1, 30) {
		return nil, o.args.fail(fmt.Sprintf("a side with patterns enough for %d classes", classes),
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

// spuriousImages chooses the patches.
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

// alignedPatch draws the class of the patch of an image of that label.
func alignedPatch(rng *random.Source, agree float64, label, classes int) int {
	if rng.Float64() < agree {
		return label
	}
	return (label + 1 + rng.IntN(classes-1)) % classes
}
