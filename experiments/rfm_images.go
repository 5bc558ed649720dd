package experiments

import (
	"context"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/report"
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

// byPixel sums the channels of every pixel.
func byPixel(v []float64, s data.Shape) []float64 {
	out := make([]float64, s.Height*s.Width)
	for i, x := range v {
		out[i/s.Channels] += x
	}
	return out
}

// heat draws numbers, none negative, an element of images each, in a colour map:
// the sum over the channels, from 0 to its largest.
func heat(v []float64, s data.Shape, caption string) report.Image {
	px := byPixel(v, s)
	if most := slices.Max(px); most > 0 {
		for i := range px {
			px[i] /= most
		}
	}
	return report.Image{Height: s.Height, Width: s.Width, Channels: 1, Pixels: px, Caption: caption, Map: true}
}

// signed draws a vector as an image, grey where it is 0: the sum over the
// channels, with the sign that makes most of it positive.
func signed(v []float64, s data.Shape, caption string) report.Image {
	px := byPixel(v, s)
	most, sum := 0., 0.
	for _, x := range px {
		most, sum = math.Max(most, math.Abs(x)), sum+x
	}
	if most == 0 {
		most = 1
	}
	for i, x := range px {
		px[i] = .5 + math.Copysign(.5, sum)*x/most
	}
	return report.Image{Height: s.Height, Width: s.Width, Channels: 1, Pixels: px, Caption: caption}
}

// picture draws an example, scaled to its brightest pixel.
func picture(row []float64, s data.Shape, caption string) report.Image {
	img := report.Image{Height: s.Height, Width: s.Width, Channels: s.Channels, Pixels: slices.Clone(row), Caption: caption}
	if most := slices.Max(row); most > 0 {
		for i := range img.Pixels {
			img.Pixels[i] /= most
		}
	}
	return img
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

// stacked are vectors of one length as the rows of a matrix.
func stacked(rows ...[]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

// percent is a share as a cell of a table.
func percent(v float64) report.Cell {
	v *= 100
	return number(&v, "%.2f")
}

// numeric are columns of numbers under a first one of names.
func numeric(first string, names ...string) []report.Column {
	columns := []report.Column{{Name: first}}
	for _, n := range names {
		columns = append(columns, report.Column{Name: n, Numeric: true})
	}
	return columns
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
