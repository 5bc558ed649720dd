package fromonnx

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/models/onnx"
)

// TestMasks checks that masks are told from parameters by their values.
func TestMasks(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   bool
	}{
		{[]float64{0, math.Inf(-1)}, true},
		{[]float64{0, -100, 0, -100}, true},
		{[]float64{-1e9, 0}, true},
		{[]float64{0, -1}, false},
		{[]float64{0, -100, 1}, false},
		{[]float64{0, -100, -101}, false},
		{[]float64{-100, -100}, false},
		{[]float64{0, 0}, false},
		{nil, false},
	} {
		if got := (weight{tensor: onnx.Numbers([]int{len(c.values)}, c.values...)}).masks(); got != c.want {
			t.Errorf("%v is a mask: %v, want %v", c.values, got, c.want)
		}
	}
}
