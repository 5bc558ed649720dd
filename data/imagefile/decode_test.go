package imagefile

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

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

// pngHeader returns a PNG that claims to be w×h but holds no pixels, followed by size bytes of zeros.
func pngHeader(w, h uint32, size int) []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	head = binary.BigEndian.AppendUint32(head, h)
	head = append(head, 8, 2, 0, 0, 0)
	file := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), uint32(len(head)-4))
	file = append(file, head...)
	file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(head))
	return append(file, make([]byte, size)...)
}

func decode(content []byte) (*Picture, error) { return Decode("file", content) }

// checkError fails the test unless err is nil or an array.FormatError.
func checkError(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*array.FormatError](err); err != nil && !ok {
		t.Fatalf("error is %v (%T), want an *array.FormatError", err, err)
	}
}

// wantFormatError fails the test unless err is an array.FormatError at that offset that says where it is, what was
// expected and what was found.
func wantFormatError(t *testing.T, err error, offset int64) *array.FormatError {
	t.Helper()
	f, ok := errors.AsType[*array.FormatError](err)
	if !ok || f.Offset != offset || f.Path == "" || f.Want == "" || f.Got == "" {
		t.Fatalf("error is %#v, want one at byte %d with what was expected and found", err, offset)
	}
	return f
}

func TestDecodePNGIsExact(t *testing.T) {
	want := gradient(20, 13)
	got, err := decode(encodePNG(t, 20, 13))
	if err != nil {
		t.Fatal(err)
	}
	if got.Width != 20 || got.Height != 13 || !bytes.Equal(got.Pix, toRGB(want).Pix) {
		t.Error("pixels differ")
	}
}

func TestDecodeBadInput(t *testing.T) {
	for name, test := range map[string]struct {
		content []byte
		offset  int64
		want    string
	}{
		"empty":      {nil, 0, "a JPEG, PNG"},
		"short":      {[]byte("\xff\xd8"), 0, "a JPEG, PNG"},
		"gif":        {[]byte("GIF89a......"), 12, "whole GIF"},
		"bmp":        {[]byte("BM......"), 8, "whole BMP"},
		"tiff":       {[]byte("II*\x00...."), 0, "whole TIFF"},
		"webp":       {[]byte("RIFF....WEBPVP8 ...."), 20, "whole WebP"},
		"wave":       {[]byte("RIFF....WAVEfmt ...."), 12, "whole WebP"},
		"text":       {[]byte("not an image at all"), 0, "a JPEG, PNG"},
		"bomb":       {pngHeader(20000, 20000, 1<<20), array.NoOffset, "100 megapixels"},
		"overflow":   {pngHeader(1<<31-1, 1<<31-1, 1<<20), 29, "overflow"},
		"tiny file":  {pngHeader(5000, 5000, 100), array.NoOffset, "fits into"},
		"long":       {pngHeader(5100, 100, 1<<20), array.NoOffset, "times longer"},
		"header":     {pngHeader(30, 30, 100), 45, "PNG"},
		"zero width": {pngHeader(0, 30, 100), 29, "PNG"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decode(test.content)
			wantFormatError(t, err, test.offset)
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q does not mention %q", err, test.want)
			}
		})
	}
}

func TestDecodeTruncated(t *testing.T) {
	for format, content := range map[string][]byte{
		"JPEG": encodeJPEG(t, 20, 20),
		"PNG":  encodePNG(t, 20, 20),
	} {
		for n := range len(content) {
			_, err := decode(content[:n])
			var f *array.FormatError
			if !errors.As(err, &f) {
				// Of the last chunk, Go's PNG decoder needs only the length and the type.
				if format == "PNG" && n >= len(content)-4 {
					continue
				}
				t.Fatalf("the first %d of %d bytes of a %s: %v", n, len(content), format, err)
			}
			if f.Offset > int64(n) {
				t.Errorf("the first %d bytes of a %s: error at byte %d", n, format, f.Offset)
			}
		}
	}
}

func TestDecodeReportsIO(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(filepath.Join(dir, "gone.png")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
	if _, err := Read(dir); err == nil {
		t.Error("a folder: no error")
	}
}

// TestDecodeFormats checks that an image of six colours decodes to the same pixels from PNG, GIF, BMP, TIFF and
// lossless WebP.
func TestDecodeFormats(t *testing.T) {
	colours := color.Palette{color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255},
		color.RGBA{10, 20, 30, 255}, color.RGBA{200, 100, 50, 255}, color.RGBA{255, 255, 255, 255}}
	img := image.NewPaletted(image.Rect(0, 0, 3, 2), colours)
	for i := range colours {
		img.SetColorIndex(i%3, i/3, uint8(i))
	}
	// The same image as a lossless WebP, written by Pillow.
	lossless, err := base64.StdEncoding.DecodeString(
		"UklGRkIAAABXRUJQVlA4TDYAAAAvAkAAAC9AkG2zQdzr/jLTIJO2yV//dmZtZNI2rYf986+y8x9o5JGs+wYEApSx4oFtIvof4wU=")
	if err != nil {
		t.Fatal(err)
	}
	formats := map[string]func(io.Writer) error{
		"png":  func(w io.Writer) error { return png.Encode(w, img) },
		"gif":  func(w io.Writer) error { return gif.Encode(w, img, nil) },
		"bmp":  func(w io.Writer) error { return bmp.Encode(w, img) },
		"tiff": func(w io.Writer) error { return tiff.Encode(w, img, nil) },
		"webp": func(w io.Writer) error { _, err := w.Write(lossless); return err },
	}
	for name, encode := range formats {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		got, err := decode(b.Bytes())
		if err != nil || !bytes.Equal(got.Pix, toRGB(img).Pix) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
