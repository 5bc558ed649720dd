package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html"
	"image"
	"image/png"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
)

const dotSVG = `<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36"><circle r="9"/></svg>`

func dotPNG() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 2))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func smallPage() *Page {
	table := mixedTable()
	return &Page{
		Title: "A small report", Lead: "All is well & good.",
		Sections: []Section{
			{
				Heading: "Similarity", Text: []string{"First paragraph.", "Second, with 1 < 2."},
				Figures: []Figure{
					{Name: "dot", Caption: "A dot.", Alt: "a black dot", SVG: []byte(dotSVG), PNG: dotPNG()},
					{Name: "pixels", Caption: "Pixels only.", PNG: dotPNG(), Wide: true},
				},
				Tables: []Table{*table},
				Facts:  []Fact{{"Similarity", "Pearson"}, {"Null", "100 draws"}},
			},
			{Heading: "Nothing"},
			{},
		},
		Provenance: []Fact{{"Version", "v0"}, {"Data", "sha256:00ff"}},
	}
}

func writeHTML(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The golden file leaves out the style sheet and the script, which are files of their own, and their digests in the
// page's security policy.
func TestPageGolden(t *testing.T) {
	page := writeHTML(t, smallPage())
	for _, long := range []string{`(?s)<style>.*?</style>`, `(?s)<script>.*?</script>`,
		`sha256-[^ ;&]*(&#43;[^ ;&]*)*`} {
		page = regexp.MustCompile(long).ReplaceAllString(page, "…")
	}
	golden(t, "page.html", []byte(page))
}

func TestPageEmpty(t *testing.T) {
	for _, p := range []*Page{{}, {Sections: []Section{{}}},
		{Sections: []Section{{Tables: []Table{{Name: "empty"}}}}}} {
		if page := writeHTML(t, p); !strings.Contains(page, "<h1>Report</h1>") {
			t.Errorf("a page without a title is headed %q", regexp.MustCompile(`<h1>.*</h1>`).FindString(page))
		}
	}
}

func TestPageDeterministic(t *testing.T) {
	first, again := writeHTML(t, smallPage()), writeHTML(t, smallPage())
	if first != again {
		t.Error("the page differs from one time to the next")
	}
}

// hostilePage returns a page that has s in every place for a text.
func hostilePage(s string) *Page {
	facts := []Fact{{s, s}}
	return &Page{
		Title: s, Lead: s, Provenance: facts,
		Sections: []Section{
			{Heading: s, Parts: []Section{{Heading: s, Note: s, Text: []string{s},
				Folded:  []Detail{{Summary: s, List: []string{s, s}}},
				Details: []Detail{{Summary: s, Text: []string{s}, Facts: facts}}}}},
			{Heading: s, Text: []string{s}, Facts: facts, Figures: []Figure{{Name: "f", Caption: s, Alt: s,
				SVG: []byte(dotSVG)}}},
			{Tables: []Table{{Name: "t", Caption: s, Columns: []Column{{Name: s, Help: s, Filter: true},
				{Name: s, Help: s, Numeric: true}}, Rows: [][]Cell{{{Text: s}, {Text: s, Value: 1}}}}}},
		},
	}
}

// Text never becomes markup: a page with any text has the same elements as a page with plain text.
func TestPageHostileText(t *testing.T) {
	tags := func(page string) []string { return regexp.MustCompile(`<[a-zA-Z/!][^\s>]*`).FindAllString(page, -1) }
	want := tags(writeHTML(t, hostilePage("text")))
	for _, s := range hostile() {
		if plain(s) == "" {
			continue // the page leaves out elements that would be empty
		}
		page := writeHTML(t, hostilePage(s))
		if got := tags(page); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q: the page has other elements than it should: %v", s, got)
		}
	}
}

// The page refers to nothing outside itself.
func TestPageSelfContained(t *testing.T) {
	page := writeHTML(t, gallery())
	for _, m := range regexp.MustCompile(`(?:src|href|action|poster|srcset)="([^"]*)"`).FindAllStringSubmatch(page,
		-1) {
		if url := html.UnescapeString(m[1]); !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "#") {
			t.Errorf("the page refers to %.80q", url)
		}
	}
	for _, outside := range []string{"@import", "url(", "fetch(", "XMLHttpRequest", "localStorage", "//cdn"} {
		if strings.Contains(style+script, outside) {
			t.Errorf("the page has %s", outside)
		}
	}
}

func TestPageEmbedsFigures(t *testing.T) {
	page := writeHTML(t, smallPage())
	for _, want := range []string{
		`<img src="data:image/svg+xml;charset=utf-8,<svg xmlns=%22http://www.w3.org/2000/svg%22 width=%2272pt%22 `,
		"data:image/png;base64,", `width="96" height="36"`, `width="1" height="1"`, `alt="a black dot"`,
		`alt="Pixels only."`,
	} {
		if !strings.Contains(html.UnescapeString(page), html.UnescapeString(want)) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestPageErrors(t *testing.T) {
	figure := func(f ...Figure) *Page { return &Page{Sections: []Section{{Heading: "H", Figures: f}}} }
	svg := []byte(dotSVG)
	for _, c := range []struct {
		want string
		page *Page
	}{
		{`section 1 ("H"): figure "": no name`, figure(Figure{SVG: svg})},
		{`figure "../x": the name has '.' at byte 0`, figure(Figure{Name: "../x", SVG: svg})},
		{`figure "A": the name is taken`, figure(Figure{Name: "a", SVG: svg}, Figure{Name: "A", SVG: svg})},
		{`figure "a" has no picture`, figure(Figure{Name: "a"})},
		{`figure "a": the SVG starts with <html>`, figure(Figure{Name: "a", SVG: []byte("<html/>")})},
		{`figure "a": reading the SVG`, figure(Figure{Name: "a", SVG: []byte("not xml")})},
		{`figure "a": reading the PNG`, figure(Figure{Name: "a", PNG: []byte("not png")})},
		{`table "t": the name is taken`, &Page{Sections: []Section{{Tables: []Table{{Name: "t"}, {Name: "t"}}}}}},
		{`table "t": row 1 has 1 cells for 0 columns`, &Page{Sections: []Section{{Tables: []Table{{Name: "t",
			Rows: [][]Cell{{{}}}}}}}}},
	} {
		var b bytes.Buffer
		err := c.page.WriteHTML(&b)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "report: ") {
			t.Errorf("error %v, want %s", err, c.want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: wrote %d bytes before it failed", c.want, b.Len())
		}
		if _, err := c.page.Save(t.TempDir()); err == nil {
			t.Errorf("%s: saved all the same", c.want)
		}
	}
}

func TestPageWriteError(t *testing.T) {
	full := errors.New("disk full")
	if err := smallPage().WriteHTML(brokenWriter{full}); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

func TestSVGSize(t *testing.T) {
	for _, c := range []struct {
		svg           string
		width, height int
	}{
		{`<svg width="72pt" height="36pt"/>`, 96, 48},
		{`<?xml version="1.0"?><!-- c --><svg width="10px" height="20"/>`, 10, 20},
		{`<svg/>`, 0, 0}, {`<svg width="100%" height="-3"/>`, 0, 0}, {`<svg width="NaN" height="1e9"/>`, 0, 0},
	} {
		if w, h, err := draw.SVGSize([]byte(c.svg)); w != c.width || h != c.height || err != nil {
			t.Errorf("%s is %d×%d (%v), want %d×%d", c.svg, w, h, err, c.width, c.height)
		}
	}
}

// The SVG contains the title and the description of the chart, escaped.
func TestSVGTitle(t *testing.T) {
	f, err := BarChart("stem", "a < b & c", "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var svg struct {
		Title string `xml:"title"`
		Desc  string `xml:"desc"`
	}
	if err := xml.Unmarshal(f.SVG, &svg); err != nil {
		t.Fatal(err)
	}
	if svg.Title != "a < b & c" || svg.Desc != f.Alt {
		t.Errorf("title %q, description %q", svg.Title, svg.Desc)
	}
}

func TestFactsOf(t *testing.T) {
	type inner struct {
		Seed int `json:"seed" fact:"seed"`
	}
	type conventions struct {
		Kernel    string    `json:"kernel" fact:"kernel"`
		Ridge     float64   `json:"ridge" fact:"ridge λ"`
		Bandwidth float64   `json:"bandwidth,omitempty" fact:"bandwidth L"`
		Ridges    []float64 `json:"ridges" fact:"ridges λ"`
		Threads   int       `json:"threads"`
		Scale     string    `json:"scale" fact:"scale"`
		inner
		Test string `json:"test,omitempty" fact:"test images"`
	}
	c := conventions{Kernel: "laplace: exp", Ridges: []float64{0, .5}, Threads: 2, inner: inner{3}}
	want := []Fact{{"kernel", "laplace: exp"}, {"ridge λ", "0"}, {"ridges λ", "0, 0.5"}}
	if got := FactsOf(c); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	c.Bandwidth, c.Test = 10, "5 [rows]"
	want = slices.Insert(append(want, Fact{"test images", "5 [rows]"}), 2, Fact{"bandwidth L", "10"})
	if got := FactsOf(c); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// SVGSource writes an SVG as text into an attribute. Its quotes do not end the attribute, and decoding the attribute
// returns the SVG with the same bytes.
func TestSVGSource(t *testing.T) {
	svg := "<svg a=\"1\" b='&lt;'>\n\t<a href=\"#x\" c=\"50%\" d=\"%23\"/>é\r</svg>"
	source := string(draw.SVGSource([]byte(svg)))
	inner, is := strings.CutPrefix(source, `src="data:image/svg+xml;charset=utf-8,`)
	inner, ends := strings.CutSuffix(inner, `"`)
	if !is || !ends || strings.ContainsAny(inner, "\"\n\t#") {
		t.Fatalf("the attribute is %s", source)
	}
	if got, err := url.PathUnescape(html.UnescapeString(inner)); err != nil || got != svg {
		t.Errorf("it holds %q: %v", got, err)
	}
}
