package golden

import (
	"math"
	"testing"
)

// TestMaximise checks that the maximum is found within the interval and at its ends.
func TestMaximise(t *testing.T) {
	for _, want := range []float64{1e-3, .02, 3, 700, 1e4} {
		calls := 0
		got := Maximise(1e-3, 1e4, func(x float64) float64 { calls++; return -math.Abs(x - want) })
		if math.Abs(got-want) > 1e-7*want || calls > 120 {
			t.Errorf("%v after %d calls, want %v", got, calls, want)
		}
	}
}
