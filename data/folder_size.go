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
	// maxHeaders bounds the images that FolderSize looks at. If a later image has another size, reading it is an error.
	maxHeaders = 10000

	// maxImageHeader bounds the bytes read from a file to find the size of its image.
	maxImageHeader = 4 << 20
)

// FolderSize returns the common height and width in pixels of the images in a folder, from the headers of the first 10 000.
// If they differ, both are 0, and differ names two images and their sizes. Sets opened with [Options].Whole have this size.
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
	info, err := os.Stat(path) // before opening: to open a pipe would wait for its other end
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
	_, err = decodeImage(path, start) // for its error, which says what was found
	return image.Config{}, err
}
