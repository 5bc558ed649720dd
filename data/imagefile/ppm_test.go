package imagefile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

// ppmFiles returns the files of testdata/ppm by name.
func ppmFiles(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/ppm/*.p[pg]m")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	files := map[string][]byte{}
	for _, p := range paths {
		if files[filepath.Base(p)], err = os.ReadFile(p); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestPPMIsThatOfPillow(t *testing.T) {
	for name, raw := range ppmFiles(t) {
		got, err := decode(raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := Read(filepath.Join("testdata/ppm", strings.ReplaceAll(name, ".", "-")+".rgb.png"))
		if err != nil {
			t.Fatal(err)
		}
		if got.Width != want.Width || got.Height != want.Height || !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: pixels differ", name)
		}
	}
}

func TestPPMCut(t *testing.T) {
	for name, raw := range ppmFiles(t) {
		for n := range len(raw) {
			_, err := decode(raw[:n])
			var f *array.FormatError
			if !errors.As(err, &f) {
				t.Fatalf("the first %d of %d bytes of %s: %v", n, len(raw), name, err)
			}
			if want := int64(n); f.Offset != want && n >= 2 {
				t.Errorf("the first %d bytes of %s: error at byte %d", n, name, f.Offset)
			}
			if n >= 2 && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("the first %d bytes of %s: %v", n, name, err)
			}
		}
	}
}

func TestPPMHeaders(t *testing.T) {
	const pixels = "abcdef"
	for _, header := range []string{
		"P6 2 1 255\n", "P6\n2\t1\r255 ", "P6\n#\n# 9 9 9\n2 #3\n 1\n#255\n255\n", "P6\n2# 3\n1#\r255#\n", "P6\v02\f0001 255\n",
	} {
		img, err := decode([]byte(header + pixels + "more"))
		if err != nil {
			t.Errorf("%q: %v", header, err)
			continue
		}
		if want := "abcdef"; string(img.Pix) != want || img.Width != 2 {
			t.Errorf("%q: pixels %q of %d×%d", header, img.Pix, img.Width, img.Height)
		}
	}
	for header, want := range map[string]string{
		"P62 1 255\n":                            "after P6",
		"P6\n0 1 255\n":                          "width",
		"P6\n2 0 255\n":                          "height",
		"P6\n2 1 0\n":                            "maximum",
		"P6\n2 1 65536\n":                        "from 1 to 65535",
		"P6\n2 -1 255\n":                         "height",
		"P6\n2x 1 255\n":                         "width",
		"P6\n2 1 255":                            "maximum",
		"P6\n99999999999999":                     "width",
		"P6\n4294967298 1 255\n":                 "width",
		"P6\n5 1 255\n":                          "unexpected EOF",
		"P6\n2 1 98\n":                           "a sample of 99, above the maximum of 98",
		"P6\n#" + strings.Repeat("x", 1<<16):     "a header of more than 65536 bytes",
		"P6\n2 1 255" + strings.Repeat(" ", 2):   "", // the second space is a pixel
		"P5\n" + strings.Repeat("0", 1<<17):      "a header of more than",
		"P5\n2 1 300\n\x01\x2d" + "\x01\x2c\x00": "byte 0 of its pixels: a sample of 301",
	} {
		_, err := decode([]byte(header + pixels))
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", header, err)
			}
			continue
		}
		var f *array.FormatError
		if !errors.As(err, &f) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v does not mention %q", header, err, want)
		}
	}
}

// TestPPMMemory checks that a short file takes little memory, although its header promises many pixels.
func TestPPMMemory(t *testing.T) {
	file := []byte("P6\n10000 10000 65535\nabc")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := decodePPM(bytes.NewReader(file))
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error is %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes of memory for a file of %d", n, len(file))
	}
}
