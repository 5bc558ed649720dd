package experiments

import "math"

// kernelRoom is what decides whether a kernel fits into memory.
type kernelRoom struct {
	parameters, outputs int
	width               float64 // of the network
	element             float64 // bytes of an element of the kernel, with the copies and the work that it takes
	gradients           int     // of an image that are held at the least, as large as the weights
}

// What an element of a kernel takes at the most: itself, another kernel, the copy
// that is decomposed and LAPACK's work beside it; with eigenvectors, as the
// pseudo-inverse of a singular kernel needs them, twice as much.
const (
	valuesElement  = 8 * 4
	vectorsElement = 8 * 6
)

// bytes is what a kernel of so many images takes.
func (r kernelRoom) bytes(images int) float64 {
	rows := float64(images) * float64(r.outputs)
	return r.fixed() + rows*rows*r.element
}

// fixed is what does not depend on the images: the weights, and gradients.
func (r kernelRoom) fixed() float64 { return 4 * float64(r.parameters) * float64(1+r.gradients) }

// check refuses what does not fit, and says what would.
func (r kernelRoom) check(flag string, images int) error {
	have := float64(availableMemory())
	if need := r.bytes(images); have > 0 && need > have {
		return badInput("the kernel of %d images × %d outputs in %d weights takes about %.1f GB, there is room for %.1f GB: %s",
			images, r.outputs, r.parameters, need/1e9, have/1e9, r.advice(flag, have))
	}
	return nil
}

// advice says what would fit: fewer images or, where the weights alone are too
// many, a smaller width, with whose square they grow.
func (r kernelRoom) advice(flag string, have float64) string {
	if left := have - r.fixed(); left > 0 {
		rows := math.Sqrt(left / r.element)
		if n := math.Floor(rows / float64(r.outputs)); n >= 1 {
			return flag + " " + plainNumber(n) + " would fit"
		}
	}
	return "--width " + plainNumber(floorTo(r.width*math.Sqrt(have/2/r.fixed()), 2)) + " would fit"
}

// floorTo rounds down to some digits.
func floorTo(v float64, digits int) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v))-float64(digits)+1)
	return math.Floor(v/unit) * unit
}
