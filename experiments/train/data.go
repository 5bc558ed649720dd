package train

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
)

// Data holds the images of a training: the network learns from Train, Validation chooses the best
// epoch, and Test only measures. Validation and Test may be nil.
type Data struct {
	Train, Validation, Test data.Dataset
	Normalisation           data.Normalisation
	classes                 int
	selected                []string // the names of the classes that Spec.Classes selects, before Spec.Labels renames them
	order                   string   // how the images of a folder were ordered
	copies                  input.Copies
}

// openData opens the images of a training of an architecture.
func openData(ctx context.Context, s Spec, l labelling, a *models.Architecture) (*Data, error) {
	d := &Data{}
	spec := input.DataSpec{Data: s.Data, Split: "train", Dir: s.Dir, Size: s.Size, Fit: s.Fit, Count: s.Train,
		Normalise: s.Normalise, Seed: cmp.Or(s.Draw, s.Seed)}
	spec.InOrder = s.Block > 0 && s.Train == 0 // a block is read as one stretch of the set
	if s.Classes != "" {
		spec.Count = 0 // fewer of the generated images have these classes
	}
	train, err := input.Open(spec, a)
	if err != nil {
		return nil, err
	}
	d.order = train.Order
	if d.Train, err = input.SelectClasses(train.Dataset, s.Classes); err != nil {
		return nil, err
	}
	d.selected = d.Train.Classes()
	if d.Train, err = s.choose("train", d.Train, s.Train); err != nil {
		return nil, err
	}
	if err := d.openTest(s, spec, a, train.Classes); err != nil {
		return nil, err
	}
	if err := d.relabel(ctx, l, s.Seed); err != nil {
		return nil, err
	}
	if d.Normalisation, err = train.Normalisation(spec, a); err != nil {
		return nil, err
	}
	d.classes = len(d.Train.Classes())
	if d.classes < 2 && s.Classes != "" {
		return nil, input.Errorf("--classes %s: training needs at least 2 classes", s.Classes)
	}
	if d.classes < 2 {
		return nil, input.Errorf("training needs labelled images of at least 2 classes, %s has %s; a folder needs a folder of "+
			"images for each class", s.Data, words.Count(d.classes, "class"))
	}
	if s.Validation > 0 {
		if d.Train, d.Validation, err = data.Holdout(d.Train, s.Validation, s.Seed); err != nil {
			return nil, input.Errorf("--validation %d: %v", s.Validation, err)
		}
	}
	if s.Size > 0 {
		d.holdInMemory()
	}
	return d, d.checkLabels()
}

// choose returns n images of a set, all for 0: the first ones, or drawn ones if s.Draw is set.
func (s Spec) choose(flag string, set data.Dataset, n int) (data.Dataset, error) {
	if s.Draw == 0 {
		return input.FirstImages(flag, set, n)
	}
	return input.DrawImages(flag, set, n, s.Draw)
}

// heldBytes limits the memory for scaled images. Images that fit are scaled once instead of in every epoch.
const heldBytes = 512 << 20

// holdInMemory keeps scaled images in memory, set by set, as long as there is room.
func (d *Data) holdInMemory() {
	left := heldBytes
	for _, set := range []*data.Dataset{&d.Train, &d.Validation, &d.Test} {
		if *set == nil {
			continue
		}
		if need := 4 * (*set).Len() * (*set).Shape().Pixels(); need <= left {
			*set, left = data.Held(*set), left-need
		}
	}
}

// openTest opens the test images, which are the test split of a known dataset or another folder, and gives their
// classes the labels that they have among the training images.
func (d *Data) openTest(s Spec, spec input.DataSpec, a *models.Architecture, classes []string) error {
	spec.Split = "test"
	if s.Classes == "" {
		spec.Count = s.Test
	}
	if input.IsFolder(s.Data) {
		if s.TestData == "" && s.Test > 0 {
			return input.Errorf("--test %d: there are no test images; --test-data names a folder of them", s.Test)
		}
		if s.TestData == "" {
			return nil
		}
		var err error
		if d.copies, err = input.CheckTestData(s.Data, s.TestData); err != nil {
			return err
		}
		spec.Data = s.TestData
	} else if s.TestData != "" {
		return input.Errorf("--test-data is for folders of images: %s has its own test split", s.Data)
	}
	test, err := input.Open(spec, a)
	if err != nil {
		return err
	}
	if test.Dataset.Shape() != d.Train.Shape() {
		return input.Errorf("%s has images of %v, but %s of %v: give one --size", s.Data, d.Train.Shape(), spec.Data,
			test.Dataset.Shape())
	}
	if d.Test, err = input.MatchClasses(test.Dataset, classes); err != nil {
		return err
	}
	if d.Test, err = input.SelectClasses(d.Test, s.Classes); err != nil {
		return err
	}
	if d.Test, err = s.choose("test", d.Test, s.Test); err != nil {
		return err
	}
	if s.Shift > 0 {
		if d.Test, err = data.Shifted(d.Test, s.Shift, s.Seed); err != nil {
			return input.Errorf("--shift %d: %v", s.Shift, err)
		}
	}
	return nil
}

// checkLabels returns an error for labels that training cannot use.
func (d *Data) checkLabels() error {
	for _, set := range []data.Dataset{d.Train, d.Validation, d.Test} {
		if set == nil {
			continue
		}
		if err := data.CheckLabels(set, d.classes); err != nil {
			return &input.Error{Err: err}
		}
	}
	return nil
}

// shape returns the shape of the images as package models describes it.
func (d *Data) shape() models.Shape {
	h := d.Train.Shape()
	return models.Shape{Channels: h.Channels, Height: h.Height, Width: h.Width}
}

// Probes returns the n images of a split on which the ansatz is tracked, and a description of them. The split is train, test, or
// "" for test images if there are any and otherwise training images. For n = 0 it chooses the number.
func (d *Data) Probes(n int, split string) (set data.Dataset, name string, err error) {
	set, name = d.Test, "test"
	switch {
	case split == "train", split == "" && set == nil:
		set, name = d.Train, "training"
	case split != "" && split != "test":
		return nil, "", input.Errorf("--probe-split %q: want train or test", split)
	case set == nil:
		return nil, "", input.Errorf("--probe-split test: there are no test images")
	}
	if n == 0 {
		n = min(defaultProbes, set.Len())
	}
	if n > set.Len() {
		return nil, "", input.Errorf("--probe-images %d: there are %d %s images", n, set.Len(), name)
	}
	return data.Head(set, n), fmt.Sprintf("the first %d %s images", n, name), nil
}

// Names of the data in [Training.inputs].
const (
	trainImages = "training images"
	testImages  = "test images"
)

// inputs identifies all that the training reads.
func (t *Training) inputs() (job.Inputs, error) {
	files, err := job.DigestFiles(t.spec.Arch, t.spec.InitWeights)
	if err != nil {
		return job.Inputs{}, err
	}
	in := job.Inputs{Files: files, Data: map[string]string{
		"classes": strings.Join(t.data.Train.Classes(), ", "), "normalisation": t.data.Normalisation.String(),
		"backend": input.BackendName(t.spec.Backend), // other backends round differently
	}}
	for what, set := range map[string]data.Dataset{trainImages: t.data.Train, testImages: t.data.Test} {
		if set == nil {
			continue
		}
		info, err := data.Describe(set)
		if err != nil {
			return in, &input.Error{Err: err}
		}
		in.Data[what] = info.SHA256
	}
	return in, nil
}

// runInputs identifies all that the bits of a training's weights depend on besides its spec.
func (t *Training) runInputs() (job.Inputs, error) {
	in, err := t.inputs()
	if err == nil && in.Data["backend"] != "gpu" { // other numbers of threads add up in another order
		in.Data["number of threads (--threads)"] = fmt.Sprint(cmp.Or(t.spec.Threads, runtime.GOMAXPROCS(0)))
	}
	return in, err
}
