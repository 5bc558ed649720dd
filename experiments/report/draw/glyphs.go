package draw

import (
	"regexp"
	"slices"
)

var (
	svgGlyphs = regexp.MustCompile(`<defs>\n((?:<path id='g[0-9.]+' d='[^']*'/>\n)+)</defs>\n`)
	svgGlyph  = regexp.MustCompile(`<path id='(g[0-9.]+)' d='([^']*)'/>\n`)
)

// TakeGlyphs returns an SVG that [Scene.SVG] wrote without the outlines of its glyphs, and adds these to outlines by their
// names, which are the same in all figures: a page of many figures has each outline once. An SVG with other outlines, of an
// older font, stays as it is.
func TakeGlyphs(svg []byte, outlines map[string]string) []byte {
	at := svgGlyphs.FindIndex(svg)
	if at == nil {
		return svg
	}
	all := svgGlyph.FindAllSubmatch(svg[at[0]:at[1]], -1)
	for _, m := range all {
		if known, is := outlines[string(m[1])]; is && known != string(m[2]) {
			return svg
		}
	}
	for _, m := range all {
		outlines[string(m[1])] = string(m[2])
	}
	return slices.Concat(svg[:at[0]], svg[at[1]:])
}
