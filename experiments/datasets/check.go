package datasets

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/catalogue"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
)

// CheckSpec says which dataset to check.
type CheckSpec struct {
	Data string // a name, or the path of a folder of images
	Dir  string // the data folder
	Seed uint64
	Size int    // see [data.Options]
	Fit  string // see [data.Options]

	// Of a table: the column to predict, "" for the default; nominal columns by
	// number; and whether whole numbers to predict are classes.
	Target            string
	Ordinal, Classify bool

	Progress func(stage string, done, total int) // may be nil
}

// Check is what was found in a dataset.
type Check struct {
	Dataset string       `json:"dataset"`
	OK      bool         `json:"ok"`
	Splits  []SplitCheck `json:"splits"`

	// Receipt says whether the files are those that `ansatz data get` laid out:
	// the number of files, or what became of them. It is nil when they were laid
	// out by other means.
	Receipt *ReceiptCheck `json:"receipt,omitempty"`

	page record.PageData
}

// DatasetInspection is a check with the dataset at hand.
type DatasetInspection struct {
	Check

	spec CheckSpec
	sets []data.Dataset // of the splits; nil for one that could not be opened
}

// SplitCheck is what was found in a split.
type SplitCheck struct {
	Split     string    `json:"split,omitempty"`
	Images    int       `json:"images"`
	Published int       `json:"published,omitempty"` // images, by the catalogue
	Shape     string    `json:"shape,omitempty"`
	Classes   []string  `json:"classes,omitempty"`
	Smallest  int       `json:"smallest_class,omitempty"` // images of the class that has the fewest
	Largest   int       `json:"largest_class,omitempty"`  // and of that which has the most
	Mean      []float32 `json:"mean,omitempty"`           // of each channel
	Std       []float32 `json:"std,omitempty"`
	SHA256    string    `json:"sha256,omitempty"`    // see [data.Info]
	Identical bool      `json:"identical,omitempty"` // to what was published, by the digest in the catalogue
	Problem   string    `json:"problem,omitempty"`
}

// NewCheck opens every split of a dataset, to be checked by Run. The
// error is that of a dataset no split of which can be opened.
func NewCheck(s CheckSpec) (*DatasetInspection, error) {
	c := &DatasetInspection{Check: Check{Dataset: s.Data}, spec: s}
	if s.Target != "" || s.Ordinal || s.Classify {
		return nil, input.Errorf("--target, --ordinal and --classify are for tables: %s has images", s.Data)
	}
	splits := splitsOf(s.Data)
	var first error
	there := false
	for _, split := range splits {
		set, err := data.Open(s.Data, data.Options{Dir: s.Dir, Split: split, Seed: s.Seed, Size: s.Size, Fit: s.Fit})
		found := SplitCheck{Split: split}
		if err != nil {
			found.Problem = err.Error()
			first, set = cmp.Or(first, err), nil
		}
		there = there || err == nil
		c.Splits, c.sets = append(c.Splits, found), append(c.sets, set)
	}
	if !there {
		return nil, first
	}
	return c, nil
}

// Run reads every image and compares what it finds with the catalogue, and the
// files with what was downloaded. What is wrong with a split is in its Problem.
// The error is that of a context that is done, or of a list of what was
// downloaded that cannot be read.
func (c *DatasetInspection) Run(ctx context.Context) error {
	c.OK = true
	for i := range c.Splits {
		s := &c.Splits[i]
		if set := c.sets[i]; set != nil {
			if err := s.readImages(ctx, set, c.spec.Progress); err != nil {
				s.Problem = err.Error()
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.compare(c.spec.Data)
		c.OK = c.OK && s.Problem == ""
	}
	var err error
	c.Receipt, err = checkReceipt(ctx, c.spec)
	c.OK = c.OK && c.Receipt.ok()
	return err
}

// readImages reads a split.
func (c *SplitCheck) readImages(ctx context.Context, set data.Dataset, progress func(string, int, int)) error {
	c.Images, c.Shape, c.Classes = set.Len(), set.Shape().String(), set.Classes()
	if len(c.Classes) > 0 {
		if err := data.CheckLabels(set, len(c.Classes)); err != nil {
			return err
		}
		labels, err := data.Labels(set)
		if err != nil {
			return err
		}
		perClass := make([]int, len(c.Classes))
		for _, l := range labels {
			perClass[l]++
		}
		c.Smallest, c.Largest = slices.Min(perClass), slices.Max(perClass)
	}
	watch := func(stage string) data.Dataset {
		return data.Watched(ctx, set, func(n int) {
			if progress != nil {
				progress(stage+" "+c.Split, n, set.Len())
			}
		})
	}
	n, err := data.Measure(watch("reading"), 0)
	if err != nil {
		return err
	}
	c.Mean, c.Std = n.Mean, n.Std
	info, err := data.Describe(watch("digest of"))
	c.SHA256 = info.SHA256
	return err
}

// splitsOf returns the splits of a dataset to check, without the test split where that is the
// validation split under another name.
func splitsOf(name string) []string {
	splits := data.Splits(name)
	if splits == nil {
		return []string{""}
	}
	base, _, _ := strings.Cut(name, ":")
	if e, ok := catalogue.Find(base); ok {
		test, _ := e.Split("test")
		if validation, ok := e.Split("validation"); ok && validation.Name == test.Name {
			splits = slices.DeleteFunc(splits, func(s string) bool { return s == "test" })
		}
	}
	return splits
}

// compare holds a split against the catalogue.
func (c *SplitCheck) compare(name string) {
	s, listed, _ := c.published(name)
	if !listed {
		return
	}
	c.Published = s.Size
	switch {
	case c.Problem != "":
	case c.Images != s.Size:
		c.Problem = "not as many images as published"
	case s.SHA256 != "" && c.SHA256 != s.SHA256:
		c.Problem = "other images or labels than those published: the digest is not " + s.SHA256
	case s.SHA256 != "":
		c.Identical = true
	}
}

// published is what the catalogue says of a split. Missing says that it has the dataset
// and not the split, so that nobody says how many images there should be.
func (c *SplitCheck) published(name string) (s catalogue.Split, listed, missing bool) {
	base, variant, _ := strings.Cut(name, ":")
	e, ok := catalogue.Find(base)
	if !ok || e.Kind == catalogue.Generated {
		return s, false, false
	}
	s, listed = e.SplitOf(variant, c.Split)
	return s, listed, !listed
}
