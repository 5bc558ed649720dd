package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
)

const (
	// folderSize is the height and width of images of different sizes by
	// default.
	folderSize = 224

	folderHint = "it was there when the folder was opened: open it again, or put the file back"
	extensions = ".jpg, .jpeg, .png, .ppm or .pgm"
)

// openFolder lists the images of the folder of that path: a folder per class,
// or all images in one, unlabelled.
func openFolder(path string, o Options) (Dataset, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	top, err := list(abs)
	if err != nil {
		return nil, err
	}
	d := &listed{name: filepath.Base(abs), root: abs, hint: folderHint}
	d.fitted(o, folderSize, fitCrop)
	empty, err := d.addClasses(top.folders)
	if err != nil {
		return nil, err
	}
	switch {
	case len(d.paths) == 0 && len(top.images) == 0:
		return nil, noImages(path, top)
	case len(d.paths) == 0:
		d.addFiles("", -1, top.images)
	case len(top.images) > 0:
		return nil, folderError(path, "either images or a folder of images per class",
			fmt.Sprintf("both: the image %s and the folder %s", top.images[0], d.classes[0]),
			"move the images into a folder of their class")
	case len(empty) > 0:
		return nil, emptyClass(filepath.Join(path, empty[0]), "or take it away")
	}
	return d, nil
}

// emptyClass says that the folder of a class has no images.
func emptyClass(path, or string) error {
	return folderError(path, "the images of a class", "none", "put "+extensions+" files into it, "+or)
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
		kind, err := kindOf(path, e)
		switch {
		case errors.Is(err, fs.ErrNotExist) && isImage(e.Name()):
			return l, folderError(filepath.Join(path, e.Name()), "an image", "a link to a file that is not there",
				imageHint)
		case err != nil:
			l.others++
		case kind.IsDir():
			l.folders = append(l.folders, e.Name())
		case kind.IsRegular() && isImage(e.Name()):
			l.images = append(l.images, e.Name())
		default:
			l.others++
		}
	}
	return l, nil
}

// kindOf returns what an entry of a folder is, or what it links to. Only links
// cost a call of the system, which counts where there are a million files.
func kindOf(folder string, e fs.DirEntry) (fs.FileMode, error) {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type(), nil
	}
	info, err := os.Stat(filepath.Join(folder, e.Name()))
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

// isImage reports whether a file of that name should be an image.
func isImage(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".png", ".ppm", ".pgm"}, strings.ToLower(filepath.Ext(name)))
}

// noImages returns the error for a folder without any image.
func noImages(path string, l listing) error {
	got := "an empty folder"
	if len(l.folders)+l.others > 0 {
		got = fmt.Sprintf("%d other files, and %d folders without images", l.others, len(l.folders))
	}
	hint := "give the path of a folder with " + extensions + " files, or of one with a folder of them per class"
	if len(l.folders) > 0 {
		hint += "; if its folders are splits, give one of them, such as " + filepath.Join(path, l.folders[0])
	}
	return folderError(path, "images or a folder of images per class", got, hint)
}

func folderError(path, want, got, hint string) error {
	return &FormatError{Path: path, Offset: array.NoOffset, Want: want, Got: got, Hint: hint}
}
