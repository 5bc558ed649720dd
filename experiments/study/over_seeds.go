package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/stat"
)

// tablesOverSeeds returns the tables of the first seed with every number replaced by its mean and
// standard deviation over the seeds.
func tablesOverSeeds(outcomes []*Outcome) []report.Table {
	var all []report.Table
	for k, first := range outcomes[0].Tables {
		t := first
		t.Rows = nil
		if len(outcomes) > 1 {
			t.Caption = strings.TrimSpace(fmt.Sprintf("%s Mean ± standard deviation over %d seeds.", t.Caption,
				len(outcomes)))
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

// cellOverSeeds returns a numeric cell with its mean and standard deviation over the seeds that have it.
func cellOverSeeds(outcomes []*Outcome, table, row, column int) report.Cell {
	of := &outcomes[0].Tables[table]
	first := of.Rows[row][column]
	var x []float64
	for _, o := range outcomes {
		t := o.tableLike(of)
		if t == nil || row >= len(t.Rows) {
			continue
		}
		c := t.Rows[row][column]
		if !math.IsNaN(c.Value) {
			if len(x) == 0 {
				first.Text, first.Value = c.Text, c.Value
			}
			x = append(x, c.Value)
		}
		if c.Mark != first.Mark {
			first.Mark = report.Unmarked // the seeds disagree
		}
	}
	if len(x) < 2 {
		return first
	}
	mean, sd := stat.MeanStdDev(x, nil)
	if period := of.Columns[column].Period; period > 0 {
		mean, sd = record.CircularMean(x, period)
	}
	first.Value = mean
	if d := record.Decimals(first.Text); sd > 0 {
		first.Text = fmt.Sprintf("%.*f ± %.*f", d, mean, d, sd)
	}
	return first
}

// tableLike returns the table with the same name and columns, or nil. (A seed that another version
// made may have other tables.)
func (o *Outcome) tableLike(like *report.Table) *report.Table {
	for i := range o.Tables {
		t := &o.Tables[i]
		if t.Name == like.Name && slices.EqualFunc(t.Columns, like.Columns,
			func(a, b report.Column) bool { return a.Name == b.Name }) {
			return t
		}
	}
	return nil
}

// notesOverSeeds returns the notes of all seeds, each once. A note that only some seeds have names them.
func (e *Record) notesOverSeeds() []string {
	var all []string
	by := map[string][]uint64{}
	for _, s := range e.seeds {
		for _, note := range s.outcome.Notes {
			if by[note] == nil {
				all = append(all, note)
			}
			if !slices.Contains(by[note], s.Seed) {
				by[note] = append(by[note], s.Seed)
			}
		}
	}
	for i, note := range all {
		if len(by[note]) < len(e.seeds) {
			all[i] = fmt.Sprintf("%s (%s)", note, record.SeedsText(by[note]))
		}
	}
	return all
}

// ChartsOverSeeds draws the charts of several seeds: means, with bands of one standard deviation, and numbers of the
// paper.
func ChartsOverSeeds(outcomes []*Outcome, printed ...Printed) ([]report.Figure, error) {
	var all []report.Figure
	for k, c := range outcomes[0].Charts {
		var series []report.Series
		for s := range c.Series {
			series = append(series, seriesOverSeeds(outcomes, k, s))
		}
		series, ofPaper := c.withPrinted(series, printed)
		f, err := c.draw(series)
		if err != nil {
			return nil, err
		}
		f.Caption = c.Caption
		if len(outcomes) > 1 {
			f.Caption = strings.TrimSpace(fmt.Sprintf("%s Mean of %d seeds ± one standard deviation.", f.Caption,
				len(outcomes)))
		}
		if ofPaper {
			f.Caption = strings.TrimSpace(f.Caption + printedCaption)
		}
		all = append(all, f)
	}
	return all, nil
}

// seriesOverSeeds returns the mean of a series over the seeds, with one standard deviation below and above. Points
// that a seed lacks, for example because its training diverged, are left out.
func seriesOverSeeds(outcomes []*Outcome, chart, series int) report.Series {
	like := &outcomes[0].Charts[chart]
	first := like.Series[series]
	var curves []map[place]float64
	for _, o := range outcomes {
		if c := o.chartLike(like); c != nil {
			k := series
			if k >= len(c.Series) || c.Series[k].Label != first.Label {
				k = slices.IndexFunc(c.Series, func(s report.Series) bool { return s.Label == first.Label })
			}
			if k >= 0 {
				curves = append(curves, c.points(c.Series[k]))
			}
		}
	}
	if len(curves) == 1 {
		return first
	}
	s := report.Series{Label: first.Label, Dots: first.Dots}
	for i, at := range like.placesOf(first) {
		var y []float64
		for _, c := range curves {
			if v, there := c[at]; there {
				y = append(y, v)
			}
		}
		if len(y) < len(curves) {
			continue
		}
		mean, sd := stat.MeanStdDev(y, nil)
		s.X = append(s.X, first.X[i])
		s.Y, s.Low, s.High = append(s.Y, mean), append(s.Low, mean-sd), append(s.High, mean+sd)
	}
	return s
}

// place identifies the same point of a series in different seeds.
type place struct {
	x     float64
	label string // of a bar
	nth   int    // counts points at the same x; for dots, whose x depends on the seed, it counts all
}

// placesOf returns the places of the points of a series.
func (c *Chart) placesOf(s report.Series) []place {
	all, seen := make([]place, len(s.X)), map[place]int{}
	for i, x := range s.X {
		switch bar := int(x); {
		case s.Dots:
		case len(c.Labels) > 0 && bar >= 0 && bar < len(c.Labels):
			all[i].label = c.Labels[bar]
		default:
			all[i].x = x
		}
		at := all[i]
		all[i].nth = seen[at]
		seen[at]++
	}
	return all
}

// points returns the values of a series by their places.
func (c *Chart) points(s report.Series) map[place]float64 {
	all := map[place]float64{}
	for i, at := range c.placesOf(s) {
		all[at] = s.Y[i]
	}
	return all
}

// chartLike returns the chart with the same name, or nil.
func (o *Outcome) chartLike(like *Chart) *Chart {
	for i := range o.Charts {
		if o.Charts[i].Name == like.Name {
			return &o.Charts[i]
		}
	}
	return nil
}
