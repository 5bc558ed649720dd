package data

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/heads"
)

const (
	headsName    = "heads"
	headsVersion = "heads/1"

	headsSide = 32 // the default
)

// headSet is a source of drawn heads, which stand in for CelebA: each may wear a hat, wear glasses or smile. Place,
// form, colours and light are random, the contrast is low, and the brightness of an image does not depend on its
// attributes. [AttributeMask] says which pixels an attribute touches.
//
// The argument attribute, one of hat, glasses and smile, is the label. The argument with names another attribute, which
// agrees with the label with probability agree, by default .9, in the training split. In the test split it is random,
// or agrees in the same way with test=aligned. Every other attribute is a fair coin.
type headSet struct {
	generated
	side      int
	attribute heads.Attribute
	with      heads.Attribute // equal to attribute if no other is tied to it
	agree     float64
}

// openHeads returns the set that the options describe, drawn with a side of o.Size pixels, by default 32.
func openHeads(o Options) (Dataset, error) {
	names := heads.Names()
	attribute, err := o.args.choice("attribute", names...)
	if err != nil {
		return nil, err
	}
	with, err := o.args.choice("with", slices.Concat([]string{attribute}, names)...)
	if err != nil {
		return nil, err
	}
	agree, err := o.args.number("agree", .9, 0, 1)
	if err != nil {
		return nil, err
	}
	plan, err := o.args.choice("test", randomPatches, alignedPatches)
	if err != nil {
		return nil, err
	}
	if o.Split != trainSplit && plan == randomPatches {
		agree = .5
	}
	side := o.Size
	if side == 0 {
		side = headsSide
	}
	if side > maxLeavesSide {
		return nil, array.OptionError("size", fmt.Sprintf("0 to %d for %s", maxLeavesSide, headsName),
			strconv.Itoa(side))
	}
	g := newGenerated(o, headsVersion, o.countOr(deadLeavesTrain, deadLeavesTest))
	return eightBit{&headSet{
		g, side, heads.Attribute(slices.Index(names, attribute)), heads.Attribute(slices.Index(names, with)), agree,
	}, 0}, nil
}

func (d *headSet) Shape() Shape          { return Shape{3, d.side, d.side} }
func (d *headSet) Classes() []string     { return []string{"no " + d.attributeName(), d.attributeName()} }
func (d *headSet) attributeName() string { return heads.Names()[d.attribute] }
func (d *headSet) labelAt(i int) int     { return d.balanced(i, 2) }

func (d *headSet) image(i int, scratch []uint8) ([]uint8, int) {
	head, has := d.head(i)
	n := d.Shape().Pixels()
	pix := slices.Grow(scratch[:0], n)[:n]
	head.Paint(pix, d.side, has)
	noise := d.stream("noise", i)
	addNoise(noise.Rand, pix, 2+noise.IntN(7))
	return pix, d.labelAt(i)
}

// head returns the head of image i, and its attributes.
func (d *headSet) head(i int) (heads.Head, heads.Attributes) {
	rng, has := d.stream("attributes", i), heads.Attributes{}
	for a := range has {
		has[a] = rng.IntN(2) == 1
	}
	label := d.labelAt(i) == 1
	has[d.with] = (rng.Float64() < d.agree) == label
	has[d.attribute] = label
	return heads.New(d.stream("head", i)), has
}

func (d *headSet) identify(w io.Writer, i int) error {
	if _, err := fmt.Fprintf(w, "side %d attribute %d with %d agree %g ", d.side, d.attribute, d.with,
		d.agree); err != nil {
		return err
	}
	return d.generated.identify(w, i)
}

// AttributeMask returns, for each pixel by rows, whether an attribute (hat, glasses or smile) touches it in image i of
// a set "heads" from [Open], even if that head lacks the attribute. It returns an error for other sets or attributes.
func AttributeMask(ds Dataset, i int, attribute string) ([]bool, error) {
	e, _ := ds.(eightBit)
	d, ok := e.source.(*headSet)
	a := slices.Index(heads.Names(), attribute)
	if !ok || a < 0 || i < 0 || i >= ds.Len() {
		return nil, fmt.Errorf("data: no mask of %q in image %d of %s", attribute, i, ds.Name())
	}
	head, has := d.head(i)
	return head.Mask(d.side, has, heads.Attribute(a)), nil
}
