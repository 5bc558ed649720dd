package models

import "math"

// Wide multiplies a number of filters or hidden units by the network's width
// factor and rounds it to the nearest whole number, at least 1. Layers of the
// same nominal width stay alike, so that residual branches can be added.
func (b *Builder) Wide(n int) int {
	w := math.Round(float64(n) * b.width)
	switch {
	case !(b.width > 0):
		b.Fail("width factor %v: want a number above 0", b.width)
	case w > maxWidth:
		b.Fail(
			"width factor %v makes %v of %d filters or units: want at most %d; the weights between two layers of so "+
				"many take %.3g GB: take a smaller factor", b.width, w, n, maxWidth, 4*w*w/1e9)
	default:
		return max(1, int(w))
	}
	return 1
}
