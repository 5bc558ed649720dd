package draw

import (
	"image"
	"image/color"
	"math"
)

// The palette of a heat map: Levels colours below zero, zero, as many above, and at index Blank the colour of absent numbers.
const (
	Levels = 127
	Blank  = 2*Levels + 1
)

// Absent is the colour of absent numbers.
var Absent = color.NRGBA{0xb9, 0xb4, 0xa8, 0xff}

// HeatMap paints numbers, NaN for absent ones, on a scale from −end to end: a pixel for each row i and column j.
func HeatMap(size image.Point, end float64, at func(i, j int) float64) *image.Paletted {
	palette := make(color.Palette, 0, Blank+1)
	for i := -Levels; i <= Levels; i++ {
		palette = append(palette, Diverging(float64(i)/Levels))
	}
	img := image.NewPaletted(image.Rectangle{Max: size}, append(palette, Absent))
	for i := range size.Y {
		for j := range size.X {
			img.SetColorIndex(j, i, level(at(i, j), end))
		}
	}
	return img
}

func level(v, end float64) uint8 {
	switch {
	case math.IsNaN(v):
		return Blank
	case end == 0:
		return Levels
	}
	return uint8(Levels + math.Round(Levels*(v/end)))
}

// HeatBar paints the scale of heat maps as a column of pixels, the largest at the top.
func HeatBar() *image.Paletted {
	return HeatMap(image.Pt(1, 2*Levels+1), Levels, func(i, _ int) float64 { return float64(Levels - i) })
}
