// Package importance says in terms of a table's columns what the metric M of a kernel machine has learned: the share of
// every column of its trace, and its leading directions.
package importance

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Column is the importance of a column of a table.
type Column struct {
	Name string `json:"feature"`
	// Share is that of the column's features of the trace of M: how much of the mean squared gradient, in units of the
	// scaled features, goes along them.
	Share float64 `json:"share"`
	// Spread is the standard deviation of the share over refits to other draws of the training rows or, in a search, over
	// the folds.
	Spread *float64 `json:"spread,omitempty"`
}

// Columns returns the importances of columns, the largest first. The i-th feature, whose share of the trace is
// shares[i], belongs to the column columns[i]. Refits are shares of machines that were fitted to other rows, none for no
// spread.
func Columns(columns []string, shares []float64, refits ...[]float64) []Column {
	index := map[string]int{}
	var names []string
	for _, c := range columns {
		if _, there := index[c]; !there {
			index[c] = len(names)
			names = append(names, c)
		}
	}
	sums := func(shares []float64) []float64 {
		out := make([]float64, len(names))
		for i, v := range shares {
			out[index[columns[i]]] += v
		}
		return out
	}
	var all []Column
	for i, v := range sums(shares) {
		all = append(all, Column{Name: names[i], Share: v})
	}
	if len(refits) > 1 {
		of := make([][]float64, len(names))
		for _, r := range refits {
			for i, v := range sums(r) {
				of[i] = append(of[i], v)
			}
		}
		for i := range all {
			all[i].Spread = record.Ptr(stat.StdDev(of[i], nil))
		}
	}
	slices.SortStableFunc(all, func(a, b Column) int { return cmp.Compare(b.Share, a.Share) })
	return all
}

// Shares returns the share of every feature of the trace of M.
func Shares(m *rfm.Metric) []float64 {
	shares := slices.Clone(m.Diagonal())
	if trace := floats.Sum(shares); trace > 0 {
		floats.Scale(1/trace, shares)
	}
	return shares
}

// Direction is an eigenvector of M.
type Direction struct {
	Share    float64   `json:"share"`    // of its eigenvalue of the trace
	Loadings []Loading `json:"loadings"` // the largest of its elements; the sign of the first is +
}

// Loading is an element of a direction.
type Loading struct {
	Feature string  `json:"feature"`
	Value   float64 `json:"value"`
}

const (
	shownDirections, shownLoadings = 3, 6
	largest                        = 2000 // features of an M whose eigenvectors are computed
	leastShare                     = .005 // of the trace: a smaller eigenvalue says nothing
)

// Directions returns the leading eigenvectors of M, nil for a diagonal M, whose directions are features, and for a large
// one.
func Directions(m *rfm.Metric, features []string) ([]Direction, error) {
	if m.IsDiagonal() || m.Dim() > largest {
		return nil, nil
	}
	values, vectors, err := backend.EigenSym(m.Dense(), true)
	if err != nil {
		return nil, err
	}
	trace := m.Trace()
	var all []Direction
	for k := range min(shownDirections, len(values)) {
		at := len(values) - 1 - k
		if !(values[at] > leastShare*trace) {
			break
		}
		v := mat.Col(nil, at, vectors)
		order := make([]int, len(v))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(v[b]), math.Abs(v[a])) })
		sign := math.Copysign(1, v[order[0]])
		d := Direction{Share: values[at] / trace}
		for _, i := range order[:min(shownLoadings, len(order))] {
			d.Loadings = append(d.Loadings, Loading{features[i], sign * v[i]})
		}
		all = append(all, d)
	}
	return all, nil
}

// String writes the loadings of a direction that are not small beside 1, and always the largest: +0.91 age −0.32 income.
func (d Direction) String() string {
	var parts []string
	for i, l := range d.Loadings {
		if i == 0 || math.Abs(l.Value) >= .05 {
			parts = append(parts, strings.ReplaceAll(fmt.Sprintf("%+.2f ", l.Value), "-", "−")+l.Feature)
		}
	}
	return strings.Join(parts, " ")
}

// shownColumns is the number of columns in a table and in a chart.
const shownColumns = 20

// Table returns the columns with the largest shares.
func Table(columns []Column) *report.Table {
	t := &report.Table{Name: "importances", Columns: record.NumericColumns("feature", "share", "spread"),
		Caption: "Shares of the columns of the trace of M."}
	if len(columns) > 0 && columns[0].Spread != nil {
		t.Caption += " The spread is the standard deviation over refits to other draws of the training rows or, in a search, " +
			"over the folds."
	}
	for _, c := range columns[:min(shownColumns, len(columns))] {
		t.Rows = append(t.Rows, append(record.TextCells(c.Name), record.DefinedCell(c.Share, "%.4f"),
			record.NumberCell(c.Spread, "%.4f")))
	}
	return t.WithoutEmpty()
}

// DirectionsTable returns the leading eigenvectors of M.
func DirectionsTable(directions []Direction) *report.Table {
	t := &report.Table{Name: "directions", Columns: append(record.NumericColumns("eigenvector", "share"),
		record.TextColumns("direction")...),
		Caption: "The leading eigenvectors of M, with their eigenvalues' shares of the trace and their largest elements, in " +
			"units of the scaled features."}
	for i, d := range directions {
		t.Rows = append(t.Rows, []report.Cell{record.DefinedCell(float64(i+1), "%.0f"), record.DefinedCell(d.Share, "%.4f"),
			{Text: d.String()}})
	}
	return t
}

// Figure draws the columns with the largest shares.
func Figure(name string, columns []Column, caption string) (report.Figure, error) {
	columns = columns[:min(shownColumns, len(columns))]
	bars := report.Bars{Label: "share"}
	var labels []string
	for _, c := range columns {
		labels, bars.Values = append(labels, c.Name), append(bars.Values, c.Share)
		if c.Spread != nil {
			bars.Errors = append(bars.Errors, *c.Spread)
		}
	}
	f, err := report.BarChart(name, "The columns on which the predictor depends", "share of the trace of M", labels,
		[]report.Bars{bars})
	f.Caption = caption
	if bars.Errors != nil {
		f.Caption += " Error bars: the standard deviation over refits or, in a search, over the folds."
	}
	return f, err
}
