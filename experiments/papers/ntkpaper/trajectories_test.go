package ntkpaper

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// A network and its linearization follow nearly the same paths if the learning rate is small, but not if it is large.
func TestPathsOfSmallSteps(t *testing.T) {
	distance := func(rate float64) float64 {
		s := &TrajectorySpec{Arch: "lenet", Data: "glyphs", Train: 40, Test: 10, Probes: 5, Widths: []float64{.3},
			Epochs: 1, Every: 2, Batch: 10, Descent: DescentSpec{Rate: rate}}
		o, err := s.Run(t.Context(), study.Setting{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return o.Value(pathsLast)
	}
	if small, large := distance(1e-3), distance(.1); !(small < .02) || !(large > 5*small) {
		t.Errorf("distances %v with small steps, %v with large ones", small, large)
	}
}

// The distance of statistics compares means and standard deviations of the outputs, for the right classes and for the
// others. It does not depend on which image has which output.
func TestStatisticsDistance(t *testing.T) {
	p := trajectoryPoint{labels: []int{0, 1}, outputs: 2,
		network: &trajectory{Outputs: [][]float64{{0, 0, 0, 0}, {1, 0, 4, 3}}}, // right 1, 3, others 0, 4
		linear:  &trajectory{Outputs: [][]float64{{0, 0, 0, 0}, {3, 4, 0, 1}}}}
	if d := p.statisticsDistance(); d != 0 {
		t.Errorf("%v of permuted images", d)
	}
	p.linear.Outputs[1] = []float64{2, 0, 4, 2} // right 2, 2: sd 0 in place of 1
	if d := p.statisticsDistance(); math.Abs(d-.5) > 1e-12 {
		t.Errorf("%v, want the root of 1/4", d)
	}
	if d := p.pathDistance(); math.Abs(d-math.Sqrt(2./26)) > 1e-12 {
		t.Errorf("paths: %v", d)
	}
}
