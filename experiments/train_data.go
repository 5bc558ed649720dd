package experiments

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
)

// trainData is the images of a training: what it learns from, what it is judged
// by, and what it is only measured on. Validation and test may be nil.
type trainData struct {
	train, validation, test data.Dataset
	normalisation           data.Normalisation
	classes                 int
	order                   string // how the first images of a folder were chosen
}

// openTrainData opens the images of a training of an architecture.
func openTrainData(ctx context.Context, s TrainSpec, l labelling, a *models.Architecture) (*trainData, error) {
	d := &trainData{}
	spec := DataSpec{Data: s.Data, Split: "train", Dir: s.Dir, Size: s.Size, Fit: s.Fit, Count: s.Train, Normalise: s.Normalise, Seed: s.Seed}
	spec.InOrder = s.Block > 0 && s.Train == 0 // blocks are runs of the set
	if s.Classes != "" {
		spec.Count = 0 // not all that are generated are of the classes
	}
	train, err := openData(spec, a)
	if err != nil {
		return nil, err
	}
	d.order = train.order
	if d.train, err = ofClasses(train.set, s.Classes); err != nil {
		return nil, err
	}
	if d.train, err = firstImages("train", d.train, s.Train); err != nil {
		return nil, err
	}
	if err := d.openTest(s, spec, a); err != nil {
		return nil, err
	}
	if err := d.label(ctx, l, s.Seed); err != nil {
		return nil, err
	}
	if d.normalisation, err = train.normalisation(spec, a); err != nil {
		return nil, err
	}
	d.classes = len(d.train.Classes())
	if d.classes < 2 {
		return nil, badInput("%s has %d classes: training needs labelled images of at least 2; a folder needs a folder of images for each class", s.Data, d.classes)
	}
	if s.Validation > 0 {
		if d.train, d.validation, err = data.Holdout(d.train, s.Validation, s.Seed); err != nil {
			return nil, badInput("--validation %d: %v", s.Validation, err)
		}
	}
	if s.Size > 0 {
		d.hold()
	}
	return d, d.check()
}

// heldBytes is how much memory may hold images, so that they are scaled once and
// not in every epoch.
const heldBytes = 512 << 20

// hold holds images that are scaled in memory, set by set as far as there is room.
func (d *trainData) hold() {
	left := heldBytes
	for _, set := range []*data.Dataset{&d.train, &d.validation, &d.test} {
		if *set == nil {
			continue
		}
		if need := 4 * (*set).Len() * (*set).Shape().Pixels(); need <= left {
			*set, left = data.Held(*set), left-need
		}
	}
}

// openTest opens the test images: the test split of a known dataset, or another
// folder.
func (d *trainData) openTest(s TrainSpec, spec DataSpec, a *models.Architecture) error {
	spec.Split = "test"
	if s.Classes == "" {
		spec.Count = s.Test
	}
	if isFolder(s.Data) {
		if s.TestData == "" {
			return nil
		}
		spec.Data = s.TestData
	} else if s.TestData != "" {
		return badInput("--test-data is for folders of images: %s has a test split of its own", s.Data)
	}
	test, err := openData(spec, a)
	if err != nil {
		return err
	}
	if test.set.Shape() != d.train.Shape() {
		return badInput("%s has images of %v, %s of %v: give one --size", s.Data, d.train.Shape(), spec.Data, test.set.Shape())
	}
	if d.test, err = ofClasses(test.set, s.Classes); err != nil {
		return err
	}
	if d.test, err = firstImages("test", d.test, s.Test); err != nil {
		return err
	}
	if s.Shift > 0 {
		if d.test, err = data.Shifted(d.test, s.Shift, s.Seed); err != nil {
			return badInput("--shift %d: %v", s.Shift, err)
		}
	}
	return nil
}

// firstImages takes the first n images, all for 0.
func firstImages(flag string, set data.Dataset, n int) (data.Dataset, error) {
	switch {
	case n > set.Len():
		return nil, badInput("--%s %d: %s has %d images", flag, n, set.Name(), set.Len())
	case n == 0:
		return set, nil
	}
	return data.Head(set, n), nil
}

// ofClasses returns the images of some classes, A,B,…, which are then 0, 1, …;
// all of them for "".
func ofClasses(set data.Dataset, list string) (data.Dataset, error) {
	if list == "" {
		return set, nil
	}
	names := set.Classes()
	place := map[int]int{} // of a class among those chosen
	var kept []string
	for _, field := range strings.Split(list, ",") {
		c := classNamed(names, field)
		if _, twice := place[c]; c < 0 || twice {
			return nil, badInput("--classes %q: %q: want different classes of %s, by number from 0 or by name: %s", list, field, set.Name(), strings.Join(names, ", "))
		}
		place[c] = len(kept)
		kept = append(kept, names[c])
	}
	all, err := data.Labels(set)
	if err != nil {
		return nil, &InputError{err}
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
		return nil, &InputError{err}
	}
	return some, nil
}

// classNamed is the place of a class that is given by its name or its number from
// 0; −1 if there is none.
func classNamed(names []string, field string) int {
	c := slices.Index(names, field)
	if n, err := strconv.Atoi(field); c < 0 && err == nil && n >= 0 && n < len(names) {
		c = n
	}
	return c
}

// label changes the labels if others than the true ones are asked for.
func (d *trainData) label(ctx context.Context, l labelling, seed uint64) (err error) {
	switch l.kind {
	case "random":
		if d.train, err = data.RandomLabels(d.train, seed); err == nil && d.test != nil {
			d.test, err = data.RandomLabels(d.test, seed+1)
		}
	case oneClass:
		err = d.labelOne(l.class)
	case "pc":
		err = d.labelByComponent(ctx, l)
	case splitClasses:
		err = d.labelSplit(l, seed)
	}
	if err != nil && ctx.Err() == nil {
		return &InputError{fmt.Errorf("--labels: %w", err)}
	}
	return err
}

// labelByComponent labels all images by what is fitted on the training images.
func (d *trainData) labelByComponent(ctx context.Context, l labelling) error {
	c, err := data.PatchComponents(ctx, d.train, l.patch, 0)
	if err != nil {
		return err
	}
	fitted, err := data.FitComponentLabels(ctx, d.train, c, l.component, len(d.train.Classes()))
	if err != nil {
		return err
	}
	if d.train, err = fitted.Apply(ctx, d.train); err != nil || d.test == nil {
		return err
	}
	d.test, err = fitted.Apply(ctx, d.test)
	return err
}

// check refuses labels that training could not use.
func (d *trainData) check() error {
	for _, set := range []data.Dataset{d.train, d.validation, d.test} {
		if set == nil {
			continue
		}
		if err := data.CheckLabels(set, d.classes); err != nil {
			return &InputError{err}
		}
	}
	return nil
}

// shape is the size of the images, as models has it.
func (d *trainData) shape() models.Shape {
	h := d.train.Shape()
	return models.Shape{Channels: h.Channels, Height: h.Height, Width: h.Width}
}

// probes is what the ansatz is tracked on, and what it is called: test images
// where there are some, on which nothing is chosen.
func (d *trainData) probes(n int) (set data.Dataset, name string, err error) {
	set, name = d.test, "test"
	if set == nil {
		set, name = d.train, "training"
	}
	if n == 0 {
		n = min(defaultProbes, set.Len())
	}
	if n > set.Len() {
		return nil, "", badInput("--probe-images %d: there are %d %s images", n, set.Len(), name)
	}
	return data.Head(set, n), fmt.Sprintf("the first %d %s images", n, name), nil
}
