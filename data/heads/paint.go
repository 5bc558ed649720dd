package heads

// samples is how many samples a pixel has in a row and in a column.
const samples = 4

// place returns the coordinate of sample k of a row or a column of an image of n pixels.
func place(k, n int) int { return (2*k + 1) * side / (2 * samples * n) }

// Paint writes the n×n pixels of the head, channel by channel, without noise.
func (h *Head) Paint(dst []uint8, n int, has Attributes) {
	for k := range n * n {
		var sum [3]int
		for s := range samples * samples {
			x, y := place(k%n*samples+s%samples, n), place(k/n*samples+s/samples, n)
			light := (h.slopeX*(2*x-side) + h.slopeY*(2*y-side)) / (2 * side)
			for c, v := range h.colours[h.at(x, y, has)] {
				sum[c] += min(max(v+light, 0), 0xff)
			}
		}
		for c, v := range sum {
			dst[c*n*n+k] = uint8(v / (samples * samples))
		}
	}
}

// Mask returns which of the n×n pixels of a head an attribute touches: those in which something else is seen with
// it than without it.
func (h *Head) Mask(n int, has Attributes, a Attribute) []bool {
	with, without := has, has
	with[a], without[a] = true, false
	mask := make([]bool, n*n)
	for k := range mask {
		for s := range samples * samples {
			x, y := place(k%n*samples+s%samples, n), place(k/n*samples+s/samples, n)
			mask[k] = mask[k] || h.at(x, y, with) != h.at(x, y, without)
		}
	}
	return mask
}
