package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// Series is a curve through the points (X[i], Y[i]), in the order given. Low
// and High, which may be nil, are the ends of a band around it. All have the
// length of X. A point with an absent coordinate breaks the curve, one with an
// absent end breaks the band. If Dots is set, the points are not joined.
type Series struct {
	Label string  `json:"label"`
	X     Numbers `json:"x"`
	Y     Numbers `json:"y"`
	Low   Numbers `json:"low,omitempty"`
	High  Numbers `json:"high,omitempty"`
	Dots  bool    `json:"dots,omitempty"`
}

// LineChart shows curves with bands. Every curve has its label at its right
// end where the labels find room there, and in a legend where they do not.
// Curves of few points have them marked. Curves differ by colour, dashes and the
// shape of their marks. There may be 64 curves; colours repeat after eight.
func LineChart(name, title, xlabel, ylabel string, series []Series) (Figure, error) {
	return Description{Chart: lines, Title: title, XLabel: xlabel, YLabel: ylabel, Lines: series}.Draw(name)
}

func lineDrawing(d *Description, width vg.Length) drawing { return newLineChart(d, width).drawing() }

const maxCurves = 64

func checkSeries(d *Description) error {
	series := d.Lines
	if err := atMost(maxCurves, len(series), "curves"); err != nil {
		return err
	}
	for i, s := range series {
		if len(s.Y) != len(s.X) {
			return fmt.Errorf("series %d (%q) has %d values for %d places", i+1, s.Label, len(s.Y), len(s.X))
		}
		for _, v := range [][]float64{s.Low, s.High} {
			if len(v) != 0 && len(v) != len(s.X) {
				return fmt.Errorf("series %d (%q): a band of %d ends for %d places", i+1, s.Label, len(v), len(s.X))
			}
		}
	}
	return nil
}

type lineChart struct {
	heading
	width, plot vg.Length // of the figure, and the height of the plot
	xlabel      string
	series      []Series
	x, y        axis
	ends        []curveEnd // labels at the right, if that is where they go
	right       vg.Length  // from the plot to the figure's edge
}

const (
	linePlot    vg.Length = 204
	xAxisRoom             = tickDrop + smallSize + labelHeight
	tickDrop    vg.Length = 6 // from the plot to the labels of the level axis
	endGap      vg.Length = 7 // between a curve's end and its label
	endLine               = textSize * 1.15
	longestEnd            = 0.26 // of the width: longer labels go to a legend
	fewPoints             = 40
	pointRadius vg.Length = 1.9
	dotRadius   vg.Length = 2.6 // of points that are not joined
)

func newLineChart(d *Description, width vg.Length) *lineChart {
	c := &lineChart{width: width, plot: plotHeight(linePlot, width), xlabel: d.XLabel, series: d.Lines, right: margin}
	c.x, c.y = lineAxes(d.Lines)
	var l legend
	if ends, ok := c.labelEnds(); ok {
		c.ends = ends
		c.right += endsRoom(ends)
	} else {
		l = newLegend(width-2*margin, lineLegend(d.Lines))
	}
	c.right = max(c.right, margin+draw.Regular(smallSize).Widest(c.x.labels())/2)
	c.heading = newHeading(d.Title, l, d.YLabel, width-2*margin)
	return c
}

func (c *lineChart) drawing() drawing {
	return drawing{c.width, c.height(), c.title, c.alt(), c.paint}
}

func (c *lineChart) height() vg.Length {
	return c.heading.height() + c.plot + xAxisRoom + 2*margin
}

func lineAxes(series []Series) (x, y axis) {
	var xs, ys span
	for _, s := range series {
		for i := range s.X {
			if p, ok := s.point(i); ok {
				xs.add(p.x)
				ys.add(p.y)
			}
			if lo, hi, ok := s.band(i); ok {
				xs.add(s.X[i])
				ys.add(lo, hi)
			}
		}
	}
	x, y = newAxis(xs, 7), newAxis(ys, 6).rounded()
	if wholeNumbers(series) {
		x.step = max(x.step, 1) // between epochs there are none
	}
	return x, y
}

// wholeNumbers reports whether every curve has points at whole numbers only.
func wholeNumbers(series []Series) bool {
	for _, s := range series {
		if slices.ContainsFunc(s.X, func(x float64) bool { return x != math.Trunc(x) }) {
			return false
		}
	}
	return true
}

type point struct{ x, y float64 }

func (s Series) point(i int) (p point, ok bool) {
	p = point{at(s.X, i), at(s.Y, i)}
	return p, present(p.x) && present(p.y)
}

func (s Series) band(i int) (lo, hi float64, ok bool) {
	lo, hi = at(s.Low, i), at(s.High, i)
	return lo, hi, present(lo) && present(hi) && present(at(s.X, i))
}

// points and bands return the stretches of the curve and of its band that are
// not broken.
func (s Series) points() []run {
	return runs(len(s.X), func(i int) bool { _, ok := s.point(i); return ok })
}

func (s Series) bands() []run {
	return runs(len(s.X), func(i int) bool { _, _, ok := s.band(i); return ok })
}

// last returns the last point of the curve that can be shown.
func (s Series) last() (p point, ok bool) {
	points := s.points()
	if len(points) == 0 {
		return point{}, false
	}
	return s.point(points[len(points)-1].end - 1)
}

func lineLegend(series []Series) []legendItem {
	var items []legendItem
	for i, s := range series {
		if _, ok := s.last(); !ok || plain(s.Label) == "" {
			continue
		}
		items = append(items, legendItem{func(d draw.Pen, at vg.Point) { s.paintKey(d, at, i) }, s.Label})
	}
	return items
}

// paintKey draws the key of the i-th curve in a legend: a piece of it, or a dot.
func (s Series) paintKey(d draw.Pen, at vg.Point, i int) {
	var dot, piece vg.Path
	if s.marked() {
		addMark(&dot, i, at, s.markRadius())
	}
	if !s.Dots {
		draw.AddSegment(&piece, vg.Point{X: at.X - keyWidth/2, Y: at.Y}, vg.Point{X: at.X + keyWidth/2, Y: at.Y})
	}
	strokeCurve(d, i, piece)
	d.Fill(seriesColour(i), dot)
}

// marked reports whether the points of a curve have marks, as few of them do.
func (s Series) marked() bool {
	count := 0
	for _, run := range s.points() {
		count += run.end - run.first
	}
	return s.Dots || count <= fewPoints
}

func (s Series) markRadius() vg.Length {
	if s.Dots {
		return dotRadius
	}
	return pointRadius
}

func (c *lineChart) paint(d draw.Pen) {
	top := d.Max.Y - margin
	c.heading.draw(d, vg.Point{X: margin, Y: top})
	top -= c.heading.height()
	left := margin + tickRoom(c.y)
	f := frame{draw.Box(left, top-c.plot, c.width-left-c.right, c.plot), c.y}
	f.drawGrid(d)
	c.paintX(d, f)
	if !c.some() {
		f.drawNote(d, "no data")
		return
	}
	for i, s := range c.series {
		c.paintBand(d, f, s, seriesColour(i))
	}
	for i, s := range c.series {
		c.paintCurve(d, f, s, i)
	}
	for _, e := range c.ends {
		e.paint(d, f)
	}
}

// some reports whether there is anything to show.
func (c *lineChart) some() bool {
	return slices.ContainsFunc(c.series, func(s Series) bool {
		return len(s.points()) > 0 || len(s.bands()) > 0
	})
}

// paintX draws the level axis: ticks, their labels and what they measure.
func (c *lineChart) paintX(d draw.Pen, f frame) {
	var ticks vg.Path
	font := draw.Regular(smallSize)
	labels := c.x.labels()
	for i, v := range c.x.ticks() {
		at := vg.Point{X: c.place(f, v, 0).X, Y: f.Min.Y}
		draw.AddSegment(&ticks, at, vg.Point{X: at.X, Y: at.Y - 2.5})
		d.Text(font, soft, vg.Point{X: at.X, Y: at.Y - tickDrop - font.Cap()}, draw.AtCentre, labels[i])
	}
	draw.AddSegment(&ticks, f.Min, vg.Point{X: f.Max.X, Y: f.Min.Y})
	d.Stroke(axisIn, fineLine, ticks)
	at := vg.Point{X: f.Max.X, Y: f.Min.Y - tickDrop - smallSize - labelHeight*0.8}
	label := draw.Regular(textSize)
	d.Text(label, soft, at, draw.AtRight, label.Shorten(c.xlabel, f.Max.X-margin))
}

// place returns where the point (x, y) lies in the plot.
func (c *lineChart) place(f frame, x, y float64) vg.Point {
	return vg.Point{X: f.Min.X + vg.Length(c.x.fraction(x))*(f.Max.X-f.Min.X), Y: f.height(y)}
}

func (c *lineChart) paintBand(d draw.Pen, f frame, s Series, colour color.NRGBA) {
	var area vg.Path
	for _, run := range s.bands() {
		for i := run.first; i < run.end; i++ {
			lo, _, _ := s.band(i)
			draw.AddPoint(&area, c.place(f, s.X[i], lo), i == run.first)
		}
		for i := run.end - 1; i >= run.first; i-- {
			_, hi, _ := s.band(i)
			draw.AddPoint(&area, c.place(f, s.X[i], hi), false)
		}
		area.Close()
	}
	d.Fill(veil(colour, 0.18), area)
}

func (c *lineChart) paintCurve(d draw.Pen, f frame, s Series, k int) {
	var curve, points vg.Path
	for _, run := range s.points() {
		for i := run.first; i < run.end; i++ {
			at := c.place(f, s.X[i], s.Y[i])
			draw.AddPoint(&curve, at, i == run.first)
			addMark(&points, k, at, s.markRadius())
		}
	}
	if !s.Dots {
		strokeCurve(d, k, curve)
	}
	if s.marked() {
		d.Fill(seriesColour(k), points)
	}
}

// run is a range of indices, from first to before end.
type run struct{ first, end int }

// runs returns the longest ranges below n in which ok holds.
func runs(n int, ok func(int) bool) []run {
	var all []run
	for i := 0; i < n; i++ {
		if !ok(i) {
			continue
		}
		first := i
		for i < n && ok(i) {
			i++
		}
		all = append(all, run{first, i})
	}
	return all
}

// alt says in words what the chart shows.
func (c *lineChart) alt() string {
	text := fmt.Sprintf("Chart of %s by %s, %s.", or(c.ylabel, "y"), or(c.xlabel, "x"), plural(len(c.series), "curve"))
	for _, s := range c.series {
		if points := s.points(); s.Dots {
			text += fmt.Sprintf(" %s: %s.", or(s.Label, "dots"), plural(len(s.X), "point"))
		} else if len(points) > 0 {
			first, _ := s.point(points[0].first)
			last, _ := s.last()
			text += fmt.Sprintf(" %s: from %s at %s to %s at %s.", or(s.Label, "curve"),
				number(first.y, 3), number(first.x, 4), number(last.y, 3), number(last.x, 4))
		}
	}
	return text
}
