package rfmpaper

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// At the noise level of the figure the sweep finds the same R² as the figure, and at another level a different one. The
// levels do not share checkpoints.
func TestNoiseSweep(t *testing.T) {
	s := lowRankPanels(LowRankSpec{
		Train: 100, Validation: 50, Test: 200, Net: setups.NetworkSpec{Width: 16, Epochs: 5},
	}, 1, 1, .1, 2)
	in := study.Setting{Seed: 2, Threads: 1}.WithCheckpoints(t.TempDir()).KeepAll()
	o, err := s.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	chart := o.Charts[len(o.Charts)-1]
	if chart.Name != "noise" || len(chart.Series) != 4 {
		t.Fatalf("the last chart is %+v", chart)
	}
	for i, line := range chart.Series {
		if len(line.Y) != 3 || line.X[0] != .1 || line.X[2] != 2 {
			t.Fatalf("%s: levels %v", line.Label, line.X)
		}
		own := o.Value(lowRankBars[i].r2.Of(signsHalf))
		if line.Y[0] != own || line.Y[1] != own {
			t.Errorf("%s: R² of %v at the figure's noise, the figure has %v", line.Label, line.Y[:2], own)
		}
		if line.Y[2] == own {
			t.Errorf("%s: the same R² at another noise", line.Label)
		}
	}
	gap := o.Value(featuresGap.Of(signsHalf))
	if least := o.Value(leastGap); least > gap || math.IsNaN(least) {
		t.Errorf("the least gap is %v, that of the figure %v", least, gap)
	}
	for _, bad := range []LowRankSpec{{Polynomial: "rademacher", Noise: -1}, {Polynomial: "hermite", Noise: .1}} {
		if _, err := bad.findPolynomial(); !input.IsError(err) {
			t.Errorf("noise %v of %s: %v", bad.Noise, bad.Polynomial, err)
		}
	}
}
