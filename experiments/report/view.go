package report

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The views hold what the template shows, with numbers given and data encoded.
type (
	pageView struct {
		Title, Lead string
		Policy      string
		CSS         template.CSS
		JS          template.JS
		Sections    []sectionView
		Provenance  []Fact
	}
	sectionView struct {
		ID, Heading string
		Text        []string
		Figures     []figureView
		Tables      []tableView
		Facts       []Fact
	}
	figureView struct {
		ID, Name, Caption, Alt string
		Number                 int
		Wide                   bool
		Suffix                 string // of the file that the picture would be
		Source                 template.URL
		CSV                    template.URL // "" if the picture shows no numbers
		Width, Height          int          // pixels of CSS; 0 if unknown
	}
	tableView struct {
		ID, Name, Caption string
		Number            int
		Long              bool
		Columns           []columnView
		Rows              [][]cellView
		CSV               template.URL
	}
	columnView struct {
		Name, Help, Class string
	}
	cellView struct {
		Text, Class string
		Signed      bool   // the column has signs; leave room for one
		Sign, Word  string // of the mark
		Key         string // the value, for sorting; "" if there is none
	}
)

func newPageView(p *Page) (*pageView, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	v := &pageView{
		Title: or(p.Title, "Report"), Lead: p.Lead, Provenance: p.Provenance,
		Policy: policy(), CSS: template.CSS(pageCSS), JS: template.JS(pageJS),
	}
	figures, tables := 0, 0
	for i := range p.Sections {
		s := &p.Sections[i]
		id := "section-" + strconv.Itoa(i+1)
		section := sectionView{ID: id, Heading: or(s.Heading, "Results"), Text: s.Text, Facts: s.Facts}
		for j := range s.Figures {
			figures++
			f, err := newFigureView(&s.Figures[j], figures)
			if err != nil {
				return nil, fmt.Errorf("figure %q: %w", s.Figures[j].Name, err)
			}
			section.Figures = append(section.Figures, f)
		}
		for j := range s.Tables {
			tables++
			t, err := newTableView(&s.Tables[j], tables)
			if err != nil {
				return nil, err
			}
			section.Tables = append(section.Tables, t)
		}
		v.Sections = append(v.Sections, section)
	}
	return v, nil
}

func newFigureView(f *Figure, number int) (figureView, error) {
	v := figureView{
		ID: "figure-" + f.Name, Name: f.Name, Number: number, Wide: f.Wide,
		Caption: f.Caption, Alt: or(f.Alt, or(f.Caption, f.Name)),
	}
	if len(f.CSV) > 0 {
		v.CSV = dataURL("text/csv;charset=utf-8", f.CSV)
	}
	var err error
	if len(f.SVG) > 0 {
		v.Suffix, v.Source = "svg", dataURL("image/svg+xml", f.SVG)
		v.Width, v.Height, err = svgSize(f.SVG)
	} else {
		v.Suffix, v.Source = "png", dataURL("image/png", f.PNG)
		v.Width, v.Height, err = pngSize(f.PNG)
	}
	return v, err
}

// longTable is the number of rows from which on a table scrolls in its own box
// under a header that stays.
const longTable = 40

func newTableView(t *Table, number int) (tableView, error) {
	var csv bytes.Buffer
	if err := t.WriteCSV(&csv); err != nil {
		return tableView{}, err
	}
	v := tableView{
		ID: "table-" + t.Name, Name: t.Name, Caption: t.Caption, Number: number,
		Long: len(t.Rows) >= longTable, CSV: dataURL("text/csv;charset=utf-8", csv.Bytes()),
	}
	v.Rows = make([][]cellView, len(t.Rows))
	for j, c := range t.Columns {
		signed := t.signed(j)
		v.Columns = append(v.Columns, columnView{c.Name, c.Help, classes(c.Numeric, signed, "")})
		for i, row := range t.Rows {
			v.Rows[i] = append(v.Rows[i], newCellView(c, row[j], signed))
		}
	}
	return v, nil
}

func newCellView(c Column, cell Cell, signed bool) cellView {
	v := cellView{
		Text: c.shown(cell), Class: classes(c.Numeric, false, cell.Mark.word()),
		Signed: signed, Sign: cell.Mark.sign(), Word: cell.Mark.word(),
	}
	switch {
	case c.Numeric:
		v.Text = minus(v.Text)
	case utf8.RuneCountInString(v.Text) > longCell:
		v.Class = strings.TrimSpace("prose " + v.Class)
	}
	if c.Numeric && !math.IsNaN(cell.Value) {
		v.Key = sortKey(cell.Value)
	}
	return v
}

// longCell is the number of characters beyond which a text in a cell is a
// sentence, which may take several lines.
const longCell = 36

// classes returns the classes that the style sheet and the script know a cell
// by.
func classes(numeric, signed bool, word string) string {
	var class []string
	if numeric {
		class = append(class, "number")
	}
	if signed {
		class = append(class, "signed")
	}
	if word != "" {
		class = append(class, word)
	}
	return strings.Join(class, " ")
}

// sortKey returns v as JavaScript's Number reads it.
func sortKey(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Helped returns the columns that are explained below the table.
func (t tableView) Helped() []columnView {
	var helped []columnView
	for _, c := range t.Columns {
		if plain(c.Help) != "" {
			helped = append(helped, c)
		}
	}
	return helped
}
