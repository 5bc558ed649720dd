package experiments

import (
	"fmt"
	"math"
	"strconv"
)

// kernelRoom is what decides whether the linear algebra of a network's weights,
// and a kernel of images, fit into memory.
type kernelRoom struct {
	parameters, outputs int
	width               float64 // of the network
	copies              int     // of the weights, or as large as they
	images              int     // of the kernel; 0 without one
	element             float64 // bytes of an element of the kernel, with the copies and the work that it takes
	flag                string  // that says how many images there are
}

// What an element of a kernel takes at the most: itself, another kernel, the copy
// that is decomposed and LAPACK's work beside it; with eigenvectors, as the
// pseudo-inverse of a singular kernel needs them, five times as much again.
const (
	valuesElement  = 8 * 4
	vectorsElement = 8 * 6
)

// bytes is what all of it takes.
func (r kernelRoom) bytes() float64 {
	rows := float64(r.images) * float64(r.outputs)
	return r.fixed() + rows*rows*r.element
}

// fixed is what does not depend on the images.
func (r kernelRoom) fixed() float64 { return 4 * float64(r.parameters) * float64(r.copies) }

// check refuses what does not fit into so many bytes, 0 for any number, and says
// what would.
func (r kernelRoom) check(have int64) error {
	need := r.bytes()
	if have == 0 || need <= float64(have) {
		return nil
	}
	what := fmt.Sprintf("a network of %d weights, with what is as large as they are,", r.parameters)
	if r.images > 0 {
		what = fmt.Sprintf("the kernel of %d images × %d outputs in %d weights", r.images, r.outputs, r.parameters)
	}
	return badInput("%s takes about %.1f GB, there is room for %.1f GB: %s", what, need/1e9, float64(have)/1e9, r.advice(float64(have)))
}

// advice says what would fit: fewer images or, where the weights alone are too
// many, a smaller width, with whose square they grow.
func (r kernelRoom) advice(have float64) string {
	if left := have - r.fixed(); left > 0 && r.images > 0 {
		if n := math.Floor(math.Sqrt(left/r.element) / float64(r.outputs)); n >= 1 {
			return fmt.Sprintf("%s %.0f would fit", r.flag, n)
		}
	}
	return "--width " + roundedDown(r.width*math.Sqrt(have/2/r.fixed())) + " would fit"
}

// roundedDown writes a number above 0 rounded down to two digits.
func roundedDown(v float64) string {
	last := int(math.Floor(math.Log10(v))) - 1 // power of ten of the last digit
	unit := math.Pow(10, float64(last))
	return strconv.FormatFloat(math.Floor(v/unit)*unit, 'f', max(0, -last), 64)
}
