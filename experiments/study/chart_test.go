package study

import (
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Bars of several seeds have whiskers.
func TestBarsOverSeeds(t *testing.T) {
	chart := func(y float64) *Outcome {
		return &Outcome{
			Charts: []Chart{
				{
					Name: "c", Labels: []string{"a", "b"},
					Series: []report.Series{{Label: "s", X: Places(2), Y: []float64{y, 1}}},
				},
			},
		}
	}
	figures, err := ChartsOverSeeds([]*Outcome{chart(1), chart(3)})
	if err != nil || len(figures) != 1 || len(figures[0].SVG) == 0 {
		t.Fatalf("%v, %v", figures, err)
	}
	if got, want := figures[0].Caption, "Mean of 2 seeds; whiskers are one standard deviation."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
