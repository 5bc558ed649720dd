package report

import (
	"encoding/json"
	"testing"
)

// Browser is the headless Chromium for the tests that stand outside of the package,
// to read pages that other packages make.
type Browser struct{ b *browser }

// OpenBrowser skips the test where Chromium is not installed.
func OpenBrowser(t testing.TB) Browser { return Browser{openBrowser(t)} }

// Open opens a page in a window of a size, in light or dark.
func (b Browser) Open(url string, width, height int, scheme string) {
	b.b.open(url, width, height, scheme)
}

// Eval evaluates a JavaScript expression into result.
func (b Browser) Eval(expression string, result any) { b.b.eval(expression, result) }

// Press presses a key.
func (b Browser) Press(key string, code int) { b.b.press(key, code) }

// Print shows the page as on paper.
func (b Browser) Print() {
	b.b.do("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
}

// Click clicks with the mouse where the first element that a selector finds is.
func (b Browser) Click(selector string) {
	quoted, _ := json.Marshal(selector) // a string can always be encoded
	var at struct{ X, Y float64 }
	b.b.eval(`(() => {
		const e = document.querySelector(`+string(quoted)+`);
		e.scrollIntoView({ block: 'center', behavior: 'instant' });
		const r = e.getBoundingClientRect();
		return { X: r.x + r.width / 2, Y: r.y + r.height / 2 };
	})()`, &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.b.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left",
			"clickCount": 1}, nil)
	}
}

// Screenshot is a PNG of the window.
func (b Browser) Screenshot() []byte { return b.b.screenshot(false) }

// Troubles is what went wrong in the page since the last call.
func (b Browser) Troubles() error { return b.b.takeTroubles() }

// Keep writes a file of the gallery, if there is to be one.
func Keep(t *testing.T, name string, data []byte) {
	if *galleryDir != "" {
		keep(t, *galleryDir+"/screenshots/"+name, data)
	}
}
