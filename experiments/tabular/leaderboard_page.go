package tabular

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Tables returns the leaderboard and, for a table of the paper, the comparison with its figure.
func (r *LeaderboardRecord) Tables() []*report.Table {
	tables := []*report.Table{BoardTable(r.Leaderboard)}
	if len(r.Figure) > 0 {
		tables = append(tables, r.FigureTable())
	}
	return tables
}

// BoardTable returns a leaderboard as a table, with the best value of each metric marked.
func BoardTable(board []Standing) *report.Table {
	metric := func(name, help, format string, value func(Standing) *float64) record.Field[Standing] {
		return record.NumberField(name, format, func(s Standing) float64 {
			return record.ValueOrNaN(value(s))
		}).WithHelp(help)
	}
	t := record.TableOf("leaderboard", "The methods by mean rank.", board,
		record.TextField("method", func(s Standing) string { return s.Method }),
		record.NumberField("datasets", "%.0f", func(s Standing) float64 {
			return float64(s.Datasets)
		}).WithHelp("on which it has a score"),
		record.Field[Standing]{Column: report.Column{Name: "average", Numeric: true, Help: "mean score"},
			Cell: func(s Standing) report.Cell { return scoreCell(record.ValueOrNaN(s.Average)) }},
		metric("P90", "share of datasets with at least 90 % of the best score", "%.3f",
			func(s Standing) *float64 { return s.P90 }),
		metric("P95", "with at least 95 %", "%.3f", func(s Standing) *float64 { return s.P95 }),
		metric("PMA", "mean share of the best score", "%.3f", func(s Standing) *float64 { return s.PMA }),
		metric("± PMA", "its standard deviation over the datasets", "%.3f",
			func(s Standing) *float64 { return s.PMASD }),
		metric("Friedman", "mean rank, 1 the best", "%.2f", func(s Standing) *float64 { return s.Friedman }),
		metric("ADTM", "mean of (score − smallest)/(best − smallest)", "%.3f",
			func(s Standing) *float64 { return s.ADTM }))
	if slices.ContainsFunc(board, func(s Standing) bool { return s.From != "" }) {
		t.Columns = append(t.Columns, report.Column{Name: "from", Help: "the file of scores that another program made"})
		for i, s := range board {
			t.Rows[i] = append(t.Rows[i], report.Cell{Text: cmp.Or(s.From, "here")})
		}
	}
	for j := 2; j < len(t.Columns) && t.Columns[j].Numeric; j++ {
		if t.Columns[j].Name != "± PMA" {
			markBest(&t, j, t.Columns[j].Name == "Friedman")
		}
	}
	return &t
}

// scoreCell returns a score, or a dash for NaN.
func scoreCell(v float64) report.Cell {
	if math.IsNaN(v) {
		return record.NumberCell(nil, "")
	}
	return report.Cell{Text: boardScore(v), Value: v}
}

// markBest marks the greatest cells of a column or, with least, the least.
func markBest(t *report.Table, j int, least bool) {
	best := math.NaN()
	for _, row := range t.Rows {
		if v := row[j].Value; math.IsNaN(best) || least && v < best || !least && v > best {
			best = v
		}
	}
	for _, row := range t.Rows {
		if row[j].Value == best {
			row[j].Mark = report.Good
		}
	}
}

// FigureTable returns the numbers of the figure beside those that the table gives.
func (r *LeaderboardRecord) FigureTable() *report.Table {
	t := &report.Table{
		Name: "figure",
		Caption: fmt.Sprintf("The paper's values in Fig. %s, and those computed from the table if missing scores "+
			"are dropped or replaced by the mean of the others. agrees: to the last digit; rounding: some scores "+
			"that round to those of the table give the paper's value; differs: none do.", r.Figure[0].Figure),
		Columns: []report.Column{
			{Name: "metric"}, {Name: "method"}, {Name: "printed", Numeric: true},
			{Name: "dropped", Numeric: true}, {Name: "verdict"}, {Name: "imputed", Numeric: true},
			{Name: "verdict, imputed"},
		},
	}
	for _, c := range r.Figure {
		format := fmt.Sprintf("%%.%df", record.Decimals(c.Printed)+1)
		t.Rows = append(t.Rows, []report.Cell{
			{Text: strings.ReplaceAll(c.Measure, "_sd", " ±")}, {Text: c.Method},
			{Text: c.Printed, Value: c.PrintedValue()},
			record.NumberCell(c.Dropped, format), VerdictCell(c.DroppedAgreement),
			record.NumberCell(c.Imputed, format), VerdictCell(c.ImputedAgreement),
		})
	}
	return t
}

// PrintedValue returns the number that the paper prints, NaN if it prints none.
func (c Compared) PrintedValue() float64 {
	v, err := parseScore(c.Printed)
	if err != nil {
		return math.NaN()
	}
	return v
}

// VerdictCell returns a cell that is marked by how well a number agrees with the printed one.
func VerdictCell(v Agreement) report.Cell {
	return report.Cell{
		Text: string(v), Mark: map[Agreement]report.Mark{
			Agrees: report.Good, Rounding: report.Muted, Differs: report.Bad,
		}[v],
	}
}

// ScoresTable returns the score of every method on every dataset, the best of each marked.
func ScoresTable(r *Results) *report.Table {
	t := &report.Table{
		Name: "results", Caption: "The score of every method on every dataset, with the best of each dataset " +
			"marked.",
		Columns: []report.Column{{Name: "dataset"}},
	}
	t.Columns = append(t.Columns, r.columns()...)
	for i, name := range r.Datasets {
		t.Rows = append(t.Rows, append([]report.Cell{{Text: name}}, scoreCells(r.Scores[i])...))
	}
	return t
}

// columns returns a column for every method.
func (r *Results) columns() (columns []report.Column) {
	for j, m := range r.Methods {
		c := report.Column{Name: m, Numeric: true}
		if r.From != nil && r.From[j] != "" {
			c.Help = "from " + r.From[j]
		}
		columns = append(columns, c)
	}
	return columns
}

// scoreCells returns the scores of a dataset, the best marked.
func scoreCells(scores []float64) []report.Cell {
	best := math.NaN()
	if present := slices.DeleteFunc(slices.Clone(scores), math.IsNaN); len(present) > 0 {
		best = slices.Max(present)
	}
	var row []report.Cell
	for _, v := range scores {
		c := scoreCell(v)
		if v == best {
			c.Mark = report.Good
		}
		row = append(row, c)
	}
	return row
}

// Save writes report.html and record.json into a folder. It returns the path of the report.
func (r *LeaderboardRecord) Save(dir string) (_ string, err error) {
	if r.results != nil { // a record that was read has its figures
		if r.page.Figures, err = r.results.differences(r.Leaderboard); err != nil {
			return "", err
		}
	}
	return record.SaveRecord(dir, r)
}

// RecordKind implements [record.Record].
func (r *LeaderboardRecord) RecordKind() string { return "leaderboard" }

// PageData returns the table of the scores.
func (r *LeaderboardRecord) PageData() *record.PageData { return &r.page }

// Page returns the report.
func (r *LeaderboardRecord) Page() (*report.Page, error) {
	p := &report.Page{Title: "Leaderboard: " + r.Title, Lead: summariseBoard(r.Leaderboard, r.Datasets)}
	c := r.Conventions
	board := report.Section{Heading: "The methods by mean rank", Tables: []report.Table{*BoardTable(r.Leaderboard)},
		Facts: report.FactsOf(c)}
	p.Sections = append(p.Sections, board)
	if len(r.Figure) > 0 {
		s := report.Section{Heading: "The figure and its table", Text: []string{r.summariseFigure()},
			Tables: []report.Table{*r.FigureTable()}}
		if text := r.disagreements(); text != "" {
			s.Text = append(s.Text, text)
		}
		p.Sections = append(p.Sections, s)
	}
	p.Sections = append(p.Sections, report.Section{Heading: "The scores", Tables: r.page.Tables,
		Figures: r.page.Figures})
	source := shortPath(r.Source)
	if r.SHA256 != "" {
		source += ", SHA-256 " + r.SHA256
	}
	p.Provenance = append([]report.Fact{{Name: "results", Value: source}, {Name: "ansatz", Value: c.Version}},
		othersFacts(r.Others)...)
	return p, nil
}
