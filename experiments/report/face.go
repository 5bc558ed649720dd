package report

import (
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Proportions of Liberation Sans, in parts of its size.
const (
	capHeight  = 0.69
	descent    = 0.21
	lineHeight = 1.3
)

// face is a font at a size.
type face struct {
	font.Face
}

// faces parses the two embedded fonts once. Only these two are used: gonum's
// own collection would link all twelve of the family.
var faces = sync.OnceValue(func() map[xfont.Weight]*opentype.Font {
	return map[xfont.Weight]*opentype.Font{
		xfont.WeightNormal: mustParse(liberationsansregular.TTF),
		xfont.WeightBold:   mustParse(liberationsansbold.TTF),
	}
})

// mustParse panics if a font that is part of the program cannot be read, which
// is a fault of the build and not of any input.
func mustParse(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic("report: embedded font: " + err.Error())
	}
	return f
}

func regular(size vg.Length) face { return newFace(size, xfont.WeightNormal) }

func bold(size vg.Length) face { return newFace(size, xfont.WeightBold) }

func newFace(size vg.Length, weight xfont.Weight) face {
	return face{font.Face{
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
		Face: faces()[weight],
	}}
}

func (f face) size() vg.Length { return f.Font.Size }

// cap returns the height of a capital letter or a digit.
func (f face) cap() vg.Length { return capHeight * f.Font.Size }

// line returns the distance between the baselines of two lines.
func (f face) line() vg.Length { return lineHeight * f.Font.Size }

// width returns the width of s once it is plain.
func (f face) width(s string) vg.Length { return f.Width(plain(s)) }

// widest returns the width of the widest of the texts, 0 for none.
func (f face) widest(texts []string) vg.Length {
	var w vg.Length
	for _, s := range texts {
		w = max(w, f.width(s))
	}
	return w
}

const ellipsis = "…"

// shorten cuts s at its end, with an ellipsis, to be no wider than width.
func (f face) shorten(s string, width vg.Length) string {
	return f.cut(s, width, func(r []rune, keep int) string {
		return strings.TrimRight(string(r[:keep]), " ") + ellipsis
	})
}

// squeeze cuts s before its middle: names of layers differ most at their ends.
func (f face) squeeze(s string, width vg.Length) string {
	return f.cut(s, width, func(r []rune, keep int) string {
		head := (keep + 2) / 3
		return string(r[:head]) + ellipsis + string(r[len(r)-(keep-head):])
	})
}

// cut returns plain s if it fits, or else join with the most runes that do.
func (f face) cut(s string, width vg.Length, join func(r []rune, keep int) string) string {
	s = plain(s)
	if f.Width(s) <= width {
		return s
	}
	r := []rune(s)
	lo, hi := 0, len(r) // join(lo) fits, or lo is 0; join(hi) does not
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; f.Width(join(r, mid)) <= width {
			lo = mid
		} else {
			hi = mid
		}
	}
	return join(r, lo)
}

// wrap breaks s at spaces into at most n lines no wider than width; what does
// not fit is cut.
func (f face) wrap(s string, width vg.Length, n int) []string {
	var lines []string
	words := strings.Fields(plain(s))
	for len(words) > 0 {
		if len(lines) == n-1 {
			return append(lines, f.shorten(strings.Join(words, " "), width))
		}
		k := 1
		for k < len(words) && f.Width(strings.Join(words[:k+1], " ")) <= width {
			k++
		}
		lines = append(lines, f.shorten(strings.Join(words[:k], " "), width))
		words = words[k:]
	}
	return lines
}
