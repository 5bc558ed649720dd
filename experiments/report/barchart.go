package report

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gonum.org/v1/plot/vg"
)

// Bars is a group of bars of one colour, one per label of the chart. Errors,
// which may be nil, are drawn to either side of the ends of the bars. NaN means
// absent. As in a [Series], a label that begins with "null" or "paper" marks values to
// compare with: they are ticks or diamonds across the bars of the group that the rest of the label
// names ("null of a", "null, a"), or else of the last group before.
type Bars struct {
	Label  string  `json:"label"`
	Values Numbers `json:"values"`
	Errors Numbers `json:"errors,omitempty"`
}

// BarChart shows for each label a bar of every group side by side, starting at zero. Groups differ by
// colour and by hatching. If there is room, the value stands at the bar's end. As in a [LineChart],
// quantities such as accuracies end at 1. There may be 8 groups of bars, as many as there are distinct
// colours, 24 groups with those to compare with, and 400 labels.
func BarChart(name, title, ylabel string, labels []string, groups []Bars) (Figure, error) {
	return Description{Chart: bars, Title: title, YLabel: ylabel, Names: labels, Bars: groups}.Draw(name)
}

func barDrawing(d *Description, r room) drawing { return newBarChart(d, r).drawing() }

const (
	maxGroups = 8
	maxLabels = 400
)

func checkBars(d *Description) error {
	labels, groups := d.Names, d.Bars
	coloured := 0
	for _, g := range groups {
		if axes.RoleOf(g.Label) == axes.Measured {
			coloured++
		}
	}
	if err := atMost(maxGroups, max(coloured, len(groups)-2*maxGroups), "groups"); err != nil {
		return err
	}
	if err := atMost(maxLabels, len(labels), "labels"); err != nil {
		return err
	}
	for i, g := range groups {
		if len(g.Values) != len(labels) {
			return fmt.Errorf("group %d (%q) has %d values for %d labels", i+1, g.Label, len(g.Values), len(labels))
		}
		if len(g.Errors) != 0 && len(g.Errors) != len(labels) {
			return fmt.Errorf("group %d (%q) has %d errors for %d labels", i+1, g.Label, len(g.Errors), len(labels))
		}
	}
	return nil
}

type barChart struct {
	heading
	columns
	labels []string
	groups []Bars
	kinds  []string // the labels of the groups, which tell their roles
	count  int      // the number of groups that are bars
	axis   axes.Axis
	plot   vg.Length // the height of the plot
}

const (
	barPlot   vg.Length = 190
	widestBar vg.Length = 30
	leastBar  vg.Length = 5
	barGap    vg.Length = 6 // between the bars of two labels
	valueRoom vg.Length = 8 // above the plot, for the values of the highest bars
)

func newBarChart(d *Description, r room) *barChart {
	labels, groups := d.Names, d.Bars
	q := axes.QuantityOf(d.YLabel)
	c := &barChart{labels: labels, groups: groups, axis: barAxis(groups, q), plot: plotHeight(barPlot, r.width)}
	for _, g := range groups {
		c.kinds = append(c.kinds, g.Label)
		if axes.RoleOf(g.Label) == axes.Measured {
			c.count++
		}
	}
	least := max(uprightPitch, leastBar*vg.Length(c.count)+barGap)
	c.columns = newColumns(labels, max(1, len(labels)), r, tickRoom(c.axis), least)
	c.heading = newHeading(d.Title, newLegend(c.width-2*margin, c.keys()), d.YLabel, c.width-2*margin)
	return c
}

func (c *barChart) drawing() drawing {
	return drawing{c.width, c.height(), c.title, c.alt(), c.paint}
}

func (c *barChart) height() vg.Length {
	return c.heading.height() + valueRoom + c.plot + c.names.room() + 2*margin
}

// barAxis spans zero, where bars start, every bar with its error, and room for the
// values below negative bars.
func barAxis(groups []Bars, q axes.Quantity) axes.Axis {
	var s, values axes.Span
	for _, g := range groups {
		for i := range g.Values {
			if v, e := at(g.Values, i), orZero(at(g.Errors, i)); axes.Present(v) {
				values.Add(v)
				s.Add(0, v-e, v+e)
			}
		}
	}
	s = q.Clip(values, s)
	if s.Some && s.Lo == 0 && s.Hi == 0 {
		s.Hi = 1
	}
	if s.Lo < 0 {
		s.Lo -= 0.06 * (s.Hi - s.Lo)
	}
	return q.Bound(axes.New(s, 7).Rounded(), s)
}

// keys returns the entries of the legend.
func (c *barChart) keys() []legendItem {
	shown := func(i int) bool { return plain(c.kinds[i]) != "" }
	var items []legendItem
	for i, label := range c.kinds {
		if shown(i) && axes.RoleOf(label) == axes.Measured {
			items = append(items, legendItem{barKey(axes.LookOf(c.kinds, i)), label})
		}
	}
	return append(items, companionLegend(c.kinds, shown, nullTickKey)...)
}

func (c *barChart) paint(d draw.Pen) {
	top := d.Max.Y - margin
	c.heading.draw(d, vg.Point{X: margin, Y: top})
	top -= c.heading.height() + valueRoom
	f := frame{draw.Box(c.left, top-c.plot, c.width-c.left-margin, c.plot), c.axis}
	f.drawGrid(d)
	if len(c.labels) == 0 || len(c.groups) == 0 {
		f.drawNote(d, "no data")
		return
	}
	for _, paint := range []func(draw.Pen, frame, int){c.paintGroup, c.paintCompanion, c.paintErrors} {
		for k := range c.groups {
			paint(d, f, k)
		}
	}
	for i := range c.labels {
		c.names.draw(d, i, vg.Point{X: c.centre(f, i), Y: f.Min.Y})
	}
}

func (c *barChart) centre(f frame, i int) vg.Length {
	return f.Min.X + c.pitch*(vg.Length(i)+0.5)
}

// bar returns the width of a bar.
func (c *barChart) bar() vg.Length {
	return min(max(c.pitch-barGap, 0.7*c.pitch)/vg.Length(max(1, c.count)), widestBar)
}

// barAt returns the left edge of the bar of the k-th group at the i-th label.
func (c *barChart) barAt(f frame, i, k int) vg.Length {
	return c.centre(f, i) + c.bar()*(vg.Length(k)-vg.Length(c.count)/2)
}

// paintGroup draws the bars of the k-th group with their values.
func (c *barChart) paintGroup(d draw.Pen, f frame, k int) {
	if axes.RoleOf(c.kinds[k]) != axes.Measured {
		return
	}
	width, look := c.bar(), axes.LookOf(c.kinds, k)
	var bars, hatch vg.Path
	for i := range c.labels {
		v := at(c.groups[k].Values, i)
		if !axes.Present(v) {
			continue
		}
		x := c.barAt(f, i, look)
		zero, end := f.height(0), f.height(v)
		bar := draw.Box(x, min(zero, end), width*0.94, max(zero, end)-min(zero, end))
		draw.AddRect(&bars, bar)
		draw.AddHatch(&hatch, look, bar)
	}
	d.Fill(draw.SeriesColour(look), bars)
	d.Stroke(white, hatchLine, hatch)
	for i := range c.labels {
		if v := at(c.groups[k].Values, i); axes.Present(v) {
			c.paintValue(d, c.barAt(f, i, look)+width*0.47, f, k, i)
		}
	}
}

// valueText returns v with decimals that give the axis's largest value three digits,
// so that the numbers of a chart have the same decimals.
func (c *barChart) valueText(v float64) string {
	largest := max(-c.axis.Lo, c.axis.Hi)
	if largest >= 1e6 || largest < 1e-3 {
		return axes.Number(v, 3)
	}
	return axes.Fixed(v, axes.Decimals(largest/100))
}

// alt describes in words what the chart shows.
func (c *barChart) alt() string {
	text := fmt.Sprintf("Bar chart of %s, %s.", or(c.ylabel, "values"), words.Count(len(c.labels), "label"))
	for _, g := range c.groups {
		low, high := -1, -1
		for i := range g.Values {
			v := at(g.Values, i)
			if math.IsNaN(v) {
				continue
			}
			if low < 0 || v < g.Values[low] {
				low = i
			}
			if high < 0 || v > g.Values[high] {
				high = i
			}
		}
		if low >= 0 {
			text += fmt.Sprintf(" %s: from %s (%s) to %s (%s).", or(g.Label, "bars"),
				axes.Number(g.Values[low], 3), c.labels[low], axes.Number(g.Values[high], 3), c.labels[high])
		}
	}
	return text
}
