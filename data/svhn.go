package data

import (
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data/array"
)

const (
	svhnName  = "svhn"
	svhnSide  = 32
	svhnExtra = "extra" // the word that adds the easier images to the training split
)

// An svhnSet names the parts of a split of SVHN's cropped digits: MATLAB files in
// DIR/svhn or in DIR. They store each channel column by column, and label the digit 0
// as 10.
type svhnSet []string

// newSVHNSet returns the fileSet of the split.
func newSVHNSet(o Options) (fileSet, error) {
	s := svhnSet{o.Split}
	extra, err := o.args.flag(0, svhnExtra)
	if extra && o.Split == trainSplit {
		s = append(s, svhnExtra)
	}
	return s, err
}

func (s svhnSet) find(o Options) (string, error) { return svhnFile(o, s[0]) }

// svhnFile returns the path of the file of a part.
func svhnFile(o Options, part string) (string, error) {
	dir, err := o.dir(svhnName)
	if err != nil {
		return "", err
	}
	name := part + "_32x32.mat"
	return firstFile(svhnName, getHint(svhnName), filepath.Join(dir, "svhn", name), filepath.Join(dir, name))
}

func (s svhnSet) open(o Options) (Dataset, error) {
	p := &planes{name: o.args.spec, split: o.Split, shape: Shape{3, svhnSide, svhnSide}, classes: digits()}
	for _, part := range s {
		path, err := svhnFile(o, part)
		if err != nil {
			return nil, err
		}
		if err := p.addSVHN(path); err != nil {
			return nil, err
		}
	}
	return eightBit{p, o.Size}, nil
}

// addSVHN appends the images of a file: the array X of 32×32×3×N pixels, and the N labels y.
func (p *planes) addSVHN(path string) error {
	arrays, err := array.ReadMAT5(path, "X", "y")
	if err != nil {
		return err
	}
	x := arrays["X"]
	if err := checkImages(path, x, true, svhnSide, svhnSide, 3, -1); err != nil {
		return err
	}
	labels, err := arrays["y"].Ints()
	if err != nil {
		return err
	}
	for i, l := range labels {
		if l < 1 || l > 10 {
			return arrayError(path, "the array y", "numbers from 1 to 10", fmt.Sprintf("%d of image %d", l, i),
				getHint(svhnName))
		}
		labels[i] = l % 10
	}
	transpose(x.Bytes, svhnSide)
	return p.addImages(path, x.Bytes, labels, 0)
}
