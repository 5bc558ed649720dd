package report

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// Assembled is the file name, without its suffix, of the figure that [Page.Save] assembles from a page's panels.
const Assembled = "figure"

const (
	MaxPanels              = 26 // letters
	gutter       vg.Length = 12 // between panels
	letterHeight           = titleSize * 1.5
	pageHeight   vg.Length = 650 // what a page of a paper holds
	mostColumns            = 4
	slack        vg.Length = 0.1
)

// Drawable reports whether the figure can be a panel: it was drawn, or drawn again, from its description in
// this process.
func (f Figure) Drawable() bool { return f.draw != nil }

// columnWidth returns the width of a panel if the given number stand side by side.
func columnWidth(columns int) vg.Length {
	return (textWidth - vg.Length(columns-1)*gutter) / vg.Length(columns)
}

// Assemble draws figures as the panels a, b, c, … of one figure, as a paper prints them, in the order given. Two stand side
// by side if they fit into half a page's width. If the figure is too high for a page, up to four do, if that makes it less
// high. It returns an error for a figure that is not [Figure.Drawable], and for more than [MaxPanels] figures.
func Assemble(name string, figures []Figure) (Figure, error) {
	if err := atMost(MaxPanels, len(figures), "panels"); err != nil {
		return Figure{}, fmt.Errorf("report: figure %q: %w", name, err)
	}
	for _, f := range figures {
		if !f.Drawable() {
			return Figure{}, fmt.Errorf("report: figure %q: its panel %q cannot be drawn again: it was not drawn from a "+
				"description", name, f.Name)
		}
	}
	best := newPanels(figures, 2)
	for columns := 3; columns <= mostColumns && best.bottom > pageHeight; columns++ {
		if more := newPanels(figures, columns); more.bottom < best.bottom {
			best = more
		}
	}
	return best.drawing().figure(name, nil)
}

// newPanels arranges figures in columns.
func newPanels(figures []Figure, columns int) *panels {
	p := &panels{columns: columns, keys: map[string]string{}}
	for _, f := range figures {
		if d := f.Description; d != nil && len(d.measured()) > len(p.labels) {
			p.labels = d.measured()
		}
	}
	for i, f := range figures {
		p.add(f, string(rune('a'+i)))
	}
	return p
}

// panel is a drawing with its letter and its place: its upper left corner, y growing downwards.
type panel struct {
	drawing
	letter string
	scale  vg.Length
	x, y   vg.Length
}

func (p panel) size() vg.Point {
	return vg.Point{X: p.width * p.scale, Y: p.height*p.scale + letterHeight}
}

// panels are figures that are set in rows from left to right.
type panels struct {
	columns int
	all     []panel
	x, y    vg.Length // the place of the next panel
	bottom  vg.Length // the lower end of the row
	alt     string
	labels  []string          // of the panel with most curves
	keys    map[string]string // see [room]
}

// add puts a figure beside the one before, or below if there is no room.
func (p *panels) add(f Figure, letter string) {
	var d drawing
	for columns := p.columns; columns > 0; columns-- {
		width := columnWidth(columns)
		if d = f.draw(room{width: width, most: textWidth, labels: p.labels, keys: p.keys, letter: letter}); d.width <= width+slack {
			break
		}
	}
	next := panel{drawing: d, letter: letter, scale: min(1, textWidth/d.width)}
	if size := next.size(); p.x > 0 && p.x+size.X > textWidth+slack {
		p.x, p.y = 0, p.bottom+gutter
	}
	next.x, next.y = p.x, p.y
	p.x += next.size().X + gutter
	p.bottom = max(p.bottom, p.y+next.size().Y)
	p.all = append(p.all, next)
	p.alt += fmt.Sprintf("%s: %s ", letter, f.Alt)
}

func (p *panels) drawing() drawing {
	return drawing{width: textWidth, height: p.bottom, alt: p.alt, paint: func(d draw.Pen) {
		letter := draw.Bold(titleSize)
		for _, q := range p.all {
			top := p.bottom - q.y
			d.Text(letter, ink, vg.Point{X: q.x + margin, Y: top - letter.Size}, draw.AtLeft, q.letter)
			q.paint(d.Part(vg.Point{X: q.x, Y: top - q.size().Y}, vg.Point{X: q.width, Y: q.height}, float64(q.scale)))
		}
	}}
}
