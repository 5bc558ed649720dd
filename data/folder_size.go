package data

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

const (
	// maxHeaders is how many images of a folder are looked at to find their size. One of another size that comes later
	// is an error when it is read.
	maxHeaders = 10000

	// maxImageHeader bounds what is read of a file to find the size of its image.
	maxImageHeader = 4 << 20
)

// FolderSize returns the rows and columns that all images of the folder at a path have, by their headers. If they differ,
// these are 0 and a text names two images and their sizes. A set of [Options].Whole has the images at that size.
func FolderSize(path string) (height, width int, differ string, err error) {
	set, err := openFolder(path, Options{})
	if err != nil {
		return 0, 0, "", err
	}
	d := set.(*listed)
	for i := range min(d.Len(), maxHeaders) {
		c, err := imageSize(d.file(i))
		if err != nil {
			return 0, 0, "", err
		}
		if i == 0 {
			height, width = c.Height, c.Width
		}
		if c.Height != height || c.Width != width {
			return 0, 0, fmt.Sprintf("%s has %d×%d pixels (rows × columns), %s has %d×%d", d.paths[0], height, width, d.paths[i],
				c.Height, c.Width), nil
		}
	}
	return height, width, "", nil
}

// imageSize reads the size of an image from the beginning of its file.
func imageSize(path string) (image.Config, error) {
	info, err := os.Stat(path) // before it is opened, which would wait for the other end of a pipe
	if err != nil {
		return image.Config{}, fmt.Errorf("data: %w", err)
	}
	if !info.Mode().IsRegular() {
		return image.Config{}, folderError(path, "an image file", info.Mode().String(), imageHint)
	}
	f, err := os.Open(path)
	if err != nil {
		return image.Config{}, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	r := bufio.NewReader(io.LimitReader(f, maxImageHeader))
	start, _ := r.Peek(8)
	for _, c := range codecs() {
		if !bytes.HasPrefix(start, []byte(c.magic)) {
			continue
		}
		config := map[string]func(io.Reader) (image.Config, error){"JPEG": jpeg.DecodeConfig, "PNG": png.DecodeConfig,
			"PPM": ppmConfig, "PGM": ppmConfig, "GIF": gif.DecodeConfig, "BMP": bmp.DecodeConfig, "TIFF": tiff.DecodeConfig,
			"WebP": webp.DecodeConfig}[c.name]
		size, err := config(r)
		if err != nil {
			return size, folderError(path, "a whole "+c.name+" image", err.Error(), imageHint)
		}
		return size, checkSides(path, c.name, size.Width, size.Height, int(info.Size()))
	}
	_, err = decodeImage(path, start) // says what was found
	return image.Config{}, err
}
