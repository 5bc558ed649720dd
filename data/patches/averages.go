// Package patches computes statistics of the patches of images: their principal components, the average patch of every
// image, and labels by the components.
package patches

import (
	"context"

	"github.com/ansatz-lab/ansatz/data"
	"gonum.org/v1/gonum/mat"
)

// Averages returns the matrix K of paper energy (Lemma A.1), images × d with d = Channels·q². Row i is the mean of
// all q×q windows within image i, with pixels in channel, row, column order as in [Components]. It stops when ctx is
// done. It returns an error if patches do not fit into the images, or ds is empty.
func Averages(ctx context.Context, ds data.Dataset, q int) (*mat.Dense, error) {
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
