package report

import (
	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// paintCompanion draws the ticks of a null, or the numbers of the paper, across the bars of the group to which they
// belong, or across the room of one bar if there are no bars.
func (c *barChart) paintCompanion(d draw.Pen, f frame, k int) {
	g, owner := c.groups[k], axes.OwnerOf(c.kinds, k)
	if axes.RoleOf(g.Label) == axes.Measured {
		return
	}
	for i := range c.labels {
		v, e := at(g.Values, i), orZero(at(g.Errors, i))
		if !axes.Present(v) {
			continue
		}
		x := c.centre(f, i) - c.bar()*0.47
		if owner >= 0 {
			x = c.barAt(f, i, axes.LookOf(c.kinds, owner))
		}
		if axes.RoleOf(g.Label) == axes.PaperValue {
			paintPaper(d, ink, vg.Point{X: x + c.bar()*0.47, Y: f.height(v)})
			continue
		}
		nullTick(d, x, x+c.bar()*0.94, f.height(v-e), f.height(v), f.height(v+e))
	}
}

// paintErrors draws the errors of the k-th group, over the ticks and numbers across its bars.
func (c *barChart) paintErrors(d draw.Pen, f frame, k int) {
	var errors vg.Path
	for i := range c.labels {
		v, e := at(c.groups[k].Values, i), orZero(at(c.groups[k].Errors, i))
		if axes.Present(v) && e > 0 && axes.RoleOf(c.kinds[k]) == axes.Measured {
			x := c.barAt(f, i, axes.LookOf(c.kinds, k)) + c.bar()*0.47
			draw.AddSegment(&errors, vg.Point{X: x, Y: f.height(v - e)}, vg.Point{X: x, Y: f.height(v + e)})
		}
	}
	d.Stroke(ink, fineLine, errors)
}

// clearHeight returns the height from which the value of the k-th group's bar has room: beyond the bar's error, and beyond
// ticks of nulls and numbers of the paper that the value would cover.
func (c *barChart) clearHeight(f frame, k, i int) vg.Length {
	v, e := at(c.groups[k].Values, i), orZero(at(c.groups[k].Errors, i))
	up := vg.Length(1)
	if v < 0 {
		up = -1
	}
	clear := f.height(v + e*float64(up))
	const text = smallSize + 4
	for j, g := range c.groups {
		if axes.RoleOf(g.Label) == axes.Measured || axes.OwnerOf(c.kinds, j) != k || !axes.Present(at(g.Values, i)) {
			continue
		}
		reach := f.height(g.Values[i]+orZero(at(g.Errors, i))) - f.height(g.Values[i])
		if axes.RoleOf(g.Label) == axes.PaperValue {
			reach = paperRadius
		}
		if over := up * (f.height(g.Values[i]) - clear); over+reach > 0 && over-reach < text {
			clear += up * (over + reach)
		}
	}
	return clear
}

// paintValue writes the value of the k-th group's i-th bar at its end if bars are wide enough. Beyond a tick or a number
// of the paper the value would seem to belong to these: then it stands in the bar, on white, if the bar is long enough.
func (c *barChart) paintValue(d draw.Pen, x vg.Length, f frame, k, i int) {
	v, e := at(c.groups[k].Values, i), orZero(at(c.groups[k].Errors, i))
	font := draw.Regular(smallSize)
	s := c.valueText(v)
	if font.Width(s) > c.bar()-1 {
		return
	}
	const off = 3
	up := vg.Length(1)
	if v < 0 {
		up = -1
	}
	y, tall := c.clearHeight(f, k, i), font.Cap()+2*off
	if end := f.height(v - e*float64(up)); y != f.height(v+e*float64(up)) && up*(end-f.height(0)) > tall+off {
		y = end - up*off
		var behind vg.Path
		draw.AddRect(&behind, draw.Box(x-font.Width(s)/2-1, min(y, y-up*tall), font.Width(s)+2, tall))
		d.Fill(white, behind)
		up = -up
	}
	if y += up * off; up < 0 {
		y -= font.Cap()
	}
	d.Text(font, soft, vg.Point{X: x, Y: y}, draw.AtCentre, s)
}
