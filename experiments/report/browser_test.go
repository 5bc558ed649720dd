package report

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/chromium"
)

// TestBrowser opens a saved report in Chromium, from the disk, as people do.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := chromium.Open(t)
	path, err := gallery().Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	url := "file://" + filepath.ToSlash(path)
	for _, window := range []struct {
		width  int
		scheme string
	}{{360, "light"}, {390, "dark"}, {768, "light"}, {1440, "dark"}, {2560, "light"}} {
		b.Load(url, window.width, 850, window.scheme)
		checkFits(t, b, window.width)
		checkScheme(t, b, window.scheme)
		checkPhone(t, b, window.width <= 608)
		if err := b.Troubles(); err != nil {
			t.Errorf("%+v: %v", window, err)
		}
	}
	b.Load(url, 1440, 900, "light")
	checkSorting(t, b)
	checkDialog(t, b)
	checkTheme(t, b)
	checkFiles(t, b)
	if err := b.Troubles(); err != nil {
		t.Error(err)
	}
}

// checkFiles checks that every figure offers its picture and LaTeX, and that a compressed table is unpacked.
func checkFiles(t *testing.T, b *chromium.Browser) {
	t.Helper()
	var labels []string
	b.Eval(`[...document.querySelectorAll('.picture')].map(p =>
		[...p.querySelectorAll('.files .file')].map(f => f.textContent).join(' '))`, &labels)
	for i, l := range labels {
		if !strings.Contains(l, "LaTeX") || !strings.HasSuffix(l, "SVG") && !strings.HasSuffix(l, "PNG") {
			t.Errorf("figure %d offers %q", i+1, l)
		}
	}
	var text string
	b.Eval(`(async () => {
		const link = document.querySelector('.file[data-gzip]');
		const create = URL.createObjectURL;
		const unpacked = new Promise(done => { URL.createObjectURL = blob => { done(blob); return create(blob); }; });
		link.addEventListener('click', event => event.preventDefault()); // nothing is to be saved here
		link.click();
		return (await unpacked).text();
	})()`, &text)
	if !strings.Contains(text, "\n") || strings.ContainsRune(text, 0) {
		t.Errorf("a compressed file is %.100q", text)
	}
}

// A page of hostile texts runs none of them as a script.
func TestBrowserHostileText(t *testing.T) {
	t.Parallel()
	b := chromium.Open(t)
	for _, s := range hostile() {
		path, err := hostilePage(s).Save(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		b.Load("file://"+filepath.ToSlash(path), 360, 800, "light")
		checkFits(t, b, 360)
		if err := b.Troubles(); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// checkFits checks that the page does not scroll sideways, and that all pictures have loaded.
func checkFits(t *testing.T, b *chromium.Browser, width int) {
	t.Helper()
	var page struct{ Inner, Scroll, Broken int }
	b.Eval(`({
		Inner: innerWidth,
		Scroll: document.documentElement.scrollWidth,
		Broken: [...document.querySelectorAll('.picture img')].filter(i => !i.complete || !i.naturalWidth).length,
	})`, &page)
	if page.Inner != width || page.Scroll > page.Inner {
		t.Errorf("the page is %d wide in a window of %d (%d wanted)", page.Scroll, page.Inner, width)
	}
	if page.Broken > 0 {
		t.Errorf("%d pictures do not show", page.Broken)
	}
}

// checkPhone checks that narrow windows, and no others, show the drawings that were made for them. The smallest letters
// of every figure, of 8 points in the drawing, must have at least 9 pixels there.
func checkPhone(t *testing.T, b *chromium.Browser, narrow bool) {
	t.Helper()
	var seen struct{ Charts, Narrow, Small int }
	b.Eval(`(() => {
		const all = [...document.querySelectorAll('.picture img')];
		const source = i => i.parentElement.querySelector('source');
		const isNarrow = i => source(i) && i.currentSrc !== i.src;
		const letters = i => 8 * 96 / 72 * i.clientWidth / (isNarrow(i) ? source(i) : i).getAttribute('width');
		return {Charts: all.filter(source).length, Narrow: all.filter(isNarrow).length, Small: all.filter(i => letters(i) < 9).length};
	})()`, &seen)
	if want := map[bool]int{true: seen.Charts}[narrow]; seen.Charts == 0 || seen.Narrow != want || narrow && seen.Small > 0 {
		t.Errorf("of the charts %+v, want %d narrow, and none with small letters", seen, want)
	}
}

const background = `getComputedStyle(document.body).backgroundColor`

func checkScheme(t *testing.T, b *chromium.Browser, scheme string) {
	t.Helper()
	var got string
	b.Eval(background, &got)
	if light := got == "rgb(255, 255, 255)"; light != (scheme == "light") {
		t.Errorf("in %s the background is %s", scheme, got)
	}
}

func checkTheme(t *testing.T, b *chromium.Browser) {
	for _, scheme := range []string{"dark", "light"} {
		b.Eval(`document.getElementById('theme').click()`, nil)
		checkScheme(t, b, scheme)
		checkPaper(t, b)
		var next string
		b.Eval(`document.getElementById('theme').textContent`, &next)
		if want := map[string]string{"dark": "Light", "light": "Dark"}[scheme]; next != want {
			t.Errorf("in %s the button says %q", scheme, next)
		}
	}
}

// checkPaper checks that the first figure, which is an SVG, has the background colour of the page.
func checkPaper(t *testing.T, b *chromium.Browser) {
	t.Helper()
	var corner struct{ X, Y int }
	b.Eval(`(() => {
		document.querySelector('.card').scrollIntoView({behavior: 'instant'});
		const at = document.querySelector('.card').getBoundingClientRect();
		return {X: Math.ceil(at.left) + 2, Y: Math.ceil(at.top) + 2};
	})()`, &corner)
	screen := decodePNG(t, b.Screenshot(false))
	page, figure := screen.At(2, corner.Y), screen.At(corner.X, corner.Y)
	if page != figure {
		t.Errorf("a figure on %v has a paper of %v", page, figure)
	}
}

// column returns the texts of a column of the first table, from the top down.
func column(t *testing.T, b *chromium.Browser, j string) []string {
	t.Helper()
	var texts []string
	b.Eval(`[...document.querySelectorAll('#table-layers tbody tr')].map(row => row.cells[`+j+`].textContent)`, &texts)
	return texts
}

func checkSorting(t *testing.T, b *chromium.Browser) {
	head := `document.querySelectorAll('#table-layers thead th')[2]`
	original := column(t, b, "2")
	sorted := slices.Sorted(slices.Values(original)) // the numbers have the same format, so texts sort like numbers
	reversed := slices.Clone(sorted)
	slices.Reverse(reversed)
	b.Eval(head+`.querySelector('button').focus()`, nil)
	for _, step := range []struct {
		state string
		want  []string
	}{{"ascending", sorted}, {"descending", reversed}, {"none", original}} {
		b.Press("Enter", 13) // the keyboard works like a click
		var state string
		b.Eval(head+`.getAttribute('aria-sort')`, &state)
		if state != step.state {
			t.Errorf("aria-sort is %q, want %q", state, step.state)
		}
		if got := column(t, b, "2"); !slices.Equal(got, step.want) {
			t.Errorf("%s: %q, want %q", step.state, got, step.want)
		}
	}
	b.Eval(`document.querySelector('#table-layers thead button').click()`, nil)
	if got := column(t, b, "0"); got[0] != "conv1" || got[1] != "layer1.0.conv1" {
		t.Errorf("layers by name: %q", got)
	}
}

func checkDialog(t *testing.T, b *chromium.Browser) {
	state := func() (s struct {
		Open                   bool
		Source, Caption, Focus string
	}) {
		b.Eval(`({
			Open: document.getElementById('viewer').open,
			Source: document.getElementById('download').download,
			Caption: document.getElementById('large-caption').textContent,
			Focus: document.activeElement.id || document.activeElement.title,
		})`, &s)
		return s
	}
	b.Eval(`{ const first = document.querySelector('.picture button'); first.focus(); first.click() }`, nil)
	if s := state(); !s.Open || s.Source != "layers.svg" || !strings.HasPrefix(s.Caption, "Figure\u00a01.") ||
		s.Focus != "close" {
		t.Errorf("after a click: %+v", s)
	}
	b.Press("ArrowRight", 39)
	if s := state(); s.Source != "resnet50.svg" {
		t.Errorf("after the right arrow: %+v", s)
	}
	b.Press("ArrowLeft", 37)
	b.Press("ArrowLeft", 37)
	if s := state(); s.Source != "time.svg" {
		t.Errorf("before the first figure: %+v, want the last", s)
	}
	b.Press("Escape", 27)
	if s := state(); s.Open || s.Focus != "Enlarge" {
		t.Errorf("after Escape: %+v", s)
	}
}

// A wide table takes the whole width of the window. If it needs more, it scrolls and is marked as cut. Its column of
// claims stays wide enough to read, and a small table is aligned with the text.
func TestBrowserWideTable(t *testing.T) {
	t.Parallel()
	b := chromium.Open(t)
	wide := Table{Name: "wide", Caption: "Wide.", Columns: []Column{{Name: "claim", Sentences: true}},
		Rows: [][]Cell{{{Text: strings.Repeat("Words of a claim that go on. ", 9)}}}}
	for range 12 {
		wide.Columns = append(wide.Columns, Column{Name: "some number", Numeric: true})
		wide.Rows[0] = append(wide.Rows[0], Cell{Text: "0.123", Value: 0.123})
	}
	small := Table{Name: "small", Columns: wide.Columns[:1], Rows: [][]Cell{{{Text: "short"}}}}
	p := Page{Title: "Tables", Sections: []Section{{Tables: []Table{wide, small}}}}
	path, err := p.Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{390, 1280, 1600, 2560} {
		b.Load("file://"+filepath.ToSlash(path), width, 850, "light")
		checkFits(t, b, width)
		var page struct {
			Wide, All, Claim, Small, Text float64
			Cut                           bool
		}
		b.Eval(`new Promise(done => requestAnimationFrame(() => setTimeout(() => {
			const scroll = document.querySelector('#table-wide .scroll');
			const left = (query) => document.querySelector(query).getBoundingClientRect().left;
			done({
				Wide: scroll.clientWidth, All: scroll.scrollWidth,
				Claim: scroll.querySelector('td, tbody th').clientWidth / parseFloat(getComputedStyle(document.documentElement).fontSize),
				Small: left('#table-small .scroll'), Text: left('h1'),
				Cut: document.getElementById('table-wide').classList.contains('cut'),
			});
		}, 50)))`, &page)
		if cut := page.All > page.Wide; cut != page.Cut || cut && page.Wide < float64(width)-40 || cut != (width < 2000) {
			t.Errorf("in a window of %d: %+v", width, page)
		}
		if width >= 1024 && page.Claim < 24 {
			t.Errorf("in a window of %d a claim is %g rem wide", width, page.Claim)
		}
		if page.Small != page.Text {
			t.Errorf("in a window of %d a small table starts at %g, the text at %g", width, page.Small, page.Text)
		}
	}
}
