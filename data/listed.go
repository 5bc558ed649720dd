package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/imagefile"
)

// listed is a Dataset in which each image is a file: a folder of images, or a
// published set in that form.
type listed struct {
	name, split string
	root        string // the folder to which paths are relative
	hint        string // what to do when a file is missing
	classes     []string
	paths       []string // by image: slash-separated, relative to root
	labels      []int    // by image
	shape       Shape
	fit         string   // how images are brought to the shape; fitNone if they must have it
	lists       bool     // whether the labels are from a list, not from the paths
	skipped     []string // files in the folders that are not images
}

// fitNone is the fit of sets whose images all have one size.
const fitNone = "none"

// fitted makes the images square, with the size and the fit of the options. The
// arguments size and fit are the defaults.
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
// images, which do not become classes.
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

// skip records the files in a folder that are not images.
func (d *listed) skip(folder string, l listing) {
	for _, name := range l.others {
		d.skipped = append(d.skipped, slashed(folder, name))
	}
}

// addFiles adds the images of a folder; "" is the root.
func (d *listed) addFiles(folder string, label int, names []string) {
	if folder != "" {
		folder += "/"
	}
	for _, n := range names {
		d.paths = append(d.paths, folder+n)
		d.labels = append(d.labels, label)
	}
}

// Name returns the name with its arguments, as Open accepts it, or the last element
// of a folder's path.
func (d *listed) Name() string      { return d.name }
func (d *listed) Split() string     { return d.split }
func (d *listed) Len() int          { return len(d.paths) }
func (d *listed) Shape() Shape      { return d.shape }
func (d *listed) Classes() []string { return d.classes }

// Read implements Dataset. It decodes the image and scales it to the set's size.
func (d *listed) Read(i int, dst []float32) (int, error) {
	if err := checkRead(d, i, dst); err != nil {
		return 0, err
	}
	img, err := imagefile.Read(d.file(i))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, d.missing(i)
	case err != nil:
		return 0, err
	}
	defer img.Free()
	if d.fit == fitNone {
		return d.labels[i], d.copyWhole(dst, i, img)
	}
	img.Fit(dst, d.shape.Height, d.fit == fitStretch)
	return d.labels[i], nil
}

// copyWhole writes an image that must have the shape of the set.
func (d *listed) copyWhole(dst []float32, i int, img *imagefile.Picture) error {
	if w, h := img.Width, img.Height; w != d.shape.Width || h != d.shape.Height {
		return &FormatError{
			Path:   d.file(i),
			Offset: array.NoOffset,
			Want:   fmt.Sprintf("an image of %d×%d pixels, as all of %s", d.shape.Width, d.shape.Height, d.name),
			Got:    fmt.Sprintf("%d×%d", w, h),
			Hint:   "give a size to scale the images to, or " + d.hint,
		}
	}
	imagefile.ToUnit(dst, img.Pix)
	return nil
}

func (d *listed) label(i int) (int, error) { return d.labels[i], nil }

func (d *listed) path(i int) string { return d.paths[i] }

// file returns the path of image i.
func (d *listed) file(i int) string {
	return filepath.Join(d.root, filepath.FromSlash(d.paths[i]))
}

// missing returns the error of image i whose file is not there. Open does not look
// for the files: a set may have a million.
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
