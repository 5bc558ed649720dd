package draw

import (
	"bytes"
	"fmt"
	"image"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// noise returns a square image of random opaque pixels.
func noise(side int) *image.NRGBA {
	rng := rand.New(rand.NewPCG(1, 2))
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range m.Pix {
		if m.Pix[i] = uint8(rng.IntN(256)); i%4 == 3 {
			m.Pix[i] = 0xff
		}
	}
	return m
}

// ImagesWithin makes the large images of an SVG smaller, crisp ones without a loss. It changes nothing else in the SVG.
func TestImagesWithin(t *testing.T) {
	crisp := noise(9)
	if got := unenlarged(enlarged(crisp)); got.Bounds() != crisp.Bounds() || colourAt(got, 3, 4) != colourAt(crisp, 3, 4) {
		t.Errorf("a crisp image of %v comes back with %v", crisp.Bounds(), got.Bounds())
	}
	s := sample(200)
	d := s.Pen()
	d.Picture(Box(60, 60, 20, 20), crisp, true)
	d.Picture(Box(100, 60, 30, 30), noise(300), false)
	svg, err := s.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if same, err := ImagesWithin(svg, len(svg)); err != nil || !bytes.Equal(same, svg) {
		t.Errorf("the images are small enough, and were changed: %v", err)
	}
	small, err := ImagesWithin(svg, 6000)
	if count := bytes.Count(small, []byte("<image ")); err != nil || len(small) > len(svg)/2 || count != 3 {
		t.Errorf("%d of %d bytes, %d images: %v", len(small), len(svg), count, err)
	}
	if !bytes.Equal(svgImage.ReplaceAll(small, nil), svgImage.ReplaceAll(svg, nil)) {
		t.Error("more than the images changed")
	}
	stored, err := ImagesWithin(plainLinks(svg), 6000)
	if err != nil || !bytes.Equal(stored, plainLinks(small)) {
		t.Errorf("as it is stored in results/: %v, or another result", err)
	}
}

// plainLinks returns an SVG with links as make results-size writes them.
func plainLinks(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("xlink:href="), []byte("href="))
}

// TestPictureAgain checks that the SVG contains a picture once if the figure shows it three times. In another size it
// is another element.
func TestPictureAgain(t *testing.T) {
	s := sample(200)
	d, img := s.Pen(), noise(20)
	for _, x := range []vg.Length{55, 85, 115} {
		d.Picture(Box(x, 60, 20, 20), img, false)
	}
	before, err := sample(200).SVG()
	if err != nil {
		t.Fatal(err)
	}
	svg, err := s.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(svg, []byte("<image ")) - bytes.Count(before, []byte("<image ")); n != 1 {
		t.Errorf("%d images, want 1", n)
	}
	id := regexp.MustCompile(`<image id='(p[0-9a-f]{16})' x='55' `).FindSubmatch(svg)
	if id == nil {
		t.Fatal("the first picture has no id")
	}
	for _, x := range []string{"30", "60"} {
		if use := fmt.Sprintf("<use xlink:href='#%s' x='%s' y='0'/>", id[1], x); !bytes.Contains(svg, []byte(use)) {
			t.Errorf("no %s", use)
		}
	}
	d.Picture(Box(150, 60, 10, 10), img, false)
	if svg, err = s.SVG(); err != nil || bytes.Count(svg, []byte("<image "))-bytes.Count(before, []byte("<image ")) != 2 {
		t.Errorf("in another size: %v", err)
	}
}

// TakeGlyphs takes the outlines of glyphs out of an SVG, unless the map already has other outlines of the same names.
func TestTakeGlyphs(t *testing.T) {
	svg, err := sample(vg.Length(200)).SVG()
	if err != nil {
		t.Fatal(err)
	}
	outlines := map[string]string{}
	without := TakeGlyphs(svg, outlines)
	if len(outlines) < 10 || bytes.Contains(without, []byte("<defs>")) || !bytes.Contains(without, []byte("<use ")) {
		t.Errorf("%d outlines were taken", len(outlines))
	}
	known := maps.Clone(outlines)
	if again := TakeGlyphs(svg, outlines); !bytes.Equal(again, without) || !maps.Equal(outlines, known) {
		t.Error("the second time differs")
	}
	for id := range outlines {
		outlines[id] = "M0 0"
	}
	if other := TakeGlyphs(svg, outlines); !bytes.Equal(other, svg) {
		t.Error("outlines of another font were taken for these")
	}
}

// TakeImages stores an image of several figures once, under a name that depends only on the image. With the images put
// back, the SVG is as before.
func TestTakeImages(t *testing.T) {
	s := sample(200)
	s.Pen().Picture(Box(60, 60, 20, 20), noise(9), true)
	svg, err := s.SVG()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	without := TakeImages(svg, files)
	if again := TakeImages(svg, files); len(files) == 0 || !bytes.Equal(again, without) {
		t.Errorf("%d images were taken", len(files))
	}
	if stored := TakeImages(plainLinks(svg), files); !bytes.Equal(stored, plainLinks(without)) {
		t.Error("from an SVG in results/ others were taken")
	}
	for name, file := range files {
		file = strings.NewReplacer("-", "+", "_", "/").Replace(file)
		without = bytes.ReplaceAll(without, []byte("'#"+name+"'"), []byte("'data:image/"+file+"'"))
	}
	if !bytes.Equal(without, svg) {
		t.Error("with its images again the SVG is another one")
	}
}

// grey returns an opaque image of greys with one byte for each pixel. It leaves an image with colours or transparency
// as it is.
func TestGrey(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for i := range m.Pix {
		if m.Pix[i] = uint8(i / 4); i%4 == 3 {
			m.Pix[i] = 0xff
		}
	}
	if got, is := grey(m).(*image.Gray); !is || got.GrayAt(3, 4).Y != 83 {
		t.Errorf("it is a %T", grey(m))
	}
	for _, i := range []int{4, 7} { // a red byte and an alpha byte
		other := *m
		other.Pix = slices.Clone(m.Pix)
		other.Pix[i] = 9
		if grey(&other) != image.Image(&other) {
			t.Errorf("with another byte %d it is grey", i)
		}
	}
}
