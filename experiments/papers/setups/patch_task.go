package setups

import (
	"context"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// PatchTask is a set of labelled images, from which convolutional networks and kernel machines learn features of
// patches.
type PatchTask struct {
	Name       string `json:"name" toml:"name"`
	Data       string `json:"data" toml:"data"`
	Paper      string `json:"paper" toml:"paper"` // its dataset that Data stands in for; "" if Data is that itself
	Size       int    `json:"size" toml:"size"`   // to which images are scaled; 0 is their own
	Train      int    `json:"train" toml:"train"` // images, equally many of every class
	Validation int    `json:"validation" toml:"validation"`
	Test       int    `json:"test" toml:"test"`
	// Standard subtracts the mean over the training images from the pixels of every channel, and
	// divides them by the standard deviation.
	Standard bool `json:"standard" toml:"standard"`
	// Whole shows ‖Mh‖ instead of ‖M^½h‖, and uses the network's W − W₀ instead of W, as the paper does for
	// photographs (Appendix B).
	Whole bool `json:"whole" toml:"whole"`
	// Epochs is the number of epochs of the network that learns the images; 0 is the experiment's.
	Epochs int `json:"epochs,omitempty" toml:"epochs"`
}

// StandIns returns the datasets of tasks that stand in for the paper's, by the paper's names.
func StandIns(tasks ...PatchTask) map[string]string {
	all := map[string]string{}
	for _, t := range tasks {
		if t.Paper != "" {
			all[t.Paper] = t.Data
		}
	}
	return all
}

// PatchExamples are the images of a task.
type PatchExamples struct {
	PatchTask
	Shape                   data.Shape
	Train, validation, test rfm.Examples // rows are images, (row, column, channel)
	mean, std               []float64    // of each channel, before they were removed by Standard
}

// Open reads the images of a task. Validation images are drawn by the seed from those of the training
// split. In a dry run the images are outlines.
func (t PatchTask) Open(ctx context.Context, in study.Setting, o *study.Outcome) (*PatchExamples, error) {
	if t.Train < 1 || t.Validation < 1 || t.Test < 1 {
		return nil, input.Errorf("%s: %d training, %d validation and %d test images: want at least one of each", t.Name,
			t.Train, t.Validation, t.Test)
	}
	e, err := kernelmachine.OpenOwnExamples(ctx, in,
		examples.Spec{Data: t.Data, Size: t.Size, Train: t.Train + t.Validation, Test: t.Test})
	if err != nil {
		return nil, err
	}
	n := linalg.RowCount(e.Train.X)
	if n <= t.Validation {
		return nil, input.Errorf("%s: %d images leave none to train on after %d for validation", t.Name, n,
			t.Validation)
	}
	if in.Dry() {
		outline := func(n int) rfm.Examples {
			return rfm.Examples{X: linalg.Outline(n, e.Shape.Pixels()), Y: linalg.Outline(n, len(e.Classes))}
		}
		return &PatchExamples{PatchTask: t, Shape: *e.Shape, Train: outline(n - t.Validation),
			validation: outline(t.Validation), test: e.Test}, nil
	}
	kernelmachine.RecordExamples(o, t.Name, e)
	order := models.Stream(in.Seed, "validation images").Perm(n)
	held, kept := order[:t.Validation], order[t.Validation:]
	slices.Sort(held)
	slices.Sort(kept)
	p := &PatchExamples{PatchTask: t, Shape: *e.Shape, Train: e.Train.Rows(kept), validation: e.Train.Rows(held),
		test: e.Test}
	p.standardiseAll()
	return p, nil
}

// standardiseAll computes mean and standard deviation of the training images and standardises all images, if the task
// asks for it.
func (e *PatchExamples) standardiseAll() {
	channels := e.Shape.Channels
	e.mean, e.std = make([]float64, channels), slices.Repeat([]float64{1}, channels)
	if !e.Standard {
		return
	}
	for c := range channels {
		var of []float64
		for i, v := range e.Train.X.RawMatrix().Data {
			if i%channels == c {
				of = append(of, v)
			}
		}
		mean, std := stat.PopMeanStdDev(of, nil)
		e.mean[c] = mean
		if std > 0 {
			e.std[c] = std
		}
	}
	for _, x := range []*mat.Dense{e.Train.X, e.validation.X, e.test.X} {
		px := x.RawMatrix().Data
		for i := range px {
			px[i] = (px[i] - e.mean[i%channels]) / e.std[i%channels]
		}
	}
}

// Standardise returns other images, standardised as the images of the task are.
func (e *PatchExamples) Standardise(x rfm.Images) rfm.Images {
	x.Pixels = slices.Clone(x.Pixels)
	for i, v := range x.Pixels {
		c := i % x.Channels
		x.Pixels[i] = float32((float64(v) - e.mean[c]) / e.std[c])
	}
	return x
}

// Images returns examples in the form for convolutional machines.
func (e *PatchExamples) Images(of rfm.Examples) rfm.ImageExamples {
	x := rfm.Images{Height: e.Shape.Height, Width: e.Shape.Width, Channels: e.Shape.Channels, Pixels: linalg.Float32s(of.X)}
	return rfm.ImageExamples{X: x, Y: of.Y}
}

// FirstTest returns the first n test images, or all if there are fewer.
func (e *PatchExamples) FirstTest(n int) rfm.Images {
	x := e.Images(e.test).X
	return x.Slice(0, min(n, x.Len()))
}

// HoldImages returns the first n examples as the images that package cnfa reads. The rows of X are the images, and the
// labels are the classes of the one-hot targets Y.
func HoldImages(e rfm.Examples, n int) cnfa.HeldImages {
	size, outputs := linalg.ColumnCount(e.X), linalg.ColumnCount(e.Y)
	return cnfa.HeldImages{
		Size:   size,
		Pixels: linalg.Float32s(e.X.Slice(0, n, 0, size).(*mat.Dense)),
		Labels: examples.ClassIndices(e.Y.Slice(0, n, 0, outputs).(*mat.Dense)),
	}
}
