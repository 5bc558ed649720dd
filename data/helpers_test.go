package data

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// write writes a file and the folders above it, and returns its path.
func write(t testing.TB, content []byte, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// mustOpen opens a dataset, and fails the test if that returns an error.
func mustOpen(t testing.TB, name string, o Options) Dataset {
	t.Helper()
	ds, err := Open(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

// mustRead returns the pixels and the label of image i.
func mustRead(t testing.TB, ds Dataset, i int) ([]float32, int) {
	t.Helper()
	px := make([]float32, ds.Shape().Pixels())
	label, err := ds.Read(i, px)
	if err != nil {
		t.Fatal(err)
	}
	return px, label
}

// wantFormatError fails the test unless err is a FormatError at that offset that says where it is, what was expected
// and what was found.
func wantFormatError(t testing.TB, err error, offset int64) *FormatError {
	t.Helper()
	var f *FormatError
	if !errors.As(err, &f) {
		t.Fatalf("error is %v (%T), want a *FormatError", err, err)
	}
	if f.Offset != offset {
		t.Errorf("error is at byte %d, want %d: %v", f.Offset, offset, err)
	}
	if f.Path == "" || f.Want == "" || f.Got == "" {
		t.Errorf("error lacks where, expected or found: %#v", f)
	}
	return f
}

// wantNotFound fails the test unless err is a NotFoundError.
func wantNotFound(t testing.TB, err error) *NotFoundError {
	t.Helper()
	var n *NotFoundError
	if !errors.As(err, &n) {
		t.Fatalf("error is %v (%T), want a *NotFoundError", err, err)
	}
	return n
}

// gradient returns an image whose colours depend on the position.
func gradient(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, color.RGBA{uint8(x * 255 / w), uint8(y * 255 / h), uint8((x + y) % 256), 255})
		}
	}
	return img
}

func encodePNG(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, gradient(w, h)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodeJPEG(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, gradient(w, h), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
