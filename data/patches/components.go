package patches

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"gonum.org/v1/gonum/mat"
)

// Components holds the principal components of a dataset's patches. The patches are all q×q windows within an image,
// with d = Channels·q² pixels in [0,1] in channel, row, column order.
type Components struct {
	Patch     int         // q
	Channels  int         // of the images
	Mean      []float64   // the mean patch: d numbers
	Variances []float64   // along the components: d numbers in descending order
	Vectors   [][]float64 // by component: a unit vector of d numbers, the first of its largest entries positive
	// Rounding is the largest variance that may be mere rounding error. Grey images stored as colour, and constant images,
	// have components without variance; their vectors are an arbitrary basis of the complement of the patches' span.
	Rounding float64
}

// Rank returns the number of components whose variance is larger than Rounding.
func (c *Components) Rank() int {
	n := 0
	for _, v := range c.Variances {
		if v > c.Rounding {
			n++
		}
	}
	return n
}

// FindComponents returns the principal components of the q×q patches of at most limit images of ds, evenly spread; a
// limit of 0 or less means all images. It sums in float64 in the order of the images. It stops when ctx is done. It
// returns an error if the patches are larger than the images, or ds is empty.
func FindComponents(ctx context.Context, ds data.Dataset, q, limit int) (*Components, error) {
	if err := checkPatch(ds, q); err != nil {
		return nil, err
	}
	s := ds.Shape()
	m := newPatchMoments(s, q)
	err := forBlocks(ctx, data.Spread(ds, limit), func(b *block) { m.add(b) })
	if err != nil {
		return nil, err
	}
	mean, covariance := m.moments()
	c := &Components{Patch: q, Channels: s.Channels, Mean: mean}
	if err := c.factorize(covariance); err != nil {
		return nil, fmt.Errorf("patches: %s: %w", ds.Name(), err)
	}
	c.Rounding = relativeRounding * (mat.Trace(covariance) + dot(mean, mean)) / float64(len(mean))
	return c, nil
}

// relativeRounding bounds the rounding error of a variance, relative to the mean square of a pixel. A covariance is a
// difference of sums over up to billions of pixels, with a relative error of about 1e-13. The smallest variance in 8-bit
// photographs is about 1e-6.
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

// oriented returns v, negated in place if the first of its entries of largest magnitude is negative.
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

// Normalised returns the principal components of the same patches with normalised pixels: those of the covariance whose
// rows and columns are divided by the standard deviations of the channels. It returns an error if the normalisation does
// not fit the number of channels. For a normalisation without Std it returns c itself.
func (c *Components) Normalised(n data.Normalisation) (*Components, error) {
	if err := n.Check(c.Channels); err != nil {
		return nil, err
	}
	if len(n.Std) == 0 {
		return c, nil
	}
	means, scales := n.Means(c.Channels), n.Scales(c.Channels)
	d, area := len(c.Mean), c.Patch*c.Patch
	root := mat.NewDense(d, d, nil) // a square root of the covariance of normalised pixels
	for k, v := range c.Vectors {
		deviation := math.Sqrt(max(0, c.Variances[k]))
		for i := range v {
			root.Set(i, k, deviation*v[i]/scales[i/area])
		}
	}
	covariance := mat.NewSymDense(d, nil)
	covariance.SymOuterK(1, root)
	out := &Components{Patch: c.Patch, Channels: c.Channels}
	largest := 0.
	for i, m := range c.Mean {
		out.Mean = append(out.Mean, (m-means[i/area])/scales[i/area])
		largest = max(largest, 1/scales[i/area])
	}
	out.Rounding = c.Rounding * largest * largest
	if err := out.factorize(covariance); err != nil {
		return nil, fmt.Errorf("patches: normalised: %w", err)
	}
	return out, nil
}

// Pool returns the principal components of the patches of several datasets together. Every dataset has the
// same weight, however many patches it has. On the pooled components, unlike on each dataset's own, filters learned on
// different datasets can be compared component by component. It returns an error if patch sizes or channels differ.
func Pool(all ...*Components) (*Components, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("patches: no components to pool")
	}
	d := len(all[0].Mean)
	out := &Components{Patch: all[0].Patch, Channels: all[0].Channels, Mean: make([]float64, d)}
	second := mat.NewSymDense(d, nil) // the second moments about 0, finally about the mean
	weight := 1 / float64(len(all))
	for _, c := range all {
		if c.Patch != out.Patch || c.Channels != out.Channels {
			return nil, fmt.Errorf("patches: components of %d×%d patches with %d channels cannot be pooled with those of "+
				"%d×%d patches with %d channels", c.Patch, c.Patch, c.Channels, out.Patch, out.Patch, out.Channels)
		}
		for i, m := range c.Mean {
			out.Mean[i] += weight * m
		}
		second.SymRankOne(second, weight, mat.NewVecDense(d, c.Mean))
		for k, v := range c.Vectors {
			second.SymRankOne(second, weight*max(0, c.Variances[k]), mat.NewVecDense(d, v))
		}
		out.Rounding = math.Max(out.Rounding, c.Rounding)
	}
	second.SymRankOne(second, -1, mat.NewVecDense(d, out.Mean))
	if err := out.factorize(second); err != nil {
		return nil, fmt.Errorf("patches: pooled: %w", err)
	}
	return out, nil
}

// Projections returns, for each image of ds, the mean of ⟨h - Mean, v⟩ over its
// patches h, where v is the vector of component k, counted from 1. It stops when
// ctx is done. It returns an error if there is no component k, or if the images
// have other channels or are smaller than a patch.
func (c *Components) Projections(ctx context.Context, ds data.Dataset, k int) ([]float64, error) {
	if err := c.check(ds, k); err != nil {
		return nil, err
	}
	weights, mean := c.weights(ds.Shape(), k), dot(c.Mean, c.Vectors[k-1])
	var projections []float64
	err := forBlocks(ctx, ds, func(b *block) {
		for i := range b.images {
			projections = append(projections, dot(weights, b.image(i))-mean)
		}
	})
	return projections, err
}

func (c *Components) check(ds data.Dataset, k int) error {
	if k < 1 || k > len(c.Vectors) {
		return fmt.Errorf("patches: component %d of patches of %d×%d pixels: expected 1 to %d",
			k, c.Patch, c.Patch, len(c.Vectors))
	}
	if s := ds.Shape(); s.Channels != c.Channels || min(s.Height, s.Width) < c.Patch {
		return fmt.Errorf(
			"patches: the images of %s are %v, expected %d channels of at least %d×%d pixels, to match the components",
			ds.Name(), s, c.Channels, c.Patch, c.Patch)
	}
	return nil
}

// weights returns the weight of each pixel of an image, in channel, row, column
// order, in the mean of ⟨h, v⟩ over its patches, where v is component k.
func (c *Components) weights(s data.Shape, k int) []float64 {
	rows, columns := s.Height-c.Patch+1, s.Width-c.Patch+1
	w := make([]float64, s.Pixels())
	for place, v := range c.Vectors[k-1] {
		channel, top, left := place/(c.Patch*c.Patch), place/c.Patch%c.Patch, place%c.Patch
		for y := top; y < top+rows; y++ {
			row := w[(channel*s.Height+y)*s.Width:]
			for x := left; x < left+columns; x++ {
				row[x] += v / float64(rows*columns)
			}
		}
	}
	return w
}

// dot returns the inner product. The conversion forbids fused operations, so that
// every machine computes the same.
func dot(a, b []float64) float64 {
	var s float64
	for k := range a {
		s += float64(a[k] * b[k])
	}
	return s
}
