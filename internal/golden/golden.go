// Package golden maximises a function of one variable by golden-section search.
package golden

import "math"

// Maximise returns the x in [lo, hi], 0 < lo, that maximises a unimodal f, within 1e-7·x. For other f it returns a
// local maximum.
func Maximise(lo, hi float64, f func(float64) float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fa, fb := f(a), f(b)
	for hi-lo > 1e-7*hi {
		if fa >= fb {
			hi, b, fb = b, a, fa
			a = hi - ratio*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + ratio*(hi-lo)
			fb = f(b)
		}
	}
	return (lo + hi) / 2
}
