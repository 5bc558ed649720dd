package report

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gonum.org/v1/plot/vg"
)

// LineChart shows curves with bands. The labels of the curves stand at their right ends if they fit there, else in a
// legend. Curves of few points have them marked. With at most six places of x, bands are whiskers, and those of several
// curves stand beside each other, moved by no more than a mark's width. An axis follows its label: if that begins with
// log₁₀ or log2, the values are logarithms, and ticks are at powers; correlations, accuracies and shares end at 1. Curves
// differ by colour, dashes and marks. There may be 64 curves; colours repeat after eight.
func LineChart(name, title, xlabel, ylabel string, series []Series) (Figure, error) {
	return Description{Chart: lines, Title: title, XLabel: xlabel, YLabel: ylabel, Lines: series}.Draw(name)
}

func lineDrawing(d *Description, r room) drawing { return newLineChart(d, r).drawing() }

// measured lists the labels of the chart's measured curves, which have looks of their own.
func (d *Description) measured() (labels []string) {
	for _, s := range d.Lines {
		if axes.RoleOf(s.Label) == axes.Measured {
			labels = append(labels, s.Label)
		}
	}
	return labels
}

type lineChart struct {
	heading
	width, plot vg.Length // of the figure, and the height of the plot
	series      []Series
	labels      []string
	shared      []string // labels that give curves their looks, nil for the chart's own labels
	x, y        axes.Axis
	places      int       // the number of places of x
	xs          axes.Span // the span of x
	xq, yq      axes.Quantity
	asIn        string     // refers to the panel that has the legend, if it is another one
	ends        []curveEnd // labels at the right ends of the curves, nil if a legend has them
	right       vg.Length  // from the plot to the figure's edge
}

const (
	linePlot    vg.Length = 204
	xAxisRoom             = tickDrop + smallSize + labelHeight
	tickDrop    vg.Length = 6 // from the plot to the labels of the level axis
	endGap      vg.Length = 7 // between a curve's end and its label
	endLine               = textSize * 1.15
	longestEnd            = 0.26 // share of the width: longer labels go to a legend
	fewPoints             = 40
	pointRadius vg.Length = 1.9
	dotRadius   vg.Length = 2.6 // of points that are not joined
)

func newLineChart(d *Description, r room) *lineChart {
	width := r.width
	c := &lineChart{width: width, plot: plotHeight(linePlot, width), series: d.Lines, right: margin}
	for _, s := range d.Lines {
		c.labels = append(c.labels, s.Label)
	}
	if !slices.ContainsFunc(d.measured(), func(label string) bool { return !slices.Contains(r.labels, label) }) {
		c.shared = r.labels
	}
	c.xq, c.yq, c.places = axes.QuantityOf(d.XLabel), axes.QuantityOf(d.YLabel), len(placesOf(d.Lines))
	c.setUprightAxis()
	var l legend
	if ends, ok := c.labelEnds(); ok {
		c.ends = ends
		c.right += endsRoom(ends)
	} else {
		l = c.legendIn(r)
	}
	c.setLevelAxis()
	c.right = max(c.right, margin+draw.Regular(smallSize).Widest(c.x.Labels())/2)
	c.heading = newHeading(d.Title, l, c.yq.Label+c.asIn, width-2*margin)
	return c
}

func (c *lineChart) drawing() drawing {
	return drawing{c.width, c.height(), c.title, c.alt(), c.paint}
}

func (c *lineChart) height() vg.Length {
	return c.heading.height() + c.plot + xAxisRoom + 2*margin
}

// setUprightAxis makes the upright axis span every curve and band.
func (c *lineChart) setUprightAxis() {
	var points, ys axes.Span
	xs := &c.xs
	for _, s := range c.series {
		for i := range s.X {
			if p, ok := s.point(i); ok {
				xs.Add(p.x)
				points.Add(p.y)
				ys.Add(p.y)
			}
			if lo, hi, ok := s.band(i); ok {
				xs.Add(s.X[i])
				ys.Add(lo, hi)
			}
		}
	}
	ys = c.yq.Clip(points, ys)
	if c.yq.Base > 0 {
		c.y = axes.NewLog(ys, 6, c.yq.Base)
	} else {
		c.y = c.yq.Bound(axes.New(ys, 6).Rounded(), ys)
	}
}

// setLevelAxis makes the level axis span every curve, with as many ticks as fit.
func (c *lineChart) setLevelAxis() {
	room := c.width - margin - tickRoom(c.y) - c.right
	for n := 7; n > 0; n-- {
		if c.xq.Base > 0 {
			c.x = axes.NewLog(c.xs, n, c.xq.Base)
			if at := placesOf(c.series); c.x.Base == 2 && len(at) <= n+1 {
				c.x.At = at
			}
		} else if c.x = axes.New(c.xs, n); wholeNumbers(c.series) {
			c.x.Step = max(c.x.Step, 1) // no ticks between epochs
		}
		if c.few() { // curves may stand beside each other
			beyond := float64((mostAside + 2*pointRadius) / room)
			ends := max(0.05, beyond/(1-2*beyond)) * (c.x.Hi - c.x.Lo)
			c.x.Lo, c.x.Hi = c.x.Lo-ends, c.x.Hi+ends
		}
		labels := c.xq.Labels(c.x)
		if width := draw.Regular(smallSize).Widest(labels) + nameGap; width*vg.Length(len(labels)) <= room &&
			width <= room*vg.Length(c.x.LeastGap()) {
			return
		}
	}
}

// few reports whether curves show their spread as whiskers.
func (c *lineChart) few() bool { return c.places <= fewPlaces }

// mostAside is the largest distance by which a mark is moved to the side of its x: its own width.
const mostAside = 2 * pointRadius

// sideShift returns how far the i-th curve is moved to the side, so that whiskers at one x stand beside each other. Curves
// without whiskers are not moved, nor are any on a logarithmic axis, from which a reader takes slopes.
func (c *lineChart) sideShift(f frame, i int) vg.Length {
	if !c.few() || c.xq.Base > 0 || !c.whiskered(i) {
		return 0
	}
	before, count := 0, 0
	for j := range c.series {
		if !c.whiskered(j) {
			continue
		}
		count++
		if j < i {
			before++
		}
	}
	step := min(mostAside, 2*mostAside/vg.Length(max(1, count-1)), 0.5*(f.Max.X-f.Min.X)/vg.Length(max(1, c.places*count)))
	return step * (vg.Length(before) - vg.Length(count-1)/2)
}

// whiskered reports whether the i-th curve is measured and has a band, which the chart may show as whiskers.
func (c *lineChart) whiskered(i int) bool {
	return axes.RoleOf(c.labels[i]) == axes.Measured && len(c.series[i].bands()) > 0
}

// look returns the look of the i-th curve: its place among the shared labels, or else by axes.LookOf.
func (c *lineChart) look(i int) int {
	if k := slices.Index(c.shared, c.labels[i]); k >= 0 {
		return k
	}
	return axes.LookOf(c.labels, i)
}

// legendIn returns the legend. If an earlier panel has the same long legend, it returns none, and the name of the upright
// axis refers to that panel.
func (c *lineChart) legendIn(r room) legend {
	items, said := c.keys(), ""
	for _, item := range items {
		said += item.text + "\n"
	}
	if before := r.keys[said]; before != "" && before != r.letter {
		c.asIn = "; lines as in " + before
		return legend{}
	}
	l := newLegend(c.width-2*margin, items)
	if r.keys != nil && len(l.lines) > 1 {
		r.keys[said] = r.letter
	}
	return l
}

// keys returns the entries of the legend.
func (c *lineChart) keys() []legendItem {
	var items []legendItem
	shown := func(i int) bool {
		_, ok := c.series[i].last()
		return ok && plain(c.labels[i]) != ""
	}
	for i, s := range c.series {
		if shown(i) && axes.RoleOf(s.Label) == axes.Measured {
			k := c.look(i)
			items = append(items, legendItem{func(d draw.Pen, at vg.Point) { s.paintKey(d, at, k) }, s.Label})
		}
	}
	return append(items, companionLegend(c.labels, shown, lineKey(nullLine))...)
}

// paintKey draws the key of the i-th curve in a legend: a piece of it, or a dot.
func (s Series) paintKey(d draw.Pen, at vg.Point, i int) {
	var dot, piece vg.Path
	if s.marked() {
		draw.AddMark(&dot, i, at, s.markRadius())
	}
	if !s.Dots {
		draw.AddSegment(&piece, vg.Point{X: at.X - keyWidth/2, Y: at.Y}, vg.Point{X: at.X + keyWidth/2, Y: at.Y})
	}
	strokeCurve(d, i, piece)
	d.Fill(draw.SeriesColour(i), dot)
}

func (c *lineChart) paint(d draw.Pen) {
	top := d.Max.Y - margin
	c.heading.draw(d, vg.Point{X: margin, Y: top})
	top -= c.heading.height()
	left := margin + tickRoom(c.y)
	f := frame{draw.Box(left, top-c.plot, c.width-left-c.right, c.plot), c.y}
	f.drawGrid(d)
	c.paintX(d, f)
	if !c.hasData() {
		f.drawNote(d, "no data")
		return
	}
	for _, paint := range []func(draw.Pen, frame, int){c.paintBand, c.paintCurve} {
		for i := range c.series {
			paint(d, f, i)
		}
	}
	for _, e := range c.ends {
		e.paint(d, f)
	}
}

// hasData reports whether there is anything to show.
func (c *lineChart) hasData() bool {
	return slices.ContainsFunc(c.series, func(s Series) bool {
		return len(s.points()) > 0 || len(s.bands()) > 0
	})
}

// paintX draws the level axis: its ticks, their labels and the name of the axis.
func (c *lineChart) paintX(d draw.Pen, f frame) {
	var ticks vg.Path
	font := draw.Regular(smallSize)
	labels := c.xq.Labels(c.x)
	for i, v := range c.x.Ticks() {
		at := vg.Point{X: c.place(f, v, 0).X, Y: f.Min.Y}
		draw.AddSegment(&ticks, at, vg.Point{X: at.X, Y: at.Y - 2.5})
		d.Text(font, soft, vg.Point{X: at.X, Y: at.Y - tickDrop - font.Cap()}, draw.AtCentre, labels[i])
	}
	for _, v := range c.x.Between() {
		at := vg.Point{X: c.place(f, v, 0).X, Y: f.Min.Y}
		draw.AddSegment(&ticks, at, vg.Point{X: at.X, Y: at.Y - 1.4})
	}
	draw.AddSegment(&ticks, f.Min, vg.Point{X: f.Max.X, Y: f.Min.Y})
	d.Stroke(axisIn, fineLine, ticks)
	at := vg.Point{X: f.Max.X, Y: f.Min.Y - tickDrop - smallSize - labelHeight*0.8}
	label := draw.Regular(textSize)
	d.Text(label, soft, at, draw.AtRight, label.Shorten(c.xq.Label, f.Max.X-margin))
}

// place returns where the point (x, y) lies in the plot.
func (c *lineChart) place(f frame, x, y float64) vg.Point {
	return vg.Point{X: f.Min.X + vg.Length(c.x.Fraction(x))*(f.Max.X-f.Min.X), Y: f.height(y)}
}

// paintBand draws the band of the i-th curve, or its whiskers.
func (c *lineChart) paintBand(d draw.Pen, f frame, i int) {
	s, colour := c.series[i], draw.SeriesColour(c.look(i))
	if axes.RoleOf(s.Label) == axes.NullLevel {
		colour = middle
	}
	var area, whiskers vg.Path
	for _, run := range s.bands() {
		for k := run.first; k < run.end; k++ {
			lo, hi, _ := s.band(k)
			shift := c.sideShift(f, i) + c.jitter(i, k)
			from, to := c.place(f, s.X[k], lo), c.place(f, s.X[k], hi)
			from.X, to.X = from.X+shift, to.X+shift
			draw.AddSegment(&whiskers, from, to)
			draw.AddPoint(&area, from, k == run.first)
		}
		for k := run.end - 1; k >= run.first; k-- {
			_, hi, _ := s.band(k)
			draw.AddPoint(&area, c.place(f, s.X[k], hi), false)
		}
		area.Close()
	}
	if s.Dots || c.few() && axes.RoleOf(s.Label) == axes.Measured {
		d.Stroke(colour, fineLine, whiskers)
	} else {
		d.Fill(draw.Veil(colour, 0.18), area)
	}
}

func (c *lineChart) paintCurve(d draw.Pen, f frame, i int) {
	var curve, marks vg.Path
	var points []vg.Point
	s, k, owner := c.series[i], c.look(i), i
	if named := axes.OwnerOf(c.labels, i); named >= 0 && s.Label == "paper, "+c.labels[named] {
		owner = named
	}
	for _, run := range s.points() {
		for j := run.first; j < run.end; j++ {
			at := c.place(f, s.X[j], s.Y[j])
			at.X += c.sideShift(f, owner) + c.jitter(i, j)
			points = append(points, at)
			draw.AddPoint(&curve, at, j == run.first)
			draw.AddMark(&marks, k, at, s.markRadius())
		}
	}
	switch role := axes.RoleOf(s.Label); {
	case role == axes.PaperValue:
		colour := ink
		if owner != i {
			colour = draw.SeriesColour(c.look(owner))
		}
		paintPaper(d, colour, points...)
		return
	case role == axes.NullLevel && !s.Dots:
		nullLine(d, curve)
		return
	case role == axes.Reference:
		referenceLine(d, curve)
		return
	case !s.Dots:
		strokeCurve(d, k, curve)
	}
	if s.marked() {
		d.Fill(draw.SeriesColour(k), marks)
	}
}

// alt describes in words what the chart shows.
func (c *lineChart) alt() string {
	text := fmt.Sprintf("Chart of %s by %s, %s.", or(c.yq.Label, "y"), or(c.xq.Label, "x"), words.Count(len(c.series), "curve"))
	for _, s := range c.series {
		if points := s.points(); s.Dots {
			text += fmt.Sprintf(" %s: %s.", or(s.Label, "dots"), words.Count(len(s.X), "point"))
		} else if len(points) > 0 {
			first, _ := s.point(points[0].first)
			last, _ := s.last()
			text += fmt.Sprintf(" %s: from %s at %s to %s at %s.", or(s.Label, "curve"),
				axes.Number(c.yq.Value(first.y), 3), axes.Number(c.xq.Value(first.x), 4), axes.Number(c.yq.Value(last.y), 3),
				axes.Number(c.xq.Value(last.x), 4))
		}
	}
	return text
}
