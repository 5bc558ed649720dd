package input

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/imagefile"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
)

// DataSpec says which images to use.
type DataSpec struct {
	Data      string // a name or the path of a folder
	Split     string // train or test
	Dir       string // the data folder
	Size      int    // 0: the network's size if image sizes vary, else the dataset's own
	Fit       string // crop or stretch, see [data.Options]; "" is the dataset's default
	Count     int    // images of a generated dataset; 0 is its default
	Normalise string // none, imagenet, dataset or MEAN/STD; "" is the network's
	Seed      uint64
	InOrder   bool // do not shuffle a dataset that is sorted by class
}

// Source is a dataset prepared for a network.
type Source struct {
	// Dataset is not embedded: that would hide its methods beyond the interface, such as those for its digest and labels.
	Dataset data.Dataset
	options data.Options // Dataset was opened with them
	Loader  *data.Loader
	Order   string // how the first images were chosen and resized
	Which   string // which of the dataset's images; "" means the first
	// Shuffled are the images' indices in the dataset, from 0, if they were shuffled.
	Shuffled []int
	// Classes are the names of all classes of the dataset, before some are selected.
	Classes []string
}

// Open opens the images that a spec names for an architecture. Images of files that are sorted by
// class are shuffled by the seed unless s.InOrder is set.
func Open(s DataSpec, a *models.Architecture) (*Source, error) {
	if IsTable(s.Data) {
		return nil, Errorf("%s is a table: networks read images", s.Data)
	}
	if err := checkNoFile(s.Data); err != nil {
		return nil, err
	}
	o := data.Options{Dir: s.Dir, Split: s.Split, Seed: s.Seed, Size: s.Size, Fit: s.Fit, Count: s.Count}
	if o.Size == 0 && ImageSizesVary(s.Data) {
		if o.Size = a.Input.Height; o.Size == 0 || o.Size != a.Input.Width {
			if err := checkSizes(s.Data, a); err != nil {
				return nil, err
			}
			o.Size, o.Whole = 0, true
		}
	}
	set, err := data.Open(s.Data, o)
	if err != nil {
		return nil, optionError(err)
	}
	src := &Source{Dataset: set, options: o, Order: "in the order of the dataset", Classes: set.Classes()}
	byClass, err := inClassOrder(set)
	if err != nil {
		return nil, &Error{err}
	}
	if byClass && !s.InOrder {
		// The first images would be of few classes only.
		src.Shuffled = models.Stream(s.Seed, "order of "+set.Name()).Perm(set.Len())
		if src.Dataset, err = data.Subset(set, src.Shuffled); err != nil {
			return nil, err
		}
		src.Order = fmt.Sprintf("shuffled with seed %d", s.Seed)
	}
	// An architecture that came with its weights has fixed input channels.
	if a.Weights != nil && a.Input.Channels == 1 && set.Shape().Channels == 3 && IsFolder(s.Data) {
		if src.Dataset, err = data.Grey(src.Dataset); err != nil {
			return nil, &Error{err}
		}
		src.Order += "; in grey, .299 red + .587 green + .114 blue"
	}
	if data.Decodes(set) {
		src.Order += "; JPEGs by " + imagefile.JPEGDecoder()
	}
	src.Order += partText(s, set.Len())
	if skipped := data.Skipped(set); len(skipped) > 0 {
		src.Order += "; " + skippedText(skipped)
	}
	switch {
	case o.Whole:
		src.Order += fmt.Sprintf("; of their own size, %d×%d", set.Shape().Height, set.Shape().Width)
	case ImageSizesVary(s.Data):
		src.Order += fmt.Sprintf("; %s to %d×%d", cmp.Or(s.Fit, data.DefaultFit(s.Data)), set.Shape().Height,
			set.Shape().Width)
	}
	return src, nil
}

// optionError returns an [*Error] of an error of [data.Open], with a flag's name in place of an option's.
func optionError(err error) error {
	var format *data.FormatError
	if errors.As(err, &format) {
		for _, flag := range []string{"split", "fit", "size"} {
			if format.Path == "option "+flag {
				format.Path = "--" + flag
			}
		}
	}
	return &Error{err}
}

// checkNoFile returns an error if a name that is not that of a table is the path of a file: images are in folders.
func checkNoFile(name string) error {
	info, err := os.Stat(name)
	if data.IsKnown(name) || err != nil || info.IsDir() {
		return nil
	}
	return Errorf("%s: expected a table (.csv, .tsv, .txt, .csv.gz, .arff, .parquet, .npz), a folder of images or the name of a "+
		"dataset, found a file of another kind: export a spreadsheet as CSV, put images into a folder, and call a CSV file "+
		".csv or pipe it into --data -", name)
}

// CheckFound returns an error if a name is neither that of a dataset nor the path of a folder.
func CheckFound(name string) error {
	if _, err := os.Stat(name); err != nil && !data.IsKnown(name) {
		return Errorf("%s: there is no such file or folder, and no dataset is called so (ansatz data list shows them)", name)
	}
	return checkNoFile(name)
}

// OfSplit returns " of the train split", "" for a set without splits, such as a folder.
func OfSplit(split string) string {
	if split == "" {
		return ""
	}
	return " of the " + split + " split"
}

// IsPolynomial reports whether a name is that of a generated table.
func IsPolynomial(name string) bool { return strings.HasPrefix(name, Polynomials+":") }

// KindOfData says what kind of data a name stands for.
func KindOfData(name string, isTable bool) string {
	switch {
	case isTable:
		return "a table"
	case IsPolynomial(name):
		return "a generated table"
	}
	return "a set of images"
}

// checkSizes returns an error unless the images of a folder have the size that the network reads; a network with an
// open size reads any. Images of different sizes can only be scaled to a square.
func checkSizes(name string, a *models.Architecture) error {
	want := fmt.Sprintf("%d×%d", a.Input.Height, a.Input.Width)
	open := a.Input.Height == 0 || a.Input.Width == 0
	todo := "scale them to this size before, since --size makes squares"
	if open {
		want, todo = "any size", "give --size, to which they are scaled"
	}
	if !IsFolder(name) {
		if !data.IsKnown(name) {
			return nil // it cannot be opened, which says why
		}
		return Errorf("%s reads images of %s (rows × columns), but those of %s differ in size: %s", a.Name, want, name, todo)
	}
	height, width, differ, err := data.FolderSize(name)
	switch {
	case err != nil:
		return &Error{err}
	case differ != "":
		return Errorf("%s reads images of %s (rows × columns), but those of %s differ in size: %s; %s", a.Name, want, name,
			differ, todo)
	case a.Input.Height != 0 && height != a.Input.Height || a.Input.Width != 0 && width != a.Input.Width:
		return Errorf("%s reads images of %v (rows and columns of 0 are open), but those of %s have %d×%d (rows × columns): %s",
			a.Name, a.Input, name, height, width, todo)
	}
	return nil
}

// skippedText says how many files of a folder are not images, with their names.
func skippedText(skipped []string) string {
	ends := map[string]bool{}
	for _, name := range skipped {
		ends[cmp.Or(strings.ToLower(filepath.Ext(name)), filepath.Base(name))] = true
	}
	names := slices.Sorted(maps.Keys(ends))
	if len(names) > 5 {
		names = append(names[:5], "…")
	}
	return fmt.Sprintf("skipped %s of other kinds than images (%s)", words.Count(len(skipped), "file"), strings.Join(names, ", "))
}

// inClassOrder reports whether a dataset lists one class after the other, as folders of images and many sets of
// photographs do. For datasets that are not in files it is false.
func inClassOrder(set data.Dataset) (bool, error) {
	if set.Len() == 0 || len(set.Classes()) == 0 || !data.Decodes(set) {
		return false, nil
	}
	labels, err := data.Labels(set)
	return err == nil && labels[0] == 0 && labels[len(labels)-1] == len(set.Classes())-1 && slices.IsSorted(labels), err
}

// ImageSizesVary reports whether the images of a dataset have different sizes.
func ImageSizesVary(name string) bool { return data.DefaultFit(name) != "" }

// Normalise sets the loader, with the normalisation that [Source.Normalisation] returns.
func (src *Source) Normalise(s DataSpec, a *models.Architecture) error {
	n, err := src.Normalisation(s, a)
	src.Loader = &data.Loader{Dataset: src.Dataset, Normalisation: n, Workers: 1}
	return err
}

// IsFolder reports whether a dataset is given by the path of a folder.
func IsFolder(name string) bool {
	if data.IsKnown(name) {
		return false
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// measuredFiles is the number of images used for the mean and standard deviation of a dataset whose images must be
// decoded one by one. Other datasets are measured completely: MNIST's even and odd images are by different writers, so
// that every sixth image would give a mean of .123 instead of .131.
const measuredFiles = 10000

// Normalisation returns the normalisation that a spec asks for or, by default, the architecture's.
// The dataset's own is measured on its training split, if that is on this computer, at the size that the network reads.
func (src *Source) Normalisation(s DataSpec, a *models.Architecture) (data.Normalisation, error) {
	text := cmp.Or(s.Normalise, a.Normalise, "none")
	n, err := data.ParseNormalisation(text, func() (data.Normalisation, error) {
		train := src.Dataset
		if data.IsKnown(s.Data) {
			o := src.options
			o.Split, o.Count = "train", 0
			set, err := data.Open(s.Data, o)
			switch missing := (*data.NotFoundError)(nil); {
			case err == nil:
				train = set
			case !errors.As(err, &missing): // if the training split is not here, the images are measured
				return data.Normalisation{}, err
			}
		}
		limit := 0
		if data.Decodes(train) {
			limit = measuredFiles
		}
		return data.Measure(train, limit)
	})
	if err == nil {
		err = n.Check(src.Dataset.Shape().Channels)
	}
	if format := (*data.FormatError)(nil); errors.As(err, &format) && strings.HasPrefix(format.Path, "normalisation ") {
		format.Path = "normalisation " + text // as it was given
	}
	if err != nil {
		return n, &Error{err}
	}
	return n, nil
}

// Shape returns the shape of the images.
func (s *Source) Shape() models.Shape {
	h := s.Dataset.Shape()
	return models.Shape{Channels: h.Channels, Height: h.Height, Width: h.Width}
}

// Stdin is the name of a table that is read from stdin.
const Stdin = "-"

// IsTable reports whether a name or path is that of a table, not of images.
func IsTable(name string) bool {
	collection, _, _ := strings.Cut(name, ":")
	return collection == Polynomials || name == Stdin || data.IsTable(name)
}

// FindClass returns the index of a class that is given by its name or its number from 0; −1 if
// there is none.
func FindClass(names []string, field string) int {
	c := slices.Index(names, field)
	if n, err := strconv.Atoi(field); c < 0 && err == nil && n >= 0 && n < len(names) {
		c = n
	}
	return c
}

// FindPolynomial returns the generated table with a name, polynomial:NAME, and whether it exists.
func FindPolynomial(name string) (table.Polynomial, bool) {
	collection, member, _ := strings.Cut(name, ":")
	all := table.Polynomials()
	i := slices.IndexFunc(all, func(p table.Polynomial) bool { return p.Name == member })
	if collection != Polynomials || i < 0 {
		return table.Polynomial{}, false
	}
	return all[i], true
}

// FirstImages returns the first n images of a set, all for 0. If there are fewer, the error names
// the flag.
func FirstImages(flag string, set data.Dataset, n int) (data.Dataset, error) {
	switch {
	case n > set.Len():
		return nil, Errorf("--%s %d: %s has %s", flag, n, set.Name(), words.Count(set.Len(), "image"))
	case n == 0:
		return set, nil
	}
	return data.Head(set, n), nil
}

// DrawImages returns n images, all for 0, drawn by the seed and kept in the dataset's order. If there are fewer, the
// error names the flag.
func DrawImages(flag string, set data.Dataset, n int, seed uint64) (data.Dataset, error) {
	first, err := FirstImages(flag, set, n)
	if err != nil || n == 0 || n == set.Len() {
		return first, err
	}
	drawn := models.Stream(seed, "images of "+set.Name()).Perm(set.Len())[:n]
	slices.Sort(drawn)
	return data.Subset(set, drawn)
}

// LeftOut says that something, such as "the network vgg11", is skipped because err reports a missing file or dataset;
// "" if err is about anything else.
func LeftOut(what string, err error) string {
	var set *data.NotFoundError
	switch missing := MissingFile(err); {
	case missing == "":
		return ""
	case errors.As(err, &set):
		return fmt.Sprintf("Without %s: the dataset %s is not on this computer.", what, set.Dataset)
	default:
		return fmt.Sprintf("Without %s: there is %s.", what, missing)
	}
}

// MissingFile names the missing file or dataset that err reports; "" if err is about anything else.
func MissingFile(err error) string {
	var set *data.NotFoundError
	var path *fs.PathError
	switch {
	case errors.As(err, &set):
		return fmt.Sprintf("dataset %s not found", set.Dataset)
	case errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("no file %s", path.Path)
	}
	return ""
}

// NormalisationText returns the name of a normalisation and its constants.
func NormalisationText(n data.Normalisation) string {
	if n.Name == "" || n.Name == n.String() {
		return n.String()
	}
	return fmt.Sprintf("%s (%s)", n.Name, n)
}

// MatchClasses returns a set relabelled by another set's classes, matched by name: label 1 of the result is
// classes[1], whatever its label was. The set may lack some of the classes, and list them in any order; a class that
// is not among them is an [*Error]. A set without labels is returned unchanged.
func MatchClasses(set data.Dataset, classes []string) (data.Dataset, error) {
	own := set.Classes()
	if len(own) == 0 || len(classes) == 0 || slices.Equal(own, classes) {
		return set, nil
	}
	place := make([]int, len(own))
	for k, name := range own {
		if place[k] = slices.Index(classes, name); place[k] < 0 {
			return nil, Errorf("%s has the class %q, which the training images do not have: it has %s, they have %s",
				set.Name(), name, strings.Join(own, ", "), strings.Join(classes, ", "))
		}
	}
	labels, err := data.Labels(set)
	if err != nil {
		return nil, &Error{err}
	}
	matched := slices.Clone(labels)
	for i, l := range labels {
		matched[i] = place[l]
	}
	return data.Relabel(set, matched, classes)
}

// SelectClasses returns the images of some classes, given as A,B,…, with labels 0, 1, … in that
// order; "" selects all.
func SelectClasses(set data.Dataset, list string) (data.Dataset, error) {
	if list == "" {
		return set, nil
	}
	names := set.Classes()
	place := map[int]int{} // position of a class in the list
	var kept []string
	for _, field := range strings.Split(list, ",") {
		c := FindClass(names, field)
		if _, twice := place[c]; c < 0 || twice {
			return nil, Errorf("--classes %q: %q: want different classes of %s, by number from 0 or by name: %s",
				list, field, set.Name(), strings.Join(names, ", "))
		}
		place[c] = len(kept)
		kept = append(kept, names[c])
	}
	all, err := data.Labels(set)
	if err != nil {
		return nil, &Error{err}
	}
	var images, labels []int
	for i, l := range all {
		if p, ok := place[l]; ok {
			images, labels = append(images, i), append(labels, p)
		}
	}
	some, err := data.Subset(set, images)
	if err == nil {
		some, err = data.Relabel(some, labels, kept)
	}
	if err != nil {
		return nil, &Error{err}
	}
	return some, nil
}

// Polynomials is the collection of generated tables, which are called polynomial:NAME.
const Polynomials = "polynomial"
