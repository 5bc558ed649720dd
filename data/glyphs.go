package data

import (
	"fmt"
	"io"
	"slices"
	"sync"
)

const (
	glyphsName = "glyphs"

	// glyphsVersion changes whenever an image of the set does. It names the
	// random streams and goes into the digest.
	glyphsVersion = "glyphs/1"

	glyphSide = 28

	// The number of images by default.
	glyphsTrain = 10000
	glyphsTest  = 2000
)

// glyphs is a source of generated digits: 0 to 9 from the faces of the Go
// fonts, bent, slanted, turned, scaled, moved, thickened or thinned, bright on a
// shaded background with stray strokes and noise. Contrast and brightness
// vary.
//
// Image i is a function of the seed, the split and i alone. It is drawn with
// integers, and with floats that are rounded after every operation, so that it
// is the same on every machine.
type glyphs struct {
	split    string
	seed     uint64
	count    int
	faces    []face
	painters sync.Pool // of *painter
}

// openGlyphs returns the generated set that the options describe.
func openGlyphs(o Options) (Dataset, error) {
	faces, err := loadFaces()
	if err != nil {
		return nil, err
	}
	g := &glyphs{split: o.Split, seed: o.Seed, count: o.Count, faces: faces}
	if g.count == 0 {
		g.count = glyphsTest
		if o.Split == trainSplit {
			g.count = glyphsTrain
		}
	}
	g.painters.New = func() any { return newPainter() }
	return eightBit{g, o.Size}, nil
}

func (g *glyphs) Name() string      { return glyphsName }
func (g *glyphs) Split() string     { return g.split }
func (g *glyphs) Len() int          { return g.count }
func (g *glyphs) Shape() Shape      { return Shape{1, glyphSide, glyphSide} }
func (g *glyphs) Classes() []string { return digits() }

func (g *glyphs) image(i int, scratch []uint8) ([]uint8, int) {
	p := g.painters.Get().(*painter)
	defer g.painters.Put(p)
	label := g.label(p, i)
	seedStream(p.pcg, g.seed, g.stream("image"), uint64(i))
	pix := slices.Grow(scratch[:0], glyphSide*glyphSide)[:glyphSide*glyphSide]
	p.paint(pix, g.faces[p.rng.IntN(len(g.faces))][label])
	return pix, label
}

func (g *glyphs) labelAt(i int) int {
	p := g.painters.Get().(*painter)
	defer g.painters.Put(p)
	return g.label(p, i)
}

// label returns the digit of image i. Every ten images in a row, from a
// multiple of ten, hold each digit once, in random order.
func (g *glyphs) label(p *painter, i int) int {
	seedStream(p.pcg, g.seed, g.stream("label"), uint64(i/10))
	order := [10]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	p.rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	return order[i%10]
}

// stream returns the name of a random stream of the split.
func (g *glyphs) stream(what string) string {
	return glyphsVersion + "/" + g.split + "/" + what
}

func (g *glyphs) identify(w io.Writer, i int) error {
	_, err := fmt.Fprintf(w, "%s %s seed %d image %d\n", glyphsVersion, g.split, g.seed, i)
	return err
}
