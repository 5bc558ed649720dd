package imagefile

import (
	"image"
	"image/color"
	"testing"
)

func TestToRGBDropsAlpha(t *testing.T) {
	box := image.Rect(3, 5, 4, 6) // the corner is not (0,0)
	deep := image.NewNRGBA64(box)
	deep.SetNRGBA64(3, 5, color.NRGBA64{R: 0x12ff, G: 0x34ff, B: 0x56ff, A: 0})
	flat := image.NewNRGBA(box)
	flat.SetNRGBA(3, 5, color.NRGBA{R: 0x12, G: 0x34, B: 0x56, A: 1})
	for _, img := range []image.Image{
		deep,
		flat,
		image.NewPaletted(box, color.Palette{color.NRGBA{R: 0x12, G: 0x34, B: 0x56, A: 0}}),
	} {
		if got := toRGB(img); [3]uint8(got.Pix) != [3]uint8{0x12, 0x34, 0x56} {
			t.Errorf("%T became %v", img, got)
		}
	}
}

func TestToRGBConverts(t *testing.T) {
	box := image.Rect(0, 0, 2, 1)
	grey := image.NewGray(box)
	grey.SetGray(1, 0, color.Gray{77})
	deep := image.NewGray16(box)
	deep.SetGray16(1, 0, color.Gray16{77<<8 | 0xff})
	cmyk := image.NewCMYK(box)
	cmyk.SetCMYK(1, 0, color.CMYK{K: 255 - 77})
	for _, img := range []image.Image{grey, deep, cmyk} {
		if got := toRGB(img); [3]uint8(got.Pix[3:]) != [3]uint8{77, 77, 77} {
			t.Errorf("%T became %v", img, got)
		}
	}
}
