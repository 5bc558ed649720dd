package data

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// PoolComponents returns the principal components of the patches of several datasets together. Every dataset has the
// same weight, however many patches it has. On the pooled components, unlike on each dataset's own, filters learned on
// different datasets can be compared component by component. It returns an error if patch sizes or channels differ.
func PoolComponents(all ...*Components) (*Components, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("data: no components to pool")
	}
	d := len(all[0].Mean)
	out := &Components{Patch: all[0].Patch, Channels: all[0].Channels, Mean: make([]float64, d)}
	second := mat.NewSymDense(d, nil) // the second moments about 0, finally about the mean
	weight := 1 / float64(len(all))
	for _, c := range all {
		if c.Patch != out.Patch || c.Channels != out.Channels {
			return nil, fmt.Errorf("data: components of %d×%d patches with %d channels cannot be pooled with those of "+
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
		return nil, fmt.Errorf("data: pooled patches: %w", err)
	}
	return out, nil
}
