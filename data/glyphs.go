package data

import (
	"image"
	"image/draw"
	"math/rand/v2"
	"slices"
	"sync"

	"golang.org/x/image/vector"
)

const (
	glyphsName = "glyphs"

	// glyphsVersion changes whenever an image of the set changes. It names the random streams and enters the digest.
	glyphsVersion = "glyphs/1"

	glyphSide = 28

	// The default numbers of images.
	glyphsTrain = 10000
	glyphsTest  = 2000
)

// glyphs is a source of generated digits: 0 to 9 from the faces of the Go fonts, bent, slanted, turned, scaled, moved,
// thickened or thinned, bright on a shaded background with stray strokes and noise. Contrast and brightness vary.
//
// Image i depends only on the seed, the split and i. It is drawn with integers, and with floats that are rounded after
// every operation, so that it is the same on every machine.
type glyphs struct {
	generated
	faces    []face
	painters sync.Pool // of *painter
}

// openGlyphs returns the generated set that the options describe.
func openGlyphs(o Options) (Dataset, error) {
	faces, err := loadFaces()
	if err != nil {
		return nil, err
	}
	g := &glyphs{generated: newGenerated(o, glyphsVersion, o.countOr(glyphsTrain, glyphsTest)), faces: faces}
	g.painters.New = func() any { return newPainter() }
	return eightBit{g, o.Size}, nil
}

func (g *glyphs) Shape() Shape      { return Shape{1, glyphSide, glyphSide} }
func (g *glyphs) Classes() []string { return digits() }

func (g *glyphs) image(i int, scratch []uint8) ([]uint8, int) {
	p := g.painters.Get().(*painter)
	defer g.painters.Put(p)
	label := g.labelAt(i)
	seedStream(p.pcg, g.seed, g.streamName("image"), uint64(i))
	pix := slices.Grow(scratch[:0], glyphSide*glyphSide)[:glyphSide*glyphSide]
	p.paint(pix, g.faces[p.rng.IntN(len(g.faces))][label])
	return pix, label
}

func (g *glyphs) labelAt(i int) int { return g.balanced(i, 10) }

// glyphMargin is the distance in pixels between a digit and the edges of its image, before its strokes are thickened.
const glyphMargin = 2

// A painter draws glyphs. It is not safe for concurrent use.
type painter struct {
	pcg    *rand.PCG
	rng    *rand.Rand // draws from pcg
	raster *vector.Rasterizer
	ink    *image.Alpha // the coverage of the digit
	stray  *image.Alpha // the coverage of the stray strokes
	swap   []uint8
	posed  outline
}

func newPainter() *painter {
	pcg := rand.NewPCG(0, 0)
	box := image.Rect(0, 0, glyphSide, glyphSide)
	return &painter{
		pcg:    pcg,
		rng:    rand.New(pcg),
		raster: vector.NewRasterizer(glyphSide, glyphSide),
		ink:    image.NewAlpha(box),
		stray:  image.NewAlpha(box),
		swap:   make([]uint8, glyphSide*glyphSide),
	}
}

// paint draws the digit to dst, by rows, with random numbers from p.rng.
func (p *painter) paint(dst []uint8, digit outline) {
	s := randomPose(p.rng)
	p.posed = s.place(p.rng, p.posed, digit, glyphSide, glyphMargin)
	fillOutline(p.raster, p.ink, p.posed)
	p.weigh()
	fillOutline(p.raster, p.stray, p.strokes())
	p.compose(dst)
}

// fillOutline draws the coverage of an outline, 0 to 255, to dst.
func fillOutline(raster *vector.Rasterizer, dst *image.Alpha, o outline) {
	raster.Reset(dst.Rect.Dx(), dst.Rect.Dy())
	raster.DrawOp = draw.Src
	for _, poly := range o {
		raster.MoveTo(float32(poly[0].x), float32(poly[0].y))
		for _, q := range poly[1:] {
			raster.LineTo(float32(q.x), float32(q.y))
		}
		raster.ClosePath()
	}
	raster.Draw(dst, dst.Rect, image.Opaque, image.Point{})
}

// weigh thickens or thins the digit's strokes by less than a pixel: it moves every pixel part of the way to the largest or
// the smallest of its neighbours.
func (p *painter) weigh() {
	const thinnest, thickest = -64, 160 // in 256ths of the way
	w := thinnest + p.rng.IntN(thickest-thinnest+1)
	pix := p.ink.Pix
	copy(p.swap, pix)
	for k := range pix {
		v := int(p.swap[k])
		lo, hi := p.extremes(k)
		if w < 0 {
			pix[k] = uint8(v + (v-lo)*w/256)
		} else {
			pix[k] = uint8(v + (hi-v)*w/256)
		}
	}
}

// extremes returns the least and the greatest value in p.swap among pixel k and its four neighbours.
func (p *painter) extremes(k int) (lo, hi int) {
	v := p.swap[k]
	lo8, hi8 := v, v
	x, y := k%glyphSide, k/glyphSide
	for _, at := range [4]int{
		k - min(x, 1), k + min(glyphSide-1-x, 1),
		k - glyphSide*min(y, 1), k + glyphSide*min(glyphSide-1-y, 1),
	} {
		lo8, hi8 = min(lo8, p.swap[at]), max(hi8, p.swap[at])
	}
	return int(lo8), int(hi8)
}

// strokes returns up to three thin random strokes.
func (p *painter) strokes() outline {
	var o outline
	for range p.rng.IntN(4) {
		a, b := p.anywhere(), p.anywhere()
		// A narrow triangle looks like a stroke that thins out.
		o = append(o, []point{a, b, {a.x + between(p.rng, .5, 1.5), a.y + between(p.rng, .5, 1.5)}})
	}
	return o
}

func (p *painter) anywhere() point {
	return point{between(p.rng, 0, glyphSide), between(p.rng, 0, glyphSide)}
}

// compose draws the background, the strokes and the digit in grey levels, and adds noise.
func (p *painter) compose(dst []uint8) {
	c := p.colours()
	for k := range dst {
		v := c.paperAt(k%glyphSide, k/glyphSide)
		v += (c.stray - c.paper) * int(p.stray.Pix[k]) / 0xff
		v += (c.ink - v) * int(p.ink.Pix[k]) / 0xff
		dst[k] = uint8(min(max(v, 0), 0xff))
	}
	addNoise(p.rng, dst, 4+p.rng.IntN(21))
}

// colours holds the grey levels of an image.
type colours struct {
	paper, ink, stray int
	slopeX, slopeY    int // the change of the paper from one side of the image to the other
}

// colours draws the colours of an image at random. The ink is the brightest.
func (p *painter) colours() colours {
	contrast := 80 + p.rng.IntN(120)
	paper := p.rng.IntN(256 - contrast)
	return colours{
		paper:  paper,
		ink:    paper + contrast,
		stray:  paper + contrast*p.rng.IntN(60)/100,
		slopeX: p.rng.IntN(61) - 30,
		slopeY: p.rng.IntN(61) - 30,
	}
}

// paperAt returns the grey level of the paper in column x of row y.
func (c *colours) paperAt(x, y int) int {
	return c.paper + (c.slopeX*(2*x-glyphSide)+c.slopeY*(2*y-glyphSide))/(2*glyphSide)
}

// addNoise adds noise of standard deviation sd grey levels. The sum of four random
// bytes is close to normal, and the same on every machine.
func addNoise(rng *rand.Rand, dst []uint8, sd int) {
	const mean, deviation = 510, 148 // of a sum of four bytes
	var bits uint64
	for k := range dst {
		if k%2 == 0 {
			bits = rng.Uint64()
		}
		sum := int(bits&0xff + bits>>8&0xff + bits>>16&0xff + bits>>24&0xff)
		bits >>= 32
		v := int(dst[k]) + (sum-mean)*sd/deviation
		dst[k] = uint8(min(max(v, 0), 0xff))
	}
}
