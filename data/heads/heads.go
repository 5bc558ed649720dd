// Package heads draws heads that may wear a hat, wear glasses or smile. [New] draws the place, the form and the
// colours of a [Head] at random. [Head.Paint] writes its pixels, and [Head.Mask] says which pixels an attribute changes.
//
// The geometry is in whole numbers, 1024 to the side of an image, so that a head is the same on every machine and, up
// to the resolution, in every size.
package heads

import "github.com/ansatz-lab/ansatz/internal/random"

// Attribute is a feature that a head may have.
type Attribute int

// The attributes.
const (
	Hat Attribute = iota
	Glasses
	Smile
	Count // the number of attributes
)

// Attributes says which attributes a head has.
type Attributes [Count]bool

// Names returns the names of the attributes, in order.
func Names() []string { return []string{"hat", "glasses", "smile"} }

// part is the part of a head, or the background, that is visible at a point.
type part int

const (
	background part = iota
	hair
	skin
	eyeball
	pupil
	nose
	lips
	teeth
	frame // of glasses
	felt  // of a hat
	parts // the number of parts
)

// Head holds the geometry and the colours of a head, including those of attributes that it may not have. Coordinates
// grow to the right and downwards.
type Head struct {
	x, y             int // the centre of the face
	wide, high       int // half the width and half the height of the face
	lean             int // the growth of x per decrease of y, in 256ths
	eyes             int // the distance of an eye from the middle
	mouth            int // half the width of the mouth
	grin, lensRadius int
	brim, crown      int // half the widths of the hat
	slopeX, slopeY   int // the change of the light from one side of the image to the other
	colours          [parts][3]int
}

// side is the side of an image in the units of a [Head].
const side = 1024

// New draws a head at random. The parts that an attribute adds are equally likely to be brighter or darker than the skin
// or the background behind them, so that the brightness of an image does not depend on its attributes.
func New(rng *random.Source) Head {
	between := func(lo, hi int) int { return lo + rng.IntN(hi-lo+1) }
	h := Head{
		x: side/2 + between(-60, 60), y: side*9/16 + between(-40, 40),
		wide: between(260, 320), high: between(330, 390), lean: between(-30, 30),
		slopeX: between(-30, 30), slopeY: between(-30, 30),
	}
	h.eyes, h.mouth, h.grin = h.wide*between(38, 46)/100, h.wide*between(35, 50)/100, h.high*between(14, 24)/100
	h.lensRadius = h.wide * between(28, 34) / 100
	h.crown = h.wide * between(85, 105) / 100
	h.brim = h.crown * between(115, 150) / 100
	for p := range parts {
		h.colours[p] = tint(between(70, 186), between(-25, 25))
	}
	h.colours[skin] = tint(between(70, 186), between(5, 30))
	near := func(p, other part, least, most int) { // gives p a low contrast to other, of either sign
		d := between(least, most)
		if rng.IntN(2) == 0 {
			d = -d
		}
		for c := range 3 {
			h.colours[p][c] = h.colours[other][c] + d + between(-12, 12)
		}
	}
	near(nose, skin, 12, 30)
	near(lips, skin, 25, 50)
	near(teeth, skin, 25, 50)
	near(frame, skin, 25, 50)
	near(felt, background, 25, 60)
	h.colours[eyeball], h.colours[pupil] = tint(200, 0), tint(40, 0)
	return h
}

// tint returns a grey level with red added to its red and taken from its blue.
func tint(grey, red int) [3]int { return [3]int{grey + red, grey, grey - red} }

// at returns the visible part at a point of a head with some attributes. It checks the parts from front to back.
func (h *Head) at(x, y int, has Attributes) part {
	dx, dy := x-h.x+(y-h.y)*h.lean/256, y-h.y
	across := max(dx, -dx) // the distance from the middle
	switch {
	case has[Hat] && h.inHat(across, dy):
		return felt
	case has[Glasses] && h.inFrame(across, dy):
		return frame
	case inEllipse(dx, dy, h.wide, h.high) && (dy > -h.high*3/5 || has[Hat]):
		return h.inFace(dx, dy, has[Smile])
	case inEllipse(dx, dy+h.high/8, h.wide*9/8, h.high) && dy < h.high/2:
		return hair
	}
	return background
}

// inFace returns the visible part at a point of the face, relative to its centre.
func (h *Head) inFace(dx, dy int, smiles bool) part {
	eye := max(dx, -dx) - h.eyes
	switch {
	case inEllipse(eye, dy-h.eyeLevel(), h.high/13, h.high/13):
		return pupil
	case inEllipse(eye, dy-h.eyeLevel(), h.wide/5, h.high/11):
		return eyeball
	case inEllipse(dx, dy-h.high/8, h.wide/9, h.high/6):
		return nose
	}
	return h.inMouth(dx, dy-h.high/2, smiles)
}

// inMouth returns the visible part at a point relative to the middle of the mouth: a straight line of lips or, for a
// smile, teeth between two lips whose corners go up.
func (h *Head) inMouth(dx, dy int, smiles bool) part {
	thick := h.high / 16
	if !smiles {
		if max(dx, -dx) < h.mouth && max(dy, -dy) < thick {
			return lips
		}
		return skin
	}
	half := h.mouth * 5 / 4
	if max(dx, -dx) >= half {
		return skin
	}
	bow := h.grin * dx * dx / (half * half)
	upper, lower := h.grin/3-bow, h.grin*4/3-2*bow
	switch {
	case dy < upper-thick || dy > lower+thick:
		return skin
	case dy < upper || dy > lower:
		return lips
	}
	return teeth
}

func (h *Head) eyeLevel() int { return -h.high / 6 }

// inFrame reports whether a point is on a frame: a ring around each eye, a bridge and the arms.
func (h *Head) inFrame(across, dy int) bool {
	thick, eye, dy := h.high/14, across-h.eyes, dy-h.eyeLevel()
	r := h.lensRadius
	if inEllipse(eye, dy, r, r) {
		return !inEllipse(eye, dy, r-thick, r-thick)
	}
	return max(dy, -dy) < thick/2 && across < h.wide
}

// inHat reports whether a point is on a hat: a brim above the eyes, and a crown.
func (h *Head) inHat(across, dy int) bool {
	brim := -h.high / 2
	switch {
	case dy > brim:
		return false
	case dy > brim-h.high/8:
		return across < h.brim
	}
	return across < h.crown && dy > brim-h.high*3/4
}

// inEllipse reports whether a point is in an ellipse around 0 with half-axes rx and ry.
func inEllipse(dx, dy, rx, ry int) bool { return dx*dx*ry*ry+dy*dy*rx*rx <= rx*rx*ry*ry }
