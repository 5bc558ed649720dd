package experiments

import (
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/stat"
)

// tablesOverSeeds are the tables of several seeds, with the mean and the standard
// deviation in the place of every number.
func tablesOverSeeds(outcomes []*Outcome) []report.Table {
	var all []report.Table
	for k, first := range outcomes[0].Tables {
		t := first
		t.Rows = nil
		if len(outcomes) > 1 {
			t.Caption = strings.TrimSpace(fmt.Sprintf("%s Mean ± standard deviation over %d seeds.", t.Caption, len(outcomes)))
		}
		for i, row := range first.Rows {
			cells := append([]report.Cell(nil), row...)
			for j := range row {
				if t.Columns[j].Numeric {
					cells[j] = cellOverSeeds(outcomes, k, i, j)
				}
			}
			t.Rows = append(t.Rows, cells)
		}
		all = append(all, t)
	}
	return all
}

// cellOverSeeds is a numeric cell of a table, over the seeds that have it.
func cellOverSeeds(outcomes []*Outcome, table, row, column int) report.Cell {
	first := outcomes[0].Tables[table].Rows[row][column]
	var x []float64
	for _, o := range outcomes {
		if table < len(o.Tables) && row < len(o.Tables[table].Rows) && column < len(o.Tables[table].Rows[row]) {
			c := o.Tables[table].Rows[row][column]
			if !math.IsNaN(c.Value) {
				x = append(x, c.Value)
			}
			if c.Mark != first.Mark {
				first.Mark = report.Unmarked // one seed shows it, another does not
			}
		}
	}
	if len(x) < 2 {
		return first
	}
	mean, sd := stat.MeanStdDev(x, nil)
	first.Value = mean
	if d := decimalsOf(first.Text); sd > 0 {
		first.Text = fmt.Sprintf("%.*f ± %.*f", d, mean, d, sd)
	}
	return first
}

// decimalsOf is how many digits a number has after its point.
func decimalsOf(text string) int {
	_, after, _ := strings.Cut(text, ".")
	return len(after) - len(strings.TrimLeft(after, "0123456789"))
}

// chartsOverSeeds draws the charts of several seeds as means, with bands of one
// standard deviation.
func chartsOverSeeds(outcomes []*Outcome) ([]report.Figure, error) {
	var all []report.Figure
	for k, c := range outcomes[0].Charts {
		var series []report.Series
		for s := range c.Series {
			series = append(series, seriesOverSeeds(outcomes, k, s))
		}
		f, err := c.draw(series)
		if err != nil {
			return nil, err
		}
		f.Caption = c.Caption
		if len(outcomes) > 1 {
			f.Caption = strings.TrimSpace(fmt.Sprintf("%s Mean of %d seeds; %s are one standard deviation.", f.Caption, len(outcomes), c.spread()))
		}
		all = append(all, f)
	}
	return all, nil
}

// seriesOverSeeds is a curve as far as all seeds have it.
func seriesOverSeeds(outcomes []*Outcome, chart, series int) report.Series {
	first := outcomes[0].Charts[chart].Series[series]
	var curves [][]float64
	points := len(first.Y)
	for _, o := range outcomes {
		if chart < len(o.Charts) && series < len(o.Charts[chart].Series) {
			y := o.Charts[chart].Series[series].Y
			curves, points = append(curves, y), min(points, len(y))
		}
	}
	if len(curves) == 1 {
		return first
	}
	s := report.Series{Label: first.Label, X: first.X[:points], Dots: first.Dots}
	for i := range points {
		var y []float64
		for _, c := range curves {
			y = append(y, c[i])
		}
		mean, sd := stat.MeanStdDev(y, nil)
		s.Y, s.Low, s.High = append(s.Y, mean), append(s.Low, mean-sd), append(s.High, mean+sd)
	}
	return s
}
