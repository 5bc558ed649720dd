package data

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/imagefile"
)

const (
	// folderSize is the default height and width for images of different sizes.
	folderSize = 224

	folderHint = "it was there when the folder was opened: open it again, or put the file back"
	extensions = ".jpg, .png, .gif, .bmp, .tif, .webp, .ppm or .pgm"
)

// imageExtensions are the file name extensions of images: those of torchvision's ImageFolder, and .gif.
var imageExtensions = []string{".jpg", ".jpeg", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm"}

// openFolder lists the images of a folder, which holds either a folder per class,
// perhaps with further folders, or all images itself, unlabelled.
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
	d.skip("", top)
	empty, err := d.addClasses(top.folders)
	if err != nil {
		return nil, err
	}
	switch {
	case len(top.images) == 0 && areSplits(top.folders):
		return nil, noImages(path, top)
	case len(d.paths) == 0 && len(top.images) == 0:
		return nil, noImages(path, top)
	case len(d.paths) == 0:
		d.addFiles("", -1, top.images)
	case len(top.images) > 0:
		return nil, folderError(path, "either images or a folder of images per class",
			fmt.Sprintf("both: the image %s and the folder %s", top.images[0], d.classes[0]),
			"move the images into a folder of their class")
	case len(empty) > 0:
		return nil, emptyClass(filepath.Join(path, empty[0]), "or remove the folder")
	}
	return d, nil
}

// emptyClass returns the error of a class folder without images.
func emptyClass(path, or string) error {
	return folderError(path, "the images of a class", "none", "put "+extensions+" files into it, "+or)
}

// listing holds the names in a folder, each list sorted.
type listing struct {
	images, folders []string
	others          []string // files that are not images
}

// list reads a folder. It follows symbolic links and ignores hidden files.
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
				imagefile.Hint)
		case err != nil:
			l.others = append(l.others, e.Name())
		case kind.IsDir():
			l.folders = append(l.folders, e.Name())
		case kind.IsRegular() && isImage(e.Name()):
			l.images = append(l.images, e.Name())
		default:
			l.others = append(l.others, e.Name())
		}
	}
	return l, nil
}

// mostNested bounds the nesting of a class's folders, since links may lead in circles.
const mostNested = 40

// listTree lists the images in a folder and in all folders below it in the order of torchvision's
// ImageFolder: by folder, then by name. Their paths are relative to root, with slashes.
func listTree(root string) (all listing, err error) {
	found := map[string]listing{}
	var visit func(folder string, depth int) error
	visit = func(folder string, depth int) error {
		path := filepath.Join(root, filepath.FromSlash(folder))
		if depth > mostNested {
			return folderError(path, fmt.Sprintf("folders at most %d deep", mostNested), "a deeper one",
				"take it out, or the link that leads back to a folder above it")
		}
		l, err := list(path)
		if err != nil {
			return err
		}
		found[folder] = l
		for _, name := range l.folders {
			if err := visit(slashed(folder, name), depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit("", 0); err != nil {
		return all, err
	}
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		for _, name := range found[folder].images {
			all.images = append(all.images, slashed(folder, name))
		}
		for _, name := range found[folder].others {
			all.others = append(all.others, slashed(folder, name))
		}
	}
	return all, nil
}

// ListImages returns the images that [Open] finds in a folder and in all folders below it, as paths relative to it, with
// slashes. It returns an error if a folder cannot be read.
func ListImages(folder string) ([]string, error) {
	l, err := listTree(folder)
	return l.images, err
}

// slashed joins a folder and a name with a slash; folder may be "".
func slashed(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// kindOf returns the file mode of a folder's entry, or of the target of a link. Only
// links cost a system call, which matters for a million files.
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

// isImage reports whether a file name has an extension of images.
func isImage(name string) bool {
	return slices.Contains(imageExtensions, strings.ToLower(filepath.Ext(name)))
}

// areSplits reports whether all folders are named like splits of a dataset, not like classes.
func areSplits(folders []string) bool {
	splits := []string{"train", "training", "val", "valid", "validation", "test", "testing"}
	return len(folders) > 0 && !slices.ContainsFunc(folders, func(name string) bool {
		return !slices.Contains(splits, strings.ToLower(name))
	})
}

// noImages returns the error of a folder without any image.
func noImages(path string, l listing) error {
	got := "an empty folder"
	if len(l.folders)+len(l.others) > 0 {
		got = fmt.Sprintf("%d other files, and %d folders", len(l.others), len(l.folders))
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
