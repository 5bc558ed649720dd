package draw

import (
	"bytes"
	"image/color"
	"testing"
)

func opaque(r, g, b uint8) color.NRGBA { return color.NRGBA{r, g, b, 0xff} }

// contrast returns the contrast ratio of two colours as defined by WCAG 2.
func contrast(a, b color.NRGBA) float64 {
	la, lb := Luminance(a)+0.05, Luminance(b)+0.05
	return max(la/lb, lb/la)
}

// Dark turns white into the dark paper. Colours of text and data stay readable on it, and pale colours stay close to
// it.
func TestDark(t *testing.T) {
	if got := Dark(opaque(0xff, 0xff, 0xff)); got != darkPaper {
		t.Errorf("white becomes %v", got)
	}
	for _, c := range []color.NRGBA{opaque(0x22, 0x24, 0x27), opaque(0x5a, 0x5f, 0x66), opaque(0, 0x72, 0xb2), opaque(0xd5, 0x5e, 0),
		opaque(0xe6, 0x9f, 0), opaque(0x56, 0xb4, 0xe9), opaque(0x82, 0x87, 0x8c)} {
		if got := contrast(Dark(c), darkPaper); got < 4.5 {
			t.Errorf("%v becomes %v, with a contrast of %.1f", c, Dark(c), got)
		}
	}
	for _, c := range []color.NRGBA{opaque(0xe4, 0xe6, 0xe9), opaque(0xc6, 0xc9, 0xcd), Tint(opaque(0xd5, 0x5e, 0), .28)} {
		if got := contrast(Dark(c), darkPaper); got < 1.1 || got > 3 {
			t.Errorf("%v becomes %v, with a contrast of %.1f", c, Dark(c), got)
		}
	}
	if pale := Dark(Tint(opaque(0, 0x72, 0xb2), .28)); pale.B <= pale.R {
		t.Errorf("a pale blue becomes %v", pale)
	}
}

// ByNight adds only a style sheet with one rule for each colour of the figure. It leaves an SVG that was not drawn here
// as it is.
func TestByNight(t *testing.T) {
	svg, err := sample(200).SVG()
	if err != nil {
		t.Fatal(err)
	}
	night := ByNight(svg)
	for _, rule := range []string{"[fill='#fff']{fill:#15181b}", "[stroke='#ff0000']{stroke:#"} {
		if bytes.Count(night, []byte(rule)) != 1 {
			t.Errorf("rule %s is not there once", rule)
		}
	}
	from, to := bytes.Index(night, []byte("<style>")), bytes.Index(night, []byte("</style>\n"))+len("</style>\n")
	if from < 0 || !bytes.Equal(append(bytes.Clone(night[:from]), night[to:]...), svg) {
		t.Error("more than a style sheet was added")
	}
	if other := []byte("<?xml?><svg fill='#fff'/>"); !bytes.Equal(ByNight(other), other) {
		t.Error("another's SVG was changed")
	}
}
