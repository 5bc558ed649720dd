package data

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	stlName   = "stl10"
	stlFolder = "stl10_binary"
	stlSide   = 96
	stlPixels = 3 * stlSide * stlSide

	stlUnlabeled = "unlabeled" // the word for the images that are only for unsupervised learning
)

// An stlSet is a split of the binary version of STL-10 in DIR/stl10_binary or in DIR:
// "train", "test" or "unlabeled". The files store each channel column by column; here
// the images are upright. Images are read from disk on demand.
type stlSet struct{ split string }

// newSTLSet returns the fileSet of the split.
func newSTLSet(o Options) (fileSet, error) {
	unlabeled, err := o.args.flag(0, stlUnlabeled)
	if unlabeled {
		return stlSet{stlUnlabeled}, err
	}
	return stlSet{o.Split}, err
}

func (s stlSet) find(o Options) (string, error) {
	dir, err := o.dir(stlName)
	if err != nil {
		return "", err
	}
	name := s.split + "_X.bin"
	return firstFile(stlName, getHint(stlName), filepath.Join(dir, stlFolder, name), filepath.Join(dir, name))
}

func (s stlSet) open(o Options) (Dataset, error) {
	path, err := s.find(o)
	if err != nil {
		return nil, err
	}
	d := &stored{name: o.args.spec, split: s.split, shape: Shape{3, stlSide, stlSide}, size: o.Size}
	if s.split != stlUnlabeled {
		if err := readSTLText(d, filepath.Dir(path)); err != nil {
			return nil, err
		}
	}
	if err := openSTLImages(d, path); err != nil {
		return nil, err
	}
	if d.labels != nil && len(d.labels) != d.n {
		return nil, tooFew(filepath.Join(filepath.Dir(path), s.split+"_y.bin"), d.n, len(d.labels), getHint(stlName))
	}
	return d, nil
}

// readSTLText reads the names of the classes, and the labels of a split.
func readSTLText(d *stored, folder string) (err error) {
	if d.classes, err = readSTLClasses(filepath.Join(folder, "class_names.txt")); err != nil {
		return err
	}
	d.labels, err = readSTLLabels(filepath.Join(folder, d.split+"_y.bin"), len(d.classes))
	return err
}

// openSTLImages makes d read its images from a file, which stays open.
func openSTLImages(d *stored, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	n, rest := info.Size()/stlPixels, info.Size()%stlPixels
	if rest != 0 || n == 0 || !info.Mode().IsRegular() {
		return &FormatError{
			Path:   path,
			Offset: n * stlPixels,
			Want:   fmt.Sprintf("one or more images of %d bytes", stlPixels),
			Got:    fmt.Sprintf("%d and %d more bytes", n, rest),
			Hint:   "the file is cut short or not from STL-10's binary version; " + getHint(stlName),
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	d.n = int(n)
	d.fetch = func(i int, pix []uint8) error {
		if _, err := f.ReadAt(pix, int64(i)*stlPixels); err != nil {
			return fmt.Errorf("data: reading %s at byte %d: %w", path, int64(i)*stlPixels, err)
		}
		transpose(pix, stlSide)
		return nil
	}
	return nil
}

// readSTLClasses reads the class names, one per line.
func readSTLClasses(path string) ([]string, error) {
	raw, err := readPart(stlName, path, cifarMetaLimit)
	if err != nil {
		return nil, err
	}
	names := strings.Fields(string(raw))
	if len(names) == 0 || len(names) > 0xff {
		return nil, &FormatError{Path: path, Offset: 0, Want: "the names of 1 to 255 classes, one per line",
			Got: fmt.Sprintf("%d names", len(names)), Hint: getHint(stlName)}
	}
	return names, nil
}

// readSTLLabels reads labels, a byte each. In the file they begin with 1.
func readSTLLabels(path string, classes int) ([]uint16, error) {
	raw, err := readPart(stlName, path, 1<<24)
	if err != nil {
		return nil, err
	}
	return parseSTLLabels(path, raw, classes)
}

func parseSTLLabels(path string, raw []byte, classes int) ([]uint16, error) {
	labels := make([]uint16, len(raw))
	for i, l := range raw {
		if l < 1 || int(l) > classes {
			return nil, &FormatError{
				Path:   path,
				Offset: int64(i),
				Want:   fmt.Sprintf("a label from 1 to %d", classes),
				Got:    fmt.Sprint(l),
				Hint:   getHint(stlName),
			}
		}
		labels[i] = uint16(l - 1)
	}
	return labels, nil
}
