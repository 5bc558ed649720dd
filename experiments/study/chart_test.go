package study

import (
	"strings"
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
	if got, want := figures[0].Caption, "Mean of 2 seeds ± one standard deviation."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Numbers of the paper are drawn beside the series that they belong to, and the caption explains them.
func TestPrinted(t *testing.T) {
	o := &Outcome{Charts: []Chart{{Name: "c", Series: []report.Series{{Label: "s", X: Places(2), Y: []float64{3, 1}}}}}}
	of := func(chart, series string) Printed { return Printed{chart, series, []float64{1}, []float64{2}} }
	figures, err := ChartsOverSeeds([]*Outcome{o}, of("c", "s"), of("c", "other"), of("other", "s"))
	if err != nil {
		t.Fatal(err)
	}
	lines := figures[0].Description.Lines
	if len(lines) != 2 || lines[1].Label != "paper, s" || lines[1].Y[0] != 2 || !strings.Contains(figures[0].Caption, "Diamonds") {
		t.Errorf("%+v, %q", lines, figures[0].Caption)
	}
	if len(o.Charts[0].Series) != 1 {
		t.Error("the chart itself has changed")
	}
}
