package data

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
)

// maxNested is the most sets that may be made of one another, each of the next:
// the time it takes to open them may double with each.
const maxNested = 4

// openBase opens the image set that another is made of: the one that a word of
// its arguments names, or the glyphs. Where the number of its images can be
// chosen, it is count; 0 is its own number.
func openBase(o Options, word, count int) (Dataset, error) {
	name := glyphsName
	if word < len(o.args.words) {
		name = o.args.words[word]
	}
	if n := strings.Count(name, ":"); n >= maxNested {
		return nil, o.args.fail(fmt.Sprintf("fewer than %d colons in the name of a set that another is made of",
			maxNested), strconv.Itoa(n))
	}
	return Open(name, Options{Dir: o.Dir, Split: o.Split, Size: o.Size, Fit: o.Fit, Seed: o.Seed, Count: count})
}

// maxListed is the most images of a set that is made of another. What becomes
// of each is listed, in up to 24 bytes.
const maxListed = 1 << 24

// openFirst opens the set of the first word and takes its first images: as many
// as the options ask for, else up to byDefault of them, else all.
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

// countError says that there are fewer images than the options ask for.
func countError(o Options, most int) error {
	return array.OptionError("count", fmt.Sprintf("at most %d, the images that %s can have", most, o.args.spec),
		strconv.Itoa(o.Count))
}

// checkClasses returns an error unless base has at least so many classes, and
// every image a label of one.
func checkClasses(o Options, base Dataset, least int) error {
	if n := len(base.Classes()); n < least {
		return o.args.fail(fmt.Sprintf("an image set of at least %d classes", least),
			fmt.Sprintf("%s, of %d", base.Name(), n))
	}
	return CheckLabels(base, len(base.Classes()))
}

// checkPixels returns an error when images of that shape, made of others, would
// be larger than those of any other set.
func checkPixels(o Options, s Shape) error {
	if s.Pixels() > 3*maxSize*maxSize {
		return o.args.fail(fmt.Sprintf("images of at most 3×%d×%d pixels", maxSize, maxSize), s.String())
	}
	return nil
}
