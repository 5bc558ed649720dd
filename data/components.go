package data

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Components are the principal components of the patches of a dataset: of all
// q×q windows that lie within an image, in all channels, d = Channels·q²
// pixels in [0,1] in channel, row, column order.
type Components struct {
	Patch     int         // q
	Channels  int         // of the images
	Mean      []float64   // the mean patch, d
	Variances []float64   // along the components, d, in descending order
	Vectors   [][]float64 // by component: d, of length 1, the first of the largest entries positive
	// Rounding is the largest variance that may be rounding and nothing more:
	// grey images stored as colours, and constant ones, have components without
	// variance. Their vectors are any basis of what the patches do not span.
	Rounding float64
}

// Rank is the number of components with more variance than rounding makes.
func (c *Components) Rank() int {
	n := 0
	for _, v := range c.Variances {
		if v > c.Rounding {
			n++
		}
	}
	return n
}

// PatchComponents returns the principal components of the q×q patches of at
// most limit images of ds, evenly spread; 0 or less means all of them. It sums
// in float64 and in the order of the images. It stops when ctx is done. A patch
// that does not fit into the image is an error, and so is an empty dataset.
func PatchComponents(ctx context.Context, ds Dataset, q, limit int) (*Components, error) {
	if err := checkPatch(ds, q); err != nil {
		return nil, err
	}
	s := ds.Shape()
	m := newPatchMoments(s, q)
	err := forBlocks(ctx, spread(ds, limit), func(b *block) { m.add(b) })
	if err != nil {
		return nil, err
	}
	mean, covariance := m.moments()
	c := &Components{Patch: q, Channels: s.Channels, Mean: mean}
	if err := c.factorize(covariance); err != nil {
		return nil, fmt.Errorf("data: patches of %s: %w", ds.Name(), err)
	}
	c.Rounding = relativeRounding * (mat.Trace(covariance) + dot(mean, mean)) / float64(len(mean))
	return c, nil
}

// relativeRounding is what rounding may make of a variance, as a part of the mean
// square of a pixel. A covariance is a difference of sums over up to billions of
// pixels, which are right to about 1e-13; what 8 bits leave of the flattest
// photographs is 1e-6.
const relativeRounding = 1e-10

// factorize sets the components to the eigenvectors of the covariance.
func (c *Components) factorize(covariance *mat.SymDense) error {
	var eig mat.EigenSym
	if !eig.Factorize(covariance, true) {
		return fmt.Errorf("the eigenvectors of their covariance were not found")
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	values := eig.Values(nil) // ascending
	for k := len(values) - 1; k >= 0; k-- {
		c.Variances = append(c.Variances, values[k])
		c.Vectors = append(c.Vectors, oriented(mat.Col(nil, k, &vectors)))
	}
	return nil
}

// oriented turns v so that the first of its largest entries is positive.
func oriented(v []float64) []float64 {
	largest := 0
	for k := range v {
		if math.Abs(v[k]) > math.Abs(v[largest]) {
			largest = k
		}
	}
	if v[largest] < 0 {
		for k := range v {
			v[k] = -v[k]
		}
	}
	return v
}
