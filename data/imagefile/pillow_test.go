package imagefile

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/turbojpeg"
)

// pillowPixels returns the red, green and blue bytes of a PNG that testdata/pillow.py wrote.
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

// pillowFiles returns the image files that testdata/pillow.py wrote, each with the prefix of the names of Pillow's
// results for it.
func pillowFiles(t *testing.T) map[string]string {
	t.Helper()
	outputs, err := filepath.Glob("testdata/pillow/*.rgb.png")
	if err != nil || len(outputs) == 0 {
		t.Fatalf("no files: %v", err)
	}
	files := map[string]string{}
	for _, o := range outputs {
		stem := strings.TrimSuffix(o, ".rgb.png")
		at := strings.LastIndex(stem, "-")
		files[stem[:at]+"."+stem[at+1:]] = stem
	}
	return files
}

// TestAgreesWithPillow compares images that are decoded, and decoded and scaled, with those of Pillow and torchvision,
// for every kind of file. PNGs, GIFs, WebPs, and JPEGs that libjpeg-turbo decodes, must agree exactly. Go's JPEG decoder rounds
// differently by one level, which the colour conversion can turn into three. It always decodes CMYK files.
func TestAgreesWithPillow(t *testing.T) {
	for path, stem := range pillowFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			img, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			exact := filepath.Ext(path) != ".jpg" || turbojpeg.Available() && filepath.Base(path) != "cmyk.jpg"
			wantPillow(t, img, stem, exact)
		})
	}
}

// TestGoDecoderAgreesWithPillow checks Go's JPEG decoder, also on machines where libjpeg-turbo is available.
func TestGoDecoderAgreesWithPillow(t *testing.T) {
	for path, stem := range pillowFiles(t) {
		if filepath.Ext(path) != ".jpg" {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			img, err := decodeGoJPEG(path, content)
			if err != nil {
				t.Fatal(err)
			}
			wantPillow(t, img, stem, false)
		})
	}
}

// wantPillow fails the test unless an image agrees with Pillow's results as it is, cropped and stretched: exactly if
// exact is true, else within tolerances.
func wantPillow(t *testing.T, img *Picture, stem string, exact bool) {
	t.Helper()
	decoded := make([]float32, len(img.Pix))
	ToUnit(decoded, img.Pix)
	cropped, stretched := make([]float32, 16*16*3), make([]float32, 16*16*3)
	img.Fit(cropped, 16, false)
	img.Fit(stretched, 16, true)
	for _, test := range []struct {
		name           string
		got            []float32
		greatest, mean float64
	}{
		{"rgb", decoded, 3, .06},
		{"crop", cropped, 2, .35},
		{"stretch", stretched, 2, .35},
	} {
		const rounding = 1e-4 // of byte values in float32
		if exact {
			test.greatest, test.mean = 0, 0
		}
		d, mean := compare(t, test.got, pillowPixels(t, stem+"."+test.name+".png"))
		if d > test.greatest+rounding || mean > test.mean+rounding {
			t.Errorf("%s: pixels differ by up to %.2f, on average %.3f", test.name, d, mean)
		}
	}
}
