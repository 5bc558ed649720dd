package draw

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// sample returns a scene with every kind of content that a scene can have.
func sample(width vg.Length) *Scene {
	s := &Scene{Width: width, Height: 100, Title: "a < b ½", Alt: "A sample."}
	d := s.Pen()
	red := color.NRGBA{0xff, 0, 0, 0xff}
	d.Text(Regular(9), red, vg.Point{X: 10, Y: 10}, AtLeft, `x₁ <&"> W ᵀW`)
	d.Turned(Bold(8), red, vg.Point{X: 50, Y: 50}, math.Pi/2, AtRight, "turned")
	var disc, line vg.Path
	AddDisc(&disc, vg.Point{X: 30, Y: 50}, 5)
	AddSegment(&line, vg.Point{}, vg.Point{X: width, Y: 100})
	d.Fill(color.NRGBA{0, 0, 0xff, 0x80}, disc)
	d.Stroke(red, 1.5, line, 3, 2)
	d.Picture(Box(60, 60, 20, 20), image.NewGray(image.Rect(0, 0, 4, 4)), true)
	return s
}

// An SVG draws a text as outlines of glyphs, defines each outline once, and has the words as a label.
func TestSVGTexts(t *testing.T) {
	svg, err := sample(200).SVG()
	if err != nil {
		t.Fatal(err)
	}
	defined, used, labels := map[string]int{}, 0, []string{}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		start, is := token.(xml.StartElement)
		if !is {
			continue
		}
		for _, a := range start.Attr {
			switch {
			case a.Name.Local == "id":
				defined[a.Value]++
			case a.Name.Local == "aria-label":
				labels = append(labels, a.Value)
			case start.Name.Local == "use" && a.Name.Local == "href":
				used++
				if defined[strings.TrimPrefix(a.Value, "#")] != 1 {
					t.Errorf("%s is defined %d times", a.Value, defined[a.Value])
				}
			}
		}
		if start.Name.Local == "text" || start.Name.Local == "style" {
			t.Errorf("the SVG has <%s>", start.Name.Local)
		}
	}
	const glyphs = len("x1<&\">WTW") + len("turned")
	if want := fmt.Sprint([]string{`x₁ <&"> W ᵀW`, "turned"}); used != glyphs || fmt.Sprint(labels) != want {
		t.Errorf("%d glyphs of %d, labels %q", used, glyphs, labels)
	}
}

// The table of a PDF gives the positions of its objects, and each stream states its length. A PDF has no fonts and no
// date, and restores each graphics state that it saves.
func TestPDFStructure(t *testing.T) {
	pdf, err := sample(200).PDF()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := sample(200).PDF(); !bytes.Equal(pdf, again) {
		t.Error("the bytes differ from one time to the next")
	}
	_, tail, _ := bytes.Cut(pdf, []byte("startxref\n"))
	table, _ := strconv.Atoi(strings.Fields(string(tail))[0])
	lines := strings.Split(string(pdf[table:]), "\n")
	var count int
	if _, err := fmt.Sscanf(lines[1], "0 %d", &count); lines[0] != "xref" || err != nil || count < 6 {
		t.Fatalf("table %q of %d: %v", lines[:2], count, err)
	}
	for k := 1; k < count; k++ {
		at, err := strconv.Atoi(strings.Fields(lines[2+k])[0])
		if err != nil || len(lines[2+k]) != 19 || !bytes.HasPrefix(pdf[at:], fmt.Appendf(nil, "%d 0 obj\n", k)) {
			t.Errorf("object %d is not where %q says", k, lines[2+k])
		}
	}
	streams := regexp.MustCompile(`/Length (\d+) /Filter /FlateDecode >>\nstream\n`).FindAllSubmatchIndex(pdf, -1)
	var content string
	for i, at := range streams {
		length, _ := strconv.Atoi(string(pdf[at[2]:at[3]]))
		data := pdf[at[1] : at[1]+length]
		if !bytes.HasPrefix(pdf[at[1]+length:], []byte("\nendstream")) {
			t.Errorf("stream %d is not %d bytes long", i, length)
		}
		z, err := zlib.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			content = string(text)
		} else if len(text) != 4*4*3 {
			t.Errorf("an image of %d bytes", len(text))
		}
	}
	count = 0
	for _, word := range strings.Fields(content) {
		switch word {
		case "q":
			count++
		case "Q":
			count--
		}
	}
	if count != 0 || len(streams) != 2 {
		t.Errorf("%d more saved than restored, %d streams", count, len(streams))
	}
	for want, is := range map[string]bool{"/Font": false, "Date": false, "/MediaBox [0 0 200 100]": true, "/ca .502": true,
		"/Title <FEFF00610020003C00200062002000BD>": true} {
		if bytes.Contains(pdf, []byte(want)) != is {
			t.Errorf("%q is there: %v", want, !is)
		}
	}
}

// A PNG or PDF is no wider than a page, and a PNG states its resolution.
func TestPrintSize(t *testing.T) {
	for width, want := range map[vg.Length]int{100: 417, 504: 2100, 720: 2100} {
		s := sample(width)
		data, err := s.PNG()
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil || img.Bounds().Dx() != want {
			t.Errorf("%g points are %v pixels wide, want %d: %v", width, img.Bounds().Dx(), want, err)
		}
		_, chunk, _ := bytes.Cut(data, []byte("pHYs"))
		if got := binary.BigEndian.Uint32(chunk); got != 11811 {
			t.Errorf("%g points: %d pixels a metre, want 300 per inch", width, got)
		}
		pdf, err := s.PDF()
		box := fmt.Sprintf("/MediaBox [0 0 %s %s]", short(float64(min(width, 504))), short(100*min(1, 504/float64(width))))
		if err != nil || !bytes.Contains(pdf, []byte(box)) {
			t.Errorf("the PDF has no %s: %v", box, err)
		}
	}
}

// A pen for a part of a scene draws at the position of the part, with all lengths scaled.
func TestPart(t *testing.T) {
	s := &Scene{Width: 100, Height: 100}
	part := s.Pen().Part(vg.Point{X: 50, Y: 20}, vg.Point{X: 60, Y: 60}, .5)
	part.Text(Regular(10), color.Black, vg.Point{X: 10, Y: 10}, AtLeft, "x")
	part.Line(color.Black, 2, vg.Point{}, vg.Point{X: 60, Y: 60})
	if text := s.Texts()[0]; text.At != (vg.Point{X: 55, Y: 25}) || text.Face.Size != 5 {
		t.Errorf("text at %v, size %g", text.At, text.Face.Size)
	}
	line := s.marks[1].(shape)
	if line.width != 1 || line.path[1].Pos != (vg.Point{X: 80, Y: 50}) {
		t.Errorf("line of width %g to %v", line.width, line.path[1].Pos)
	}
}

// Outlines are filled where the letters are: in the PNG of a full stop, the black pixels are those of the full stop.
func TestOutlinePlace(t *testing.T) {
	s := &Scene{Width: 50, Height: 50}
	d := s.Pen()
	var ground vg.Path
	AddRect(&ground, d.Rectangle)
	d.Fill(color.White, ground)
	d.Text(Regular(40), color.Black, vg.Point{X: 10, Y: 20}, AtLeft, ".")
	data, err := s.PNG()
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	black := image.Rectangle{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, _, _, _ := img.At(x, y).RGBA(); r < 0x8000 {
				black = black.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	// The full stop of Liberation Sans spans 187 to 382 horizontally and 0 to 219 vertically, in units of 1/2048 of the
	// size.
	pt := 300. / 72
	want := image.Rect(int(pt*(10+40*187./2048)), int(pt*(30-40*219./2048)), int(pt*(10+40*382./2048)), int(pt*30))
	for i, off := range []int{black.Min.X - want.Min.X, black.Min.Y - want.Min.Y, black.Max.X - want.Max.X,
		black.Max.Y - want.Max.Y} {
		if off < -1 || off > 1 {
			t.Errorf("side %d of %v is not that of %v", i, black, want)
		}
	}
}

// In an SVG, photographs are JPEGs with nearly the same pixels. Crisp pictures, and smooth ones whose PNG is small, are
// PNGs.
func TestSVGPhotographs(t *testing.T) {
	noise, plain := image.NewNRGBA(image.Rect(0, 0, 96, 96)), image.NewNRGBA(image.Rect(0, 0, 96, 96))
	random := rand.New(rand.NewPCG(1, 2))
	for y := range 96 {
		for x := range 96 {
			v := uint8(128 + 60*math.Sin(float64(x)/9)*math.Cos(float64(y)/7) + 8*random.Float64())
			noise.SetNRGBA(x, y, color.NRGBA{v, v, uint8(255 - int(v)), 255})
			plain.SetNRGBA(x, y, color.NRGBA{200, 100, 50, 255})
		}
	}
	for _, c := range []struct {
		image *image.NRGBA
		crisp bool
		kind  string
	}{{noise, false, "jpeg"}, {noise, true, "png"}, {plain, false, "png"}} {
		kind, data, err := picture{image: c.image, crisp: c.crisp}.encode()
		if err != nil || kind != c.kind {
			t.Fatalf("crisp %v: %s, %v, want %s", c.crisp, kind, err, c.kind)
		}
		got, found, err := image.Decode(bytes.NewReader(data))
		if err != nil || found != kind || got.Bounds() != c.image.Bounds() {
			t.Fatalf("%s: decoded as %s, %v", kind, found, err)
		}
		worst := 0.
		for y := range 96 {
			for x := range 96 {
				r, _, _, _ := got.At(x, y).RGBA()
				want, _, _, _ := c.image.At(x, y).RGBA()
				worst = max(worst, math.Abs(float64(r)-float64(want))/257)
			}
		}
		if limit := map[string]float64{"jpeg": 24, "png": 0}[kind]; worst > limit {
			t.Errorf("%s: a pixel is %.0f of 255 off", kind, worst)
		}
	}
}

// enlarged turns each pixel of a small image into a square of its colour, and leaves a large image as it is.
func TestEnlarged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	palette := color.Palette{color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 90, 255, 255}}
	flat := image.NewPaletted(image.Rect(0, 0, 5, 3), palette)
	deep := image.NewNRGBA(flat.Bounds())
	for i := range flat.Pix {
		flat.Pix[i] = uint8(r.IntN(3))
		deep.Set(i%5, i/5, palette[flat.Pix[i]])
	}
	for _, img := range []image.Image{flat, deep} {
		out := enlarged(img)
		if out.Bounds() != image.Rect(0, 0, 125, 75) {
			t.Fatalf("%v", out.Bounds())
		}
		for y := range 75 {
			for x := range 125 {
				if out.At(x, y) != img.At(x/25, y/25) {
					t.Fatalf("%T: pixel (%d, %d) is %v, not %v", img, x, y, out.At(x, y), img.At(x/25, y/25))
				}
			}
		}
	}
	if large := image.NewGray(image.Rect(0, 0, 300, 2)); enlarged(large) != image.Image(large) {
		t.Error("a large image was enlarged")
	}
}

// indexed gives an image of at most 256 colours a palette without changing its pixels, and leaves other images as they
// are.
func TestIndexed(t *testing.T) {
	img := image.NewRGBA(image.Rect(2, 3, 20, 23))
	for i := range img.Pix {
		img.Pix[i] = 0xff
		if i%4 < 2 {
			img.Pix[i] = uint8(i / 4 % 9 * 20)
		}
	}
	small, is := indexed(img).(*image.Paletted)
	if !is || len(small.Palette) != 9 {
		t.Fatalf("%T", indexed(img))
	}
	for y := 3; y < 23; y++ {
		for x := 2; x < 20; x++ {
			if r, g, b, a := small.At(x, y).RGBA(); img.At(x, y) != (color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}) {
				t.Fatalf("pixel %d, %d: %v, want %v", x, y, small.At(x, y), img.At(x, y))
			}
		}
	}
	for i := range img.Pix {
		if i%4 < 2 {
			img.Pix[i] = uint8((i / 4) >> (8 * (i % 4)))
		}
	}
	if indexed(img) != image.Image(img) {
		t.Error("an image of more colours was changed")
	}
}
