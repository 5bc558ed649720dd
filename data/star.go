package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	starName    = "star"
	starVersion = "star/1"

	// The default numbers of images of the two classes: paper rfm, Fig. 7.
	starFirst  = 500
	starSecond = 53
	starTest   = 800 // of each class

	// The position of the upper left corner of the star.
	starTop  = 2
	starLeft = 2

	maxStar = 64 // the side of the largest square: stars are stored as lists of pixels
)

// starForm is 8 pixels tall and 7 wide, like the paper's star.
var starForm = []string{
	"...*...",
	"...*...",
	"..***..",
	"*******",
	".*****.",
	"..***..",
	".**.**.",
	"*.....*",
}

// openStar makes the problem of paper rfm, Fig. 7, on grokking, from two classes of an
// image set: few images of the second class among many of the first. The upper left
// corner of each image has a star, which is yellow, (1,1,0), in the second class and
// black in the first; on grey images it is white or black. This follows Appendix D; the
// main text says that stars are white or black. The authors' own star has other pixels,
// and begins at row 3 and column 7.
//
// The word names the set, by default glyphs. The arguments a and b are the names of the
// classes, or their numbers from 0; by default airplane and truck if the set has them,
// else 0 and 1. The star has 8×7 pixels, which suits images of 96×96. In smaller images
// it is nearly all that there is to learn; size=K then replaces it by a square of K×K
// pixels. Of 553 consecutive training images 53 are of the second class, evenly spread;
// test images alternate. By default there are 553 and 1600 images, or as many as the
// two classes allow.
func openStar(o Options) (Dataset, error) {
	base, err := openBase(o, 0, 0)
	if err != nil {
		return nil, err
	}
	form, err := starOf(o, base.Shape())
	if err != nil {
		return nil, err
	}
	pair, err := starClasses(o, base)
	if err != nil {
		return nil, err
	}
	want := o.countOr(starFirst+starSecond, 2*starTest)
	if want > maxListed {
		return nil, countError(o, maxListed)
	}
	images, err := starImages(base, pair, o.Split, want)
	if err != nil {
		return nil, err
	}
	if len(images) < want {
		// Generated sets may have more images than their default.
		if more, err := openBase(o, 0, min(want*len(base.Classes()), maxListed)); err == nil {
			base = more
		}
		if images, err = starImages(base, pair, o.Split, want); err != nil {
			return nil, err
		}
	}
	if len(images) == 0 {
		return nil, o.args.fail("images of both classes", "one without any in "+base.Name())
	}
	if len(images) < o.Count {
		return nil, countError(o, len(images))
	}
	return &stamped{
		generated: newGenerated(o, starVersion, len(images)),
		base:      base,
		classes:   []string{base.Classes()[pair[0]], base.Classes()[pair[1]]},
		images:    images,
		stamps:    [][]mark{star(form, [3]uint8{0, 0, 0}), star(form, [3]uint8{1, 1, 0})},
	}, nil
}

// starOf returns the form of the star, or an error if it does not fit into images of shape s.
func starOf(o Options, s Shape) ([]string, error) {
	side, err := o.args.whole("size", 0, 1, maxStar)
	if err != nil {
		return nil, err
	}
	form := starForm
	if side > 0 {
		form = slices.Repeat([]string{strings.Repeat("*", side)}, side)
	}
	if s.Height < starTop+len(form) || s.Width < starLeft+len(form[0]) {
		return nil, o.args.fail(fmt.Sprintf("images that a star of %d×%d pixels fits into", len(form), len(form[0])),
			s.String())
	}
	return form, nil
}

// starClasses returns the two classes, or an error if base does not have them.
func starClasses(o Options, base Dataset) (pair [2]int, err error) {
	if err := checkClasses(o, base, 2); err != nil {
		return pair, err
	}
	byDefault := [2]int{0, 1}
	plane, truck := slices.Index(base.Classes(), "airplane"), slices.Index(base.Classes(), "truck")
	if plane >= 0 && truck >= 0 {
		byDefault = [2]int{plane, truck}
	}
	for k, key := range []string{"a", "b"} {
		if pair[k], err = o.args.class(key, base.Classes(), byDefault[k]); err != nil {
			return pair, err
		}
	}
	if pair[0] == pair[1] {
		return pair, o.args.fail("two different classes", "a and b both "+strconv.Quote(base.Classes()[pair[0]]))
	}
	return pair, nil
}

// class returns the class that the value of a key names, by name or by number.
func (a arguments) class(key string, names []string, byDefault int) (int, error) {
	v, given := a.values[key]
	if !given {
		return byDefault, nil
	}
	if k := slices.Index(names, v); k >= 0 {
		return k, nil
	}
	if k, err := strconv.Atoi(v); err == nil && k >= 0 && k < len(names) {
		return k, nil
	}
	return 0, a.fail(fmt.Sprintf("%s, one of %s, or a number from 0 to %d", key, strings.Join(names, ", "),
		len(names)-1), strconv.Quote(v))
}

// starImages returns n images of the two classes, each class in the order of base, or
// fewer if a class runs out.
func starImages(base Dataset, pair [2]int, split string, n int) ([]stampedImage, error) {
	labels, err := Labels(base)
	if err != nil {
		return nil, err
	}
	var of [2][]int
	for i, l := range labels {
		if k := slices.Index(pair[:], l); k >= 0 {
			of[k] = append(of[k], i)
		}
	}
	var images []stampedImage
	for i := range n {
		k := i % 2
		if split == trainSplit {
			const all = starFirst + starSecond
			k = (i+1)*starSecond/all - i*starSecond/all
		}
		if len(of[k]) == 0 {
			break
		}
		images = append(images, stampedImage{of[k][0], k, k})
		of[k] = of[k][1:]
	}
	return images, nil
}

// star returns the pixels of a form in that colour.
func star(form []string, colour [3]uint8) []mark {
	var marks []mark
	for y, row := range form {
		for x, c := range row {
			if c == '*' {
				marks = append(marks, mark{starLeft + x, starTop + y, colour})
			}
		}
	}
	return marks
}
