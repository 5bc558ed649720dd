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

	// Target, Ordinal and Classify are for tables; see [table.EncodeOptions].
	Target            string
	Ordinal, Classify bool

	Progress func(stage string, done, total int) // may be nil
}

// Check is the result of checking a dataset.
type Check struct {
	Dataset string       `json:"dataset"`
	OK      bool         `json:"ok"`
	Splits  []SplitCheck `json:"splits"`

	// Receipt says whether the files are as `ansatz data get` left them. It is nil if the dataset was
	// not downloaded by that command.
	Receipt *ReceiptCheck `json:"receipt,omitempty"`

	page record.PageData
}

// Inspection is a check with its opened dataset.
type Inspection struct {
	Check

	spec CheckSpec
	sets []data.Dataset // by split; nil if it could not be opened
}

// SplitCheck is the result of checking a split.
type SplitCheck struct {
	Split     string    `json:"split,omitempty"`
	Images    int       `json:"images"`
	Published int       `json:"published,omitempty"` // number of images in the catalogue
	Shape     string    `json:"shape,omitempty"`
	Classes   []string  `json:"classes,omitempty"`
	Smallest  int       `json:"smallest_class,omitempty"` // number of images of the smallest class
	Largest   int       `json:"largest_class,omitempty"`  // and of the largest class
	Mean      []float32 `json:"mean,omitempty"`           // of each channel
	Std       []float32 `json:"std,omitempty"`
	SHA256    string    `json:"sha256,omitempty"`    // see [data.Info]
	Identical bool      `json:"identical,omitempty"` // the digest equals the catalogue's
	Problem   string    `json:"problem,omitempty"`
}

// NewInspection opens every split of a dataset. It fails only if no split can be opened.
func NewInspection(s CheckSpec) (*Inspection, error) {
	c := &Inspection{Check: Check{Dataset: s.Data}, spec: s}
	if s.Target != "" || s.Ordinal || s.Classify {
		return nil, input.Errorf("--target, --ordinal and --classify are for tables: %s has images", s.Data)
	}
	splits := splitsOf(s.Data)
	o := data.Options{Dir: s.Dir, Seed: s.Seed, Size: s.Size, Fit: s.Fit}
	if s.Size == 0 && s.Fit == "" && input.IsFolder(s.Data) { // images of one size are not scaled
		_, _, differ, err := data.FolderSize(s.Data)
		o.Whole = err == nil && differ == ""
	}
	var first error
	opened := false
	for _, split := range splits {
		o.Split = split
		set, err := data.Open(s.Data, o)
		found := SplitCheck{Split: split}
		if err != nil {
			found.Problem = err.Error()
			first, set = cmp.Or(first, err), nil
		}
		opened = opened || err == nil
		c.Splits, c.sets = append(c.Splits, found), append(c.sets, set)
	}
	if !opened {
		return nil, first
	}
	return c, nil
}

// Run reads every image, compares the splits with the catalogue, and the files with those that were
// downloaded. If something is wrong with a split, its Problem says what. Run fails only if ctx ends or
// the list of downloaded files cannot be read.
func (c *Inspection) Run(ctx context.Context) error {
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

// readImages reads the images of a split and sets its numbers.
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

// splitsOf returns the splits of a dataset to check. It leaves out a test split that is the validation
// split under another name.
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

// compare compares a split with the catalogue.
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
		c.Problem = "images or labels differ from the published ones: the digest is not " + s.SHA256
	case s.SHA256 != "":
		c.Identical = true
	}
}

// published returns the catalogue's entry for a split. Missing says that the catalogue has the dataset but
// not the split, so the number of images is unknown.
func (c *SplitCheck) published(name string) (s catalogue.Split, listed, missing bool) {
	base, variant, _ := strings.Cut(name, ":")
	e, ok := catalogue.Find(base)
	if !ok || e.Kind == catalogue.Generated {
		return s, false, false
	}
	s, listed = e.SplitOf(variant, c.Split)
	return s, listed, !listed
}
