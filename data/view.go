package data

// A view is how an image is seen: moved over a black ground, and then mirrored
// left to right or not. The zero value shows the image as it is.
type view struct {
	down, right int // by how many pixels the content moves, less than the image has
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
