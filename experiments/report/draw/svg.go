package draw

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"strings"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
)

// CSSDPI is the number of pixels per inch of web pages.
const CSSDPI = 96

// CrispStyle marks the images of an SVG whose pixels keep their edges.
const CrispStyle = ` style='image-rendering:pixelated'`

// SVG returns the scene as an SVG of its own size. Each glyph is an outline that the texts use; the aria-label
// of a group is its text. Attributes have single quotes, which need no escape in a page's URLs.
func (s *Scene) SVG() ([]byte, error) {
	w := &svgWriter{height: s.Height, defined: map[shapeOf]bool{}, pictures: map[string]vg.Point{}}
	for _, m := range s.marks {
		switch m := m.(type) {
		case shape:
			w.shape(m)
		case label:
			w.label(m)
		case picture:
			if err := w.picture(m); err != nil {
				return nil, err
			}
		}
	}
	var b bytes.Buffer
	width, height := short(s.Width.Points()), short(s.Height.Points())
	fmt.Fprintf(&b, `<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' `+
		`width='%spt' height='%spt' viewBox='0 0 %s %s'>`+"\n", width, height, width, height)
	writeElement(&b, "title", s.Title)
	writeElement(&b, "desc", s.Alt)
	if w.glyphs.Len() > 0 {
		fmt.Fprintf(&b, "<defs>\n%s</defs>\n", w.glyphs.Bytes())
	}
	fmt.Fprintf(&b, `<path fill='#fff' d='M0 0H%sV%sH0Z'/>`+"\n", width, height)
	b.Write(w.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

func writeElement(b *bytes.Buffer, name, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "<%s>", name)
	xml.EscapeText(b, []byte(text)) // a bytes.Buffer returns no error
	fmt.Fprintf(b, "</%s>\n", name)
}

// svgWriter collects the elements of an SVG, and the glyphs that they use.
type svgWriter struct {
	height       vg.Length
	glyphs, body bytes.Buffer
	defined      map[shapeOf]bool
	pictures     map[string]vg.Point // the places of pictures that may be shown again, by their ids
}

// at returns the coordinates of a point in the SVG, where y grows downwards.
func (w *svgWriter) at(p vg.Point) string {
	return short(float64(p.X)) + " " + short(float64(w.height-p.Y))
}

func (w *svgWriter) shape(m shape) {
	fmt.Fprintf(&w.body, `<path d='%s'`, w.pathData(m.path))
	if m.width == 0 {
		fmt.Fprintf(&w.body, "%s/>\n", paint("fill", m.colour))
		return
	}
	fmt.Fprintf(&w.body, ` fill='none'%s stroke-width='%s'`, paint("stroke", m.colour), short(float64(m.width)))
	if len(m.dashes) > 0 {
		fmt.Fprintf(&w.body, ` stroke-dasharray='%s'`, list(m.dashes))
	}
	w.body.WriteString("/>\n")
}

// paint returns the attributes of a colour.
func paint(attribute string, c color.NRGBA) string {
	s := fmt.Sprintf(` %s='#%02x%02x%02x'`, attribute, c.R, c.G, c.B)
	if c.A < 0xff {
		s += fmt.Sprintf(` %s-opacity='%s'`, attribute, short(float64(c.A)/0xff))
	}
	return s
}

func (w *svgWriter) pathData(p vg.Path) string {
	var b strings.Builder
	for _, c := range p {
		switch c.Type {
		case vg.MoveComp:
			b.WriteString("M" + w.at(c.Pos))
		case vg.LineComp:
			b.WriteString("L" + w.at(c.Pos))
		case vg.ArcComp: // a whole turn, in two halves
			r := short(float64(c.Radius))
			for _, x := range []vg.Length{-c.Radius, c.Radius} {
				fmt.Fprintf(&b, "A%s %s 0 1 0 %s", r, r, w.at(vg.Point{X: c.Pos.X + x, Y: c.Pos.Y}))
			}
		case vg.CloseComp:
			b.WriteString("Z")
		}
	}
	return b.String()
}

func (w *svgWriter) label(m label) {
	var text bytes.Buffer
	xml.EscapeText(&text, []byte(m.text)) // a bytes.Buffer returns no error
	fmt.Fprintf(&w.body, `<g aria-label='%s'%s transform='translate(%s)`, text.Bytes(), paint("fill", m.colour),
		w.at(m.at))
	if m.angle != 0 {
		fmt.Fprintf(&w.body, "rotate(%s)", short(-m.angle*180/math.Pi))
	}
	fmt.Fprintf(&w.body, `scale(%s)'>`, decimals(float64(m.face.Size)/svgUnits, 6))
	all, _ := m.face.glyphs(m.text)
	const unit = svgUnits / float64(unitsPerEm)
	for _, g := range all {
		if !w.define(g.shapeOf) {
			continue
		}
		fmt.Fprintf(&w.body, `<use xlink:href='#%s'`, g.id())
		switch {
		case g.scale != 1:
			fmt.Fprintf(&w.body, ` transform='translate(%s %s)scale(%s)'`, short(unit*g.x), short(-unit*g.y), short(g.scale))
		case g.x != 0:
			fmt.Fprintf(&w.body, ` x='%s'`, decimals(unit*g.x, 0))
		}
		w.body.WriteString("/>")
	}
	w.body.WriteString("</g>\n")
}

// id returns the name of a glyph. It is the same in all figures, so that a page with several figures may share outlines.
func (g shapeOf) id() string { return fmt.Sprintf("g%d.%d", g.weight, g.index) }

// define writes the outline of a glyph if it is new. It reports whether the glyph has an outline.
func (w *svgWriter) define(g shapeOf) bool {
	if any, known := w.defined[g]; known {
		return any
	}
	segments := g.outline(svgUnits)
	w.defined[g] = len(segments) > 0
	if len(segments) > 0 {
		fmt.Fprintf(&w.glyphs, `<path id='%s' d='%sZ'/>`+"\n", g.id(), outlineData(segments))
	}
	return w.defined[g]
}

// outlineData returns the outline of a glyph as the data of a path, with coordinates relative to the end of the
// last step. It leaves the last part open.
func outlineData(segments []sfnt.Segment) string {
	var b strings.Builder
	var from fixed.Point26_6
	for i, s := range segments {
		letter, points := "l", s.Args[:1]
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				b.WriteString("Z")
			}
			letter = "M"
		case sfnt.SegmentOpQuadTo:
			letter, points = "q", s.Args[:2]
		}
		b.WriteString(letter)
		for k, p := range points {
			if letter != "M" {
				p = p.Sub(from)
			}
			if k > 0 && p.X >= 0 {
				b.WriteByte(' ')
			}
			fmt.Fprint(&b, int(p.X))
			if p.Y >= 0 {
				b.WriteByte(' ')
			}
			fmt.Fprint(&b, int(p.Y))
		}
		from = points[len(points)-1]
	}
	return b.String()
}

// picture writes an image the first time that it is shown, and later refers to it. The id is a digest of the image and its size:
// two figures of a page that show the same have the same id.
func (w *svgWriter) picture(m picture) error {
	size := m.at.Size()
	// A screen shows fewer pixels than a large image has. A crisp style would make
	// it sample them, and leave out whole rows; without the style it averages.
	style := ""
	if m.crisp && float64(m.image.Bounds().Dx()) <= math.Round(size.X.Dots(CSSDPI)) {
		style = CrispStyle
		m.image = enlarged(indexed(m.image))
	}
	kind, data, err := m.encode()
	if err != nil {
		return err
	}
	look := fmt.Sprintf(`width='%s' height='%s' preserveAspectRatio='none'%s xlink:href='data:image/%s;base64,%s'/>`,
		short(float64(size.X)), short(float64(size.Y)), style, kind, base64.StdEncoding.EncodeToString(data))
	id := fmt.Sprintf("p%x", sha256.Sum256([]byte(look)))[:17]
	x, y := m.at.Min.X, w.height-m.at.Max.Y
	if first, shown := w.pictures[id]; shown {
		fmt.Fprintf(&w.body, `<use xlink:href='#%s' x='%s' y='%s'/>`+"\n", id, short(float64(x-first.X)), short(float64(y-first.Y)))
		return nil
	}
	w.pictures[id] = vg.Point{X: x, Y: y}
	fmt.Fprintf(&w.body, `<image id='%s' x='%s' y='%s' %s`+"\n", id, short(float64(x)), short(float64(y)), look)
	return nil
}

// Crisp images of few pixels are enlarged by a whole factor: viewers other than browsers blend neighbouring pixels, and in an
// enlarged image they blend only the edges.
const (
	leastEnlarged = 4   // the least factor
	enlargedSide  = 128 // the longer side, in pixels, to which small images are enlarged
	mostEnlarged  = 512 // the largest longer side; an image that would exceed it stays as it is
)

// enlarged returns a small image with a square of pixels for each of its own, and a large one as it is.
func enlarged(img image.Image) image.Image {
	size := img.Bounds().Size()
	longer := max(1, size.X, size.Y)
	by := max(leastEnlarged, enlargedSide/longer)
	if by*longer > mostEnlarged {
		return img
	}
	at := image.Rect(0, 0, by*size.X, by*size.Y)
	if p, is := img.(*image.Paletted); is { // keeps one byte for each pixel
		out := image.NewPaletted(at, p.Palette)
		for y := range at.Max.Y {
			for x := range at.Max.X {
				out.Pix[y*out.Stride+x] = p.Pix[y/by*p.Stride+x/by]
			}
		}
		return out
	}
	out := image.NewNRGBA(at)
	xdraw.NearestNeighbor.Scale(out, at, img, img.Bounds(), xdraw.Src, nil)
	return out
}

// indexed returns an image of at most 256 colours with a palette, one byte for each pixel, and any other image as it is.
func indexed(img image.Image) image.Image {
	if _, is := img.(*image.Paletted); is {
		return img
	}
	at := img.Bounds()
	out, known := image.NewPaletted(at, nil), map[color.NRGBA]uint8{}
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			k, is := known[c]
			if !is {
				if len(known) == 256 {
					return img
				}
				k = uint8(len(known))
				known[c], out.Palette = k, append(out.Palette, c)
			}
			out.SetColorIndex(x, y, k)
		}
	}
	return out
}

// encode returns the image as a PNG or, if it is not crisp and a JPEG takes at most half of the bytes, as a JPEG, as for
// photographs.
func (m picture) encode() (kind string, data []byte, err error) {
	var exact, smooth bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&exact, indexed(m.image)); err != nil {
		return "", nil, err
	}
	if m.crisp {
		return "png", exact.Bytes(), nil
	}
	if err := jpeg.Encode(&smooth, m.image, &jpeg.Options{Quality: printQuality}); err != nil {
		return "", nil, err
	}
	if 2*smooth.Len() > exact.Len() {
		return "png", exact.Bytes(), nil
	}
	return "jpeg", smooth.Bytes(), nil
}
