package data

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pillowPixels reads the red, green and blue bytes of a PNG that
// testdata/pillow.py wrote.
func pillowPixels(t *testing.T, path string) []uint8 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	var pix []uint8
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			pix = append(pix, uint8(r>>8), uint8(g>>8), uint8(b>>8))
		}
	}
	return pix
}

// compare returns the greatest and the mean difference in grey levels.
func compare(t *testing.T, got []float32, want []uint8) (greatest, mean float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d values, Pillow has %d", len(got), len(want))
	}
	for k, v := range got {
		d := float64(v)*255 - float64(want[k])
		greatest = max(greatest, d, -d)
		mean += max(d, -d) / float64(len(got))
	}
	return greatest, mean
}

// TestAgreesWithPillow compares decoding, and decoding with scaling, with
// Pillow and torchvision on every form of file. PNGs decode to the same bytes
// and scale to within a grey level. The decoders of JPEG round differently by
// one, which the colour conversion can turn into three.
func TestAgreesWithPillow(t *testing.T) {
	files, err := filepath.Glob("testdata/pillow/*.rgb.png")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, want := range files {
		stem := strings.TrimSuffix(want, ".rgb.png")
		path := stem[:len(stem)-4] + "." + stem[len(stem)-3:]
		t.Run(filepath.Base(path), func(t *testing.T) {
			img, err := decodeFile(path)
			if err != nil {
				t.Fatal(err)
			}
			decoded := make([]float32, 0, 3*len(img.Pix)/4)
			for k, v := range img.Pix {
				if k%4 != 3 {
					decoded = append(decoded, float32(v)/255)
				}
			}
			decodedLimit, croppedLimit := .01, 1.
			if strings.HasSuffix(path, ".jpg") {
				decodedLimit, croppedLimit = 3.01, 2.5
			}
			if d, mean := compare(t, decoded, pillowPixels(t, stem+".rgb.png")); d > decodedLimit || mean > .06 {
				t.Errorf("decoded pixels differ by up to %.2f, on average %.3f", d, mean)
			}
			cropped := make([]float32, 16*16*3)
			scaleAndCrop(cropped, 16, img)
			if d, mean := compare(t, cropped, pillowPixels(t, stem+".crop.png")); d > croppedLimit || mean > .35 {
				t.Errorf("cropped pixels differ by up to %.2f, on average %.3f", d, mean)
			}
		})
	}
}
