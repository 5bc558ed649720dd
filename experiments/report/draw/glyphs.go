package draw

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	svgGlyphs = regexp.MustCompile(`<defs>\n((?:<path id='g[0-9.]+' d='[^']*'/>\n)+)</defs>\n`)
	svgGlyph  = regexp.MustCompile(`<path id='(g[0-9.]+)' d='([^']*)'/>\n`)
)

// TakeGlyphs moves the outlines of glyphs from an SVG that [Scene.SVG] wrote to outlines, by their names, which are the same
// in all figures: a page of many figures has each outline once. An SVG with another outline of the same name, from an older
// font, stays as it is.
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

// svgFile matches an image in an SVG that [Scene.SVG] wrote. Its groups are the kind, and the file in base64.
var svgFile = regexp.MustCompile(`href='data:image/(png|jpeg);base64,([A-Za-z0-9+/=]{64,})'`)

// TakeImages moves the images of an SVG that [Scene.SVG] wrote to files, by names that replace them in the SVG: if several
// figures of a page show a picture, the page has it once. files has URL-safe base64, which needs no escapes in JSON.
func TakeImages(svg []byte, files map[string]string) []byte {
	return svgFile.ReplaceAllFunc(svg, func(link []byte) []byte {
		m := svgFile.FindSubmatch(link)
		name := fmt.Sprintf("i%x", sha256.Sum256(m[2]))[:17]
		files[name] = string(m[1]) + ";base64," + strings.NewReplacer("+", "-", "/", "_").Replace(string(m[2]))
		return fmt.Appendf(nil, "href='#%s'", name)
	})
}
