package tabular

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// ComparisonSection compares RFM with what it is without features, as Figs. 4c
// and 4d do; nil if not both are there.
func (r *Record) ComparisonSection() (*report.Section, error) {
	pairs := r.Pairs()
	if len(pairs) == 0 {
		return nil, nil
	}
	errors, err := errorFigure(pairs)
	if err != nil {
		return nil, err
	}
	s := &report.Section{
		Heading: "RFM against the Laplace kernel",
		Text:    []string{summarisePairs(pairs)},
		Figures: []report.Figure{errors},
	}
	for _, by := range []struct {
		name, xlabel string
		of           func(p pair) int
	}{{"rows", "log₁₀ rows", func(p pair) int { return p.Rows }}, {"features", "log₁₀ features", func(p pair) int { return p.Features }}} {
		f, err := decreaseFigure(by.name, by.xlabel, pairs, by.of)
		if err != nil {
			return nil, err
		}
		s.Figures = append(s.Figures, f)
	}
	return s, nil
}

// pair is the error of RFM and of the Laplace kernel on a table.
type pair struct {
	Rows, Features int
	rfm, laplace   float64 // errors: 1 − score
}

// Decrease is the relative decrease of the error, NaN where there was none.
func (p pair) Decrease() float64 {
	if p.laplace <= 0 {
		return math.NaN()
	}
	return (p.laplace - p.rfm) / p.laplace
}

// Pairs are the tables on which both have a score.
func (r *Record) Pairs() []pair {
	var all []pair
	for _, d := range r.Datasets {
		p := pair{Rows: d.Rows, Features: d.Features, rfm: math.NaN(), laplace: math.NaN()}
		for _, m := range d.Methods {
			switch m.Method {
			case "rfm":
				p.rfm = 1 - record.ValueOrNaN(m.Score)
			case "laplace":
				p.laplace = 1 - record.ValueOrNaN(m.Score)
			}
		}
		if !math.IsNaN(p.rfm + p.laplace) {
			all = append(all, p)
		}
	}
	return all
}

func summarisePairs(pairs []pair) string {
	less, more := 0, 0
	for _, p := range pairs {
		switch {
		case p.rfm < p.laplace:
			less++
		case p.rfm > p.laplace:
			more++
		}
	}
	return fmt.Sprintf("An RFM whose metric stays the identity is ridge regression with the Laplace kernel. Of %d tables RFM has the smaller error on %d and the larger on %d.", len(pairs), less, more)
}

// errorFigure is Fig. 4c: dots above the line are tables on which features help.
func errorFigure(pairs []pair) (report.Figure, error) {
	dots, most := report.Series{Label: "a table", Dots: true}, 0.
	for _, p := range pairs {
		dots.X, dots.Y = append(dots.X, p.rfm), append(dots.Y, p.laplace)
		most = max(most, p.rfm, p.laplace)
	}
	equal := report.Series{Label: "equal errors", X: []float64{0, most}, Y: []float64{0, most}}
	f, err := report.LineChart("errors", "Error of RFM and of the Laplace kernel", "error of RFM", "error of the Laplace kernel", []report.Series{dots, equal})
	f.Caption = "Errors (1 − score) on every table, as rfm, Fig. 4c. Above the line RFM does better."
	return f, err
}

// decreaseFigure is a half of Fig. 4d.
func decreaseFigure(name, xlabel string, pairs []pair, of func(p pair) int) (report.Figure, error) {
	dots, zero := report.Series{Label: "a table", Dots: true}, report.Series{Label: "no decrease"}
	least, most := math.Inf(1), math.Inf(-1)
	for _, p := range pairs {
		x := math.Log10(float64(of(p)))
		dots.X, dots.Y = append(dots.X, x), append(dots.Y, 100*p.Decrease())
		least, most = min(least, x), max(most, x)
	}
	zero.X, zero.Y = []float64{least, most}, []float64{0, 0}
	f, err := report.LineChart("decrease-"+name, "Relative decrease of the error by "+name, xlabel, "decrease, %", []report.Series{dots, zero})
	f.Caption = fmt.Sprintf("100·(error of Laplace − error of RFM)/error of Laplace against the %s of the table, as rfm, Fig. 4d; tables without errors are left out.", name)
	return f, err
}
