package rfmpaper

import (
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

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
	for i := range linalg.RowCount(x) {
		row := x.RawRowView(i)
		for _, j := range at {
			row[j] = source[j]
		}
	}
	return rfm.Examples{X: x, Y: e.Y}
}
