package report

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gonum.org/v1/plot/vg"
)

// LayerChart shows similarities by layer, each against its null control.
//
// For each layer and series there is a dot at the value with a bar of two standard
// errors to either side, and a grey box at the null's mean with two standard
// deviations to either side. A tinted column joins the null's mean to the value:
// its length is the excess over the null. A dot is solid if the value is above its
// null by [LayerSeries.Above], and else hollow; the legend counts the solid ones.
//
// The axis ends at 1, unless values lie beyond, and starts at a round value
// below everything shown. Many layers take several rows. There may be 8 series,
// as many as there are distinct colours, of 400 layers.
func LayerChart(name, title, ylabel string, series []LayerSeries, layers []string) (Figure, error) {
	return Description{Chart: layerMarks, Title: title, YLabel: ylabel, Layers: series, Names: layers}.Draw(name)
}

func layerDrawing(d *Description, r room) drawing { return newLayerChart(d, r).drawing() }

const (
	maxLayerSeries = 8
	maxLayers      = 400
)

func checkLayers(d *Description) error {
	series, layers := d.Layers, d.Names
	if err := atMost(maxLayerSeries, len(series), "series"); err != nil {
		return err
	}
	if err := atMost(maxLayers, len(layers), "layers"); err != nil {
		return err
	}
	for i, s := range series {
		if len(s.Value) != len(layers) {
			return fmt.Errorf("series %d (%q) has %d values for %d layers", i+1, s.Label, len(s.Value), len(layers))
		}
		for _, v := range [][]float64{s.SE, s.NullMean, s.NullSD} {
			if len(v) != 0 && len(v) != len(layers) {
				return fmt.Errorf("series %d (%q): %d errors or nulls for %d layers", i+1, s.Label, len(v), len(layers))
			}
		}
	}
	return nil
}

// layerChart is a chart whose measures are all known.
type layerChart struct {
	heading
	columns
	series []LayerSeries
	layers []string
	axis   axes.Axis
	rows   int
	perRow int       // layers in a row; the last row may have fewer
	plot   vg.Length // height of the plot of a row
}

const (
	slotWidth vg.Length = 4.6 // the least room of a series within a layer
	layerGap  vg.Length = 4   // the least room between layers
	rowGap    vg.Length = 8
)

func newLayerChart(d *Description, r room) *layerChart {
	series, layers := d.Layers, axes.LayerLabels(d.Names)
	c := &layerChart{series: series, layers: layers, axis: layerAxis(series)}
	least := max(uprightPitch, slotWidth*vg.Length(len(series))+layerGap)
	c.setRows(least, r)
	c.columns = newColumns(layers, c.perRow, r, tickRoom(c.axis), least)
	c.heading = newHeading(d.Title, layerLegend(series, c.width-2*margin), d.YLabel, c.width-2*margin)
	return c
}

func (c *layerChart) drawing() drawing {
	return drawing{c.width, c.height(), c.title, c.alt(), c.paint}
}

// setRows spreads the layers, each at least least points wide, evenly over as few
// rows as a wide figure allows.
func (c *layerChart) setRows(least vg.Length, r room) {
	n := max(1, len(c.layers))
	room := r.most - 2*margin - tickRoom(c.axis)
	c.rows = int(math.Ceil(float64(least) * float64(n) / float64(room)))
	c.perRow = (n + c.rows - 1) / c.rows
	c.rows = (n + c.perRow - 1) / c.perRow
	c.plot = [...]vg.Length{plotHeight(196, r.width), 140, 116}[min(c.rows, 3)-1]
}

func (c *layerChart) rowHeight() vg.Length { return c.plot + c.names.room() }

func (c *layerChart) height() vg.Length {
	rows := vg.Length(c.rows)
	return c.heading.height() + rows*c.rowHeight() + (rows-1)*rowGap + 2*margin
}

// layerAxis ends at 1 unless values lie beyond. It starts at zero if everything
// lies above zero but near it, else at a round value of 0.95 or below: differences
// beyond the second decimal are not worth magnifying. Correlations lie in [−1, 1];
// the parts of bars and boxes beyond are cut off.
func layerAxis(series []LayerSeries) axes.Axis {
	var centres, ends axes.Span
	for _, s := range series {
		for i := range s.Value {
			m := s.mark(i)
			centres.Add(m.value, m.null)
			barLo, barHi := m.bar()
			bandLo, bandHi := m.band()
			ends.Add(barLo, barHi, bandLo, bandHi)
		}
	}
	if centres.Some && centres.Lo >= -1 && centres.Hi <= 1 {
		ends.Lo, ends.Hi = min(max(ends.Lo, -1), 0.95), 1
	}
	if ends.Some && 0 < ends.Lo && ends.Lo < 0.3*ends.Hi {
		ends.Lo = 0
	}
	return axes.New(ends, 6).Rounded()
}

func (c *layerChart) paint(d draw.Pen) {
	top := d.Max.Y - margin
	c.heading.draw(d, vg.Point{X: margin, Y: top})
	top -= c.heading.height()
	for row := range c.rows {
		first := row * c.perRow
		count := min(c.perRow, len(c.layers)-first)
		c.paintRow(d, top, first, count)
		top -= c.rowHeight() + rowGap
	}
}

// paintRow draws a row of count layers, which begins with layer first, below top.
func (c *layerChart) paintRow(d draw.Pen, top vg.Length, first, count int) {
	width := c.pitch * vg.Length(max(1, count))
	f := frame{draw.Box(c.left, top-c.plot, width, c.plot), c.axis}
	c.paintStripes(d, f, count)
	f.drawGrid(d)
	if count == 0 || len(c.series) == 0 {
		f.drawNote(d, "no layers")
		return
	}
	for k := range c.series {
		c.paintSeries(d, f, k, first, count)
	}
	for i := range count {
		c.names.draw(d, first+i, vg.Point{X: c.centre(f, i), Y: f.Min.Y})
	}
}

// centre returns the middle of the i-th layer of a row.
func (c *layerChart) centre(f frame, i int) vg.Length {
	return f.Min.X + c.pitch*(vg.Length(i)+0.5)
}

// paintStripes shades every other layer if there are several series, so that a
// reader sees which marks belong to one layer.
func (c *layerChart) paintStripes(d draw.Pen, f frame, count int) {
	if len(c.series) < 2 {
		return
	}
	var stripes vg.Path
	for i := 0; i < count; i += 2 {
		draw.AddRect(&stripes, draw.Box(f.Min.X+c.pitch*vg.Length(i), f.Min.Y, c.pitch, f.Max.Y-f.Min.Y))
	}
	d.Fill(zebra, stripes)
}

// paintSeries draws series k of a row.
func (c *layerChart) paintSeries(d draw.Pen, f frame, k, first, count int) {
	slot := min((c.pitch-layerGap)/vg.Length(len(c.series)), 26)
	shift := slot * (vg.Length(k) - vg.Length(len(c.series)-1)/2)
	look := markLook(slot)
	var p layerPaths
	for i := range count {
		x := c.centre(f, i) + shift
		p.add(f, c.series[k].mark(first+i), x, look)
	}
	p.paint(d, draw.SeriesColour(k), look)
}

// alt describes in words what the chart shows.
func (c *layerChart) alt() string {
	s := fmt.Sprintf("Chart of %s by layer, %s.", or(c.ylabel, "values"), words.Count(len(c.layers), "layer"))
	for _, series := range c.series {
		var values axes.Span
		values.Add(series.Value...)
		if !values.Some {
			continue
		}
		s += fmt.Sprintf(" %s: %s to %s", or(series.Label, "values"), axes.Number(values.Lo, 3), axes.Number(values.Hi, 3))
		if above, known := series.count(); known > 0 {
			s += fmt.Sprintf(", %d of %d above the null control", above, known)
		}
		s += "."
	}
	return s
}
