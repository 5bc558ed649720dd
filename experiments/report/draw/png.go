package draw

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"math"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// DPI is the number of pixels per inch of a PNG that is no wider than a page.
const DPI = 300

// mostPixels is the largest number of pixels of a PNG: four pages. Longer pictures have fewer per inch.
const mostPixels = 4 * 8.27 * 11.69 * DPI * DPI

// Print returns the scene in the formats for print, from [Scene.PDF] and [Scene.PNG].
func (s *Scene) Print() (pdf, png []byte, err error) {
	if pdf, err = s.PDF(); err == nil {
		png, err = s.PNG()
	}
	return pdf, png, err
}

// PNG returns the scene as a PNG that is at most as wide as a page. It has [DPI] pixels per inch, or fewer if it is very
// long, and says how many.
func (s *Scene) PNG() ([]byte, error) {
	printed := DPI * s.printScale() // dots per inch of the scene, not of the page
	area := s.Width.Dots(printed) * s.Height.Dots(printed)
	printed *= min(1, math.Sqrt(mostPixels/area))
	dpi := int(math.Round(printed))
	c := vgimg.NewWith(vgimg.UseWH(s.Width, s.Height), vgimg.UseDPI(dpi))
	for _, m := range s.marks {
		switch m := m.(type) {
		case shape:
			c.SetColor(m.colour)
			if m.width == 0 {
				c.Fill(m.path)
				continue
			}
			c.SetLineWidth(m.width)
			c.SetLineDash(m.dashes, 0)
			c.Stroke(m.path)
		case label:
			c.SetColor(m.colour)
			c.Fill(m.path())
		case picture:
			m.scaleInto(c.Image(), float64(dpi))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, c.Image()); err != nil {
		return nil, err
	}
	return WithDPI(b.Bytes(), float64(dpi)/s.printScale()), nil
}

// scaleInto draws the picture. A crisp picture that is enlarged keeps the edges of its pixels.
func (m picture) scaleInto(dst xdraw.Image, dpi float64) {
	px := func(l vg.Length) int { return int(math.Round(l.Dots(dpi))) }
	height := dst.Bounds().Dy()
	at := image.Rect(px(m.at.Min.X), height-px(m.at.Max.Y), px(m.at.Max.X), height-px(m.at.Min.Y))
	var scaler xdraw.Scaler = xdraw.CatmullRom
	if m.crisp && at.Dx() >= m.image.Bounds().Dx() {
		scaler = xdraw.NearestNeighbor
	}
	scaler.Scale(dst, at, m.image, m.image.Bounds(), xdraw.Over, nil)
}

// path returns the outlines of all glyphs of a text.
func (m label) path() vg.Path {
	var p vg.Path
	sin, cos := math.Sincos(m.angle)
	all, _ := m.face.glyphs(m.text)
	for _, g := range all {
		place := func(x, y float64) vg.Point {
			x, y = g.x+g.scale*x, g.y-g.scale*y // outlines grow downwards
			unit := m.face.Size / unitsPerEm
			return vg.Point{X: m.at.X + unit*vg.Length(x*cos-y*sin), Y: m.at.Y + unit*vg.Length(x*sin+y*cos)}
		}
		addOutline(&p, g.outline(unitsPerEm), place)
	}
	return p
}

// addOutline adds the outline of a glyph, with place applied to its points.
func addOutline(p *vg.Path, segments []sfnt.Segment, place func(x, y float64) vg.Point) {
	for i, s := range segments {
		var at [3]vg.Point
		for k, a := range s.Args {
			at[k] = place(float64(a.X), float64(a.Y))
		}
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				p.Close()
			}
			p.Move(at[0])
		case sfnt.SegmentOpLineTo:
			p.Line(at[0])
		case sfnt.SegmentOpQuadTo:
			p.QuadTo(at[0], at[1])
		}
	}
	if len(segments) > 0 {
		p.Close()
	}
}

// WithDPI adds the number of pixels per inch to a PNG that the standard library wrote.
func WithDPI(data []byte, dpi float64) []byte {
	const head = 8 + 25 // the signature, and the chunk that comes first
	perMetre := uint32(math.Round(dpi / 0.0254))
	chunk := binary.BigEndian.AppendUint32(nil, 9)
	chunk = append(chunk, "pHYs"...)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // the unit is the metre
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return append(append(bytes.Clone(data[:head]), chunk...), data[head:]...)
}
