package report

import (
	"fmt"
	"html/template"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
)

// The views hold what the template shows, with numbers given and data encoded.
type (
	pageView struct {
		Title, Lead string
		Policy      string
		CSS         template.CSS
		JS          template.JS
		Sections    []sectionView
		Chapters    bool // some sections have parts
		Explorer    *explorerView
		Provenance  []Fact
	}
	// explorerView is what the page's explorer needs besides its document.
	explorerView struct {
		CSS template.CSS
		JS  template.JS
	}
	sectionView struct {
		ID, Heading, Note string
		Text              []string
		Explorer          *explorer.Document
		Lead, Tables      []tableView
		Figures           []figureView
		Facts             []Fact
		Details           []detailView
		Parts             []sectionView
	}
	detailView struct {
		Summary string
		Text    []string
		Facts   []Fact
		Tables  []tableView
	}
	figureView struct {
		ID, Name, Caption, Alt string
		Number                 int
		Wide                   bool
		Suffix                 string            // of the file that the picture would be
		Source                 template.HTMLAttr // the attribute src
		CSV                    template.URL      // "" if the picture shows no numbers
		Width, Height          int               // pixels of CSS; 0 if unknown
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
	var count numbering
	for i := range p.Sections {
		s, err := count.section(&p.Sections[i], "section-"+strconv.Itoa(i+1))
		if err != nil {
			return nil, err
		}
		v.Chapters = v.Chapters || len(s.Parts) > 0
		if s.Explorer != nil {
			v.Explorer = &explorerView{template.CSS(explorer.Style), template.JS(explorer.Script)}
		}
		v.Sections = append(v.Sections, s)
	}
	return v, nil
}

// numbering counts the figures and tables of a page.
type numbering struct{ figures, tables int }

// section returns the view of a section that has id if it brings none.
func (n *numbering) section(s *Section, id string) (sectionView, error) {
	v := sectionView{ID: or(s.ID, id), Heading: or(s.Heading, "Results"), Note: s.Note, Text: s.Text, Explorer: s.Explorer,
		Facts: s.Facts}
	var err error
	if v.Lead, err = n.tableViews(s.Lead); err != nil {
		return v, err
	}
	for i := range s.Figures {
		n.figures++
		f, err := newFigureView(&s.Figures[i], n.figures)
		if err != nil {
			return v, fmt.Errorf("figure %q: %w", s.Figures[i].Name, err)
		}
		v.Figures = append(v.Figures, f)
	}
	if v.Tables, err = n.tableViews(s.Tables); err != nil {
		return v, err
	}
	for _, d := range s.Details {
		folded := detailView{Summary: or(d.Summary, "Details"), Text: d.Text, Facts: d.Facts}
		if folded.Tables, err = n.tableViews(d.Tables); err != nil {
			return v, err
		}
		v.Details = append(v.Details, folded)
	}
	for i := range s.Parts {
		part, err := n.section(&s.Parts[i], id+"-"+strconv.Itoa(i+1))
		if err != nil {
			return v, err
		}
		v.Parts = append(v.Parts, part)
	}
	return v, nil
}

func (n *numbering) tableViews(tables []Table) ([]tableView, error) {
	var views []tableView
	for i := range tables {
		n.tables++
		v, err := newTableView(&tables[i], n.tables)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
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
		v.Suffix, v.Source = "svg", svgSource(f.SVG)
		v.Width, v.Height, err = draw.SVGSize(f.SVG)
	} else {
		v.Suffix, v.Source = "png", template.HTMLAttr(`src="`+string(dataURL("image/png", f.PNG))+`"`)
		v.Width, v.Height, err = draw.PNGSize(f.PNG)
	}
	if f.width > 0 {
		v.Width, v.Height = f.width, f.height
	}
	return v, err
}
