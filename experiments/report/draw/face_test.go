package draw

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"
)

// A text that is cut fits into the width and is valid UTF-8. A text that fits is not cut.
func TestCut(t *testing.T) {
	f := Regular(9)
	for _, s := range []string{"", "a", "layer1.0.conv1", "features.denseblock3.denselayer12.conv2", "W₁ᵀW₁\x00\u202e",
		"\xff\xfe", "人工ニューラル", "é ü ß\t½"} {
		for width := vg.Length(10); width < 200; width += 7 {
			for name, cut := range map[string]func(string, vg.Length) string{"shorten": f.Shorten,
				"squeeze": f.Squeeze} {
				got := cut(s, width)
				if f.Width(got) > width {
					t.Errorf("%s(%q, %.0f) = %q is %.1f wide", name, s, width, got, f.Width(got))
				}
				if f.Width(s) <= width && got != Plain(s) {
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
	got := Regular(8).Squeeze("features.denseblock3.denselayer12.conv2", 112)
	if !strings.HasPrefix(got, "feat") || !strings.HasSuffix(got, "denselayer12.conv2") {
		t.Errorf("squeezed to %q", got)
	}
}

func TestWrap(t *testing.T) {
	f := Regular(9)
	const width = 60
	for _, c := range []struct {
		s    string
		want []string
	}{
		{"", nil},
		{"one", []string{"one"}},
		{"after the square root", []string{"after the", "square root"}},
		{"Laplace-ConvRFM", []string{"Laplace-", "ConvRFM"}},
		{"much too long for two lines of this width", []string{"much too long", "for two lines…"}},
	} {
		got := f.Wrap(c.s, width, 2)
		if !slices.Equal(got, c.want) {
			t.Errorf("wrap(%q) = %q, want %q", c.s, got, c.want)
		}
		if slices.ContainsFunc(got, func(s string) bool { return f.Width(s) > width }) {
			t.Errorf("wrap(%q) = %q is too wide", c.s, got)
		}
	}
}

// The font has glyphs for all characters that this project writes, if need be scaled glyphs of other characters.
func TestFontHasGlyphs(t *testing.T) {
	for _, face := range []Face{Regular(9), Bold(9)} {
		for _, r := range "WᵀW − W₀ CNFM½ AGOP √ ± × · – — … ≤ ≥ ≈ ∞ α β γ σ λ Σ ∂ ² ³ é ü ß log₁₀ 10⁻⁹ xₙ hᴸ ℓʲ" {
			if all, width := face.glyphs(string(r)); len(all) != 1 || all[0].index == 0 || width <= 0 {
				t.Errorf("%v: no glyph for %q: %v, %g wide", face, r, all, width)
			}
		}
	}
}

// Subscripts and superscripts are smaller than other characters. Only subscripts reach below the line.
func TestRaisedAndLowered(t *testing.T) {
	f := Regular(10)
	for s, below := range map[string]bool{"₀": true, "ₙ": true, "⁻": false, "⁹": false} {
		all, width := f.glyphs(s)
		if g := all[0]; g.y < 0 != below || g.scale != smallScale || width > .7*unitsPerEm {
			t.Errorf("%s is %v, %g wide", s, g, width)
		}
	}
	if got, want := f.Width("log₁₀"), f.Width("log")+smallScale*f.Width("10"); got < want*.99 || got > want*1.01 {
		t.Errorf("log₁₀ is %g wide, want %g", got, want)
	}
}
