package report

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
)

func TestAbove(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name                string
		value, se, null, sd float64
		above, ok           bool
	}{
		{"clear", 0.9, 0.01, 0.5, 0.01, true, true},
		{"at the end of the box", 0.625, 0.0625, 0.5, 0.0625, false, true},
		{"within both together", 0.67, 0.0625, 0.5, 0.0625, false, true},
		{"beyond both together", 0.68, 0.0625, 0.5, 0.0625, true, true},
		{"within", 0.52, 0, 0.5, 0.02, false, true},
		{"below", 0.1, 0.01, 0.5, 0.01, false, true},
		{"no error", 0.51, nan, 0.5, 0.001, true, true},
		{"a null without spread", 0.51, 0.01, 0.5, nan, false, false},
		{"no value", nan, 0.01, 0.5, 0.01, false, false},
		{"no null", 0.9, 0.01, nan, 0.01, false, false},
		{"infinite", math.Inf(1), 0, 0.5, 0, false, false},
	} {
		s := LayerSeries{Value: []float64{c.value}, SE: []float64{c.se}, NullMean: []float64{c.null},
			NullSD: []float64{c.sd}}
		if above, ok := s.Above(0); above != c.above || ok != c.ok {
			t.Errorf("%s: above %v, known %v; want %v, %v", c.name, above, ok, c.above, c.ok)
		}
	}
	if _, ok := (LayerSeries{Value: []float64{1}}).Above(0); ok {
		t.Error("a series without a null is known to be above it")
	}
	if _, ok := (LayerSeries{}).Above(5); ok {
		t.Error("a layer that is not there is known to be above its null")
	}
}

func TestLayerAxis(t *testing.T) {
	for _, c := range []struct {
		name           string
		value, null    float64
		wantLo, wantHi float64
	}{
		{"high", 0.97, 0.53, 0.5, 1}, {"low", 0.3, 0.1, 0, 1}, {"negative", 0.3, -0.11, -0.2, 1},
		{"all negative", -0.5, -0.9, -1, 1}, {"one", 1, 1, 0.95, 1}, {"beyond", 3, 1, 1, 3},
	} {
		a := layerAxis([]LayerSeries{{Value: []float64{c.value}, NullMean: []float64{c.null}}})
		if math.Abs(a.Lo-c.wantLo) > 1e-9 || math.Abs(a.Hi-c.wantHi) > 1e-9 {
			t.Errorf("%s: axis from %g to %g, want %g to %g", c.name, a.Lo, a.Hi, c.wantLo, c.wantHi)
		}
	}
}

// Error bars beyond the range of a correlation do not extend the axis.
func TestLayerAxisWideErrors(t *testing.T) {
	a := layerAxis([]LayerSeries{{Value: []float64{0.9}, SE: []float64{5}, NullMean: []float64{0.1},
		NullSD: []float64{7}}})
	if a.Lo != -1 || a.Hi != 1 {
		t.Errorf("axis from %g to %g, want −1 to 1", a.Lo, a.Hi)
	}
}

// Dots above the null are solid, and others are hollow. All are at the height of their values.
func TestLayerDots(t *testing.T) {
	s := LayerSeries{
		Value: []float64{0.9, 0.61, 0.3}, SE: []float64{0.01, 0.02, 0.01},
		NullMean: []float64{0.6, 0.6, 0.6}, NullSD: []float64{0.01, 0.01, 0.01},
	}
	c := newLayerChart(&Description{Layers: []LayerSeries{s}, Names: numbered("conv%d", 3)}, onPage)
	f, err := c.drawing().figure("stem", nil)
	f = rendered(t, f, err)
	img := decodePNG(t, f.PNG)
	top := c.height() - margin - c.heading.height()
	plot := frame{draw.Box(c.left, top-c.plot, c.pitch*3, c.plot), c.axis}
	for i, want := range []color.NRGBA{draw.SeriesColour(0), white, white} {
		if got := colourAt(img, c.centre(plot, i), plot.height(s.Value[i])); got != want {
			t.Errorf("dot %d is %v, want %v", i, got, want)
		}
	}
	if got, want := colourAt(img, c.centre(plot, 0), plot.height(0.75)), draw.Tint(draw.SeriesColour(0), 0.28); got != want {
		t.Errorf("the excess is %v, want %v", got, want)
	}
}

func TestLayerLegend(t *testing.T) {
	above := LayerSeries{Label: "after", Value: []float64{0.9}, NullMean: []float64{0.5}, NullSD: []float64{0.1}}
	below := LayerSeries{Label: "before", Value: []float64{0.5}, NullMean: []float64{0.5}, NullSD: []float64{0.1}}
	bare := LayerSeries{Label: "bare", Value: []float64{0.9}}
	texts := func(series ...LayerSeries) string {
		var all []string
		for _, line := range layerLegend(series, textWidth).lines {
			for _, item := range line {
				all = append(all, item.text)
			}
		}
		return strings.Join(all, " | ")
	}
	for _, c := range []struct{ got, want string }{
		{texts(above), "after: 1 of 1 above null | value ± 2 s.e. above its null | excess over the null | null: mean ± 2 s.d."},
		{texts(below), "before: 0 of 1 above null | value ± 2 s.e. not above its null | null: mean ± 2 s.d."},
		{texts(bare), "bare | value ± 2 s.e., not judged"},
		{texts(), ""},
	} {
		if c.got != c.want {
			t.Errorf("legend %q, want %q", c.got, c.want)
		}
	}
}

func TestLayerAlt(t *testing.T) {
	c := newLayerChart(&Description{YLabel: "similarity", Names: numbered("c%d", 2), Layers: []LayerSeries{{
		Label: "after", Value: []float64{0.9, 0.51}, NullMean: []float64{0.5, 0.6}, NullSD: []float64{0.1, 0.1}}}}, onPage)
	want := "Chart of similarity by layer, 2 layers. after: 0.51 to 0.9, 1 of 2 above the null control."
	if got := c.alt(); got != want {
		t.Errorf("alt %q, want %q", got, want)
	}
}

// There are enough rows for all layers, none of them is empty, and layers keep their least distance.
func TestLayerRows(t *testing.T) {
	for n := 0; n <= maxLayers; n += 1 + n/16 {
		c := newLayerChart(&Description{Layers: []LayerSeries{{Value: make([]float64, n)}, {Value: make([]float64, n)}},
			Names: numbered("layer%d.conv1", n)}, onPage)
		if c.rows*c.perRow < n || (c.rows-1)*c.perRow >= max(n, 1) {
			t.Errorf("%d layers in %d rows of %d", n, c.rows, c.perRow)
		}
		if c.pitch < uprightPitch-0.01 {
			t.Errorf("%d layers stand %.1f points apart", n, c.pitch)
		}
	}
}
