// Package draw draws pictures and writes them as SVG, PDF and PNG.
//
// A [Scene] is a picture without a format: the shapes, texts and images that a [Pen] drew.
// Lengths are in points, 1/72 inch, and y grows upwards, as everywhere in gonum's vg.
//
// Texts are set in Liberation Sans and written as outlines of its glyphs, so that no viewer
// needs the font, replaces it or clips a text. Raised and lowered digits, signs and letters are
// scaled glyphs; other characters that the font lacks show as a box.
//
// The same scene gives the same bytes: no format holds a date.
package draw
