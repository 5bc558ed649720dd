package report

import (
	"image/color"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// Sizes in points. Figures are shown at their own size.
const (
	textWidth           = draw.PageWidth // of the page's text column
	wideWidth vg.Length = 720            // the largest width of a wide figure

	titleSize vg.Length = 10.5
	textSize  vg.Length = 9
	smallSize vg.Length = 8

	margin    vg.Length = 4 // around a whole figure
	hairline  vg.Length = 0.5
	fineLine  vg.Length = 0.8
	curveLine vg.Length = 1.4
)

// The colours of everything but data.
var (
	white  = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	ink    = color.NRGBA{0x22, 0x24, 0x27, 0xff}
	soft   = color.NRGBA{0x5a, 0x5f, 0x66, 0xff} // secondary text: 6.4 : 1 on white
	axisIn = color.NRGBA{0x8a, 0x8f, 0x96, 0xff}
	rail   = color.NRGBA{0xe4, 0xe6, 0xe9, 0xff} // grid lines
	zebra  = color.NRGBA{0xf6, 0xf7, 0xf8, 0xff} // every other layer
	band   = color.NRGBA{0xc6, 0xc9, 0xcd, 0xff} // null control
	middle = color.NRGBA{0x6b, 0x70, 0x76, 0xff} // mean of the null control
)
