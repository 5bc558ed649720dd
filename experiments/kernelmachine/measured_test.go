package kernelmachine

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/measure"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// TestMeasuresFarFromZero checks that the errors of a regression are exact however far its targets lie from 0.
func TestMeasuresFarFromZero(t *testing.T) {
	encoder := &table.Encoder{}
	encoder.Target.Standard = &table.Standard{Mean: []float64{1e15}, Scale: []float64{3}}
	about := &examples.Description{Task: rfm.Regression, Unit: encoder.Target.Unit(), Pipeline: examples.Pipeline{Table: encoder}}
	r := measured(measure.Decision{}, about, mat.NewDense(3, 1, []float64{.5, -1, 2}), mat.NewDense(3, 1, []float64{.501, -1, 2}), 0)
	if rmse, want := r.Measures[0].Value, 3*.001/math.Sqrt(3); math.Abs(rmse-want) > 1e-12*want {
		t.Errorf("RMSE %v, want %v", rmse, want)
	}
}
