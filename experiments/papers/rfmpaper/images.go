package rfmpaper

import (
	"cmp"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// shareIn returns the share of a sum of non-negative numbers that some of them make up.
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

// coordinates returns the elements of images, in (row, column, channel) order, of the pixels
// that are chosen.
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

// withCoordinates returns examples with some coordinates taken from one of them.
func withCoordinates(e rfm.Examples, at []int, from int) rfm.Examples {
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

// variances returns the variance of every coordinate over the examples.
func variances(e rfm.Examples) []float64 {
	n, d := e.X.Dims()
	v, column := make([]float64, d), make([]float64, n)
	for j := range v {
		for i := range column {
			column[i] = e.X.At(i, j)
		}
		v[j] = stat.Variance(column, nil)
	}
	return v
}

// largest returns the places of the n largest elements of v.
func largest(v []float64, n int) []int {
	at := make([]int, len(v))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(v[b], v[a]) })
	return at[:n]
}

// plainMachine returns the size of the machine without iterations, as it is fitted on some
// coordinates. It reads the others too.
func plainMachine(m workload.MachineSize, test int) workload.MachineSize {
	m.Iterations, m.Tested, m.Reading = 0, test, cost.Reading{}
	return m
}
