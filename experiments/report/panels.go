package report

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// Assembled is the name of the file of a page's panels, without its suffix.
const Assembled = "figure"

const (
	MaxPanels              = 26 // letters
	gutter       vg.Length = 12 // between panels
	letterHeight           = titleSize * 1.5
	columnWidth            = (textWidth - gutter) / 2 // of a panel, where two stand side by side
	slack        vg.Length = 0.1
)

// Drawable reports whether the figure can be a panel: whether it was drawn, or drawn again, from its
// description.
func (f Figure) Drawable() bool { return f.draw != nil }

// Assemble draws figures as the panels a, b, c, … of one, as a paper prints them: side by side where they
// fit into half a page's width, in the order given. It returns an error for a figure that is not
// [Figure.Drawable], and for more than there are letters.
func Assemble(name string, figures []Figure) (Figure, error) {
	if err := atMost(MaxPanels, len(figures), "panels"); err != nil {
		return Figure{}, fmt.Errorf("report: figure %q: %w", name, err)
	}
	var p panels
	for _, f := range figures {
		if d := f.Description; d != nil && len(d.measured()) > len(p.labels) {
			p.labels = d.measured()
		}
	}
	for i, f := range figures {
		if !f.Drawable() {
			return Figure{}, fmt.Errorf("report: figure %q: its panel %q cannot be drawn again", name, f.Name)
		}
		p.add(f, string(rune('a'+i)))
	}
	return p.drawing().figure(name, nil)
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

// panels are set in rows from left to right.
type panels struct {
	all    []panel
	x, y   vg.Length // where the next one goes
	bottom vg.Length // of the row
	alt    string
	labels []string // of the panel with most curves
}

// add puts a figure beside the one before, or below if there is no room.
func (p *panels) add(f Figure, letter string) {
	d := f.draw(room{columnWidth, textWidth, p.labels})
	if d.width > columnWidth+slack {
		d = f.draw(room{textWidth, textWidth, p.labels})
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
	return drawing{textWidth, p.bottom, "", p.alt, func(d draw.Pen) {
		letter := draw.Bold(titleSize)
		for _, q := range p.all {
			top := p.bottom - q.y
			d.Text(letter, ink, vg.Point{X: q.x + margin, Y: top - letter.Size}, draw.AtLeft, q.letter)
			q.paint(d.Part(vg.Point{X: q.x, Y: top - q.size().Y}, vg.Point{X: q.width, Y: q.height}, float64(q.scale)))
		}
	}}
}
