package report

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// label is a text of a drawing with its corners, in order around it.
type label struct {
	text    string
	corners [4]vg.Point
	turned  bool
}

// labelsOf paints a drawing and returns its texts with their positions.
func labelsOf(d drawing) []label {
	var labels []label
	for _, t := range d.scene().Texts() {
		labels = append(labels, newLabel(t))
	}
	return labels
}

func newLabel(t draw.Text) label {
	width, height := t.Face.Width(t.String), t.Face.Cap()
	sin, cos := math.Sincos(t.Angle)
	l := label{text: t.String, turned: t.Angle != 0}
	for i, p := range []vg.Point{{}, {X: width}, {X: width, Y: height}, {Y: height}} {
		l.corners[i] = t.At.Add(vg.Point{X: p.X*vg.Length(cos) - p.Y*vg.Length(sin), Y: p.X*vg.Length(sin) +
			p.Y*vg.Length(cos)})
	}
	return l
}

// overlaps reports whether two labels overlap. Two boxes do not if their projections on the direction of one of their
// sides are apart.
func (l label) overlaps(m label) bool {
	for _, box := range []label{l, m} {
		for i := range 2 {
			side := box.corners[i+1].Sub(box.corners[i])
			length := vg.Length(math.Hypot(float64(side.X), float64(side.Y)))
			if length == 0 {
				return false
			}
			lo1, hi1 := l.along(side)
			lo2, hi2 := m.along(side)
			if hi1-lo2 < 0.3*length || hi2-lo1 < 0.3*length { // touching is not overlapping
				return false
			}
		}
	}
	return true
}

func (l label) along(side vg.Point) (lo, hi vg.Length) {
	lo, hi = vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
	for _, c := range l.corners {
		lo, hi = min(lo, c.Dot(side)), max(hi, c.Dot(side))
	}
	return lo, hi
}

// layouts returns drawings of every kind and many sizes for a room.
func layouts(r room) map[string]drawing {
	all := make(map[string]drawing)
	kinds := []struct{ name, format string }{
		{"short", "c%d"}, {"torch", "layer1.%d.conv2"}, {"long", "features.denseblock3.denselayer%d.conv2"},
	}
	for _, kind := range kinds {
		for _, n := range []int{0, 1, 2, 3, 8, 19, 40, 53, 107, 160, 400} {
			for _, k := range []int{0, 1, 2, 3, 8} {
				var series []LayerSeries
				for i := range k {
					series = append(series, sampleSeries(fmt.Sprintf("series number %d", i+1), n, 0.1*float64(i),
						uint64(n+i)))
				}
				names := numbered(kind.format, n)
				all[fmt.Sprintf("layers %s %d×%d", kind.name, n, k)] =
					layerDrawing(&Description{Title: "A title that is rather long for a chart but has to be shown all " +
						"the same, on two lines or cut where it ends", YLabel: "Pearson similarity", Layers: series,
						Names: names}, r)
				var groups []Bars
				for _, s := range series {
					groups = append(groups, Bars{Label: s.Label, Values: s.Value, Errors: s.SE})
				}
				all[fmt.Sprintf("bars %s %d×%d", kind.name, n, k)] = barDrawing(&Description{Title: "Title",
					YLabel: "seconds", Names: names, Bars: groups}, r)
			}
		}
	}
	for _, n := range []int{0, 1, 3, 9, 30, 64} {
		var series []Series
		for i := range n {
			s := sampleCurves()[i%3]
			s.Label = fmt.Sprintf("curve %d", i+1)
			series = append(series, s)
		}
		all[fmt.Sprintf("lines %d", n)] = lineDrawing(&Description{Title: "Title", XLabel: "epoch",
			YLabel: "similarity", Lines: series}, r)
	}
	for _, n := range []int{0, 1, 2, 3, 5, 24} {
		var panels []Matrix
		for i := range n {
			panels = append(panels, sampleMatrix(fmt.Sprintf("A title that may be long for a panel %d", i), 1+i*7, 9,
				math.Pow(10, float64(i-3))))
		}
		all[fmt.Sprintf("matrices %d", n)] = newHeatMaps(panels, r).drawing()
		named := slices.Clone(panels)
		for i := range named {
			format := []string{"%d", "a network of some width, before training, number %d"}[i%2]
			named[i].RowNames, named[i].ColNames = numbered(format, named[i].Rows), numbered(format, named[i].Cols)
		}
		all[fmt.Sprintf("named matrices %d", n)] = newHeatMaps(named, r).drawing()
	}
	for _, n := range []int{0, 1, 3, 9, 32} {
		all[fmt.Sprintf("images %d", n)] = gridDrawing(&Description{Names: numbered("a title of column %d", n),
			Rows:   []string{"rings", "half of the rings, in a row with a name of some length"},
			Images: [][]Image{sampleRings(n), sampleRings(n / 2)}}, r)
	}
	return all
}

// TestLayout checks for many drawings that no text extends beyond the figure, that no two texts overlap, that the
// figure fits into the width of the page, and that its area fits into memory.
func TestLayout(t *testing.T) {
	t.Parallel()
	for name, d := range layouts(onPage) {
		checkLayout(t, name, d)
	}
	for name, d := range layouts(room{width: columnWidth(2), most: textWidth}) {
		checkLayout(t, name+" in a column", d)
	}
}

func checkLayout(t *testing.T, name string, d drawing) {
	t.Helper()
	if d.width > wideWidth+0.01 || d.width < 20 || d.width*d.height > wideWidth*8000 || d.height < 10 {
		t.Errorf("%s is %.1f × %.1f points", name, d.width, d.height)
	}
	labels := labelsOf(d)
	for i, l := range labels {
		for _, c := range l.corners {
			if c.X < 0 || c.Y < 0 || c.X > d.width || c.Y > d.height {
				t.Errorf("%s: %q at %.1f is cut off by the figure, %.1f × %.1f", name, l.text, c, d.width, d.height)
				break
			}
		}
		for _, m := range labels[:i] {
			if l.overlaps(m) {
				t.Errorf("%s: %q at %.1f and %q at %.1f overlap", name, m.text, m.corners, l.text, l.corners)
			}
		}
	}
}

// A chart of 19 layers has the width of the text and one row.
func TestLayoutNarrow(t *testing.T) {
	c := newLayerChart(&Description{Layers: []LayerSeries{sampleSeries("a", 19, 0.1, 1), sampleSeries("b", 19, 0.1, 2)},
		Names: resnet20()}, onPage)
	if c.width != textWidth || c.rows != 1 {
		t.Errorf("19 layers take %.1f points and %d rows", c.width, c.rows)
	}
}
