package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data/array"
)

// listed is the Dataset of images that are files of their own: those of a
// folder, or of a set that is published so.
type listed struct {
	name, split string
	root        string // the folder that the paths are in
	hint        string // what to do when a file is missing
	classes     []string
	paths       []string // by image: slash-separated, relative to root
	labels      []int    // by image
	shape       Shape
	fit         string   // how images are brought to the shape; fitNone if they must have it
	lists       bool     // whether the labels are from a list, which no path tells
	skipped     []string // files in the folders that are no images
}

// fitNone is the fit of sets whose images are all of one size.
const fitNone = "none"

// fitted makes the images square, of the size and by the fit that the options
// say or, where they leave it open, by those given.
func (d *listed) fitted(o Options, size int, fit string) {
	if o.Size > 0 {
		size = o.Size
	}
	if o.Fit != "" {
		fit = o.Fit
	}
	d.shape, d.fit = Shape{3, size, size}, fit
}

// addClasses makes each named folder a class, in the given order, and adds its images. It returns the folders without
// images, which are no classes.
func (d *listed) addClasses(folders []string) (empty []string, err error) {
	for _, name := range folders {
		l, err := listTree(filepath.Join(d.root, name))
		if err != nil {
			return nil, err
		}
		d.skip(name, l)
		if len(l.images) == 0 {
			empty = append(empty, name)
			continue
		}
		d.addFiles(name, len(d.classes), l.images)
		d.classes = append(d.classes, name)
	}
	return empty, nil
}

// skip notes the files in a folder that are no images.
func (d *listed) skip(folder string, l listing) {
	for _, name := range l.others {
		d.skipped = append(d.skipped, slashed(folder, name))
	}
}

// addFiles adds images that lie in a folder; "" is the root.
func (d *listed) addFiles(folder string, label int, names []string) {
	if folder != "" {
		folder += "/"
	}
	for _, n := range names {
		d.paths = append(d.paths, folder+n)
		d.labels = append(d.labels, label)
	}
}

// Name returns the name with its arguments, so that Open takes it again, or of
// a folder the last element of its path.
func (d *listed) Name() string      { return d.name }
func (d *listed) Split() string     { return d.split }
func (d *listed) Len() int          { return len(d.paths) }
func (d *listed) Shape() Shape      { return d.shape }
func (d *listed) Classes() []string { return d.classes }

// Read implements Dataset. It decodes the image and brings it to its size.
func (d *listed) Read(i int, dst []float32) (int, error) {
	if err := checkRead(d, i, dst); err != nil {
		return 0, err
	}
	img, err := decodeFile(d.file(i))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, d.missing(i)
	case err != nil:
		return 0, err
	}
	defer img.free()
	if d.fit == fitNone {
		return d.labels[i], d.copyWhole(dst, i, img)
	}
	fitImage(dst, d.shape.Height, d.fit, img)
	return d.labels[i], nil
}

// copyWhole writes an image that must have the shape of the set.
func (d *listed) copyWhole(dst []float32, i int, img *picture) error {
	if w, h := img.width, img.height; w != d.shape.Width || h != d.shape.Height {
		return &FormatError{
			Path:   d.file(i),
			Offset: array.NoOffset,
			Want:   fmt.Sprintf("an image of %d×%d pixels, as all of %s", d.shape.Width, d.shape.Height, d.name),
			Got:    fmt.Sprintf("%d×%d", w, h),
			Hint:   "give a size to scale the images to, or " + d.hint,
		}
	}
	toUnit(dst, img.pix)
	return nil
}

func (d *listed) label(i int) (int, error) { return d.labels[i], nil }

// file returns the path of image i.
func (d *listed) file(i int) string {
	return filepath.Join(d.root, filepath.FromSlash(d.paths[i]))
}

// missing says that the file of image i is not there. Sets have up to a
// million files, so they are not looked for before they are read.
func (d *listed) missing(i int) error {
	return &NotFoundError{Dataset: d.name, Looked: []string{d.file(i)}, Hint: d.hint}
}

// identify writes the relative path, the size and the content of the file, and
// the label if it is from a list.
func (d *listed) identify(w io.Writer, i int) error {
	f, err := os.Open(d.file(i))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.missing(i)
	case err != nil:
		return fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%q %d\n", d.paths[i], info.Size()); err != nil {
		return err
	}
	if _, err := io.Copy(w, f); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if !d.lists {
		return nil
	}
	_, err = fmt.Fprintf(w, "%d\n", d.labels[i])
	return err
}
