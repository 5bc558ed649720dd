package data

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Augmentation changes images at random each time they are read. Pixels outside the
// original image are black: 0 before normalisation, as in torchvision when ToTensor
// and Normalize come last. The zero value changes nothing.
type Augmentation struct {
	// Crop pads an image with that many pixels on every side, and then crops it at
	// random to its own size, like torchvision's RandomCrop(32, padding=4).
	Crop int

	// Flip mirrors an image left to right with probability 1/2, like torchvision's
	// RandomHorizontalFlip.
	Flip bool

	// Shift moves an image vertically and horizontally by up to that many pixels, each uniform over the 2·Shift+1
	// integers (paper ntk, Figure 3: MNIST's digits by up to 7). Crop does the same, so at most one may be set.
	Shift int
}

// Check returns an error unless a fits images of shape s: Crop and Shift must be at least 0 and less than the shorter
// side, and at most one of them may be set.
func (a Augmentation) Check(s Shape) error {
	if a.Crop != 0 && a.Shift != 0 {
		return fmt.Errorf("data: augmentation %q moves images twice: take crop or shift", a)
	}
	if side := min(s.Height, s.Width); min(a.Crop, a.Shift) < 0 || a.reach() >= side {
		return fmt.Errorf("data: augmentation %q of images of %v: expected at most %d pixels", a, s, side-1)
	}
	return nil
}

// reach returns the largest distance in pixels by which an image may move.
func (a Augmentation) reach() int { return max(a.Crop, a.Shift) }

// String returns the augmentation for a record, such as "crop 4, flip"; "none" for
// the zero value.
func (a Augmentation) String() string {
	var parts []string
	if a.Crop != 0 {
		parts = append(parts, fmt.Sprintf("crop %d", a.Crop))
	}
	if a.Shift != 0 {
		parts = append(parts, fmt.Sprintf("shift %d", a.Shift))
	}
	if a.Flip {
		parts = append(parts, "flip")
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// view draws a view at random.
func (a Augmentation) view(rng *rand.Rand) view {
	v := randomShift(rng, a.reach())
	v.mirrored = a.Flip && rng.IntN(2) == 1
	return v
}

// randomShift draws a view that moves by -reach to reach pixels in each direction.
func randomShift(rng *rand.Rand, reach int) view {
	down := rng.IntN(2*reach+1) - reach
	return view{down: down, right: rng.IntN(2*reach+1) - reach}
}

// A view is a transformation of an image: it moves the image over a black background, and then mirrors it left to right
// if mirrored is set. The zero value changes nothing.
type view struct {
	down, right int // pixels by which the content moves: less than the image's height and width
	mirrored    bool
}

// draw writes the view of an image, in row, column, channel order.
func (v view) draw(dst, src []float32, s Shape) {
	clear(dst)
	for y := max(0, v.down); y < min(s.Height, s.Height+v.down); y++ {
		from := src[(y-v.down)*s.Width*s.Channels:]
		for x := max(0, v.right); x < min(s.Width, s.Width+v.right); x++ {
			at := y*s.Width + x
			if v.mirrored {
				at = y*s.Width + s.Width - 1 - x
			}
			copy(dst[at*s.Channels:][:s.Channels], from[(x-v.right)*s.Channels:])
		}
	}
}

// levels holds, for each channel, the normalised value of each of the 256 bytes. Level 0 is black.
type levels [][256]float32

// newLevels returns the levels for a normalisation: exactly what Normalisation.Apply makes of bytes divided by 255.
func newLevels(channels int, n Normalisation) levels {
	px := make([]float32, 256*channels)
	for k := range px {
		px[k] = float32(k/channels) / 0xff
	}
	n.Apply(px)
	l := make(levels, channels)
	for k, v := range px {
		l[k%channels][k/channels] = v
	}
	return l
}

// draw writes the normalised view of an image in row, column, channel order. The bytes
// in pix are channel by channel.
func (l levels) draw(dst []float32, pix []uint8, s Shape, v view) {
	left, right := max(0, v.right), max(0, -v.right) // columns of black
	for c := range l {
		plane := pix[c*s.Height*s.Width:][:s.Height*s.Width]
		for y := range s.Height {
			first, step := y*s.Width*s.Channels+c, s.Channels
			if v.mirrored {
				first, step = first+(s.Width-1)*step, -step
			}
			from := y - v.down
			if from < 0 || from >= s.Height {
				drawRow(dst, first, step, &l[c], s.Width, nil, 0)
				continue
			}
			row := plane[from*s.Width:][:s.Width]
			drawRow(dst, first, step, &l[c], left, row[right:s.Width-left], right)
		}
	}
}

// drawRow writes one channel of a row: pix, with black to its left and right. The first
// value goes to dst[at], the next to dst[at+step], and so on. Inlined, it would run out
// of registers and take half as long again.
//
//go:noinline
func drawRow(dst []float32, at, step int, level *[256]float32, left int, pix []uint8, right int) {
	black := level[0]
	for range left {
		dst[at] = black
		at += step
	}
	for _, v := range pix {
		dst[at] = level[v]
		at += step
	}
	for range right {
		dst[at] = black
		at += step
	}
}
