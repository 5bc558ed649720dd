// Package golden finds where a function of one number is largest, by golden sections.
package golden

import "math"

// Maximise returns where f is largest between two positive numbers, to 1e-7 of the upper end of what is left, where f
// rises before that place and falls after it; else some place that is larger than its neighbours.
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
