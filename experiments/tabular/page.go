package tabular

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Tables are the leaderboard and the scores.
func (r *Record) Tables() []*report.Table {
	return []*report.Table{r.ScoresTable().WithoutEmpty(), BoardTable(r.Leaderboard)}
}

// ScoresTable is the score of every method on every table, the best marked.
func (r *Record) ScoresTable() *report.Table {
	t := r.resultsTable()
	t.Caption = "The mean score over the folds of every method on every table, the best of each marked."
	return t
}

// resultsTable is what results.csv holds: nothing in it depends on the machine.
func (r *Record) resultsTable() *report.Table {
	t := &report.Table{Name: "results", Columns: []report.Column{
		{Name: "dataset"}, {Name: "rows", Numeric: true}, {Name: "features", Numeric: true},
		{Name: "classes", Numeric: true},
	}}
	results := r.Results()
	for _, m := range results.Methods {
		t.Columns = append(t.Columns, report.Column{Name: m, Numeric: true})
	}
	for _, d := range r.Datasets {
		i := slices.Index(results.Datasets, d.Name)
		if i < 0 {
			continue
		}
		row := []report.Cell{{Text: d.Name}, record.CountCell(d.Rows), record.CountCell(d.Features),
			record.CountCell(d.Classes)}
		t.Rows = append(t.Rows, append(row, scoreCells(results.Scores[i])...))
	}
	return t
}

// foldsTable is what was chosen in every fold, and how it did.
func (r *Record) foldsTable() *report.Table {
	t := &report.Table{
		Name: "folds", Caption: "What was chosen in every fold or split.",
		Columns: []report.Column{
			{Name: "dataset"}, {Name: "method"}, {Name: "fold", Numeric: true},
			{Name: "train", Numeric: true, Help: "rows"}, {Name: "test", Numeric: true, Help: "rows"},
			{Name: "validation score", Numeric: true}, {Name: "test score", Numeric: true}, {Name: "chosen"},
		},
	}
	for _, d := range r.Datasets {
		for _, m := range d.Methods {
			for k, f := range m.ByFold {
				t.Rows = append(t.Rows, []report.Cell{
					{Text: d.Name}, {Text: m.Method}, record.CountCell(k + 1), record.CountCell(f.Train),
					record.CountCell(f.Test),
					record.NumberCell(&f.Validated, "%.3f"), record.NumberCell(&f.Score, "%.3f"),
					{Text: f.Chosen.String()},
				})
			}
		}
	}
	return t
}

// failuresTable is what failed, and why.
func (r *Record) failuresTable() *report.Table {
	t := &report.Table{Name: "failures", Columns: []report.Column{{Name: "failed"}}}
	for _, f := range r.Failures() {
		t.Rows = append(t.Rows, []report.Cell{{Text: f, Mark: report.Bad}})
	}
	return t
}

// RecordKind implements [record.Record].
func (r *Record) RecordKind() string { return "tabular" }

// PageData is where the record was made.
func (r *Record) PageData() *record.PageData { return &r.page }

// CSVTables is the table that ansatz leaderboard reads.
func (r *Record) CSVTables() map[string]*report.Table {
	return map[string]*report.Table{resultsFileName: r.resultsTable()}
}

// Page is the benchmark as a report.
func (r *Record) Page() (*report.Page, error) {
	scored := len(r.Results().Datasets)
	p := &report.Page{
		Title: "Methods on the tables of " + r.Spec.name(), Lead: summariseBoard(r.Leaderboard, scored),
		Provenance: r.provenance(),
		Sections: []report.Section{
			{Heading: "The methods by mean rank", Tables: []report.Table{*BoardTable(r.Leaderboard)},
				Facts: report.FactsOf(r.Conventions.LeaderboardConventions)},
		},
	}
	if r.Spec.PaperMode {
		p.Lead += " Published procedure: " + r.Conventions.Leak + "."
	}
	figures, err := r.ComparisonSection()
	if err != nil {
		return nil, err
	}
	if figures != nil {
		p.Sections = append(p.Sections, *figures)
	}
	paper, err := r.paperSection()
	if err != nil {
		return nil, err
	}
	if paper != nil {
		p.Sections = append(p.Sections, *paper)
	}
	p.Sections = append(p.Sections,
		report.Section{Heading: "The scores", Tables: []report.Table{*r.ScoresTable().WithoutEmpty()}, Text: r.Notes(),
			Facts: r.Conventions.facts()},
		report.Section{Heading: "The choices", Tables: []report.Table{*r.foldsTable()}})
	if t := r.failuresTable(); len(t.Rows) > 0 {
		p.Sections = append(p.Sections, report.Section{Heading: "What failed", Tables: []report.Table{*t}})
	}
	return p, nil
}

// Notes are what has to be said of single tables, each once.
func (r *Record) Notes() []string {
	tables := map[string][]string{}
	var order []string
	for _, d := range r.Datasets {
		for _, m := range d.Methods {
			for _, n := range m.Notes {
				if tables[n] == nil {
					order = append(order, n)
				}
				if !slices.Contains(tables[n], d.Name) {
					tables[n] = append(tables[n], d.Name)
				}
			}
		}
	}
	for i, n := range order {
		order[i] = fmt.Sprintf("%s: %s.", strings.Join(tables[n], ", "), n)
	}
	return order
}

func (c Conventions) facts() []report.Fact {
	facts := report.FactsOf(c)

	for _, m := range tabularMethods {
		if about, there := c.Methods[m.name]; there {
			facts = append(facts, report.Fact{Name: m.name, Value: about})
		}
	}
	return facts
}

func (r *Record) provenance() []report.Fact {
	c, fits := r.Conventions, 0
	for _, d := range r.Datasets {
		for _, m := range d.Methods {
			fits += m.Fits
		}
	}
	return []report.Fact{
		{Name: "ansatz", Value: c.Version},
		{Name: "backend", Value: fmt.Sprintf("%s, %s, a thread a fit", c.Backend, c.Precision)},
		{Name: "machine", Value: r.page.Machine},
		{Name: "fits", Value: fmt.Sprint(fits)},
		{Name: "seconds", Value: fmt.Sprintf("%.0f, of all methods and tables together", r.Seconds)},
		{Name: "seed", Value: fmt.Sprint(c.Seed)},
	}
}

// paperSection shows what paper rfm prints for the 121 sets; nil for others.
func (r *Record) paperSection() (*report.Section, error) {
	if r.Spec.Benchmark != UciProtocol {
		return nil, nil
	}
	t, err := PrintedBoards()
	if err != nil {
		return nil, err
	}
	return &report.Section{Heading: "What the paper prints", Tables: []report.Table{*t}}, nil
}

// PrintedBoards is what paper rfm prints in Fig. 4.
func PrintedBoards() (*report.Table, error) {
	rows, err := paperRows("papers/rfm_fig4.csv")
	if err != nil {
		return nil, err
	}
	t := &report.Table{
		Name: "paper", Caption: "What paper rfm prints in Fig. 4: a, on all 121 sets among 182 methods, so that " +
			"ranks do not compare with those above; b, on the 90 with at most 5000 examples.",
		Columns: []report.Column{{Name: "panel"}, {Name: "method"}, {Name: "average, %", Numeric: true},
			{Name: "P90, %", Numeric: true}, {Name: "P95, %", Numeric: true},
			{Name: "PMA, %", Numeric: true}, {Name: "± PMA", Numeric: true}, {Name: "Friedman", Numeric: true}},
	}
	for _, row := range rows {
		cells := []report.Cell{{Text: row[0]}, {Text: row[1]}}
		for _, text := range row[2:] {
			v, _ := parseScore(text) // of a file of ours
			cells = append(cells, report.Cell{Text: text, Value: v})
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, nil
}

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
	}{{"rows", "log₁₀ rows", func(p pair) int { return p.Rows }},
		{"features", "log₁₀ features", func(p pair) int { return p.Features }}} {
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
	return fmt.Sprintf("An RFM whose metric stays the identity is ridge regression with the Laplace kernel. Of %d "+
		"tables RFM has the smaller error on %d and the larger on %d.", len(pairs), less, more)
}

// errorFigure is Fig. 4c: dots above the line are tables on which features help.
func errorFigure(pairs []pair) (report.Figure, error) {
	dots, most := report.Series{Label: "a table", Dots: true}, 0.
	for _, p := range pairs {
		dots.X, dots.Y = append(dots.X, p.rfm), append(dots.Y, p.laplace)
		most = max(most, p.rfm, p.laplace)
	}
	equal := report.Series{Label: "equal errors", X: []float64{0, most}, Y: []float64{0, most}}
	f, err := report.LineChart("errors", "Error of RFM and of the Laplace kernel", "error of RFM",
		"error of the Laplace kernel", []report.Series{dots, equal})
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
	f, err := report.LineChart("decrease-"+name, "Relative decrease of the error by "+name, xlabel, "decrease, %",
		[]report.Series{dots, zero})
	f.Caption = fmt.Sprintf("100·(error of Laplace − error of RFM)/error of Laplace against the %s of the table, as "+
		"rfm, Fig. 4d; tables without errors are left out.", name)
	return f, err
}
