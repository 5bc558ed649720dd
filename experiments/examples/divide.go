package examples

import (
	"cmp"
	"fmt"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// openDivided opens the training images and n validation images; 0 stands for a quarter of the training images, or as many as
// are left. The validation images follow the training images in their split; if none is left, they are taken from the training
// images. Balanced images are drawn with equally many of every class in either part.
func openDivided(s Spec, n int) (train, validation *input.Source, err error) {
	count := 0
	if s.Train > 0 {
		count = s.Train + cmp.Or(n, max(s.Train/4, 1))
	}
	whole, err := openWhole(s, "train", s.Data, count, nil)
	if err != nil {
		return nil, nil, err
	}
	d := division{spec: s, whole: whole, each: 1}
	if err := d.count(n); err != nil {
		return nil, nil, err
	}
	return d.parts()
}

// division divides the images of a split.
type division struct {
	spec  Spec
	whole *input.Source
	each  int // sizes of parts are multiples of it
	all   int // number of images that can be used
	// The sizes of the parts, and whether the second is taken out of the first.
	train, validation int
	heldOut           bool
}

// count sets the sizes of the parts; for n = 0 the second has a quarter of the images of the first.
func (d *division) count(n int) error {
	s := d.spec
	d.all = d.whole.Dataset.Len()
	if s.Balanced {
		set, err := balance(d.whole.Dataset, 0, s.Seed)
		if err != nil {
			return err
		}
		d.each, d.all = len(set.Classes()), set.Len()
	}
	if s.Train > d.all {
		return input.Errorf("--train %d: %s has %s", s.Train, d.whole.Dataset.Name(), words.Count(d.all, "image"))
	}
	d.train = s.Train / d.each * d.each
	if s.Train == 0 {
		d.train = d.all
	}
	if d.train == 0 {
		return input.Errorf("--train %d --balanced: want at least an image of each of %d classes", s.Train, d.each)
	}
	return d.countValidation(n)
}

// countValidation sets the size of the second part.
func (d *division) countValidation(n int) error {
	left := d.all - d.train
	d.heldOut = left == 0
	d.validation = (n + d.each - 1) / d.each * d.each
	if n == 0 {
		d.validation = max(d.train/4/d.each, 1) * d.each
		if left > 0 {
			d.validation = min(d.validation, left)
		}
	}
	if d.heldOut {
		left = d.train - d.each
	}
	if d.validation > left {
		return input.Errorf("--train %d and %d validation images (--validation): %s has %d; take fewer of "+
			"either, or --select last, which needs none", d.train, d.validation, d.whole.Dataset.Name(), d.all)
	}
	return nil
}

// parts opens both parts.
func (d *division) parts() (train, validation *input.Source, err error) {
	train, validation = d.part(), d.part()
	set := d.whole.Dataset
	switch {
	case d.spec.Balanced:
		total := d.train
		if !d.heldOut {
			total += d.validation
		}
		if set, err = balance(set, total, d.spec.Seed); err != nil {
			return nil, nil, err
		}
		train.Dataset, validation.Dataset, err = data.Holdout(set, d.validation, d.spec.Seed)
		train.Which = fmt.Sprintf("%d, equally many of every class, drawn by seed %d,", total-d.validation, d.spec.Seed)
		validation.Which = fmt.Sprintf("%d others, equally many of every class, drawn by seed %d,", d.validation,
			d.spec.Seed)
	case d.heldOut:
		train.Dataset, validation.Dataset, err = data.Holdout(set, d.validation, d.spec.Seed)
		train.Which = fmt.Sprintf("%d of the %d", d.train-d.validation, d.train)
		validation.Which = fmt.Sprintf("the other %d (there are no more: they are held out by seed %d)", d.validation,
			d.spec.Seed)
	default:
		train.Dataset = data.Head(set, d.train)
		next := make([]int, d.validation)
		for i := range next {
			next[i] = d.train + i
		}
		validation.Dataset, err = data.Subset(set, next)
		validation.Which = fmt.Sprintf("the next %d", d.validation)
	}
	if err != nil {
		return nil, nil, &input.Error{Err: err}
	}
	return train, validation, nil
}

// part returns a copy of the whole source, whose dataset the caller replaces.
func (d *division) part() *input.Source {
	p := *d.whole
	return &p
}
