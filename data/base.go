package data

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
)

// maxNested bounds the nesting of sets that are made from other sets: each level may
// double the time to open them.
const maxNested = 4

// openBase opens the set from which another is made: the argument with index word names
// it; the default is glyphs. If the base set can have any number of images, it gets
// count; 0 means its default number.
func openBase(o Options, word, count int) (Dataset, error) {
	name := glyphsName
	if word < len(o.args.words) {
		name = o.args.words[word]
	}
	if n := strings.Count(name, ":"); n >= maxNested {
		return nil, o.args.fail(fmt.Sprintf("fewer than %d colons in the name of a base set",
			maxNested), strconv.Itoa(n))
	}
	return Open(name, Options{Dir: o.Dir, Split: o.Split, Size: o.Size, Fit: o.Fit, Seed: o.Seed, Count: count})
}

// maxListed bounds the images of a set that is made from another: it keeps up to 24
// bytes for each.
const maxListed = 1 << 24

// openFirst opens the set that the first word names and returns its first images:
// o.Count of them, which must be there; or up to byDefault; or all, if both are 0.
func openFirst(o Options, byDefault int) (Dataset, error) {
	if o.Count > maxListed {
		return nil, countError(o, maxListed)
	}
	want := o.Count
	if want == 0 {
		want = byDefault
	}
	base, err := openBase(o, 0, want)
	if err != nil {
		return nil, err
	}
	if o.Count > base.Len() {
		return nil, countError(o, base.Len())
	}
	if want > 0 && want < base.Len() {
		return Head(base, want), nil
	}
	return base, nil
}

// countError returns the error of options that ask for more images than there are.
func countError(o Options, most int) error {
	return array.OptionError("count", fmt.Sprintf("at most %d, the images that %s can have", most, o.args.spec),
		strconv.Itoa(o.Count))
}

// checkClasses returns an error unless base has at least that many classes, and every
// image has the label of a class.
func checkClasses(o Options, base Dataset, least int) error {
	if n := len(base.Classes()); n < least {
		return o.args.fail(fmt.Sprintf("an image set of at least %d classes", least),
			fmt.Sprintf("%s, of %d", base.Name(), n))
	}
	return CheckLabels(base, len(base.Classes()))
}

// checkPixels returns an error if images made from others would be larger than the
// images of any other set may be.
func checkPixels(o Options, s Shape) error {
	if s.Pixels() > 3*maxSize*maxSize {
		return o.args.fail(fmt.Sprintf("images of at most 3×%d×%d pixels", maxSize, maxSize), s.String())
	}
	return nil
}
