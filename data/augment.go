package data

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Augmentation changes images at random, each time they are read. Vacated
// pixels are black, 0 before they are normalised, as with torchvision when
// ToTensor and Normalize come last. The zero value changes nothing.
type Augmentation struct {
	// Crop crops an image to its own size, anywhere after padding it with that
	// many pixels on every side, like torchvision's RandomCrop(32, padding=4).
	Crop int

	// Flip mirrors every other image left to right, like torchvision's
	// RandomHorizontalFlip.
	Flip bool

	// Shift moves an image by up to that many pixels in both directions, each
	// uniform over the 2·Shift+1 integers (paper ntk, Figure 3: MNIST's digits
	// by up to 7). That is what Crop does, too: only one of them may be set.
	Shift int
}

// Check returns an error unless a fits images of that shape: Crop or Shift, not
// both, neither negative nor as large as the image.
func (a Augmentation) Check(s Shape) error {
	if a.Crop != 0 && a.Shift != 0 {
		return fmt.Errorf("data: augmentation %q moves images twice: take crop or shift", a)
	}
	if side := min(s.Height, s.Width); min(a.Crop, a.Shift) < 0 || a.reach() >= side {
		return fmt.Errorf("data: augmentation %q of images of %v: expected at most %d pixels", a, s, side-1)
	}
	return nil
}

// reach returns how far an image may move.
func (a Augmentation) reach() int { return max(a.Crop, a.Shift) }

// String returns the augmentation for a record, as in "crop 4, flip"; "none"
// for the zero value.
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

// view returns a random view.
func (a Augmentation) view(rng *rand.Rand) view {
	v := randomShift(rng, a.reach())
	v.mirrored = a.Flip && rng.IntN(2) == 1
	return v
}

// randomShift returns a view moved by -reach to reach pixels each way.
func randomShift(rng *rand.Rand, reach int) view {
	down := rng.IntN(2*reach+1) - reach
	return view{down: down, right: rng.IntN(2*reach+1) - reach}
}
