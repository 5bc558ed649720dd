package draw

import (
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// shapeOf identifies the outline of a glyph.
type shapeOf struct {
	weight xfont.Weight
	index  sfnt.GlyphIndex
}

// glyph is a glyph of a text: its distance x from the start of the text and y above the baseline, in units
// of the font (unitsPerEm is the text's size), and its size as a share of the text's.
type glyph struct {
	shapeOf
	x, y, scale float64
}

const (
	unitsPerEm = 2048 // of both fonts
	// svgUnits are the units per em of outlines in SVGs. Outlines are most of the bytes of a chart, and nobody sees a hundredth
	// of a pixel.
	svgUnits = 512
)

// Raised and lowered characters, each followed by the character that it is made from. The font has some of
// them, in places and sizes that do not match.
var (
	raised  = pairs("⁰0¹1²2³3⁴4⁵5⁶6⁷7⁸8⁹9⁺+⁻−⁽(⁾)ⁿnⁱiᵀTᴸLᵃaᵇbᵈdʲjᵏkᵐmᵖpᵗtˣx")
	lowered = pairs("₀0₁1₂2₃3₄4₅5₆6₇7₈8₉9₊+₋−₍(₎)ₐaₑeᵢiⱼjₖkₗlₘmₙnₒoₚpᵣrₛsₜtᵤuᵥvₓx")
)

// The size of raised and lowered characters as a share of the text's, and how far they are moved.
const (
	smallScale = 0.62
	raisedBy   = 0.33 * unitsPerEm
	loweredBy  = -0.14 * unitsPerEm
)

func pairs(s string) map[rune]rune {
	m, r := map[rune]rune{}, []rune(s)
	for i := 0; i < len(r); i += 2 {
		m[r[i]] = r[i+1]
	}
	return m
}

// glyphs returns the glyphs of a text and its width, in units of the font.
func (f Face) glyphs(s string) (all []glyph, width float64) {
	font := faces()[f.weight]
	var buffer sfnt.Buffer
	var before glyph
	em := fixed.Int26_6(unitsPerEm) // with this size, lengths are in units of the font
	for _, run := range Runs(s) {
		for _, r := range run.Text {
			g := glyph{shapeOf{weight: f.weight}, width, 0, 1}
			above, beneath := run.Above, run.Beneath
			if to, is := raised[r]; is {
				r, above = to, true
			} else if to, is := lowered[r]; is {
				r, beneath = to, true
			}
			switch {
			case above:
				g.y, g.scale = raisedBy, smallScale
			case beneath:
				g.y, g.scale = loweredBy, smallScale
			}
			// The fonts are part of the program, and every index comes from them: the only error is a pair
			// without kerning.
			g.index, _ = font.GlyphIndex(&buffer, r)
			if len(all) > 0 && before.scale == g.scale {
				if kern, err := font.Kern(&buffer, before.index, g.index, em, xfont.HintingNone); err == nil {
					g.x += g.scale * float64(kern)
				}
			}
			advance, _ := font.GlyphAdvance(&buffer, g.index, em, xfont.HintingNone)
			width = g.x + g.scale*float64(advance)
			all, before = append(all, g), g
		}
	}
	return all, width
}

// outline returns the outline of a glyph, with so many units per em. y grows downwards.
func (g shapeOf) outline(units int) []sfnt.Segment {
	var buffer sfnt.Buffer
	segments, err := faces()[g.weight].LoadGlyph(&buffer, g.index, fixed.Int26_6(units), nil)
	if err != nil {
		return nil // a glyph that is a bitmap, which these fonts do not have
	}
	return segments
}
