package table

import (
	"math"
	"testing"
)

// TestUnit checks that the unit of a target is its deviation to the last bit, however far the target lies from 0.
func TestUnit(t *testing.T) {
	target := EncoderTarget{Standard: &Standard{}}
	if err := target.Standard.Fit(Targets([]float64{1e12, 1e12 + 3, 1e12 + 6}), nil); err != nil {
		t.Fatal(err)
	}
	if unit, want := target.Unit(), math.Sqrt(6); unit != want {
		t.Errorf("the unit is %v, want %v", unit, want)
	}
	if unit := new(EncoderTarget).Unit(); unit != 1 {
		t.Errorf("the unit of a target that is not scaled is %v", unit)
	}
}
