package study

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Printed are numbers of the paper. A chart shows them as diamonds beside its own series of the same quantity.
type Printed struct {
	Chart string // the name of the chart
	Of    string // the label of the series
	// X and Y are in the units of the chart; for bars, X is the place of the label, from 0.
	X, Y []float64
}

// printedCaption explains the diamonds.
const printedCaption = " Diamonds are the paper's numbers, for its own settings and data."

// withPrinted adds the paper's numbers to the series of a chart, and reports whether there are any.
func (c Chart) withPrinted(series []report.Series, printed []Printed) ([]report.Series, bool) {
	all := slices.Clone(series)
	for _, p := range printed {
		if p.Chart == c.Name && slices.ContainsFunc(series, func(s report.Series) bool { return s.Label == p.Of }) {
			all = append(all, report.Series{Label: "paper, " + p.Of, X: p.X, Y: p.Y, Dots: true})
		}
	}
	return all, len(all) > len(series)
}
