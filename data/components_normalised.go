package data

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Normalised returns the principal components of the same patches with their
// pixels normalised: those of a covariance whose rows and columns are divided by
// the standard deviations of the channels. The normalisation must fit the
// channels; that which changes nothing returns c itself.
func (c *Components) Normalised(n Normalisation) (*Components, error) {
	if err := n.Check(c.Channels); err != nil {
		return nil, err
	}
	if len(n.Std) == 0 {
		return c, nil
	}
	means, scales := n.Means(c.Channels), n.Scales(c.Channels)
	d, area := len(c.Mean), c.Patch*c.Patch
	root := mat.NewDense(d, d, nil) // of the covariance, in normalised pixels
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
		return nil, fmt.Errorf("data: normalised patches: %w", err)
	}
	return out, nil
}

// Scales returns by what pixels are divided, by channel, and Means what is taken
// from them before.
func (n Normalisation) Scales(channels int) []float64 { return spreadOut(n.Std, channels, 1) }

// Means is described at [Normalisation.Scales].
func (n Normalisation) Means(channels int) []float64 { return spreadOut(n.Mean, channels, 0) }

// spreadOut gives each channel its value of some, one or none, for which it is
// the neutral one.
func spreadOut(values []float32, channels int, neutral float64) []float64 {
	out := make([]float64, channels)
	for c := range out {
		out[c] = neutral
		if len(values) > 0 {
			out[c] = float64(values[min(c, len(values)-1)])
		}
	}
	return out
}
