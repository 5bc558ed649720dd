package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"math"

	xdraw "golang.org/x/image/draw"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// drawing is a picture without a format: a size in points, and a function that paints it in any format.
type drawing struct {
	width, height vg.Length
	title, alt    string
	paint         func(pen)
}

// figure renders the drawing to both formats. It shows the numbers in csv.
func (d drawing) figure(name string, csv []byte) (Figure, error) {
	d.title, d.alt = plain(d.title), plain(d.alt)
	svg, err := d.svg()
	if err != nil {
		return Figure{}, fmt.Errorf("report: figure %q: SVG: %w", name, err)
	}
	raster, err := d.png()
	if err != nil {
		return Figure{}, fmt.Errorf("report: figure %q: PNG: %w", name, err)
	}
	return Figure{Name: name, Alt: d.alt, SVG: svg, PNG: raster, CSV: csv, Wide: d.width > textWidth}, nil
}

// on paints the drawing over a white ground, which keeps it legible wherever
// it is pasted.
func (d drawing) on(c vg.Canvas) {
	p := pen{draw.NewCanvas(c, d.width, d.height)}
	var ground vg.Path
	addRect(&ground, p.Rectangle)
	p.fill(white, ground)
	d.paint(p)
}

// crispImage is an image whose pixels are data: they keep their edges however
// large they are shown.
type crispImage struct {
	image.Image
}

func (d drawing) png() ([]byte, error) {
	c := pngCanvas{vgimg.NewWith(vgimg.UseWH(d.width, d.height), vgimg.UseDPI(dpi))}
	d.on(c)
	var b bytes.Buffer
	if err := png.Encode(&b, c.Image()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// pngCanvas is vgimg's canvas with images that are scaled as they ask for;
// vgimg itself blurs them all. It draws images without regard to rotation.
type pngCanvas struct {
	*vgimg.Canvas
}

// DrawImage implements vg.Canvas.
func (c pngCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	dst := c.Image()
	px := func(l vg.Length) int { return int(math.Round(l.Dots(dpi))) }
	height := dst.Bounds().Dy()
	at := image.Rect(px(r.Min.X), height-px(r.Max.Y), px(r.Max.X), height-px(r.Min.Y))
	var scaler xdraw.Scaler = xdraw.CatmullRom
	if crisp, ok := img.(crispImage); ok && at.Dx() >= img.Bounds().Dx() {
		img, scaler = crisp.Image, xdraw.NearestNeighbor
	}
	scaler.Scale(dst, at, img, img.Bounds(), xdraw.Over, nil)
}

func (d drawing) svg() ([]byte, error) {
	c := &svgCanvas{Canvas: vgsvg.New(d.width, d.height)}
	d.on(c)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	return c.finish(b.Bytes(), d.title, d.alt)
}

// svgCanvas is vgsvg's canvas; it remembers which of its images are crisp, and how wide its texts are.
type svgCanvas struct {
	*vgsvg.Canvas
	crisp  []bool
	widths []vg.Length
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.widths = append(c.widths, f.Width(text))
	c.Canvas.FillString(f, at, text)
}

// DrawImage implements vg.Canvas.
func (c *svgCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	inner, crisp := img.(crispImage)
	if crisp {
		img = inner.Image
	}
	// An image with more pixels than the screen shows of it is better averaged
	// than sampled: sampling leaves out whole rows.
	crisp = crisp && float64(img.Bounds().Dx()) <= math.Round(r.Size().X.Dots(cssDPI))
	c.crisp = append(c.crisp, crisp)
	c.Canvas.DrawImage(r, img)
}

// What vgsvg writes and what stands in its place. Each of them holds a quote
// as it cannot occur in the text of a label, where quotes are escaped.
const (
	svgHeadEnd = `xmlns:xlink="http://www.w3.org/1999/xlink">` + "\n"
	svgImage   = `xlink:href="data:image/jpg;base64,` // though it is a PNG
	pngImage   = `xlink:href="data:image/png;base64,`
	stretched  = `preserveAspectRatio="none" ` // as vg has it
	crispStyle = `style="image-rendering:pixelated" `
	svgText    = `<text `
	svgFont    = `style="font-family:Liberation Sans;`
	fontStack  = `style="font-family:'Liberation Sans',Arimo,Arial,Helvetica,sans-serif;`
)

// finish adds to what vgsvg wrote: a title and a description, fonts to fall
// back on, the length of every text, to which viewers without the font stretch
// theirs, and the right type and scaling of images.
func (c *svgCanvas) finish(raw []byte, title, alt string) ([]byte, error) {
	head, body, ok := bytes.Cut(raw, []byte(svgHeadEnd))
	if !ok {
		return nil, fmt.Errorf("vgsvg writes another header than it did")
	}
	parts := bytes.Split(body, []byte(svgImage))
	if len(parts) != len(c.crisp)+1 {
		return nil, fmt.Errorf("vgsvg wrote %d images of %d", len(parts)-1, len(c.crisp))
	}
	var b bytes.Buffer
	b.Write(head)
	b.WriteString(svgHeadEnd)
	writeElement(&b, "title", title)
	writeElement(&b, "desc", alt)
	for i, part := range parts {
		if i > 0 && c.crisp[i-1] {
			b.WriteString(crispStyle)
		}
		if i > 0 {
			b.WriteString(stretched + pngImage)
		}
		for j, text := range bytes.Split(bytes.ReplaceAll(part, []byte(svgFont), []byte(fontStack)), []byte(svgText)) {
			if j > 0 {
				if len(c.widths) == 0 {
					return nil, fmt.Errorf("vgsvg wrote more texts than it was given")
				}
				b.WriteString(svgText)
				if w := c.widths[0].Points(); w > 0 {
					fmt.Fprintf(&b, `textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, w)
				}
				c.widths = c.widths[1:]
			}
			b.Write(text)
		}
	}
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
