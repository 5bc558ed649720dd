package data

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"

	"github.com/ansatz-lab/ansatz/data/array"
)

const (
	// maxImageFile bounds the files that are decoded, which are read whole.
	maxImageFile = 512 << 20

	// maxPixels bounds the images that are decoded: 100 megapixels take
	// 300 MB.
	maxPixels = 100_000_000

	// maxPixelsPerByte bounds the pixels of a file by its size: a PNG has at
	// most 8 pixels a byte, and deflate shrinks 1032 times at best. JPEG is
	// below it.
	maxPixelsPerByte = 8 * 1032

	// maxAspect bounds how much longer than wide an image may be: scaled so
	// that its shorter side fits, and not cropped yet, it would be as much
	// longer.
	maxAspect = 50

	imageHint = "replace the file or take it out of the folder"
)

// A codec decodes one image format, known by the bytes that it begins with.
type codec struct {
	name, magic string
	decode      func(path string, content []byte) (*picture, error)
}

// codecs returns the formats of the images of a folder.
func codecs() []codec {
	return []codec{
		{"JPEG", "\xff\xd8\xff", decodeJPEG},
		{"PNG", "\x89PNG\r\n\x1a\n", plainCodec("PNG", png.DecodeConfig, png.Decode)},
		{"PPM", "P6", plainCodec("PPM", ppmConfig, decodePPM)},
		{"PGM", "P5", plainCodec("PGM", ppmConfig, decodePPM)},
	}
}

// decodeFile decodes the image file of that path to RGB. The caller may
// free the picture.
func decodeFile(path string) (*picture, error) {
	content, err := readImageFile(path)
	if err != nil {
		return nil, err
	}
	defer freeBytes(content)
	return decodeImage(path, content)
}

// readImageFile reads a whole file. The caller may free the bytes.
func readImageFile(path string) ([]byte, error) {
	// Before it is opened, which would wait for the other end of a pipe.
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxImageFile {
		return nil, &FormatError{
			Path:   path,
			Offset: array.NoOffset,
			Want:   fmt.Sprintf("an image file of at most %d MB", maxImageFile>>20),
			Got:    fmt.Sprintf("%v of %d bytes", info.Mode(), info.Size()),
			Hint:   imageHint,
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	content := newBytes(int(info.Size()))
	n, err := io.ReadFull(f, content)
	// A file that has become shorter fails to decode.
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("data: reading %s at byte %d: %w", path, n, err)
	}
	return content[:n], nil
}

// decodeImage decodes the content of an image file to RGB, whatever it
// was. The content, not the name, tells the format. The offset of its errors
// is how far the decoder had read. The caller may free the picture.
func decodeImage(path string, content []byte) (*picture, error) {
	for _, c := range codecs() {
		if bytes.HasPrefix(content, []byte(c.magic)) {
			return c.decode(path, content)
		}
	}
	got := fmt.Sprintf("% x", content[:min(8, len(content))])
	if len(content) == 0 {
		got = "an empty file"
	}
	return nil, &FormatError{
		Path: path,
		Want: "a JPEG or PNG image, which begin with ff d8 ff and 89 50 4e 47, or a binary PPM or PGM (P6, P5)",
		Got:  got,
		Hint: imageHint,
	}
}

// plainCodec returns the decoder of a format that package image has, or one of
// its form.
func plainCodec(format string, config func(io.Reader) (image.Config, error),
	decode func(io.Reader) (image.Image, error)) func(string, []byte) (*picture, error) {
	return func(path string, content []byte) (*picture, error) {
		r := bytes.NewReader(content)
		c, err := config(r)
		if err != nil {
			return nil, decodeError(path, format, r, err)
		}
		if err := checkSides(path, format, c.Width, c.Height, len(content)); err != nil {
			return nil, err
		}
		r.Reset(content)
		img, err := decode(r)
		if err != nil {
			return nil, decodeError(path, format, r, err)
		}
		return toRGB(img), nil
	}
}

// checkSides refuses images that have no pixels or would take more memory than
// they are worth.
func checkSides(path, format string, w, h, size int) error {
	var want string
	switch pixels := int64(w) * int64(h); {
	case w <= 0 || h <= 0:
		want = "an image with pixels"
	case pixels > maxPixels:
		want = fmt.Sprintf("an image of at most %d megapixels", maxPixels/1_000_000)
	case pixels > int64(size)*maxPixelsPerByte:
		want = fmt.Sprintf("a size that fits into the %d bytes of the file", size)
	case max(w, h) > maxAspect*min(w, h):
		want = fmt.Sprintf("an image at most %d times longer than wide", maxAspect)
	default:
		return nil
	}
	return &FormatError{
		Path:   path,
		Offset: array.NoOffset,
		Want:   want,
		Got:    fmt.Sprintf("a %s of %d×%d pixels", format, w, h),
		Hint:   imageHint,
	}
}

// decodeError returns an error for a decoder that failed at the place of r.
func decodeError(path, format string, r *bytes.Reader, err error) error {
	return &FormatError{
		Path:   path,
		Offset: r.Size() - int64(r.Len()),
		Want:   "a whole " + format + " image",
		Got:    "one that does not decode",
		Hint:   imageHint,
		Err:    err,
	}
}
