package data

import (
	"fmt"
	"io"
)

// Shape is the size of an image; the images of a dataset all have the same.
type Shape struct{ Channels, Height, Width int }

// Pixels returns the number of values of an image, Channels·Height·Width.
func (s Shape) Pixels() int { return s.Channels * s.Height * s.Width }

// String returns the shape in the form "3×32×32".
func (s Shape) String() string {
	return fmt.Sprintf("%d×%d×%d", s.Channels, s.Height, s.Width)
}

// Dataset is a labelled set of images of one shape. It is safe for concurrent
// use.
type Dataset interface {
	// Name returns the name of the dataset with its arguments, as Open accepts
	// it; or the last element of the path of a folder.
	Name() string

	// Len returns the number of images.
	Len() int

	// Shape returns the size of every image.
	Shape() Shape

	// Classes returns the class names by label; it is empty when the set is
	// unlabelled. The caller must not change it.
	Classes() []string

	// Read writes image i into dst, in row, column, channel order, and returns its label, -1 when the set is
	// unlabelled. Pixels are in [0,1], except in bars and noisydigits. It returns an error if i is not in [0, Len()),
	// len(dst) is not Shape().Pixels(), or the image cannot be read; the content of dst is then unspecified.
	Read(i int, dst []float32) (label int, err error)
}

// checkRead returns an error if i or the length of dst is wrong for ds.Read.
func checkRead(ds Dataset, i int, dst []float32) error {
	if i < 0 || i >= ds.Len() {
		return fmt.Errorf("data: %s has images 0 to %d, not %d", ds.Name(), ds.Len()-1, i)
	}
	if want := ds.Shape().Pixels(); len(dst) != want {
		return fmt.Errorf("data: an image of %s has %v = %d pixels, the destination has %d",
			ds.Name(), ds.Shape(), want, len(dst))
	}
	return nil
}

// Decodes reports whether ds decodes a file for every image that it reads. That takes a thousand times as long as
// reading an image from memory. A set made from others decodes if any of them does.
func Decodes(ds Dataset) bool {
	d, ok := ds.(interface{ decodes() bool })
	return ok && d.decodes()
}

// Skipped returns the files in the folders of a set whose names are not those of images, as paths
// relative to the set's folder. It is nil unless ds was opened as a folder; a set made from such a set
// has none.
func Skipped(ds Dataset) []string {
	if d, is := ds.(*listed); is {
		return d.skipped
	}
	return nil
}

// File returns the file of image i as a path relative to the folder of its set, with slashes, or "" if it is none.
func File(ds Dataset, i int) string {
	if d, ok := ds.(interface{ path(i int) string }); ok {
		return d.path(i)
	}
	return ""
}

// wrapper is the part of a Dataset that is as in another set, of which it is made image by image.
type wrapper struct{ Dataset }

// Split returns the split of the other set.
func (w wrapper) Split() string                      { return splitOf(w.Dataset) }
func (w wrapper) decodes() bool                      { return Decodes(w.Dataset) }
func (w wrapper) path(i int) string                  { return File(w.Dataset, i) }
func (w wrapper) label(i int) (int, error)           { return labelOf(w.Dataset, i) }
func (w wrapper) identify(to io.Writer, i int) error { return identify(to, w.Dataset, i) }

func (d *listed) decodes() bool      { return true }
func (s *stamped) decodes() bool     { return Decodes(s.base) }
func (s *sideBySide) decodes() bool  { return Decodes(s.left) || Decodes(s.right) }
func (d *noisyDigits) decodes() bool { return Decodes(d.base) }
