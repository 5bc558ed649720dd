package draw

import (
	"slices"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/vg"
)

// Proportions of Liberation Sans, as shares of its size.
const (
	capHeight  = 0.69
	lineHeight = 1.3
	// Descent is how far letters reach below the baseline, as a share of the size.
	Descent = 0.21
)

// Face is a font, regular or bold, at a size in points.
type Face struct {
	Size   vg.Length
	weight xfont.Weight
}

// Regular returns the face of plain text.
func Regular(size vg.Length) Face { return Face{size, xfont.WeightNormal} }

// Bold returns the face of titles.
func Bold(size vg.Length) Face { return Face{size, xfont.WeightBold} }

// faces parses the two embedded fonts once. It does not use gonum's collection, which
// would link all twelve fonts of the family.
var faces = sync.OnceValue(func() map[xfont.Weight]*opentype.Font {
	return map[xfont.Weight]*opentype.Font{
		xfont.WeightNormal: mustParse(liberationsansregular.TTF),
		xfont.WeightBold:   mustParse(liberationsansbold.TTF),
	}
})

// mustParse panics if a font that is part of the program cannot be read: the build is
// at fault then, and not any input.
func mustParse(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic("draw: embedded font: " + err.Error())
	}
	return f
}

// Cap returns the height of a capital letter or a digit, in points.
func (f Face) Cap() vg.Length { return capHeight * f.Size }

// Line returns the distance between the baselines of two lines, in points.
func (f Face) Line() vg.Length { return lineHeight * f.Size }

// Width returns the width of s, as plain text, in points.
func (f Face) Width(s string) vg.Length {
	_, width := f.glyphs(Plain(s))
	return f.Size * vg.Length(width/unitsPerEm)
}

// Widest returns the width of the widest text in points, or 0 if there are none.
func (f Face) Widest(texts []string) vg.Length {
	var w vg.Length
	for _, s := range texts {
		w = max(w, f.Width(s))
	}
	return w
}

const ellipsis = "…"

// Shorten cuts s at its end, with an ellipsis, so that it is no wider than width.
func (f Face) Shorten(s string, width vg.Length) string {
	return f.cut(s, width, func(r []rune, keep int) string {
		return strings.TrimRight(string(r[:keep]), " ") + ellipsis
	})
}

// Squeeze cuts s before its middle, so that it is no wider than width: names of layers differ most at their ends.
func (f Face) Squeeze(s string, width vg.Length) string {
	return f.cut(s, width, func(r []rune, keep int) string {
		head := (keep + 2) / 3
		return string(r[:head]) + ellipsis + string(r[len(r)-(keep-head):])
	})
}

// cut returns s as plain text if it fits, else join of its runes with the largest keep that fits.
func (f Face) cut(s string, width vg.Length, join func(r []rune, keep int) string) string {
	s = Plain(s)
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

// Wrap breaks s at spaces, and a word wider than width after a hyphen, into at most n lines no wider than width. It
// shortens words, and a last line, that do not fit.
func (f Face) Wrap(s string, width vg.Length, n int) []string {
	var lines []string
	words := strings.Fields(Plain(s))
	for len(words) > 0 {
		if at := f.hyphen(words[0], width); at > 0 {
			words = slices.Insert(words, 1, words[0][at:])
			words[0] = words[0][:at]
		}
		if len(lines) == n-1 {
			return append(lines, f.Shorten(strings.Join(words, " "), width))
		}
		k := 1
		for k < len(words) && f.Width(strings.Join(words[:k+1], " ")) <= width {
			k++
		}
		lines = append(lines, f.Shorten(strings.Join(words[:k], " "), width))
		words = words[k:]
	}
	return lines
}

// hyphen returns where to break a word wider than width: after the last hyphen that fits, or 0 if there is none.
func (f Face) hyphen(word string, width vg.Length) int {
	if f.Width(word) <= width {
		return 0
	}
	at := strings.LastIndexByte(word[:len(word)-1], '-') + 1
	for at > 0 && f.Width(word[:at]) > width {
		at = strings.LastIndexByte(word[:at-1], '-') + 1
	}
	return at
}
