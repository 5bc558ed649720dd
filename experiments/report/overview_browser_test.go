package report_test

import (
	"bytes"
	"fmt"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/overview"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/chromium"
)

// overviewPage runs some experiments at scale smoke and writes the page of all of them.
func overviewPage(t *testing.T) (url string) {
	t.Helper()
	dir := t.TempDir()
	for _, id := range []string{"rfm/fig9", "rfm/fig1", "cnfa/fig3"} {
		e, err := experiments.All().Find(id)
		if err != nil {
			t.Fatal(err)
		}
		run := study.Run{Experiment: e, Scale: study.Smoke, Seeds: 2, Out: dir}
		if _, err := run.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	all, err := overview.ReadOverview(experiments.All(), dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "report.html")
	if size, err := all.SavePage(path); err != nil || size < 10_000 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	return "file://" + filepath.ToSlash(path)
}

// TestBrowserOverview opens the page of all results on a phone and on a desktop, in light and in dark colours. It sorts
// and filters the claims, follows a link, opens a figure and a record, and prints the page.
func TestBrowserOverview(t *testing.T) {
	t.Parallel()
	b := chromium.Open(t)
	url := overviewPage(t)
	for _, width := range []int{390, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			b.Load(url, width, 850, scheme)
			seeWindow(t, b, fmt.Sprintf("overview-%d-%s.png", width, scheme), width, scheme == "dark")
			readOverview(t, b, width)
			seeWindow(t, b, fmt.Sprintf("overview-%d-%s-record.png", width, scheme), width, scheme == "dark")
			if err := b.Troubles(); err != nil {
				t.Errorf("%d pixels, %s: %v", width, scheme, err)
			}
		}
	}
	b.Load(url, 680, 900, "dark") // the width of an A4 sheet without its margins
	b.Print()
	b.Eval(`dispatchEvent(new Event('beforeprint'))`, nil)
	seeWindow(t, b, "overview-print.png", 680, false)
	var folded int
	if b.Eval(`[...document.querySelectorAll('details.fold')].filter(d => !d.open).length`, &folded); folded > 0 {
		t.Errorf("on paper %d records are folded away", folded)
	}
}

// seeWindow checks that the page fits into the window, that its pictures show, that it is as dark as it should be, and
// that something is drawn on it.
func seeWindow(t *testing.T, b *chromium.Browser, name string, width int, dark bool) {
	t.Helper()
	var page struct{ Scroll, Broken int }
	b.Eval(`(async () => {
		while (document.querySelector('img[data-gzip]')) await new Promise(done => setTimeout(done));
		const pictures = [...document.querySelectorAll('.picture img')];
		await Promise.all(pictures.map(i => i.decode().catch(() => null)));
		return {
			Scroll: document.documentElement.scrollWidth,
			Broken: pictures.filter(i => !i.complete || !i.naturalWidth).length,
		};
	})()`, &page)
	if page.Scroll > width || page.Broken > 0 {
		t.Errorf("%s: %d pixels wide, %d pictures do not show", name, page.Scroll, page.Broken)
	}
	shot := b.Screenshot(false)
	report.Keep(t, name, shot)
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	light, inked, n := 0, 0, 0
	corner, _, _, _ := img.At(1, 1).RGBA()
	for y := 0; y < img.Bounds().Dy(); y += 3 {
		for x := 0; x < img.Bounds().Dx(); x += 3 {
			r, _, _, _ := img.At(x, y).RGBA()
			if r > 0x8000 {
				light++
			}
			if max(r, corner)-min(r, corner) > 0x4000 {
				inked++
			}
			n++
		}
	}
	if isDark := light < n/2; isDark != dark || inked < n/200 || inked > n*4/5 {
		t.Errorf("%s: %d of %d pixels are light, %d stand out", name, light, n, inked)
	}
}

// readOverview uses the page as a reader would.
func readOverview(t *testing.T, b *chromium.Browser, width int) {
	t.Helper()
	readClaims(t, b)
	var at struct {
		Hash, Current, Place string
		Top                  float64
	}
	b.Eval(`document.documentElement.style.scrollBehavior = 'auto'`, nil)
	b.Click(`#table-all-claims tbody tr:not([hidden]) a`)
	b.Eval(`new Promise(done => {
		let frames = 0;
		const look = () => {
			const current = document.querySelector('#contents [aria-current]')?.hash ?? '';
			if (current !== location.hash && ++frames < 300) return requestAnimationFrame(look);
			done({
				Hash: location.hash, Current: current,
				Top: document.querySelector('#rfm-fig9').getBoundingClientRect().top,
				Place: getComputedStyle(document.getElementById('contents')).position,
			});
		};
		look();
	})`, &at)
	if at.Hash != "#rfm-fig9" || at.Top < -5 || at.Top > 200 {
		t.Errorf("the link of a claim leads to %s, %.0f pixels from the top", at.Hash, at.Top)
	}
	if wide := width > 1200; at.Current != at.Hash || (at.Place == "fixed") != wide {
		t.Errorf("the contents are %s and show %q as read", at.Place, at.Current)
	}
	readFigure(t, b)
	readRecord(t, b)
}

// readClaims sorts the claims and filters those of one paper.
func readClaims(t *testing.T, b *chromium.Browser) {
	t.Helper()
	column := func(j int) (texts []string) {
		b.Eval(fmt.Sprintf(`[...document.querySelectorAll('#table-all-claims tbody tr:not([hidden])')].map(
			row => row.cells[%d].textContent.trim())`, j), &texts)
		return texts
	}
	const claim, in = 2, 6
	before := column(claim)
	b.Click(fmt.Sprintf(`#table-all-claims thead th:nth-child(%d) button`, claim+1))
	sorted := column(claim)
	if len(before) < 10 || slices.Equal(before, sorted) || sorted[0] > sorted[len(sorted)-1] {
		t.Errorf("claims sorted from %q to %q", sorted[0], sorted[len(sorted)-1])
	}
	b.Eval(`(() => {
		const choice = [...document.querySelectorAll('.filters select')].find(
			s => s.parentElement.textContent.startsWith('paper'));
		choice.value = 'rfm';
		choice.dispatchEvent(new Event('change', { bubbles: true }));
	})()`, nil)
	chosen := column(in)
	if len(chosen) == 0 || len(chosen) >= len(before) || slices.ContainsFunc(chosen,
		func(id string) bool { return !strings.HasPrefix(id, "rfm/") }) {
		t.Errorf("the claims of rfm are those of %q", chosen)
	}
	b.Eval(`(() => {
		const link = [...document.querySelectorAll('#table-all-claims tbody tr a')].find(a => a.hash === '#rfm-fig9');
		link.closest('tbody').prepend(link.closest('tr'));
	})()`, nil)
}

// readFigure enlarges a figure and closes it again.
func readFigure(t *testing.T, b *chromium.Browser) {
	t.Helper()
	var shown struct {
		Open    bool
		Width   float64
		Caption string
	}
	state := `({ Open: document.getElementById('viewer').open,
		Width: document.getElementById('large').naturalWidth,
		Caption: document.getElementById('large-caption').textContent })`
	b.Click(`#cnfa-fig3 .picture button`)
	if b.Eval(state, &shown); !shown.Open || shown.Width == 0 || !strings.HasPrefix(shown.Caption, "Figure") ||
		strings.HasSuffix(shown.Caption, "CSV") {
		t.Errorf("after a click on a figure: %+v", shown)
	}
	b.Press("Escape", 27)
	if b.Eval(state, &shown); shown.Open {
		t.Error("the figure does not close")
	}
}

// readRecord unfolds the record of how the numbers of an experiment were made.
func readRecord(t *testing.T, b *chromium.Browser) {
	t.Helper()
	var before, after string
	text := `document.querySelector('#cnfa-fig3 details.fold:last-of-type').innerText`
	b.Eval(text, &before)
	b.Click(`#cnfa-fig3 details.fold:last-of-type > summary`)
	b.Eval(text, &after)
	for _, s := range []string{"ansatz run cnfa/fig3 --scale smoke --seeds 2", "SHA-256", "backend", "seed 1",
		"UTC"} {
		if strings.Contains(before, s) || !strings.Contains(after, s) {
			t.Errorf("the record has no %q, or it is not folded away at first:\n%s", s, after)
		}
	}
}
