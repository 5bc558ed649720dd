package draw

import (
	"bytes"
	"fmt"
	"image/color"
	"regexp"
	"slices"
	"strconv"
)

// darkPaper is the background of pages by night, the --paper of package theme.
var darkPaper = color.NRGBA{0x15, 0x18, 0x1b, 0xff}

// Dark returns the colour that replaces c on a dark page. Greys and pale tints get the opposite lightness, so that white
// becomes the page's background; colours of data stay, or get light enough for text.
func Dark(c color.NRGBA) color.NRGBA {
	most, least := int(max(c.R, c.G, c.B)), int(min(c.R, c.G, c.B))
	if grey, pale := most-least < 40, Luminance(c) > 0.45; !grey && !pale {
		for contrast := 4.5; Luminance(c)+0.05 < contrast*(Luminance(darkPaper)+0.05); {
			c.R, c.G, c.B = c.R+(255-c.R)/16, c.G+(255-c.G)/16, c.B+(255-c.B)/16
		}
		return c
	}
	opposite := func(v, paper uint8) uint8 {
		turned := int(v) + 255 - most - least // keeps the hue
		return uint8(int(paper) + turned*(255-int(paper))/255)
	}
	c.R, c.G, c.B = opposite(c.R, darkPaper.R), opposite(c.G, darkPaper.G), opposite(c.B, darkPaper.B)
	return c
}

var (
	svgStart  = regexp.MustCompile(`^<svg [^>]*>\n`)
	svgColour = regexp.MustCompile(` (fill|stroke)='#([0-9a-f]{6}|fff)'`)
)

// ByNight adds a style sheet to an SVG that [Scene.SVG] wrote, so that it has the colours of a dark page if it is shown on
// one. Pixels of images stay as they are, and so does an SVG of another origin.
func ByNight(svg []byte) []byte {
	start := svgStart.FindIndex(svg)
	if start == nil {
		return svg
	}
	var rules []string
	for _, m := range svgColour.FindAllSubmatch(svg, -1) {
		value := string(m[2])
		if value == "fff" {
			value = "ffffff"
		}
		rgb, _ := strconv.ParseUint(value, 16, 32) // no error, since value is six hexadecimal digits
		d := Dark(color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 0xff})
		rules = append(rules, fmt.Sprintf("[%s='#%s']{%s:#%02x%02x%02x}", m[1], m[2], m[1], d.R, d.G, d.B))
	}
	slices.Sort(rules)
	var b bytes.Buffer
	b.Write(svg[:start[1]])
	b.WriteString("<style>@media(prefers-color-scheme:dark){")
	for _, rule := range slices.Compact(rules) {
		b.WriteString(rule)
	}
	b.WriteString("}</style>\n")
	b.Write(svg[start[1]:])
	return b.Bytes()
}
