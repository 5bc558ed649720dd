package backend

// The convolutions in Go are matrix products with the patches, a tile of
// output rows at a time so that the patches never exist all at once.

// tileElements bounds the patches held at a time by one thread.
const tileElements = 1 << 18

// filters returns w reordered from (filter, channel, row, column) to
// (filter, row, column, channel), the order of a patch in memory.
func (e *pure[T]) filters(s ConvShape, w []T) []T {
	out := e.scratch.take(len(w))
	k := s.KH * s.KW
	e.Transpose(s.Filters, s.C, k, w, out)
	return out
}

func (e *pure[T]) Convolve(s ConvShape, x, w, bias []T, relu bool, y []T) error {
	if s.Groups > 1 {
		return e.convolveGroups(e, s, x, w, bias, relu, y)
	}
	f := e.filters(s, w)
	defer e.scratch.give(f)
	if s.pointwise() {
		e.gemm(false, true, s.Rows(), s.Filters, s.C, x, f, 0, y)
		e.finish(y, bias, relu, s.Filters)
		return nil
	}
	e.tiles(s, func(t tile, cols []T) {
		readTile(s, t, x, cols)
		rows := t.rows(s)
		out := y[t.first*s.Filters : (t.first+rows)*s.Filters]
		e.gemm(false, true, rows, s.Filters, s.PatchSize(), cols, f, 0, out)
		finishRows(out, bias, relu, s.Filters)
	})
	return nil
}

func (e *pure[T]) ConvolveData(s ConvShape, w, dy, dx []T) error {
	if s.Groups > 1 {
		return e.convolveDataGroups(e, s, w, dy, dx)
	}
	f := e.filters(s, w)
	defer e.scratch.give(f)
	if s.pointwise() {
		e.gemm(false, false, s.Rows(), s.C, s.Filters, dy, f, 0, dx)
		return nil
	}
	clear(dx)
	// Tiles of one image overlap in dx, so threads get whole images instead of
	// tiles.
	e.images(s, func(t tile, cols []T) {
		rows := t.rows(s)
		e.gemm(false, false, rows, s.PatchSize(), s.Filters, dy[t.first*s.Filters:(t.first+rows)*s.Filters], f, 0, cols)
		addTile(s, t, cols, dx)
	})
	return nil
}

func (e *pure[T]) ConvolveWeights(s ConvShape, x, dy, dw []T) error {
	if s.Groups > 1 {
		return e.convolveWeightsGroups(e, s, x, dy, dw)
	}
	size := s.Filters * s.PatchSize()
	sums := make([][]T, e.threads)
	for i := range sums {
		sums[i] = e.scratch.take(size)
		clear(sums[i])
	}
	defer e.scratch.give(sums...)
	e.tilesByThread(s, func(part int, t tile, cols []T) {
		readTile(s, t, x, cols)
		rows := t.rows(s)
		e.gemm(true, false, s.Filters, s.PatchSize(), rows, dy[t.first*s.Filters:(t.first+rows)*s.Filters],
			cols, 1, sums[part])
	})
	for _, more := range sums[1:] {
		for i, v := range more {
			sums[0][i] += v
		}
	}
	e.Transpose(s.Filters, s.KH*s.KW, s.C, sums[0], dw)
	return nil
}

func (e *pure[T]) finish(y, bias []T, relu bool, cols int) {
	e.parallel(len(y)/cols, 16, func(_, lo, hi int) {
		finishRows(y[lo*cols:hi*cols], bias, relu, cols)
	})
}

func finishRows[T Float](y, bias []T, relu bool, cols int) {
	if bias != nil {
		for ; len(y) >= cols; y = y[cols:] {
			row := y[:len(bias)]
			for j, b := range bias {
				v := row[j] + b
				if relu && v <= 0 {
					v = 0
				}
				row[j] = v
			}
		}
		return
	}
	if relu {
		for i, v := range y {
			if v <= 0 {
				y[i] = 0
			}
		}
	}
}

// tile is a range of rows of the output of one image.
type tile struct {
	image, lo, hi int
	first         int // the index of its first position among those of all images
}

func (t tile) rows(s ConvShape) int { return (t.hi - t.lo) * s.OutW() }

// tileHeight is the number of output rows in a tile.
func tileHeight(s ConvShape) int {
	return min(max(tileElements/(s.OutW()*s.PatchSize()), 1), s.OutH())
}

func (e *pure[T]) tiles(s ConvShape, f func(t tile, cols []T)) {
	e.tilesByThread(s, func(_ int, t tile, cols []T) { f(t, cols) })
}

// tilesByThread runs f on every tile, with room for its patches.
func (e *pure[T]) tilesByThread(s ConvShape, f func(part int, t tile, cols []T)) {
	height := tileHeight(s)
	perImage := (s.OutH() + height - 1) / height
	e.withPatches(s, height, func(room [][]T) {
		e.parallel(s.N*perImage, 1, func(part, lo, hi int) {
			for i := lo; i < hi; i++ {
				f(part, tileAt(s, i/perImage, i%perImage*height, height), room[part])
			}
		})
	})
}

// images runs f on every tile; the tiles of one image come one after another.
func (e *pure[T]) images(s ConvShape, f func(t tile, cols []T)) {
	height := tileHeight(s)
	e.withPatches(s, height, func(room [][]T) {
		e.parallel(s.N, 1, func(part, lo, hi int) {
			for n := lo; n < hi; n++ {
				for row := 0; row < s.OutH(); row += height {
					f(tileAt(s, n, row, height), room[part])
				}
			}
		})
	})
}

func (e *pure[T]) withPatches(s ConvShape, height int, f func(room [][]T)) {
	room := make([][]T, e.threads)
	for i := range room {
		room[i] = e.scratch.take(height * s.OutW() * s.PatchSize())
	}
	f(room)
	e.scratch.give(room...)
}

func tileAt(s ConvShape, image, row, height int) tile {
	return tile{image: image, lo: row, hi: min(row+height, s.OutH()), first: (image*s.OutH() + row) * s.OutW()}
}

// readTile writes the patches of the tile, one per row in the order (row, column,
// channel), zero where they overhang the image.
func readTile[T Float](s ConvShape, t tile, x, cols []T) {
	image := x[t.image*s.H*s.W*s.C:][:s.H*s.W*s.C]
	visit(s, t, func(at, from int) {
		if from < 0 {
			clear(cols[at : at+s.C])
			return
		}
		copy(cols[at:at+s.C], image[from:from+s.C])
	})
}

// addTile adds patches back to where they were read from.
func addTile[T Float](s ConvShape, t tile, cols, dx []T) {
	image := dx[t.image*s.H*s.W*s.C:][:s.H*s.W*s.C]
	visit(s, t, func(at, from int) {
		if from < 0 {
			return
		}
		into, add := image[from:from+s.C], cols[at:at+s.C]
		for c, v := range add {
			into[c] += v
		}
	})
}

// visit calls f for every pixel of every patch of the tile: at is its offset
// among the patches, from its offset in the image, negative in the padding.
func visit(s ConvShape, t tile, f func(at, from int)) {
	at := 0
	for oh := t.lo; oh < t.hi; oh++ {
		for ow := range s.OutW() {
			for kh := range s.KH {
				h := oh*s.StrideH - s.PadH + kh*s.DilateH
				for kw := range s.KW {
					w := ow*s.StrideW - s.PadW + kw*s.DilateW
					from := -1
					if h >= 0 && h < s.H && w >= 0 && w < s.W {
						from = (h*s.W + w) * s.C
					}
					f(at, from)
					at += s.C
				}
			}
		}
	}
}
