package heads

// samples is the number of samples per pixel in each direction.
const samples = 4

// place returns the coordinate of sample k in a row or column of n pixels.
func place(k, n int) int { return (2*k + 1) * side / (2 * samples * n) }

// Paint writes the 3×n×n pixels of the head to dst, channel by channel and row by row, without noise.
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

// Mask returns, for each of the n×n pixels by rows, whether attribute a touches it: whether the visible parts differ
// between the head with a and without it. The other attributes are those of has.
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
