package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folderSize is the height and width of the images of a folder by default.
const folderSize = 224

// folder is the Dataset of a folder of images: a folder per class, or all
// images in one, unlabelled.
type folder struct {
	path    string
	size    int
	classes []string
	files   []string // slash-separated, relative to path
	labels  []int    // by file
}

// openFolder lists the images of the folder of that path.
func openFolder(path string, o Options) (Dataset, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	top, err := list(abs)
	if err != nil {
		return nil, err
	}
	d := &folder{path: abs, size: o.Size}
	if d.size == 0 {
		d.size = folderSize
	}
	empty, err := d.addClasses(top.folders)
	if err != nil {
		return nil, err
	}
	switch {
	case len(d.files) == 0 && len(top.images) == 0:
		return nil, noImages(path, top)
	case len(d.files) == 0:
		d.addFiles("", -1, top.images)
	case len(top.images) > 0:
		return nil, folderError(path, "either images or a folder of images per class",
			fmt.Sprintf("both: the image %s and the folder %s", top.images[0], d.classes[0]),
			"move the images into a folder of their class")
	case len(empty) > 0:
		return nil, folderError(filepath.Join(path, empty[0]), "the images of a class", "none",
			"put .jpg, .jpeg or .png files into it, or take it away")
	}
	return d, nil
}

// addClasses adds the images of every class folder in order, and returns the
// folders that have none. The classes stay unset when no folder has any.
func (d *folder) addClasses(names []string) (empty []string, err error) {
	for _, name := range names {
		l, err := list(filepath.Join(d.path, name))
		if err != nil {
			return nil, err
		}
		if len(l.images) == 0 {
			empty = append(empty, name)
			continue
		}
		d.addFiles(name, len(d.classes), l.images)
		d.classes = append(d.classes, name)
	}
	return empty, nil
}

func (d *folder) addFiles(class string, label int, names []string) {
	for _, n := range names {
		d.files = append(d.files, filepath.ToSlash(filepath.Join(class, n)))
		d.labels = append(d.labels, label)
	}
}

// Name returns the last element of the path.
func (d *folder) Name() string      { return filepath.Base(d.path) }
func (d *folder) Len() int          { return len(d.files) }
func (d *folder) Shape() Shape      { return Shape{3, d.size, d.size} }
func (d *folder) Classes() []string { return d.classes }

// Read implements Dataset. It decodes, scales and crops the image.
func (d *folder) Read(i int, dst []float32) (int, error) {
	if err := checkRead(d, i, dst); err != nil {
		return 0, err
	}
	img, err := decodeFile(d.file(i))
	if err != nil {
		return 0, err
	}
	scaleAndCrop(dst, d.size, img)
	return d.labels[i], nil
}

func (d *folder) label(i int) (int, error) { return d.labels[i], nil }

// file returns the path of image i.
func (d *folder) file(i int) string {
	return filepath.Join(d.path, filepath.FromSlash(d.files[i]))
}

// identify writes the relative path, the size and the content of the file.
func (d *folder) identify(w io.Writer, i int) error {
	f, err := os.Open(d.file(i))
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%q %d\n", d.files[i], info.Size()); err != nil {
		return err
	}
	if _, err := io.Copy(w, f); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	return nil
}

// listing is what matters of a folder, by name in order.
type listing struct {
	images, folders []string
	others          int // files that are no images
}

// list reads a folder. It follows symbolic links and leaves hidden files out.
func list(path string) (listing, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return listing{}, fmt.Errorf("data: %w", err)
	}
	var l listing
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		full := filepath.Join(path, e.Name())
		info, err := os.Stat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist) && isImage(e.Name()):
			return l, folderError(full, "an image", "a link to a file that is not there", imageHint)
		case err != nil:
			l.others++
		case info.IsDir():
			l.folders = append(l.folders, e.Name())
		case info.Mode().IsRegular() && isImage(e.Name()):
			l.images = append(l.images, e.Name())
		default:
			l.others++
		}
	}
	return l, nil
}

// isImage reports whether a file of that name should be an image.
func isImage(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".png"}, strings.ToLower(filepath.Ext(name)))
}

// noImages returns the error for a folder without any image.
func noImages(path string, l listing) error {
	got := "an empty folder"
	if len(l.folders)+l.others > 0 {
		got = fmt.Sprintf("%d other files, and %d folders without images", l.others, len(l.folders))
	}
	hint := "give the path of a folder with .jpg, .jpeg or .png files, or of one with a folder of them per class"
	if len(l.folders) > 0 {
		hint += "; if its folders are splits, give one of them, such as " + filepath.Join(path, l.folders[0])
	}
	return folderError(path, "images or a folder of images per class", got, hint)
}

func folderError(path, want, got, hint string) error {
	return &FormatError{Path: path, Offset: noOffset, Want: want, Got: got, Hint: hint}
}
