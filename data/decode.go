package data

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"os"
)

const (
	// maxPixels bounds the images that are decoded: 100 megapixels take
	// 400 MB.
	maxPixels = 100_000_000

	// maxPixelsPerByte bounds the pixels of a file by its size: a PNG has at
	// most 8 pixels a byte, and deflate shrinks 1032 times at best. JPEG is
	// below it.
	maxPixelsPerByte = 8 * 1032

	// maxAspect bounds how much longer than wide an image may be, because the
	// whole of it is scaled before it is cropped.
	maxAspect = 50

	imageHint = "replace the file or take it out of the folder"
)

// A codec decodes one image format, known by the bytes that it begins with.
type codec struct {
	name, magic string
	config      func(io.Reader) (image.Config, error)
	decode      func(io.Reader) (image.Image, error)
}

// codecs returns the formats of the images of a folder.
func codecs() []codec {
	return []codec{
		{"JPEG", "\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode},
		{"PNG", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
	}
}

// decodeFile decodes the JPEG or PNG file of that path.
func decodeFile(path string) (*image.RGBA, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	return decodeImage(path, f, info.Size())
}

// decodeImage decodes a JPEG or PNG file of size bytes to opaque RGB. The
// content, not the name, tells the format. The offset of its errors is how far
// the decoder had read.
func decodeImage(path string, f io.ReadSeeker, size int64) (*image.RGBA, error) {
	c, err := sniff(path, f)
	if err != nil {
		return nil, err
	}
	r := &countingReader{r: f}
	if err := r.rewind(f); err != nil {
		return nil, err
	}
	config, err := c.config(r)
	if err != nil {
		return nil, decodeError(path, c, r.n, err)
	}
	if err := checkSides(path, c, config.Width, config.Height, size); err != nil {
		return nil, err
	}
	if err := r.rewind(f); err != nil {
		return nil, err
	}
	img, err := c.decode(r)
	if err != nil {
		return nil, decodeError(path, c, r.n, err)
	}
	return toRGBA(img), nil
}

// sniff returns the codec of a file by its first bytes.
func sniff(path string, r io.Reader) (codec, error) {
	head := make([]byte, 8)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return codec{}, fmt.Errorf("data: reading %s: %w", path, err)
	}
	for _, c := range codecs() {
		if bytes.HasPrefix(head[:n], []byte(c.magic)) {
			return c, nil
		}
	}
	got := fmt.Sprintf("% x", head[:n])
	if n == 0 {
		got = "an empty file"
	}
	return codec{}, &FormatError{
		Path: path,
		Want: "a JPEG or PNG image, which begin with ff d8 ff and 89 50 4e 47",
		Got:  got,
		Hint: imageHint,
	}
}

// checkSides refuses images that have no pixels or would take more memory than
// they are worth.
func checkSides(path string, c codec, w, h int, size int64) error {
	var want string
	switch pixels := int64(w) * int64(h); {
	case w <= 0 || h <= 0:
		want = "an image with pixels"
	case pixels > maxPixels:
		want = fmt.Sprintf("an image of at most %d megapixels", maxPixels/1_000_000)
	case pixels > size*maxPixelsPerByte:
		want = fmt.Sprintf("a size that fits into the %d bytes of the file", size)
	case max(w, h) > maxAspect*min(w, h):
		want = fmt.Sprintf("an image at most %d times longer than wide", maxAspect)
	default:
		return nil
	}
	return &FormatError{
		Path:   path,
		Offset: noOffset,
		Want:   want,
		Got:    fmt.Sprintf("a %s of %d×%d pixels", c.name, w, h),
		Hint:   imageHint,
	}
}

func decodeError(path string, c codec, offset int64, err error) error {
	return &FormatError{
		Path:   path,
		Offset: offset,
		Want:   "a whole " + c.name + " image",
		Got:    "one that does not decode",
		Hint:   imageHint,
		Err:    err,
	}
}

// countingReader counts the bytes read since the last rewind.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// rewind returns to the beginning of f, which c reads.
func (c *countingReader) rewind(f io.Seeker) error {
	c.n = 0
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	return nil
}
