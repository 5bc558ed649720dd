package report

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// Each element of a matrix is drawn as a patch of the colour of its value, in the PNG and in the image within the SVG.
func TestHeatMapPatches(t *testing.T) {
	m := sampleMatrix("m", 27, 0, 1)
	h := newHeatMaps([]Matrix{m}, onPage)
	f, err := h.drawing().figure("stem", nil)
	f = rendered(t, f, err)
	inPNG, p := decodePNG(t, f.PNG), h.panels[0]
	inSVG := embeddedImages(t, f.SVG)[0]
	by := inSVG.Bounds().Dx() / 27 // pixels along a side of an element
	if by < 4 || inSVG.Bounds().Dx() != 27*by {
		t.Errorf("27 columns are %d pixels wide", inSVG.Bounds().Dx())
	}
	for i := range 27 {
		for j := range 27 {
			want := p.patches.At(j, i)
			patch := p.at.Size().X / 27
			x, y := p.at.Min.X+(vg.Length(j)+0.5)*patch, h.height-p.at.Min.Y-(vg.Length(i)+0.5)*patch
			if got := colourAt(inPNG, x, y); got != want {
				t.Fatalf("element %d, %d is %v in the PNG, want %v", i, j, got, want)
			}
			if got := color.NRGBAModel.Convert(inSVG.At(by*j+by/2, by*i+by/2)); got != want {
				t.Fatalf("element %d, %d is %v in the SVG, want %v", i, j, got, want)
			}
		}
	}
}

// The names of rows and columns are drawn left of their rows and below their columns, and are in the CSV. A matrix that
// names only some of its rows is refused.
func TestHeatMapNames(t *testing.T) {
	m := Matrix{Title: "m", Rows: 2, Cols: 3, Data: []float64{1, 2, 3, 4, 5, 6}, RowNames: []string{"above", "under"},
		ColNames: []string{"one", "two", "three"}}
	h := newHeatMaps([]Matrix{m}, onPage)
	at, p := map[string]vg.Point{}, h.panels[0]
	for _, l := range labelsOf(h.drawing()) {
		at[l.text] = l.corners[0]
	}
	top := h.height - p.at.Min.Y
	for i, name := range m.RowNames {
		low, high := top-p.at.Size().Y*vg.Length(i+1)/2, top-p.at.Size().Y*vg.Length(i)/2
		if y := at[name]; y.X >= p.at.Min.X || y.Y < low || y.Y > high {
			t.Errorf("%s at %v, want it left of %v between %v and %v", name, y, p.at.Min.X, low, high)
		}
	}
	for j, name := range m.ColNames {
		left := p.at.Min.X + p.at.Size().X*vg.Length(j)/3
		if x := at[name]; x.X < left || x.X > left+p.at.Size().X/3 || x.Y >= top-p.at.Size().Y {
			t.Errorf("%s at %v, want it below column %d from %v", name, x, j, left)
		}
	}
	if numbers := string(heatNumbers(&Description{Matrices: []Matrix{m}})); !strings.Contains(numbers, "m,under,three,1,6\n") {
		t.Errorf("the numbers are\n%s", numbers)
	}
	m.RowNames = m.RowNames[:1]
	if _, err := HeatMaps("x", []Matrix{m}); err == nil {
		t.Error("one name for two rows")
	}
}

func TestHeatMapScale(t *testing.T) {
	p := newHeatMaps([]Matrix{{Rows: 1, Cols: 5, Data: []float64{-4, -2, 0, 4, math.NaN()}}}, onPage).panels[0]
	if p.largest != 4 || p.absent != 1 {
		t.Errorf("largest %g, %d absent; want 4 and 1", p.largest, p.absent)
	}
	for j, want := range []uint8{0, 63, draw.Levels, 2 * draw.Levels, draw.Blank} {
		if got := p.patches.ColorIndexAt(j, 0); got != want {
			t.Errorf("element %d has level %d, want %d", j, got, want)
		}
	}
	if c := p.patches.Palette[draw.Levels]; c != (color.NRGBA{0xff, 0xff, 0xff, 0xff}) {
		t.Errorf("zero is %v, not white", c)
	}
}

// Matrices with similar largest values share a scale, with one colour bar in a row. Others have scales of their own.
// The figure says which it is.
func TestHeatMapSharedScale(t *testing.T) {
	of := func(largest float64) Matrix {
		return Matrix{Rows: 1, Cols: 2, Data: []float64{1, largest}, RowNames: []string{"row"}, ColNames: []string{"a", "b"}}
	}
	for _, c := range []struct {
		largest []float64
		shared  bool
	}{{[]float64{4, 2, 3}, true}, {[]float64{4, 1.9, 3}, false}} {
		h := newHeatMaps([]Matrix{of(c.largest[0]), of(c.largest[1]), of(c.largest[2])}, onPage)
		for i, p := range h.panels {
			if want := map[bool]float64{true: 4, false: c.largest[i]}[c.shared]; p.end != want ||
				p.unbarred != (c.shared && i < 2) || p.unnamed != (i > 0) {
				t.Errorf("%v: panel %d has a scale to %g, unbarred %v, unnamed %v", c.largest, i, p.end, p.unbarred, p.unnamed)
			}
		}
		if said := labelsOf(h.drawing())[0].text; h.shared != c.shared || said != h.scales() {
			t.Errorf("%v: shared %v, want %v; the first text is %q", c.largest, h.shared, c.shared, said)
		}
	}
}

// A matrix that is too large is drawn as means of blocks, without its absent elements.
func TestHeatMapMeans(t *testing.T) {
	m := Matrix{Rows: 2 * maxPatches, Cols: 4, Data: make([]float64, 8*maxPatches)}
	copy(m.Data, []float64{1, 2, 0, 0, 3, math.NaN(), 0, 0})
	p := newHeatMaps([]Matrix{m}, onPage).panels[0]
	if p.factor != 2 || p.patches.Bounds().Size() != image.Pt(2, maxPatches) {
		t.Fatalf("factor %d, %v patches", p.factor, p.patches.Bounds().Size())
	}
	if got := p.mean(0, 0); got != 2 {
		t.Errorf("mean %g, want 2", got)
	}
	if !strings.Contains(p.note(), "means of 2 × 2") {
		t.Errorf("note %q", p.note())
	}
}

// A single matrix of up to 20 rows or columns has room for all of their names. A matrix without names, or beside
// others, keeps its size.
func TestRoomForNames(t *testing.T) {
	named := Matrix{Rows: 8, Cols: 20, Data: make([]float64, 160)}
	plain := named
	for i := range 20 {
		named.ColNames = append(named.ColNames, fmt.Sprint("dataset ", i))
	}
	named.RowNames = named.ColNames[:8]
	wide := newHeatMaps([]Matrix{named}, onPage).panels[0]
	if wide.below.every != 1 || wide.beside.every != 1 {
		t.Errorf("every %d. and %d. name is shown", wide.below.every, wide.beside.every)
	}
	for _, panels := range [][]Matrix{{plain}, {named, named}} {
		if got := newHeatMaps(panels, onPage).panels[0].at.Size().X; got > panelSide*1.05 {
			t.Errorf("%d matrices: %v wide", len(panels), got)
		}
	}
}
