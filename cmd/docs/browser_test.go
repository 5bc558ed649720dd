package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/chromium"
)

// shots is the folder in which the screens that the test sees are kept, for people to look at:
//
//	go test ./cmd/docs -run Browser -shots /tmp/shots
var shots = flag.String("shots", "", "folder to save screenshots to")

// TestBrowser opens every page at the width of a phone and of a desktop. Only tables and code may scroll sideways, all
// pictures must show, and nothing may fail. In dark mode pages are dark, and a choice of the reader is kept from page
// to page.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := chromium.Open(t)
	dir := filepath.Join(t.TempDir(), "site")
	if _, err := run(clone, dir); err != nil {
		t.Fatal(err)
	}
	s, err := readSite(os.DirFS(clone))
	if err != nil {
		t.Fatal(err)
	}
	url := func(name string) string { return "file://" + filepath.ToSlash(filepath.Join(dir, name)) }
	for i, p := range s.pages {
		for _, width := range []int{390, 1440} {
			scheme := []string{"light", "dark"}[(i+width/390)%2]
			b.Load(url(sitePath(p.path)), width, 850, scheme)
			checkScreen(t, b, p.path, width, scheme)
			if *shots != "" {
				keep(t, fmt.Sprintf("%s-%d.png", strings.ReplaceAll(sitePath(p.path), "/", "-"), width), b.Screenshot(false))
			}
		}
	}
	const source = "examples/layer/main.go.html"
	b.Load(url(source), 390, 850, "light")
	checkScreen(t, b, source, 390, "light")
	b.Load(url("index.html"), 1440, 850, "light")
	b.Eval(`document.getElementById('theme').click()`, nil)
	b.Load(url("docs/library.html"), 1440, 850, "light")
	checkScreen(t, b, "after a choice", 1440, "dark")
	checkSearch(t, b)
	if err := b.Troubles(); err != nil {
		t.Error(err)
	}
}

// checkScreen checks the layout, the pictures and the background of the page that is open.
func checkScreen(t *testing.T, b *chromium.Browser, name string, width int, scheme string) {
	t.Helper()
	var page struct {
		Scroll, Broken, Small int
		Paper, Widest         string
	}
	b.Eval(`({
		Scroll: document.documentElement.scrollWidth,
		Widest: [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 &&
			!e.closest('.scroll, pre, .skip, article :has(> img)')).map(e => e.outerHTML.slice(0, 80)).join(' '),
		Broken: [...document.querySelectorAll('img')].filter(i => !i.complete || !i.naturalWidth).length,
		Small: [...document.querySelectorAll('article img[src$=".svg"]')].filter(i =>
			8 * 96 / 72 * i.clientWidth / i.naturalWidth < 9).length, // letters have 8 points in the drawing
		Paper: getComputedStyle(document.body).backgroundColor,
	})`, &page)
	if page.Scroll > width || page.Widest != "" {
		t.Errorf("%s: %d wide in a window of %d: %s", name, page.Scroll, width, page.Widest)
	}
	if width < 600 && page.Small > 0 {
		t.Errorf("%s: letters of %d figures have less than 9 pixels", name, page.Small)
	}
	if page.Broken > 0 {
		t.Errorf("%s: %d pictures do not show", name, page.Broken)
	}
	if light := page.Paper == "rgb(255, 255, 255)"; light != (scheme == "light") {
		t.Errorf("%s: in %s the background is %s", name, scheme, page.Paper)
	}
	if err := b.Troubles(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// checkSearch searches for a heading of another page, and for a word that no heading has.
func checkSearch(t *testing.T, b *chromium.Browser) {
	t.Helper()
	search := func(words string) (first string) {
		b.Eval(`(() => {
			const box = document.getElementById('search');
			box.value = '`+words+`';
			box.dispatchEvent(new Event('input'));
			return document.getElementById('hits').innerText;
		})()`, &first)
		return first
	}
	if got := search("null why"); len(got) < 20 || got[:20] != "Why there is a null\n" {
		t.Errorf("a search finds %q", got)
	}
	if got := search("zyzzyva"); got != "No heading has these words." {
		t.Errorf("a search for nothing finds %q", got)
	}
	search("null why")
	var first string
	b.Eval(`document.querySelector('#hits a').href`, &first)
	if !strings.HasSuffix(first, "/docs/networks.html#why-there-is-a-null") {
		t.Errorf("the first hit leads to %s", first)
	}
}

func keep(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(*shots, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name), data, 0o666); err != nil {
		t.Fatal(err)
	}
}
