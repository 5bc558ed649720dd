package imagefile

import (
	"bytes"
	"os"
	"testing"
)

func FuzzImageFile(f *testing.F) {
	f.Add(encodePNG(f, 5, 4))
	f.Add(encodeJPEG(f, 17, 9))
	for _, file := range []string{"progressive.jpg", "cmyk.jpg", "422.jpg", "paletteclear.png", "greyalpha.png"} {
		raw, err := os.ReadFile("testdata/pillow/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add(manyScans(300))
	f.Add(pngHeader(1<<31-1, 1, 10))
	f.Fuzz(func(t *testing.T, content []byte) {
		img, err := decode(content)
		checkError(t, err)
		if err != nil {
			return
		}
		// The two JPEG decoders clamp values differently in files that no encoder writes. So only the sizes are
		// compared here; TestAgreesWithPillow compares the pixels.
		other, err := decodeGoJPEG("file", content)
		if err == nil && (other.Width != img.Width || other.Height != img.Height) {
			t.Fatalf("%d×%d pixels, by image/jpeg %d×%d", img.Width, img.Height, other.Width, other.Height)
		}
		if len(img.Pix) != 3*img.Width*img.Height {
			t.Fatalf("%d bytes of %d×%d pixels", len(img.Pix), img.Width, img.Height)
		}
		dst := make([]float32, 8*8*3)
		for _, stretch := range []bool{false, true} {
			img.Fit(dst, 8, stretch)
			for _, v := range dst {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("pixel %v", v)
				}
			}
		}
	})
}

func FuzzPPM(f *testing.F) {
	for _, raw := range ppmFiles(f) {
		f.Add(raw)
	}
	f.Add([]byte("P6 # 1\n2\t1 255\nabcdef"))
	f.Add([]byte("P5 2147483647 2147483647 65535\nab"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		config, configErr := ppmConfig(bytes.NewReader(raw))
		if configErr != nil {
			if _, err := decodePPM(bytes.NewReader(raw)); err == nil {
				t.Fatalf("decoded in spite of %v", configErr)
			}
			return
		}
		if config.Width < 1 || config.Height < 1 {
			t.Fatalf("%d×%d", config.Width, config.Height)
		}
		img, err := decode(raw)
		checkError(t, err)
		if err == nil && (img.Channels != 3 || img.Width != config.Width || img.Height != config.Height) {
			t.Fatalf("decoded to %d×%d, the header says %d×%d", img.Width, img.Height, config.Width, config.Height)
		}
	})
}
