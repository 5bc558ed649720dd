package imagefile

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"slices"
	"testing"
)

// TestTransparentBeyondPalette checks that a GIF is read whose transparent colour is beyond its palette, as some programs
// write them, with and without pixels around the picture.
func TestTransparentBeyondPalette(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 4, 3), color.Palette{color.White, color.Gray{80}, color.Gray{90}, color.Transparent})
	img.SetColorIndex(1, 1, 3)
	var b bytes.Buffer
	if err := gif.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	content := b.Bytes()
	control := bytes.Index(content, []byte{0x21, 0xf9, 4})
	if control < 0 || content[control+3]&1 == 0 {
		t.Fatalf("no transparent colour in % x", content)
	}
	content[control+6] = 200
	for _, canvas := range []uint8{4, 9} {
		content[6] = canvas
		p, err := Decode("x.gif", slices.Clone(content))
		if err != nil || p.Width != int(canvas) || p.Height != 3 {
			t.Fatalf("a canvas of %d columns: %v", canvas, err)
		}
		if white := p.row(0)[0]; white != 255 {
			t.Errorf("a white pixel is %d", white)
		}
		if outside := p.row(0)[3*(p.Width-1)]; canvas > 4 && outside != 0 {
			t.Errorf("a pixel outside of the picture is %d", outside)
		}
	}
}
