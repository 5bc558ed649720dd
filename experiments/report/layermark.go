package report

import (
	"image/color"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// layerPaths collects the paths of a series in a row, one path for each colour and shape.
type layerPaths struct {
	excess, boxes, middles, bars   vg.Path
	solid, hollow, holes, diamonds vg.Path
}

// look holds the sizes of the parts of a mark.
type look struct {
	half, radius, line vg.Length
}

func markLook(slot vg.Length) look {
	return look{
		half:   min(0.42*slot, 8),
		radius: min(0.36*slot, 3.1),
		line:   min(0.14*slot, 1.2),
	}
}

// add adds a mark centred at x.
func (p *layerPaths) add(f frame, m mark, x vg.Length, l look) {
	if axes.Present(m.null) {
		p.addNull(f, m, x, l)
	}
	if !axes.Present(m.value) {
		return
	}
	lo, hi := m.bar()
	centre := vg.Point{X: x, Y: f.height(m.value)}
	if m.se > 0 {
		draw.AddSegment(&p.bars, vg.Point{X: x, Y: f.height(lo)}, vg.Point{X: x, Y: f.height(hi)})
	}
	switch {
	case !m.known():
		draw.AddDiamond(&p.diamonds, centre, l.radius*1.2)
	case m.above():
		draw.AddDisc(&p.solid, centre, l.radius)
	default:
		draw.AddDisc(&p.hollow, centre, l.radius)
		draw.AddDisc(&p.holes, centre, l.radius-l.line)
	}
}

// addNull adds the null's box and the column from its mean to the value.
func (p *layerPaths) addNull(f frame, m mark, x vg.Length, l look) {
	const thinnest = 1.2 // a null without spread must still be seen
	mean := f.height(m.null)
	lo, hi := m.band()
	low, high := min(f.height(lo), mean-thinnest/2), max(f.height(hi), mean+thinnest/2)
	draw.AddRect(&p.boxes, draw.Box(x-l.half, low, 2*l.half, high-low))
	draw.AddSegment(&p.middles, vg.Point{X: x - l.half, Y: mean}, vg.Point{X: x + l.half, Y: mean})
	if axes.Present(m.value) {
		value := f.height(m.value)
		draw.AddRect(&p.excess, draw.Box(x-l.half/2, min(mean, value), l.half, max(mean, value)-min(mean, value)))
	}
}

// paleness is the share of a series' colour in the columns of its excess.
const paleness = 0.28

// paint draws the parts, those behind first.
func (p *layerPaths) paint(d draw.Pen, c color.NRGBA, l look) {
	d.Fill(draw.Tint(c, paleness), p.excess)
	d.Fill(band, p.boxes)
	d.Stroke(middle, fineLine, p.middles)
	d.Stroke(c, l.line, p.bars)
	d.Fill(c, p.solid)
	d.Fill(c, p.diamonds)
	d.Fill(c, p.hollow)
	d.Fill(white, p.holes)
}

// layerLegend returns a legend that explains the colours first, and the marks on a new line.
func layerLegend(series []LayerSeries, width vg.Length) legend {
	if len(series) == 0 {
		return legend{}
	}
	var colours []legendItem
	for k, s := range series {
		colours = append(colours, legendItem{seriesKey(draw.SeriesColour(k)), s.summary()})
	}
	marks := ink // of all series
	if len(series) == 1 {
		marks = draw.SeriesColour(0)
	}
	return newLegend(width, colours, markLegend(series, marks))
}

// markLegend returns entries, in a colour, for the marks that occur.
func markLegend(series []LayerSeries, colour color.NRGBA) []legendItem {
	var solid, hollow, box, diamond, excess bool
	for _, s := range series {
		for i := range s.Value {
			m := s.mark(i)
			solid = solid || m.above()
			hollow = hollow || m.known() && !m.above()
			box = box || axes.Present(m.null)
			excess = excess || axes.Present(m.value) && axes.Present(m.null) && m.value != m.null
			diamond = diamond || axes.Present(m.value) && !m.known()
		}
	}
	notAbove := "not above it"
	if !solid {
		notAbove = "value ± 2 s.e. not above its null"
	}
	return pick(
		choice{solid, legendItem{markKey(mark{1, 0.25, 0, 0.1}, colour), "value ± 2 s.e. above its null"}},
		choice{hollow, legendItem{markKey(mark{0, 0.25, 0, 0.1}, colour), notAbove}},
		choice{diamond, legendItem{markKey(mark{0, 0.25, math.NaN(), 0}, colour), "value ± 2 s.e., not judged"}},
		choice{excess, legendItem{seriesKey(draw.Tint(colour, paleness)), "excess over the null"}},
		choice{box, legendItem{nullKey, "null: mean ± 2 s.d."}},
	)
}

// choice is a legend entry that is shown if wanted.
type choice struct {
	wanted bool
	item   legendItem
}

func pick(choices ...choice) []legendItem {
	var items []legendItem
	for _, c := range choices {
		if c.wanted {
			items = append(items, c.item)
		}
	}
	return items
}

// seriesKey returns a function that draws a patch of a series' colour as a key in a legend.
func seriesKey(c color.NRGBA) func(draw.Pen, vg.Point) {
	return func(d draw.Pen, at vg.Point) {
		var p vg.Path
		draw.AddRect(&p, draw.Box(at.X-keyWidth/2, at.Y-smallSize*0.32, keyWidth, smallSize*0.64))
		d.Fill(c, p)
	}
}

// markKey returns a function that draws the dot and bar of a mark, without its null.
func markKey(m mark, c color.NRGBA) func(draw.Pen, vg.Point) {
	return func(d draw.Pen, at vg.Point) {
		var p layerPaths
		f := frame{draw.Box(at.X, at.Y-6, 0, 12), axes.Axis{Lo: m.value - 0.75, Hi: m.value + 0.75, Step: 1}}
		p.add(f, m, at.X, markLook(9))
		p.excess, p.boxes, p.middles = nil, nil, nil
		p.paint(d, c, markLook(9))
	}
}

// nullKey draws the box of a null.
func nullKey(d draw.Pen, at vg.Point) {
	var p layerPaths
	f := frame{draw.Box(at.X, at.Y-4, 0, 8), axes.Axis{Lo: -2, Hi: 2, Step: 1}}
	p.addNull(f, mark{math.NaN(), 0, 0, 1}, at.X, look{half: keyWidth / 2})
	p.paint(d, ink, look{})
}
