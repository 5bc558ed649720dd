package report

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"
)

// A text that is cut fits, unless not even an ellipsis does, and one that fits
// is left alone.
func TestCut(t *testing.T) {
	f := regular(textSize)
	for _, s := range append(hostile(), resnet20()...) {
		for width := vg.Length(10); width < 200; width += 7 {
			for name, cut := range map[string]func(string, vg.Length) string{"shorten": f.shorten,
				"squeeze": f.squeeze} {
				got := cut(s, width)
				if f.width(got) > width {
					t.Errorf("%s(%q, %.0f) = %q is %.1f wide", name, s, width, got, f.width(got))
				}
				if f.width(s) <= width && got != plain(s) {
					t.Errorf("%s(%q, %.0f) = %q though it fits", name, s, width, got)
				}
				if !utf8.ValidString(got) {
					t.Errorf("%s(%q, %.0f) = %q is not UTF-8", name, s, width, got)
				}
			}
		}
	}
}

func TestSqueezeKeepsEnds(t *testing.T) {
	got := regular(smallSize).squeeze("features.denseblock3.denselayer12.conv2", longName)
	if !strings.HasPrefix(got, "feat") || !strings.HasSuffix(got, "denselayer12.conv2") {
		t.Errorf("squeezed to %q", got)
	}
}

func TestWrap(t *testing.T) {
	f := regular(textSize)
	const width = 60
	for _, c := range []struct {
		s    string
		want []string
	}{
		{"", nil},
		{"one", []string{"one"}},
		{"after the square root", []string{"after the", "square root"}},
		{"much too long for two lines of this width", []string{"much too long", "for two lines …"}},
	} {
		got := f.wrap(c.s, width, 2)
		if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("wrap(%q) = %q, want %q", c.s, got, c.want)
		}
		if slices.ContainsFunc(got, func(s string) bool { return f.width(s) > width }) {
			t.Errorf("wrap(%q) = %q is too wide", c.s, got)
		}
	}
}

// The characters that this project writes are all in the font.
func TestFontHasGlyphs(t *testing.T) {
	for weight, f := range faces() {
		for _, r := range "WᵀW − W₀ CNFM½ AGOP √ ± × · – — … ≤ ≥ ≈ ∞ α β γ σ λ Σ ∂ ² ³ é ü ß" {
			if i, err := f.GlyphIndex(nil, r); i == 0 || err != nil {
				t.Errorf("%v: no glyph for %q (%v)", weight, r, err)
			}
		}
	}
}
