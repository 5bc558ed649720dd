package data

import (
	"math"
	"testing"
)

// withinFour fails the test unless the mean of values is within four standard errors of want. The standard deviation of
// a value is sd.
func withinFour(t *testing.T, what string, values []float64, want, sd float64) {
	t.Helper()
	var mean float64
	for _, v := range values {
		mean += v / float64(len(values))
	}
	if e := sd / math.Sqrt(float64(len(values))); !(math.Abs(mean-want) <= 4*e) {
		t.Errorf("%s: mean %.5f over %d, want %.5f ± %.5f", what, mean, len(values), want, e)
	}
}

func TestBars(t *testing.T) {
	for spec, variance := range map[string]float64{"bars": 1. / 32, "bars:noise=4": 4. / 32, "bars:noise=0": 0} {
		ds := mustOpen(t, spec, Options{Split: "train"})
		var noise, squares []float64
		rows := make([]int, 16)
		for i := range ds.Len() {
			px, label := mustRead(t, ds, i)
			row := ds.(*bars).row(i)
			rows[row]++
			level := float32([]float64{1, -1}[label] / math.Sqrt(32))
			for k, v := range px {
				switch {
				case k/32 != row:
					noise, squares = append(noise, float64(v)), append(squares, float64(v)*float64(v))
				case v != level:
					t.Fatalf("%s: pixel %d of the bar of image %d, %s, is %g", spec, k%32, i, ds.Classes()[label], v)
				}
			}
			if _, next := mustRead(t, ds, i^1); next == label {
				t.Fatalf("images %d and %d are both %s", i, i^1, ds.Classes()[label])
			}
		}
		withinFour(t, spec+" noise", noise, 0, math.Sqrt(variance))
		withinFour(t, spec+" noise²", squares, variance, math.Sqrt2*variance)
		for row, n := range rows {
			// 500/16 = 31 ± 5.4 bars per row
			if n < 10 || n > 53 {
				t.Errorf("%s: %d bars are at row %d", spec, n, row)
			}
		}
	}
}

// TestBarsSweep checks that the argument noise changes only the scale of the noise.
func TestBarsSweep(t *testing.T) {
	one, four := mustOpen(t, "bars:noise=1", Options{}), mustOpen(t, "bars:noise=4", Options{})
	for i := range 20 {
		a, labelA := mustRead(t, one, i)
		b, labelB := mustRead(t, four, i)
		if labelA != labelB {
			t.Fatalf("image %d is %d or %d", i, labelA, labelB)
		}
		row := one.(*bars).row(i)
		for k := range a {
			if want := a[k] * map[bool]float32{true: 1, false: 2}[k/32 == row]; b[k] != want {
				t.Fatalf("image %d: pixel %d is %g at noise 1 and %g at noise 4", i, k, a[k], b[k])
			}
		}
	}
}
