package data

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// AveragePatches returns the matrix K of paper energy (Lemma A.1), images × d
// with d = Channels·q²: row i is the mean of all q×q windows that lie within
// image i, pixels in channel, row, column order as [Components] have them. It
// stops when ctx is done. A patch that does not fit into the image is an error,
// and so is an empty dataset.
func AveragePatches(ctx context.Context, ds Dataset, q int) (*mat.Dense, error) {
	s := ds.Shape()
	if err := checkPatch(ds, q); err != nil {
		return nil, err
	}
	m := &patchMoments{shape: s, q: q}
	rows, columns := m.windows()
	d, area := s.Channels*q*q, s.Height*s.Width
	var values []float64
	plane, row := make([]float64, area), make([]float64, d)
	err := forBlocks(ctx, ds, func(b *block) {
		for i := range b.images {
			for c := range s.Channels {
				copy(plane, b.image(i)[c*area:][:area])
				m.forWindows(plane, func(y, x int, sum float64) { row[m.place(c, y, x)] = sum / float64(rows*columns) })
			}
			values = append(values, row...)
		}
	})
	if err != nil {
		return nil, err
	}
	return mat.NewDense(ds.Len(), d, values), nil
}

// checkPatch returns an error unless ds has images, and q×q pixels fit into them.
func checkPatch(ds Dataset, q int) error {
	s := ds.Shape()
	if q < 1 || q > min(s.Height, s.Width) {
		return fmt.Errorf("data: patches of %d×%d pixels of %s: expected sides of 1 to %d, the images are %v",
			q, q, ds.Name(), min(s.Height, s.Width), s)
	}
	if ds.Len() == 0 {
		return fmt.Errorf("data: patches of %s: it has no images", ds.Name())
	}
	return nil
}
