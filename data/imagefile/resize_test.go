package imagefile

import (
	"math"
	"testing"
)

func TestScaledSides(t *testing.T) {
	for _, test := range []struct{ w, h, short, width, height int }{
		{224, 224, 256, 256, 256},
		{500, 375, 256, 341, 256}, // int(256·500/375) is int(341.33)
		{375, 500, 256, 256, 341},
		{100, 333, 73, 73, 243}, // int(243.09)
		{1, 50, 256, 256, 12800},
	} {
		if w, h := scaledSides(test.w, test.h, test.short); w != test.width || h != test.height {
			t.Errorf("%d×%d scales to %d×%d, want %d×%d", test.w, test.h, w, h, test.width, test.height)
		}
	}
}

func TestScaledShort(t *testing.T) {
	for size, want := range map[int]int{224: 256, 32: 36, 64: 73, 1: 1} {
		if got := scaledShort(size); got != want {
			t.Errorf("for size %d the shorter side is %d, want %d", size, got, want)
		}
	}
}

func TestCropOffset(t *testing.T) {
	// Python's round(16.5) is 16, round(17.5) is 18.
	for side, want := range map[int]int{224: 0, 256: 16, 257: 16, 259: 18, 341: 58} {
		if got := cropOffset(side, 224); got != want {
			t.Errorf("the crop of %d begins at %d, want %d", side, got, want)
		}
	}
}

func TestScaleKeepsOwnSize(t *testing.T) {
	pix := []uint8{0, 1, 2, 100, 101, 102, 200, 201, 202, 253, 254, 255}
	got := make([]float32, len(pix))
	(&Picture{Width: 2, Height: 2, Channels: 3, Pix: pix}).Scale(got, 2, 2)
	for k, v := range pix {
		if got[k] != float32(v)/255 {
			t.Errorf("value %d is %v, want %d/255", k, got[k], v)
		}
	}
}

// TestScaleHalves compares with averages computed by hand. Halving uses a triangle filter of radius two, which weights
// four columns 1:3:3:1, and three columns at an edge 3:3:1.
func TestScaleHalves(t *testing.T) {
	got := make([]float32, 3)
	(&Picture{Width: 6, Height: 1, Channels: 1, Pix: []uint8{0, 70, 140, 210, 70, 0}}).Scale(got, 3, 1)
	want := []float64{(3*70 + 140) / 7., (70 + 3*140 + 3*210 + 70) / 8., (210 + 3*70) / 7.}
	for k := range want {
		if got[k] != float32(math.Round(want[k]))/255 {
			t.Errorf("column %d is %.3f, want %.3f rounded", k, got[k]*255, want[k])
		}
	}
}

func TestCropTakesTheCentre(t *testing.T) {
	// Left third red, middle green, right blue: the central square is green.
	img := newPicture(300, 100, 3)
	clear(img.Pix)
	for k := range img.Height * img.Width {
		img.Pix[3*k+k%300/100] = 255
	}
	dst := make([]float32, 32*32*3)
	img.Fit(dst, 32, false)
	for k := 0; k < len(dst); k += 3 {
		if dst[k] != 0 || dst[k+1] != 1 || dst[k+2] != 0 {
			t.Fatalf("pixel %d is %v, want green", k/3, dst[k:k+3])
		}
	}
	img.Fit(dst, 32, true)
	if dst[0] != 1 || dst[1] != 0 || dst[3*31+2] != 1 {
		t.Errorf("stretched, the first row begins with %v and ends with %v, want red and blue", dst[:3], dst[3*31:][:3])
	}
}

func TestFit(t *testing.T) {
	img := toRGB(gradient(8, 8))
	px := make([]float32, 3*8*8)
	img.Fit(px, 8, true)
	for k := range 64 {
		for c := range 3 {
			if want := float32(img.Pix[3*k+c]) / 0xff; px[3*k+c] != want {
				t.Fatalf("an image stretched to its own size: pixel %d is %v, want %v", k, px[3*k+c], want)
			}
		}
	}
	// Stretching keeps the columns at the sides of a wide image, and cropping does not.
	wide := toRGB(gradient(80, 20))
	stretched, cropped := make([]float32, 3*8*8), make([]float32, 3*8*8)
	wide.Fit(stretched, 8, true)
	wide.Fit(cropped, 8, false)
	if spread := stretched[7*3] - stretched[0]; spread < .8 {
		t.Errorf("stretched, red goes up by %v", spread)
	}
	if spread := cropped[7*3] - cropped[0]; spread > .3 {
		t.Errorf("cropped, red goes up by %v", spread)
	}
}
