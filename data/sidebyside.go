package data

import (
	"fmt"
	"io"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/random"
)

const (
	sideBySideName    = "sidebyside"
	sideBySideVersion = "sidebyside/1"
)

// sideBySide is the problem of paper rfm, Fig. 8, on simplicity bias: each image of a
// left set has an image of a right set to its right, with the same index of its class.
// The paper's is "cifar10,mnist", of 3×32×64.
//
// Both halves are as high as the higher, and as wide as the wider of the two sets. A
// smaller image is in the middle of its half, on black. (The authors' code scales MNIST
// instead; with Size 32 both sets are opened in that size.) If only one set is in
// colour, the other's grey is repeated.
//
// The images of the right set come in random order, each once before any of its class
// comes again. Image i depends only on the seed, the split and i.
type sideBySide struct {
	generated
	left, right Dataset
	half        Shape
	partners    []int // by image of left: the image of right
}

// openSideBySide pairs the sets that the two words name, by default glyphs and other
// glyphs. It has as many images as the left set.
func openSideBySide(o Options) (Dataset, error) {
	left, err := openFirst(o, 0)
	if err != nil {
		return nil, err
	}
	other := o
	other.Seed = random.New(o.Seed, sideBySideVersion+"/right", 0).Uint64()
	right, err := openBase(other, 1, 0)
	if err != nil {
		return nil, err
	}
	half, err := halfShape(o, left.Shape(), right.Shape())
	if err != nil {
		return nil, err
	}
	d := &sideBySide{newGenerated(o, sideBySideVersion, left.Len()), left, right, half, nil}
	if err := checkPixels(o, d.Shape()); err != nil {
		return nil, err
	}
	if err := d.pair(o); err != nil {
		return nil, err
	}
	return d, nil
}

// halfShape returns the smallest shape into which images of both shapes fit.
func halfShape(o Options, a, b Shape) (Shape, error) {
	if a.Channels != b.Channels && min(a.Channels, b.Channels) != 1 {
		return Shape{}, o.args.fail("two sets with equally many channels, or one of grey images",
			fmt.Sprintf("%v and %v", a, b))
	}
	return Shape{max(a.Channels, b.Channels), max(a.Height, b.Height), max(a.Width, b.Width)}, nil
}

// pair chooses the partner of each left image.
func (d *sideBySide) pair(o Options) error {
	for _, half := range []Dataset{d.left, d.right} {
		if err := checkClasses(o, half, 1); err != nil {
			return err
		}
	}
	if l, r := d.left.Classes(), d.right.Classes(); len(l) != len(r) {
		return o.args.fail("two sets with equally many classes", fmt.Sprintf("%s of %d and %s of %d",
			d.left.Name(), len(l), d.right.Name(), len(r)))
	}
	labels, err := Labels(d.right)
	if err != nil {
		return err
	}
	of := make([][]int, len(d.right.Classes()))
	for _, i := range d.stream("pairs", 0).Perm(len(labels)) {
		of[labels[i]] = append(of[labels[i]], i)
	}
	if labels, err = Labels(d.left); err != nil {
		return err
	}
	used := make([]int, len(of))
	for _, l := range labels {
		if len(of[l]) == 0 {
			return o.args.fail("images of class "+d.right.Classes()[l]+" in "+d.right.Name(), "none")
		}
		d.partners = append(d.partners, of[l][used[l]%len(of[l])])
		used[l]++
	}
	return nil
}

func (d *sideBySide) Shape() Shape {
	return Shape{d.half.Channels, d.half.Height, 2 * d.half.Width}
}

func (d *sideBySide) Classes() []string { return d.left.Classes() }

// Read implements Dataset. The label is the left image's.
func (d *sideBySide) Read(i int, dst []float32) (int, error) {
	if err := checkRead(d, i, dst); err != nil {
		return 0, err
	}
	clear(dst)
	if _, err := d.readHalf(dst, 1, d.right, d.partners[i]); err != nil {
		return 0, err
	}
	return d.readHalf(dst, 0, d.left, i)
}

// readHalf writes image i of ds into a half of dst, 0 for left or 1 for right.
func (d *sideBySide) readHalf(dst []float32, half int, ds Dataset, i int) (int, error) {
	s, channels := ds.Shape(), d.half.Channels
	px := make([]float32, s.Pixels())
	label, err := ds.Read(i, px)
	if err != nil {
		return 0, err
	}
	first := d.corner(half, s)
	for k := range s.Height * s.Width {
		at := (first + k/s.Width*2*d.half.Width + k%s.Width) * channels
		for c := range channels {
			dst[at+c] = px[k*s.Channels+min(c, s.Channels-1)]
		}
	}
	return label, nil
}

func (d *sideBySide) bytes(i int, scratch []uint8) ([]uint8, int, bool) {
	left, label, ok := bytesOf(d.left, i, nil)
	if !ok {
		return nil, 0, false
	}
	right, _, ok := bytesOf(d.right, d.partners[i], nil)
	if !ok {
		return nil, 0, false
	}
	n := d.Shape().Pixels()
	dst := slices.Grow(scratch[:0], n)[:n]
	clear(dst)
	d.putHalf(dst, 0, left, d.left.Shape())
	d.putHalf(dst, 1, right, d.right.Shape())
	return dst, label, true
}

// putHalf writes the bytes of an image into a half of dst, 0 for left or 1 for right.
func (d *sideBySide) putHalf(dst []uint8, half int, pix []uint8, s Shape) {
	area := d.half.Height * 2 * d.half.Width
	for c := range d.half.Channels {
		plane := pix[min(c, s.Channels-1)*s.Height*s.Width:]
		at := c*area + d.corner(half, s)
		for y := range s.Height {
			copy(dst[at+y*2*d.half.Width:], plane[y*s.Width:(y+1)*s.Width])
		}
	}
}

// corner returns the index, in a plane, of the first pixel of an image of shape s that
// is centred in a half.
func (d *sideBySide) corner(half int, s Shape) int {
	top, left := (d.half.Height-s.Height)/2, (d.half.Width-s.Width)/2
	return (2*top+half)*d.half.Width + left
}

func (d *sideBySide) label(i int) (int, error) { return labelOf(d.left, i) }

func (d *sideBySide) identify(w io.Writer, i int) error {
	if _, err := fmt.Fprintf(w, "%s in halves of %v of %v and %v\n", sideBySideVersion, d.half, d.left.Shape(),
		d.right.Shape()); err != nil {
		return err
	}
	if err := identify(w, d.left, i); err != nil {
		return err
	}
	return identify(w, d.right, d.partners[i])
}
