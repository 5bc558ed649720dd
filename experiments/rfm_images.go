package experiments

import (
	"context"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// openOwn opens the images of a spec: at most so many training images, as many
// of every class and drawn by the seed, so that every seed learns from images of
// its own, and test images alike; or all images, where the spec does not say how
// many to train on.
func (in Setting) openOwn(ctx context.Context, s ExamplesSpec) (*examples, error) {
	s.Dir, s.Seed, s.Balanced = in.DataDir, in.Seed, s.Train > 0
	if IsTable(s.Data) || isFolder(s.Data) {
		return nil, badInput("%s: want the name of an image set with a test split", s.Data)
	}
	return openExamples(ctx, s)
}

// usedExamples takes note of the examples.
func (o *Outcome) usedExamples(what string, e *examples) {
	o.Data = append(o.Data, DataUsed{what + ", training: " + e.conv.Train, rowCount(e.train.X), e.conv.TrainSHA})
	if e.test.X != nil {
		o.Data = append(o.Data, DataUsed{what + ", test: " + e.conv.Test, rowCount(e.test.X), e.conv.TestSHA})
	}
}

func rowCount(x mat.Matrix) int {
	n, _ := x.Dims()
	return n
}

// shareIn is the part of a sum of numbers, none negative, that some of them make.
func shareIn(v []float64, of []int) float64 {
	part, all := 0., 0.
	for _, i := range of {
		part += v[i]
	}
	for _, x := range v {
		all += x
	}
	return part / all
}

// coordinates are the elements of images, in (row, column, channel) order, of
// the pixels that are chosen.
func coordinates(s data.Shape, chosen func(row, column int) bool) []int {
	var at []int
	for k := range s.Height * s.Width {
		if chosen(k/s.Width, k%s.Width) {
			for c := range s.Channels {
				at = append(at, k*s.Channels+c)
			}
		}
	}
	return at
}

// replacedIn is examples with some coordinates taken from one of them.
func replacedIn(e rfm.Examples, at []int, from int) rfm.Examples {
	x := mat.DenseCopyOf(e.X)
	source := slices.Clone(x.RawRowView(from))
	for i := range rowCount(x) {
		row := x.RawRowView(i)
		for _, j := range at {
			row[j] = source[j]
		}
	}
	return rfm.Examples{X: x, Y: e.Y}
}

// classIndices are the classes of one-hot targets.
func classIndices(y *mat.Dense) []int {
	n, _ := y.Dims()
	labels := make([]int, n)
	for i := range labels {
		labels[i] = slices.Index(y.RawRowView(i), 1)
	}
	return labels
}
