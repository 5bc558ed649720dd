package data

// levels holds, for each channel, what becomes of the 256 values of a byte
// pixel. Level 0 is black.
type levels [][256]float32

// newLevels returns the levels of pixels over 255, normalised: to the bit what
// Normalisation.Apply makes of them.
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

// draw writes the view of an image in row, column, channel order. Its bytes
// lie channel by channel.
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

// drawRow writes one channel of a row: black to the left and to the right of
// pix. The first value goes to dst[at], the next step further. Inlined it
// would run out of registers and take half as long again.
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
