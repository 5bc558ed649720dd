package backend

// pieces divides the positions of a correlation into pieces that are computed
// one at a time: some images, or some lines of one image.
type pieces struct {
	images, lines int // of a whole piece
	bands         int // pieces of one image

	direct      bool // patches are read where they are, and not in a copy with zeros around it
	line, image int  // how far lines and images of a piece are apart
}

// piece is a range of images and of lines.
type piece struct{ image, images, line, lines int }

// pieceSize is the number of positions of a piece, where there are as many:
// what is read of the filters is used for all of them.
const pieceSize = 256

func divide(g *correlation, threads int) pieces {
	p := pieces{images: 1, lines: g.rows.count, direct: g.rows.inside() && g.cols.inside()}
	if each := g.rows.count * g.cols.count; each < pieceSize {
		p.images = min(pieceSize/each, (g.n+threads-1)/threads)
	}
	if p.images == 1 {
		share := (g.n*g.rows.count + threads - 1) / threads
		p.lines = min(p.lines, share, max(1, pieceSize/g.cols.count))
	}
	p.bands = (g.rows.count + p.lines - 1) / p.lines
	width, height := g.cols.reach(g.cols.count), g.rows.reach(p.lines)
	if p.direct {
		width, height = g.cols.size, g.rows.size
	}
	p.line = width * g.in
	p.image = height * p.line
	return p
}

// count is the number of pieces.
func (g *correlation) count() int { return (g.n + g.images - 1) / g.images * g.bands }

func (g *correlation) piece(i int) piece {
	image, line := i/g.bands*g.images, i%g.bands*g.lines
	return piece{image, min(g.images, g.n-image), line, min(g.lines, g.rows.count-line)}
}

// size is the number of positions of a piece.
func (g *correlation) size(p piece) int { return p.images * p.lines * g.cols.count }

// read returns x from where the first patch of a piece starts on, or a copy of
// what the piece reads with the zeros around it, in room.
func (g *correlation) read(p piece, x []float32, room *[]float32) []float32 {
	first := g.rows.origin + p.line*g.rows.step
	size := g.rows.size * g.cols.size * g.in
	if g.direct {
		return x[p.image*size+(first*g.cols.size+g.cols.origin)*g.in:]
	}
	*room = grown(*room, p.images*g.image)
	for n := range p.images {
		image, dst := x[(p.image+n)*size:][:size], (*room)[n*g.image:]
		for i := range g.rows.reach(p.lines) {
			g.readLine(first+i, image, dst[i*g.line:][:g.line])
		}
	}
	return *room
}

// readLine copies row r of an image with the zeros on its left and right.
func (g *correlation) readLine(r int, image, dst []float32) {
	if r < 0 || r >= g.rows.size {
		clear(dst)
		return
	}
	width := g.cols.size * g.in
	row := image[r*width:][:width]
	if left := g.cols.origin * g.in; left >= 0 {
		row = row[min(left, width):]
	} else {
		zeros := min(-left, len(dst))
		clear(dst[:zeros])
		dst = dst[zeros:]
	}
	clear(dst[copy(dst, row):])
}
