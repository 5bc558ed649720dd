package data

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"io"
	"os"

	"github.com/ansatz-lab/ansatz/data/array"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

const (
	// maxImageFile bounds the bytes of an image file, which is read whole.
	maxImageFile = 512 << 20

	// maxPixels bounds the pixels of an image: 100 megapixels take 300 MB.
	maxPixels = 100_000_000

	// maxPixelsPerByte bounds the pixels of an image by the size of its file: a
	// PNG has at most 8 pixels per byte, and deflate compresses at best 1032:1.
	// JPEG stays below that.
	maxPixelsPerByte = 8 * 1032

	// maxAspect bounds the ratio of an image's sides. Scaled by its shorter side
	// and before it is cropped, an image keeps that ratio, and takes memory for it.
	maxAspect = 50

	imageHint = "replace the file or take it out of the folder"
)

// A codec decodes one image format, which it recognises by the file's first bytes.
type codec struct {
	name, magic string
	decode      func(path string, content []byte) (*picture, error)
}

// codecs returns the supported image formats.
func codecs() []codec {
	return []codec{
		{"JPEG", "\xff\xd8\xff", decodeJPEG},
		{"PNG", "\x89PNG\r\n\x1a\n", plainCodec("PNG", png.DecodeConfig, png.Decode)},
		{"PPM", "P6", plainCodec("PPM", ppmConfig, decodePPM)},
		{"PGM", "P5", plainCodec("PGM", ppmConfig, decodePPM)},
		{"GIF", "GIF8", plainCodec("GIF", gif.DecodeConfig, gif.Decode)}, // the first picture
		{"BMP", "BM", plainCodec("BMP", bmp.DecodeConfig, bmp.Decode)},
		{"TIFF", "II*\x00", plainCodec("TIFF", tiff.DecodeConfig, tiff.Decode)},
		{"TIFF", "MM\x00*", plainCodec("TIFF", tiff.DecodeConfig, tiff.Decode)},
		{"WebP", "RIFF", plainCodec("WebP", webp.DecodeConfig, webp.Decode)},
	}
}

// decodeFile decodes an image file to RGB. The caller may free the picture.
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
	// Check before opening: to open a pipe would wait for its other end.
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

// decodeImage decodes the content of an image file to RGB. The content, not the name,
// determines the format. The offset in its errors is how far the decoder had read. The
// caller may free the picture.
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
		Want: "a JPEG, PNG, GIF, BMP, TIFF or WebP image, or a binary PPM or PGM (P6, P5), by its first bytes",
		Got:  got,
		Hint: imageHint,
	}
}

// plainCodec makes a codec's decode function from functions in the style of package
// image.
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

// checkSides returns an error for an image without pixels, or beyond the limits above;
// size is the number of bytes of its file.
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

// decodeError returns the error of a decoder that failed at the position of r.
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
