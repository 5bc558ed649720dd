package experiments

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// DataSpec says which images to use.
type DataSpec struct {
	Data      string // a name or the path of a folder
	Split     string // train or test
	Dir       string // the data folder
	Size      int    // 0 is the network's where images are of different sizes, else the set's own
	Fit       string // crop or stretch, see [data.Options]; "" is the set's own
	Count     int    // images of a generated set; 0 is its own
	Normalise string // none, imagenet, dataset or MEAN/STD; "" is the network's own
	Seed      uint64
	InOrder   bool // keep the order of a set that has one class after the other
}

// source is a dataset made ready for a network.
type source struct {
	// set is not embedded: what a dataset tells of itself besides the methods of
	// the interface, its digest and its labels, would be lost.
	set     data.Dataset
	options data.Options // that it was opened with
	loader  *data.Loader
	order   string // how the first images were chosen, and brought to one size
	which   string // of the set's images; "" is the first
}

// openData opens the images for an architecture.
func openData(s DataSpec, a *models.Architecture) (*source, error) {
	if IsTable(s.Data) {
		return nil, badInput("%s is a table: networks here read images", s.Data)
	}
	o := data.Options{Dir: s.Dir, Split: s.Split, Seed: s.Seed, Size: s.Size, Fit: s.Fit, Count: s.Count}
	if o.Size == 0 && imagesVary(s.Data) {
		if a.Input.Height != a.Input.Width {
			return nil, badInput("%s reads images of %v: the images of %s are of different sizes: give --size", a.Name, a.Input, s.Data)
		}
		o.Size = a.Input.Height
	}
	set, err := data.Open(s.Data, o)
	if err != nil {
		return nil, &InputError{err}
	}
	src := &source{set: set, options: o, order: "in the order of the set"}
	byClass, err := inClassOrder(set)
	if err != nil {
		return nil, &InputError{err}
	}
	if byClass && !s.InOrder {
		// The first images would be of few classes.
		order := models.Stream(s.Seed, "order of "+set.Name()).Perm(set.Len())
		if src.set, err = data.Subset(set, order); err != nil {
			return nil, err
		}
		src.order = fmt.Sprintf("shuffled with seed %d", s.Seed)
	}
	if data.Decodes(set) {
		src.order += "; JPEGs by " + data.JPEGDecoder()
	}
	if imagesVary(s.Data) {
		src.order += fmt.Sprintf("; %s to %d×%d", cmp.Or(s.Fit, data.DefaultFit(s.Data)), set.Shape().Height, set.Shape().Width)
	}
	return src, nil
}

// inClassOrder reports whether a set has one class after the other, as folders
// of images and many sets of photographs have. Only sets of files do.
func inClassOrder(set data.Dataset) (bool, error) {
	if set.Len() == 0 || len(set.Classes()) == 0 || !data.Decodes(set) {
		return false, nil
	}
	labels, err := data.Labels(set)
	return err == nil && labels[0] == 0 && labels[len(labels)-1] == len(set.Classes())-1 && slices.IsSorted(labels), err
}

// imagesVary says whether the images of a dataset are of different sizes.
func imagesVary(name string) bool { return data.DefaultFit(name) != "" }

// normalise prepares the loader.
func (src *source) normalise(s DataSpec, a *models.Architecture) error {
	n, err := src.normalisation(s, a)
	src.loader = &data.Loader{Dataset: src.set, Normalisation: n, Workers: 1}
	return err
}

// isFolder says whether a dataset is given by the path of a folder.
func isFolder(name string) bool {
	if data.IsKnown(name) {
		return false
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// measuredFiles is the number of images, where each must be decoded, that its mean and standard deviation are taken from. Other sets are
// measured whole: MNIST's even and odd images are of different writers, so that
// every sixth one would have a mean of .123 where all have .131.
const measuredFiles = 10000

// normalisation is the one that a spec asks for or, if it does not, the
// architecture's. The dataset's is measured on its training split, in the size
// that the network reads.
func (src *source) normalisation(s DataSpec, a *models.Architecture) (data.Normalisation, error) {
	text := cmp.Or(s.Normalise, a.Normalise, "none")
	n, err := data.ParseNormalisation(text, func() (data.Normalisation, error) {
		train := src.set
		if data.IsKnown(s.Data) {
			o := src.options
			o.Split, o.Count = "train", 0
			if set, err := data.Open(s.Data, o); err == nil {
				train = set // else only one split is here
			}
		}
		limit := 0
		if data.Decodes(train) {
			limit = measuredFiles
		}
		return data.Measure(train, limit)
	})
	if err == nil {
		err = n.Check(src.set.Shape().Channels)
	}
	if err != nil {
		return n, &InputError{err}
	}
	return n, nil
}

// shape is the size of the set's images, as models has it.
func (s *source) shape() models.Shape {
	h := s.set.Shape()
	return models.Shape{Channels: h.Channels, Height: h.Height, Width: h.Width}
}

// openWeights reads a weights file and gives it to the architecture.
func openWeights(a *models.Architecture, path string, in models.Shape) (*models.Network, *weights.StateDict, error) {
	d, err := weights.Open(path)
	if err != nil {
		return nil, nil, &InputError{err}
	}
	n, err := a.Load(d, in)
	if err != nil {
		return nil, nil, &InputError{fmt.Errorf("%s: %w", path, err)}
	}
	return n, d, nil
}

// lookup finds an architecture; its errors are the input's.
func lookup(name string) (*models.Architecture, error) {
	a, err := models.Lookup(name)
	if err != nil {
		return nil, &InputError{err}
	}
	return a, nil
}
