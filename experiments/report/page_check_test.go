package report

import (
	"regexp"
	"strings"
	"testing"
)

// chaptered returns a page of two chapters after a section of claims.
func chaptered() *Page {
	claims := Table{Name: "claims", Columns: []Column{{Name: "verdict", Filter: true}, {Name: "of"}},
		Rows: [][]Cell{{{Text: "holds", Mark: Good}, {Text: "one", Link: "one"}},
			{{Text: "fails", Mark: Bad}, {Text: "two", Link: "Two"}}}}
	part := func(id string) Section {
		return Section{ID: id, Heading: "Part " + id, Note: "1 of 2", Lead: []Table{{Name: id + "-lead"}},
			Figures: []Figure{{Name: id, SVG: []byte(dotSVG)}}, Tables: []Table{{Name: id + "-table"}},
			Details: []Detail{{Summary: "How", Facts: []Fact{{"seed", "0"}}, Tables: []Table{{Name: id + "-seeds"}}}}}
	}
	return &Page{Title: "Chapters", Sections: []Section{
		{Heading: "Claims", Lead: []Table{claims}},
		{Heading: "A", Parts: []Section{part("one"), part("Two")}}, {Heading: "B", Parts: []Section{part("three")}},
	}}
}

// A page of chapters shows its sections in order, numbers figures and tables consecutively, and links to the sections
// that its links name.
func TestPageOfChapters(t *testing.T) {
	page := writeHTML(t, chaptered())
	var order []string
	parts := regexp.MustCompile(`<(?:section|figure) id="([^"]*)"|<b>(Figure|Table)&nbsp;(\d)`)
	for _, m := range parts.FindAllStringSubmatch(page, -1) {
		order = append(order, strings.Join(m[1:], ""))
	}
	want := "section-1 table-claims Table1 section-2 one table-one-lead Table2 figure-one Figure1 table-one-table " +
		"Table3 table-one-seeds Table4 " +
		"Two table-Two-lead Table5 figure-Two Figure2 table-Two-table Table6 table-Two-seeds Table7 section-3 three " +
		"table-three-lead Table8 figure-three Figure3 table-three-table Table9 table-three-seeds"
	if got := strings.Join(order, " "); !strings.HasPrefix(got, want) {
		t.Errorf("the page has\n%s\nwant\n%s", got, want)
	}
	for _, s := range []string{`<th scope="col" class="signed" data-filter>verdict</th>`,
		`<td><a href="#one">one</a></td>`, `<li><a href="#Two">Part Two</a> <small>1 of 2</small></li>`,
		`<summary>How</summary>`} {
		if !strings.Contains(page, s) {
			t.Errorf("the page has no %s", s)
		}
	}
}

// Names that are taken, reserved or invalid are refused, as are links to missing sections and parts of parts.
func TestPageOfChaptersRefused(t *testing.T) {
	for what, spoil := range map[string]func(*Page){
		`ID "one": the name is taken`:  func(p *Page) { p.Sections[2].Parts[0].ID = "one" },
		`ID "ONE": the name is taken`:  func(p *Page) { p.Sections[2].Parts[0].ID = "ONE" },
		`starts with "section-"`:       func(p *Page) { p.Sections[0].ID = "section-2" },
		`is reserved for the page`:     func(p *Page) { p.Sections[0].ID = "viewer" },
		`the name has ' '`:             func(p *Page) { p.Sections[0].ID = "a b" },
		`no section has the ID "four"`: func(p *Page) { p.Sections[0].Lead[0].Rows[0][1].Link = "four" },
		`no section has the ID "two"`:  func(p *Page) { p.Sections[0].Lead[0].Rows[0][1].Link = "two" },
		`a part has no parts`:          func(p *Page) { p.Sections[1].Parts[0].Parts = []Section{{}} },
		`table "one-seeds": the name is ta`: func(p *Page) {
			p.Sections[2].Parts[0].Details[0].Tables[0].Name = "one-seeds"
		},
		`figure "one": the name is taken`: func(p *Page) { p.Sections[2].Parts[0].Figures[0].Name = "one" },
	} {
		p := chaptered()
		spoil(p)
		if _, err := p.html(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
}
