package draw

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"unicode/utf16"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/vg"
)

// PDF returns the scene as a PDF of one page, as large as the scene, or scaled down to [PageWidth]. Texts are
// outlines.
func (s *Scene) PDF() ([]byte, error) {
	w := &pdfWriter{}
	scale := s.printScale()
	fmt.Fprintf(&w.page, "%s 0 0 %[1]s 0 0 cm\n1 g 0 0 %s %s re f\n", decimals(scale, 6), short(float64(s.Width)),
		short(float64(s.Height)))
	for _, m := range s.marks {
		switch m := m.(type) {
		case shape:
			w.shape(m)
		case label:
			w.label(m)
		case picture:
			w.picture(m)
		}
	}
	return w.document(s, short(float64(s.Width)*scale), short(float64(s.Height)*scale))
}

// pdfWriter collects the content of the page, and the opacities and images that it refers to.
type pdfWriter struct {
	page   bytes.Buffer
	alphas []uint8 // opacities, named /A0, /A1, …
	images []image.Image
	smooth []bool // of each image, whether its pixels may be blurred
}

func (w *pdfWriter) shape(m shape) {
	w.page.WriteString("q ")
	w.opacity(m.colour)
	fmt.Fprintf(&w.page, "%s ", rgb(m.colour))
	if m.width == 0 {
		w.page.WriteString("rg\n")
		w.path(m.path)
		w.page.WriteString("f Q\n")
		return
	}
	fmt.Fprintf(&w.page, "RG %s w [%s] 0 d\n", short(float64(m.width)), list(m.dashes))
	w.path(m.path)
	w.page.WriteString("S Q\n")
}

// rgb returns a colour as three numbers from 0 to 1.
func rgb(c color.NRGBA) string {
	part := func(v uint8) string { return decimals(float64(v)/0xff, 3) }
	return part(c.R) + " " + part(c.G) + " " + part(c.B)
}

func (w *pdfWriter) opacity(c color.NRGBA) {
	if c.A == 0xff {
		return
	}
	k := slices.Index(w.alphas, c.A)
	if k < 0 {
		k = len(w.alphas)
		w.alphas = append(w.alphas, c.A)
	}
	fmt.Fprintf(&w.page, "/A%d gs ", k)
}

func (w *pdfWriter) path(p vg.Path) {
	at := func(p vg.Point) string { return short(float64(p.X)) + " " + short(float64(p.Y)) }
	for _, c := range p {
		switch c.Type {
		case vg.MoveComp:
			w.page.WriteString(at(c.Pos) + " m\n")
		case vg.LineComp:
			w.page.WriteString(at(c.Pos) + " l\n")
		case vg.ArcComp: // a whole turn, in four quarters
			const bend = 0.5522847498 // the place of the control points with which a curve is nearly a circle
			for k := range 4 {
				var points [3]vg.Point
				sin, cos := math.Sincos(float64(k) * math.Pi / 2)
				for i, q := range [][2]float64{{1, bend}, {bend, 1}, {0, 1}} {
					x, y := q[0]*cos-q[1]*sin, q[0]*sin+q[1]*cos
					points[i] = c.Pos.Add(vg.Point{X: c.Radius * vg.Length(x), Y: c.Radius * vg.Length(y)})
				}
				w.page.WriteString(at(points[0]) + " " + at(points[1]) + " " + at(points[2]) + " c\n")
			}
		case vg.CloseComp:
			w.page.WriteString("h\n")
		}
	}
}

// label writes the outlines of a text in units of the font, so that a glyph has the same bytes each time, which
// compress well.
func (w *pdfWriter) label(m label) {
	sin, cos := math.Sincos(m.angle)
	unit := float64(m.face.Size) / unitsPerEm
	w.page.WriteString("q ")
	w.opacity(m.colour)
	fmt.Fprintf(&w.page, "%s rg %s %s %s %s %s %s cm\n", rgb(m.colour), decimals(unit*cos, 6), decimals(unit*sin, 6),
		decimals(-unit*sin, 6), decimals(unit*cos, 6), short(float64(m.at.X)), short(float64(m.at.Y)))
	all, _ := m.face.glyphs(m.text)
	for _, g := range all {
		if segments := g.outline(unitsPerEm); len(segments) > 0 {
			fmt.Fprintf(&w.page, "q %s 0 0 %[1]s %s %s cm\n", short(g.scale), short(g.x), short(g.y))
			w.outline(segments)
			w.page.WriteString("f Q\n")
		}
	}
	w.page.WriteString("Q\n")
}

// outline writes the outline of a glyph. It raises the degree of curves from two to three.
func (w *pdfWriter) outline(segments []sfnt.Segment) {
	var x, y float64 // the end of the last segment
	for _, s := range segments {
		ax, ay := float64(s.Args[0].X), -float64(s.Args[0].Y)
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			fmt.Fprintf(&w.page, "%.0f %.0f m\n", ax, ay)
		case sfnt.SegmentOpLineTo:
			fmt.Fprintf(&w.page, "%.0f %.0f l\n", ax, ay)
		case sfnt.SegmentOpQuadTo:
			bx, by := float64(s.Args[1].X), -float64(s.Args[1].Y)
			fmt.Fprintf(&w.page, "%.0f %.0f %.0f %.0f %.0f %.0f c\n", x+2*(ax-x)/3, y+2*(ay-y)/3, bx+2*(ax-bx)/3,
				by+2*(ay-by)/3, bx, by)
			ax, ay = bx, by
		}
		x, y = ax, ay
	}
}

func (w *pdfWriter) picture(m picture) {
	size := m.at.Size()
	fmt.Fprintf(&w.page, "q %s 0 0 %s %s %s cm /I%d Do Q\n", short(float64(size.X)), short(float64(size.Y)),
		short(float64(m.at.Min.X)), short(float64(m.at.Min.Y)), len(w.images))
	w.images, w.smooth = append(w.images, m.image), append(w.smooth, !m.crisp)
}

// The numbers of the objects of a document; images come last.
const (
	pdfCatalogue = 1 + iota
	pdfPages
	pdfPage
	pdfContent
	pdfInfo
	pdfFirstImage
)

// document returns the file: the objects, and the table of their offsets.
func (w *pdfWriter) document(s *Scene, width, height string) ([]byte, error) {
	var resources bytes.Buffer
	resources.WriteString("<< /ExtGState <<")
	for k, a := range w.alphas {
		alpha := decimals(float64(a)/0xff, 3)
		fmt.Fprintf(&resources, " /A%d << /ca %s /CA %s >>", k, alpha, alpha)
	}
	resources.WriteString(" >> /XObject <<")
	for k := range w.images {
		fmt.Fprintf(&resources, " /I%d %d 0 R", k, pdfFirstImage+k)
	}
	resources.WriteString(" >> >>")

	objects := []string{
		fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", pdfPages),
		fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", pdfPage),
		fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Contents %d 0 R /Resources %s >>", pdfPages,
			width, height, pdfContent, resources.String()),
	}
	content, err := pdfStream("", w.page.Bytes())
	if err != nil {
		return nil, err
	}
	objects = append(objects, content, fmt.Sprintf("<< /Title %s /Subject %s >>", pdfText(s.Title), pdfText(s.Alt)))
	for k, img := range w.images {
		stream, err := pdfImage(img, w.smooth[k])
		if err != nil {
			return nil, err
		}
		objects = append(objects, stream)
	}

	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n") // the second line says that the file is binary
	var starts []int
	for k, object := range objects {
		starts = append(starts, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", k+1, object)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range starts {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1,
		pdfCatalogue, pdfInfo, table)
	return b.Bytes(), nil
}

// pdfStream returns a compressed stream, with the given entries in its dictionary.
func pdfStream(entries string, data []byte) (string, error) {
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestCompression)
	if err != nil {
		return "", err
	}
	z.Write(data) // a bytes.Buffer returns no error
	z.Close()
	return fmt.Sprintf("<< %s/Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", entries, b.Len(), b.Bytes()), nil
}

// pdfImage returns the object of an image. Transparent pixels are laid over white.
func pdfImage(img image.Image, smooth bool) (string, error) {
	r := img.Bounds()
	flat := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	xdraw.Draw(flat, flat.Bounds(), image.White, image.Point{}, xdraw.Src)
	xdraw.Draw(flat, flat.Bounds(), img, r.Min, xdraw.Over)
	data := make([]byte, 0, 3*len(flat.Pix)/4)
	for i := 0; i < len(flat.Pix); i += 4 {
		data = append(data, flat.Pix[i:i+3]...)
	}
	return pdfStream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB "+
		"/BitsPerComponent 8 /Interpolate %v ", r.Dx(), r.Dy(), smooth), data)
}

// pdfText returns a text as a string of a PDF, in UTF-16.
func pdfText(s string) string {
	text := "<FEFF"
	for _, v := range utf16.Encode([]rune(s)) {
		text += fmt.Sprintf("%04X", v)
	}
	return text + ">"
}
