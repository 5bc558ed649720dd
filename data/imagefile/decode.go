package imagefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
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

	// maxImageHeader bounds the bytes read from a file to find the size of its image.
	maxImageHeader = 4 << 20

	// maxPixels bounds the pixels of an image: 100 megapixels take 300 MB.
	maxPixels = 100_000_000

	// maxPixelsPerByte bounds the pixels of an image by the size of its file: a
	// PNG has at most 8 pixels per byte, and deflate compresses at best 1032:1.
	// JPEG stays below that.
	maxPixelsPerByte = 8 * 1032

	// maxAspect bounds the ratio of an image's sides. Scaled by its shorter side
	// and before it is cropped, an image keeps that ratio, and takes memory for it.
	maxAspect = 50

	// Hint says what to do about an image file that cannot be read.
	Hint = "replace the file or take it out of the folder"
)

// codec decodes one image format, which it recognises by the file's first bytes.
type codec struct {
	name, magic string
	config      func(io.Reader) (image.Config, error) // reads the size
	image       func(io.Reader) (image.Image, error)
}

// codecs are the supported image formats.
var codecs = []codec{
	{"JPEG", "\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode},
	{"PNG", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
	{"PPM", "P6", ppmConfig, decodePPM},
	{"PGM", "P5", ppmConfig, decodePPM},
	{"GIF", "GIF8", gif.DecodeConfig, decodeGIF}, // the first picture
	{"BMP", "BM", bmp.DecodeConfig, bmp.Decode},
	{"TIFF", "II*\x00", tiff.DecodeConfig, tiff.Decode},
	{"TIFF", "MM\x00*", tiff.DecodeConfig, tiff.Decode},
	{"WebP", "RIFF", webp.DecodeConfig, webp.Decode},
}

// codecOf returns the codec of a file that begins with start, the first 8 bytes at least. For an unknown format it returns
// an [array.FormatError] that says what was found.
func codecOf(path string, start []byte) (codec, error) {
	for _, c := range codecs {
		if bytes.HasPrefix(start, []byte(c.magic)) {
			return c, nil
		}
	}
	got := fmt.Sprintf("% x", start[:min(8, len(start))])
	if len(start) == 0 {
		got = "an empty file"
	}
	return codec{}, &array.FormatError{
		Path: path,
		Want: "a JPEG, PNG, GIF, BMP, TIFF or WebP image, or a binary PPM or PGM (P6, P5), by its first bytes",
		Got:  got,
		Hint: Hint,
	}
}

// Read decodes an image file to RGB. The caller may free the picture. Read returns an [array.FormatError] for a file that is
// not an image, is too large, or does not decode, and matches [io/fs.ErrNotExist] where there is none.
func Read(path string) (*Picture, error) {
	f, size, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content := NewBytes(int(size))
	defer FreeBytes(content)
	n, err := io.ReadFull(f, content)
	// A file that has become shorter fails to decode.
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("imagefile: reading %s at byte %d: %w", path, n, err)
	}
	return Decode(path, content[:n])
}

// Size reads the width and the height of an image in pixels from the beginning of its file. Its errors are those of [Read].
func Size(path string) (width, height int, err error) {
	f, length, err := open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	r := bufio.NewReader(io.LimitReader(f, maxImageHeader))
	start, _ := r.Peek(8)
	c, err := codecOf(path, start)
	if err != nil {
		return 0, 0, err
	}
	size, err := c.config(r)
	if err != nil {
		return 0, 0, &array.FormatError{Path: path, Offset: array.NoOffset, Want: "a whole " + c.name + " image",
			Got: err.Error(), Hint: Hint}
	}
	return size.Width, size.Height, checkSides(path, c.name, size.Width, size.Height, int(length))
}

// open opens an image file and returns its size in bytes.
func open(path string) (f *os.File, size int64, err error) {
	info, err := os.Stat(path) // before opening: to open a pipe would wait for its other end
	if err != nil {
		return nil, 0, fmt.Errorf("imagefile: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxImageFile {
		return nil, 0, &array.FormatError{
			Path:   path,
			Offset: array.NoOffset,
			Want:   fmt.Sprintf("an image file of at most %d MB", maxImageFile>>20),
			Got:    fmt.Sprintf("%v of %d bytes", info.Mode(), info.Size()),
			Hint:   Hint,
		}
	}
	if f, err = os.Open(path); err != nil {
		return nil, 0, fmt.Errorf("imagefile: %w", err)
	}
	return f, info.Size(), nil
}

// Decode decodes the content of an image file to RGB. The content, not the name,
// determines the format. The offset in its errors, of type [array.FormatError], is how far the decoder had read, for a GIF
// its end. The caller may free the picture.
func Decode(path string, content []byte) (*Picture, error) {
	c, err := codecOf(path, content)
	switch {
	case err != nil:
		return nil, err
	case c.name == "JPEG":
		return decodeJPEG(c, path, content)
	}
	return c.decode(path, content)
}

// decode decodes the content of a file in Go.
func (c codec) decode(path string, content []byte) (*Picture, error) {
	r := bytes.NewReader(content)
	size, err := c.config(r)
	if err != nil {
		return nil, decodeError(path, c.name, r, err)
	}
	if err := checkSides(path, c.name, size.Width, size.Height, len(content)); err != nil {
		return nil, err
	}
	r.Reset(content)
	img, err := c.image(r)
	if err != nil {
		return nil, decodeError(path, c.name, r, err)
	}
	if c.name == "WebP" {
		switch img := img.(type) {
		case *image.YCbCr:
			return webpToRGB(img), nil
		case *image.NYCbCrA: // the colour under alpha, as in toRGB
			return webpToRGB(&img.YCbCr), nil
		}
	}
	return toRGB(img), nil
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
	return &array.FormatError{
		Path:   path,
		Offset: array.NoOffset,
		Want:   want,
		Got:    fmt.Sprintf("a %s of %d×%d pixels", format, w, h),
		Hint:   Hint,
	}
}

// decodeError returns the error of a decoder that failed at the position of r.
func decodeError(path, format string, r *bytes.Reader, err error) error {
	return &array.FormatError{
		Path:   path,
		Offset: r.Size() - int64(r.Len()),
		Want:   "a whole " + format + " image",
		Got:    "one that does not decode",
		Hint:   Hint,
		Err:    err,
	}
}
