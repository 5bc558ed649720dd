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

// Tables returns the scores and the leaderboard.
func (r *Record) Tables() []*report.Table {
	return []*report.Table{r.ScoresTable().WithoutEmpty(), BoardTable(r.Leaderboard)}
}

// ScoresTable returns the score of every method on every table, the best of each marked.
func (r *Record) ScoresTable() *report.Table {
	t := r.resultsTable(r.Results())
	t.Caption = "The mean score over the folds of every method on every table, with the best of each table " +
		"marked."
	return t
}

// resultsTable returns results with the sizes of the tables. Nothing in it depends on the machine.
func (r *Record) resultsTable(results *Results) *report.Table {
	t := &report.Table{Name: "results", Columns: []report.Column{
		{Name: "dataset"}, {Name: "rows", Numeric: true}, {Name: "features", Numeric: true},
		{Name: "classes", Numeric: true},
	}}
	t.Columns = append(t.Columns, results.columns()...)
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

// foldsTable returns the configuration that was chosen in every fold, with its scores.
func (r *Record) foldsTable() *report.Table {
	t := &report.Table{
		Name: "folds", Caption: "The configuration chosen in every fold or split.",
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

// failuresTable returns a row for each failure.
func (r *Record) failuresTable() *report.Table {
	t := &report.Table{Name: "failures", Columns: []report.Column{{Name: "failed"}}}
	for _, f := range r.Failures() {
		t.Rows = append(t.Rows, []report.Cell{{Text: f, Mark: report.Bad}})
	}
	return t
}

// RecordKind implements [record.Record].
func (r *Record) RecordKind() string { return "tabular" }

// PageData says on which machine the record was made.
func (r *Record) PageData() *record.PageData { return &r.page }

// CSVTables returns the table that ansatz leaderboard reads. It leaves out the results of others, which have their own files.
func (r *Record) CSVTables() map[string]*report.Table {
	return map[string]*report.Table{resultsFile: r.resultsTable(r.ownResults())}
}

// Page returns the report.
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
	scores, err := r.Results().differences(r.Leaderboard)
	if err != nil {
		return nil, err
	}
	p.Sections = append(p.Sections,
		report.Section{Heading: "The scores", Tables: []report.Table{*r.ScoresTable().WithoutEmpty()}, Text: r.Notes(),
			Figures: scores, Facts: r.Conventions.facts()},
		report.Section{Heading: "The choices", Tables: []report.Table{*r.foldsTable()}})
	if t := r.failuresTable(); len(t.Rows) > 0 {
		p.Sections = append(p.Sections, report.Section{Heading: "What failed", Tables: []report.Table{*t}})
	}
	return p, nil
}

// Notes returns the remarks on tables, each once with the names of its tables.
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

// facts returns the conventions as a report shows them.
func (c Conventions) facts() []report.Fact {
	facts := report.FactsOf(c)
	for _, m := range methods {
		if about, ok := c.Methods[m.name]; ok {
			facts = append(facts, report.Fact{Name: m.name, Value: about})
		}
	}
	return facts
}

// provenance says where the numbers come from.
func (r *Record) provenance() []report.Fact {
	c, fits := r.Conventions, 0
	for _, d := range r.Datasets {
		for _, m := range d.Methods {
			fits += m.Fits
		}
	}
	return append([]report.Fact{
		{Name: "ansatz", Value: cmp.Or(strings.Join(r.Versions, ", "), c.Version)},
		{Name: "backend", Value: fmt.Sprintf("%s, %s, a thread a fit", c.Backend, c.Precision)},
		{Name: "machine", Value: r.page.Machine},
		{Name: "fits", Value: fmt.Sprint(fits)},
		{Name: "seconds", Value: fmt.Sprintf("%.0f, sum over all methods and tables", r.Seconds)},
		{Name: "seed", Value: fmt.Sprint(c.Seed)},
	}, othersFacts(r.Others)...)
}

// paperSection shows the paper's numbers for the 121 sets. It is nil for other benchmarks.
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

// PrintedBoards returns the numbers that paper rfm prints in Fig. 4.
func PrintedBoards() (*report.Table, error) {
	rows, err := paperRows("papers/rfm_fig4.csv")
	if err != nil {
		return nil, err
	}
	t := &report.Table{
		Name: "paper", Caption: "Paper rfm's values in Fig. 4: a, on all 121 sets among 182 methods, so that " +
			"ranks do not compare with those above; b, on the 90 with at most 5000 examples.",
		Columns: []report.Column{{Name: "panel"}, {Name: "method"}, {Name: "average, %", Numeric: true},
			{Name: "P90, %", Numeric: true}, {Name: "P95, %", Numeric: true},
			{Name: "PMA, %", Numeric: true}, {Name: "± PMA", Numeric: true}, {Name: "Friedman", Numeric: true}},
	}
	for _, row := range rows {
		cells := []report.Cell{{Text: row[0]}, {Text: row[1]}}
		for _, text := range row[2:] {
			v, _ := parseScore(text) // the embedded file has numbers only
			cells = append(cells, report.Cell{Text: text, Value: v})
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, nil
}

// ComparisonSection compares RFM with the Laplace kernel, which is an RFM that learns no features, as
// Figs. 4c and 4d do. It is nil if one of them has no scores.
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
		size         func(p pair) int
	}{{"rows", "log₁₀ rows", func(p pair) int { return p.Rows }},
		{"features", "log₁₀ features", func(p pair) int { return p.Features }}} {
		f, err := decreaseFigure(by.name, by.xlabel, pairs, by.size)
		if err != nil {
			return nil, err
		}
		s.Figures = append(s.Figures, f)
	}
	return s, nil
}

// pair is the error of RFM and of the Laplace kernel on a table.
type pair struct {
	Table          string
	Rows, Features int
	rfm, laplace   float64 // errors: 1 − score
}

// Decrease returns the relative decrease of the error by features, NaN if the Laplace kernel has none.
func (p pair) Decrease() float64 {
	if p.laplace <= 0 {
		return math.NaN()
	}
	return (p.laplace - p.rfm) / p.laplace
}

// Pairs returns the tables on which both methods have a score.
func (r *Record) Pairs() []pair {
	var all []pair
	for _, d := range r.Datasets {
		p := pair{Table: d.Name, Rows: d.Rows, Features: d.Features, rfm: math.NaN(), laplace: math.NaN()}
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

// summarisePairs says how often each method has the smaller error.
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

// errorFigure draws Fig. 4c. Dots above the line are tables on which features help.
func errorFigure(pairs []pair) (report.Figure, error) {
	dots, most := report.Series{Label: "a table", Dots: true}, 0.
	for _, p := range pairs {
		dots.X, dots.Y = append(dots.X, p.rfm), append(dots.Y, p.laplace)
		most = max(most, p.rfm, p.laplace)
	}
	equal := report.Series{Label: "reference: equal errors", X: []float64{0, most}, Y: []float64{0, most}}
	f, err := report.LineChart("errors", "Error of RFM and of the Laplace kernel", "error of RFM",
		"error of the Laplace kernel", []report.Series{dots, equal})
	f.Caption = "Errors (1 − score) on every table, as in paper rfm's Fig. 4c. RFM does better above the line."
	return f, err
}

// decreaseFigure draws one half of Fig. 4d, against rows or features.
func decreaseFigure(name, xlabel string, pairs []pair, size func(p pair) int) (report.Figure, error) {
	dots, zero := report.Series{Label: "a table", Dots: true}, report.Series{Label: "no decrease"}
	least, most := math.Inf(1), math.Inf(-1)
	for _, p := range pairs {
		x := math.Log10(float64(size(p)))
		dots.X, dots.Y = append(dots.X, x), append(dots.Y, 100*p.Decrease())
		least, most = min(least, x), max(most, x)
	}
	zero.X, zero.Y = []float64{least, most}, []float64{0, 0}
	f, err := report.LineChart("decrease-"+name, "Relative decrease of the error by "+name, xlabel, "decrease of the error, %",
		[]report.Series{dots, zero})
	f.Caption = fmt.Sprintf("100·(error of Laplace − error of RFM)/error of Laplace against the %s of the table, "+
		"as in paper rfm's Fig. 4d; tables without errors are left out.", name)
	return f, err
}
