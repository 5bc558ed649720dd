package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/internal/suggest"
)

// Options says which part of a dataset to open. The zero value is the test
// split from the default data folder, in its native size, with seed 0.
type Options struct {
	// Dir is the data folder. "" means $ANSATZ_DATA or, when that is not set,
	// the folder "ansatz" in the user's cache folder.
	Dir string

	// Split is "train" or "test", or "validation" for the sets whose publisher
	// has such a split; "" means "test". Folders of images ignore it: open the
	// training and the test folder by their own paths.
	Split string

	// Size is the height and width of the images. If each image is a file of its
	// own size, 0 means 224 (32 for gtsrb), and Fit says how images are scaled to
	// it. Other images are scaled to Size×Size; 0 means their native size.
	Size int

	// Fit says how images of different sizes are scaled to Size: "crop" scales the shorter side to Size·256/224 and
	// takes the central Size×Size, as is usual for ImageNet; "stretch" scales to Size×Size without keeping the aspect
	// ratio, like torchvision's Resize((Size, Size)). "" means crop for folders and ImageNet, and stretch for the other
	// sets.
	Fit string

	// Seed determines the images of a generated dataset, the random choices of a
	// set made from others, and the training images of caltech101.
	Seed uint64

	// Count is the number of images of a generated dataset, or of a set made from
	// others; 0 means the set's default, such as 10000 for the training split and
	// 2000 for the test split of glyphs. Image i does not depend on Count.
	Count int

	// Whole leaves the images of a folder at the size that [FolderSize] finds. Reading an image of another size is an
	// error. Other sets ignore it.
	Whole bool

	args arguments // what follows the name
}

// The values of Options.Split.
const (
	trainSplit      = "train"
	testSplit       = "test"
	validationSplit = "validation"
)

// The values of Options.Fit.
const (
	fitCrop    = "crop"
	fitStretch = "stretch"
)

const (
	maxSize  = 4096 // bounds Options.Size: a colour image takes 201 MB
	maxCount = 1<<31 - 1
)

// Names returns the names that [Open] knows, sorted.
func Names() []string {
	var names []string
	for _, k := range openers() {
		names = append(names, k.name)
	}
	return names
}

// Open opens a dataset by its name, or the folder of images at a path. A known name means the dataset even if a folder
// has the same name; "./mnist" is the folder. Arguments may follow a known name, after a colon and separated by commas:
// "emnist:letters", "bars:noise=2".
//
// It returns a [*NotFoundError] if there is no such dataset or one of its files is
// missing, and a [*FormatError] if a file or an option is malformed.
func Open(name string, o Options) (Dataset, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	k, ok := lookup(name)
	if !ok {
		return openPath(name, o)
	}
	if o, err = k.options(name, o); err != nil {
		return nil, err
	}
	if k.generate != nil {
		return k.generate(o)
	}
	set, err := k.files(o)
	if err != nil {
		return nil, err
	}
	return set.open(o)
}

// Find returns the path of the first file or folder of a known dataset, without opening it, or "" for a generated one.
// It returns the errors of [Open] that do not depend on the contents of files.
func Find(name string, o Options) (string, error) {
	o, err := o.checked()
	if err != nil {
		return "", err
	}
	k, ok := lookup(name)
	if !ok {
		return "", unknown(name)
	}
	if o, err = k.options(name, o); err != nil || k.generate != nil {
		return "", err
	}
	set, err := k.files(o)
	if err != nil {
		return "", err
	}
	return set.find(o)
}

// options adds the arguments in spec to o. It returns an error if they are malformed, or the dataset lacks the split.
func (k opener) options(spec string, o Options) (Options, error) {
	if o.Split == validationSplit && !k.validation {
		return o, array.OptionError("split", "train or test, which are the splits of "+k.name, strconv.Quote(o.Split))
	}
	var err error
	o.args, err = parseArguments(spec, k.words, k.keys)
	return o, err
}

// IsKnown reports whether a text names a dataset that Open knows, with or
// without arguments.
func IsKnown(spec string) bool {
	_, ok := lookup(spec)
	return ok
}

// openPath opens the folder of images at a path.
func openPath(path string, o Options) (Dataset, error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("data: opening a folder of images: %w", err)
	case err != nil:
		return nil, unknown(path)
	case !info.IsDir():
		return nil, &FormatError{
			Path:   path,
			Offset: array.NoOffset,
			Want:   "the name of a dataset (" + strings.Join(Names(), ", ") + ") or a folder of images",
			Got:    "a file",
			Hint:   "put images into a folder and give its path; a table is a .csv, .tsv, .txt, .arff, .parquet or .npz file",
		}
	}
	set, err := openFolder(path, o)
	if err != nil || !o.Whole {
		return set, err
	}
	height, width, differ, err := FolderSize(path)
	if err == nil && differ != "" {
		err = folderError(path, "images of one size", differ, "give a size to scale the images to")
	}
	if err != nil {
		return nil, err
	}
	d := set.(*listed)
	d.shape, d.fit = Shape{3, height, width}, fitNone
	return d, nil
}

// unknown returns the error of a name that is neither a dataset nor a folder.
func unknown(name string) error {
	near := suggest.Nearest(name, Names())
	if near != "" {
		near = "did you mean " + near + "? "
	}
	return &NotFoundError{
		Dataset: name,
		Hint:    near + "the known datasets are " + strings.Join(Names(), ", ") + "; the path of a folder of images works too",
	}
}

// checked returns the options with the default split filled in, or an error that
// names the field at fault.
func (o Options) checked() (Options, error) {
	if o.Split == "" {
		o.Split = testSplit
	}
	switch {
	case !slices.Contains([]string{trainSplit, testSplit, validationSplit}, o.Split):
		return o, array.OptionError("split", "train, test or validation", strconv.Quote(o.Split))
	case !slices.Contains([]string{"", fitCrop, fitStretch}, o.Fit):
		return o, array.OptionError("fit", "crop or stretch", strconv.Quote(o.Fit))
	case o.Size < 0 || o.Size > maxSize:
		return o, array.OptionError("size", fmt.Sprintf("0 to %d pixels", maxSize), strconv.Itoa(o.Size))
	case o.Count < 0 || o.Count > maxCount:
		return o, array.OptionError("count", fmt.Sprintf("0 to %d images", maxCount), strconv.Itoa(o.Count))
	}
	return o, nil
}

// DefaultFit returns the default of [Options].Fit for a dataset: "crop" or "stretch", or "" if all images have one size.
func DefaultFit(name string) string {
	if k, ok := lookup(name); ok {
		return k.fit
	}
	return fitCrop
}

// Splits returns the splits of a known dataset; nil for any other name.
func Splits(name string) []string {
	k, ok := lookup(name)
	switch {
	case !ok:
		return nil
	case k.validation:
		return []string{trainSplit, validationSplit, testSplit}
	}
	return []string{trainSplit, testSplit}
}
