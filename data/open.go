package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Options says which part of a dataset to open. The zero value is the test
// split from the default data folder, in its native size, with seed 0.
type Options struct {
	// Dir is the data folder. "" means $ANSATZ_DATA or, when that is not set,
	// the folder "ansatz" in the user's cache folder.
	Dir string

	// Split is "train" or "test"; "" means "test". A folder of images has no
	// splits, and ignores it: open the training and the test folder by their
	// own paths.
	Split string

	// Size is the height and width of the images. Images of a folder are
	// scaled so that the shorter side is Size·256/224 and cropped to the
	// central Size×Size; 0 means 224. Other images are scaled to Size×Size; 0
	// means their native size.
	Size int

	// Seed chooses the images of a generated dataset.
	Seed uint64

	// Count is the number of images of a generated dataset; 0 means 10000 for
	// the training split and 2000 for the test split. Image i does not depend
	// on it.
	Count int
}

// The splits of Options.Split.
const (
	trainSplit = "train"
	testSplit  = "test"
)

const (
	maxSize  = 4096 // bounds Options.Size: a colour image takes 201 MB
	maxCount = 1<<31 - 1
)

// opener is a dataset known by name.
type opener struct {
	name string
	open func(Options) (Dataset, error)
}

// known returns the datasets that Open knows by name, sorted.
func known() []opener {
	return []opener{
		{cifarName, openCIFAR},
		{glyphsName, openGlyphs},
		{mnistName, openMNIST},
	}
}

// Names returns the names that [Open] knows, sorted.
func Names() []string {
	var names []string
	for _, k := range known() {
		names = append(names, k.name)
	}
	return names
}

// Open opens the dataset of that name, or the folder of images of that path.
// A known name stands for the dataset even where a folder has the same name;
// "./mnist" stands for the folder.
//
// It returns a [*NotFoundError] when there is no such dataset or a file of it
// is missing, and a [*FormatError] when a file or an option is malformed.
func Open(name string, o Options) (Dataset, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	for _, k := range known() {
		if k.name == name {
			return k.open(o)
		}
	}
	return openPath(name, o)
}

// openPath opens the folder of images of that path.
func openPath(path string, o Options) (Dataset, error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("data: opening a folder of images: %w", err)
	case err != nil:
		return nil, &NotFoundError{
			Dataset: path,
			Hint:    "the known datasets are " + strings.Join(Names(), ", ") + "; the path of a folder of images works too",
		}
	case !info.IsDir():
		return nil, &FormatError{
			Path:   path,
			Offset: noOffset,
			Want:   "the name of a dataset (" + strings.Join(Names(), ", ") + ") or a folder of images",
			Got:    "a file",
			Hint:   "put the images into a folder and give its path",
		}
	}
	return openFolder(path, o)
}

// checked returns the options with the default split, or an error that names
// the field at fault.
func (o Options) checked() (Options, error) {
	if o.Split == "" {
		o.Split = testSplit
	}
	switch {
	case !slices.Contains([]string{trainSplit, testSplit}, o.Split):
		return o, optionError("split", "train or test", strconv.Quote(o.Split))
	case o.Size < 0 || o.Size > maxSize:
		return o, optionError("size", fmt.Sprintf("0 to %d pixels", maxSize), strconv.Itoa(o.Size))
	case o.Count < 0 || o.Count > maxCount:
		return o, optionError("count", fmt.Sprintf("0 to %d images", maxCount), strconv.Itoa(o.Count))
	}
	return o, nil
}

func optionError(option, want, got string) error {
	return &FormatError{Path: "option " + option, Offset: noOffset, Want: want, Got: got}
}
