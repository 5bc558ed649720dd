package data

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/leaves"
)

const (
	deadLeavesName    = "deadleaves"
	deadLeavesVersion = "deadleaves/1"

	deadLeavesSide = 32  // the default
	maxLeavesSide  = 256 // a painter for that size takes 4 MB

	// leavesMemory bounds the bytes of drawn images that are kept. Drawing an
	// image takes a millisecond.
	leavesMemory = 1 << 28

	// The default numbers of images.
	deadLeavesTrain = 10000
	deadLeavesTest  = 2000
)

// deadLeaves is a source of images with the statistics of natural images: leaves of all sizes that occlude each other.
// The density of their radii is ∝ r⁻³, so that the images are similar at every scale and their power spectrum falls
// like 1/f² (Ruderman 1997; Lee, Mumford and Huang 2001). The principal components of their patches are sines and
// cosines.
//
// The first word of the arguments selects the kind of leaves:
//
//	leaves  ellipses that lie or stand, by the class of the image, to within
//	        28°: the default
//	disks   the classical model; the images have no labels
//
// Transposing the images of one class gives the other class, so both have the same
// mean image, mean patch and colours; only the direction of edges differs. The second
// word is plain, the default, or textured, which gives every leaf stripes.
//
// Images 2k and 2k+1 have different classes. Image i is the same on every machine.
type deadLeaves struct {
	generated
	side     int
	kind     leaves.Kind
	painters sync.Pool                 // of *leaves.Painter
	drawn    []atomic.Pointer[[]uint8] // the first images; nil until drawn
}

// The words that may follow the name.
const (
	ellipticLeaves = "leaves"
	diskLeaves     = "disks"
	plainLeaves    = "plain"
	texturedLeaves = "textured"
)

// openDeadLeaves returns the set that the options describe, drawn with a side of
// o.Size pixels, by default 32.
func openDeadLeaves(o Options) (Dataset, error) {
	form, err := o.args.word(0, ellipticLeaves, diskLeaves)
	if err != nil {
		return nil, err
	}
	surface, err := o.args.word(1, plainLeaves, texturedLeaves)
	if err != nil {
		return nil, err
	}
	side := o.Size
	if side == 0 {
		side = deadLeavesSide
	}
	if side > maxLeavesSide {
		return nil, array.OptionError("size", fmt.Sprintf("0 to %d for %s", maxLeavesSide, deadLeavesName),
			strconv.Itoa(side))
	}
	d := &deadLeaves{
		generated: newGenerated(o, deadLeavesVersion, o.countOr(deadLeavesTrain, deadLeavesTest)),
		side:      side,
		kind:      leaves.Kind{Disk: form == diskLeaves, Textured: surface == texturedLeaves},
	}
	d.painters.New = func() any { return leaves.NewPainter(side) }
	d.drawn = make([]atomic.Pointer[[]uint8], min(d.count, leavesMemory/d.Shape().Pixels()))
	return eightBit{d, 0}, nil
}

func (d *deadLeaves) Shape() Shape { return Shape{3, d.side, d.side} }

func (d *deadLeaves) Classes() []string {
	if d.kind.Disk {
		return nil
	}
	return []string{"lying", "standing"}
}

func (d *deadLeaves) labelAt(i int) int {
	if d.kind.Disk {
		return -1
	}
	return d.balanced(i, 2)
}

func (d *deadLeaves) image(i int, scratch []uint8) ([]uint8, int) {
	label := d.labelAt(i)
	if i >= len(d.drawn) {
		return d.draw(i, label, scratch), label
	}
	pix := d.drawn[i].Load()
	if pix == nil {
		drawn := d.draw(i, label, nil)
		pix = &drawn
		d.drawn[i].Store(pix)
	}
	return *pix, label
}

// draw returns the pixels of image i. They may lie in the memory of scratch.
func (d *deadLeaves) draw(i, label int, scratch []uint8) []uint8 {
	p := d.painters.Get().(*leaves.Painter)
	defer d.painters.Put(p)
	kind := d.kind
	kind.Standing = label == 1
	p.Paint(d.stream("image", i), kind)
	n := d.Shape().Pixels()
	pix := slices.Grow(scratch[:0], n)[:n]
	p.Average(pix)
	return pix
}

func (d *deadLeaves) identify(w io.Writer, i int) error {
	if _, err := fmt.Fprintf(w, "side %d disk %t textured %t ", d.side, d.kind.Disk, d.kind.Textured); err != nil {
		return err
	}
	return d.generated.identify(w, i)
}
