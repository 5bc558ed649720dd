package report

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
)

// The views hold what the template shows: figures and tables have their numbers, and data are encoded.
type (
	pageView struct {
		Title, Lead string
		Command     string
		Policy      string
		CSS         template.CSS
		JS          template.JS
		Sections    []sectionView
		Chapters    bool // whether some sections have parts
		Explorer    *explorerView
		Glyphs      map[string]string // outlines of letters, and images, in packed pictures, by their names
		Provenance  []Fact
	}
	// explorerView has the style sheet and the script of the page's explorer.
	explorerView struct {
		CSS template.CSS
		JS  template.JS
	}
	sectionView struct {
		ID, Heading, Note string
		Command           string
		Text              []string
		Folded            []detailView
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
		List    []string
		Facts   []Fact
		Tables  []tableView
	}
	figureView struct {
		ID, Name, Caption, Alt string
		Number                 int
		Wide                   bool
		Suffix                 string            // of the picture's file
		Source                 template.HTMLAttr // the attribute src, or the picture for the script
		Files                  []fileView
		Width, Height          int               // pixels of CSS; 0 if unknown
		Phone                  template.HTMLAttr // attributes of the drawing for narrow windows, "" for none
	}
)

func newPageView(p *Page) (*pageView, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	v := &pageView{
		Title: or(p.Title, "Report"), Lead: p.Lead, Command: p.Command, Provenance: p.Provenance,
		Policy: policy(), CSS: template.CSS(style), JS: template.JS(script),
	}
	count := numbering{pictures: map[template.HTMLAttr]string{}}
	if slices.ContainsFunc(p.Sections, func(s Section) bool { return len(s.Parts) > 0 }) {
		count.packed, v.Glyphs = true, map[string]string{}
	}
	count.glyphs = v.Glyphs
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
type numbering struct {
	figures, tables int
	packed          bool // whether pictures are compressed, for the page's script to unpack: on pages with many
	// pictures has the ID of the first figure that shows a picture, by the picture's source. Later figures of a packed
	// page refer to it.
	pictures map[template.HTMLAttr]string
	glyphs   map[string]string // the letters and images of all packed pictures, which the page has once
}

// share replaces the sources of a figure's picture on a packed page if an earlier figure shows the same: by its ID.
func (n *numbering) share(f *figureView) {
	first, shown := n.pictures[f.Source]
	if !shown || !n.packed {
		n.pictures[f.Source] = f.ID
		return
	}
	f.Source = template.HTMLAttr(`data-same="` + first + `"`)
	if f.Phone != "" {
		f.Phone = f.Source
	}
}

// section returns the view of a section, whose ID is id if it has none of its own.
func (n *numbering) section(s *Section, id string) (sectionView, error) {
	v := sectionView{ID: or(s.ID, id), Heading: or(s.Heading, "Results"), Note: s.Note, Command: s.Command,
		Text: s.Text, Explorer: s.Explorer, Facts: s.Facts}
	var err error
	if v.Folded, err = n.detailViews(s.Folded); err != nil {
		return v, err
	}
	if v.Lead, err = n.tableViews(s.Lead); err != nil {
		return v, err
	}
	for i := range s.Figures {
		n.figures++
		f, err := newFigureView(&s.Figures[i], n.figures, n.glyphs)
		if err != nil {
			return v, fmt.Errorf("figure %q: %w", s.Figures[i].Name, err)
		}
		n.share(&f)
		v.Figures = append(v.Figures, f)
	}
	if v.Tables, err = n.tableViews(s.Tables); err != nil {
		return v, err
	}
	if v.Details, err = n.detailViews(s.Details); err != nil {
		return v, err
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

func (n *numbering) detailViews(details []Detail) ([]detailView, error) {
	var views []detailView
	for _, d := range details {
		v := detailView{Summary: or(d.Summary, "Details"), Text: d.Text, List: d.List, Facts: d.Facts}
		var err error
		if v.Tables, err = n.tableViews(d.Tables); err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

func (n *numbering) tableViews(tables []Table) ([]tableView, error) {
	var views []tableView
	for i := range tables {
		n.tables++
		v, err := newTableView(&tables[i], n.tables, n.packed)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// newFigureView returns the view of a figure. If glyphs is not nil, it packs the picture without letters and images, and adds
// these to glyphs.
func newFigureView(f *Figure, number int, glyphs map[string]string) (figureView, error) {
	packed := glyphs != nil
	v := figureView{
		ID: "figure-" + f.Name, Name: f.Name, Number: number, Wide: f.Wide,
		Caption: f.Caption, Alt: or(f.Alt, or(f.Caption, f.Name)),
	}
	var err error
	if v.Files, err = f.offered(packed); err != nil {
		return v, err
	}
	if len(f.SVG) > 0 {
		svg := draw.ByNight(f.SVG)
		v.Suffix, v.Source = "svg", draw.SVGSource(svg)
		if packed && len(svg) > plainFile {
			if v.Source, err = packSVG(svg, glyphs); err != nil {
				return v, err
			}
		}
		v.Width, v.Height, err = draw.SVGSize(f.SVG)
	} else if len(f.PNG) > 0 {
		v.Suffix, v.Source = "png", template.HTMLAttr(`src="`+string(draw.DataURL("image/png", f.PNG))+`"`)
		v.Width, v.Height, err = draw.PNGSize(f.PNG)
	} else { // Figure.Within, which made the JPEG, has set the size
		v.Suffix, v.Source = "jpg", template.HTMLAttr(`src="`+string(draw.DataURL("image/jpeg", f.JPEG))+`"`)
	}
	if f.width > 0 {
		v.Width, v.Height = f.width, f.height
	}
	if err == nil {
		v.Phone, err = f.forPhone(v.Width, glyphs)
	}
	return v, err
}

// forPhone draws a figure again for narrow windows, where its letters would be too small to read. It returns attributes of an
// element source, or "" if that is no narrower than width, the picture's width in pixels. For glyphs, see [newFigureView].
func (f *Figure) forPhone(width int, glyphs map[string]string) (template.HTMLAttr, error) {
	if f.draw == nil {
		return "", nil
	}
	svg, err := f.draw(onPhone).scene().SVG()
	if err != nil {
		return "", err
	}
	w, h, err := draw.SVGSize(svg)
	if err != nil || w >= width {
		return "", err
	}
	svg = draw.ByNight(svg)
	source := template.HTMLAttr(fmt.Sprintf(`srcset="%s"`, draw.DataURL("image/svg+xml", svg)))
	if glyphs != nil {
		if source, err = packSVG(svg, glyphs); err != nil {
			return "", err
		}
	}
	return source + template.HTMLAttr(fmt.Sprintf(` width="%d" height="%d"`, w, h)), err
}

// packSVG compresses a picture without its letters and images, which it adds to glyphs.
func packSVG(svg []byte, glyphs map[string]string) (template.HTMLAttr, error) {
	content, err := draw.Compress(draw.TakeImages(draw.TakeGlyphs(svg, glyphs), glyphs))
	return content + ` data-kind="image/svg+xml"`, err
}
