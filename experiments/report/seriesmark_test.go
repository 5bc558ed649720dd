package report

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// TestCurvesDiffer checks that dashes and marks tell 35 curves apart without colour, and that dashes tell curves of the
// same colour apart.
func TestCurvesDiffer(t *testing.T) {
	seen := map[string]int{}
	for i := range 35 {
		key := fmt.Sprintf("%v, mark %d", draw.Dash(i), i%5)
		if j, there := seen[key]; there {
			t.Errorf("curves %d and %d have %s", j, i, key)
		}
		seen[key] = i
	}
	for i := range maxCurves - 8 {
		if fmt.Sprint(draw.Dash(i)) == fmt.Sprint(draw.Dash(i+8)) {
			t.Errorf("curves %d and %d have the same colour and dashes", i, i+8)
		}
	}
}

// A chart draws the dashes that tell its curves apart: the same curve has fewer pixels as the second curve of a chart
// than as the first, and fewer still as the third.
func TestCurvesDifferInGrey(t *testing.T) {
	x, y := []float64{0, 1, 2}, []float64{0, 1, 2}
	draw := func(k int) (dark int) {
		series := make([]Series, k+1)
		series[k] = Series{X: x, Y: y}
		f, err := LineChart("c", "", "", "", series)
		f = rendered(t, f, err)
		img := decodePNG(t, f.PNG)
		for i := range img.Bounds().Dx() {
			for j := range img.Bounds().Dy() {
				if color.NRGBAModel.Convert(img.At(i, j)) == draw.SeriesColour(k) {
					dark++
				}
			}
		}
		return dark
	}
	whole, dashed, dotted := draw(0), draw(1), draw(2)
	if !(whole > dashed && dashed > dotted && dotted > whole/10) {
		t.Errorf("%d, %d and %d pixels of the curves", whole, dashed, dotted)
	}
}

// Hatching stays within its bar. Every fourth group has none, and the others have at least one line in a bar that is
// not too small.
func TestHatchWithinBar(t *testing.T) {
	r := random(3)
	for range 2000 {
		bar := draw.Box(vg.Length(100*r.Float64()), vg.Length(100*r.Float64()), vg.Length(1+40*r.Float64()),
			vg.Length(1+150*r.Float64()))
		for k := range maxGroups {
			var p vg.Path
			draw.AddHatch(&p, k, bar)
			if k%4 == 0 != (len(p) == 0) && bar.Size().X > 10 && bar.Size().Y > 10 {
				t.Fatalf("group %d: %d lines in %v", k, len(p)/2, bar)
			}
			for _, c := range p {
				const slack = 1e-6
				if x, y := c.Pos.X, c.Pos.Y; x < bar.Min.X-slack || x > bar.Max.X+slack || y < bar.Min.Y-slack ||
					y > bar.Max.Y+slack {
					t.Fatalf("group %d: a line reaches %v beyond %v", k, c.Pos, bar)
				}
			}
		}
	}
}

// All marks look equally large: their areas differ from that of a disc by at most a quarter.
func TestMarksOfOneSize(t *testing.T) {
	for k := 1; k < 5; k++ {
		var p vg.Path
		draw.AddMark(&p, k, vg.Point{X: 7, Y: -3}, 2)
		area := 0.0
		for i := 1; i < len(p); i++ {
			a, b := p[i-1].Pos, p[i].Pos
			if p[i].Type == vg.CloseComp {
				b = p[0].Pos
			}
			area += float64(a.X*b.Y-b.X*a.Y) / 2
		}
		if share := math.Abs(area) / (math.Pi * 4); share < .75 || share > 1.25 {
			t.Errorf("mark %d has %.2f of a disc's area", k, share)
		}
	}
}
