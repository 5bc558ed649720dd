package report

import (
	"fmt"
	"image"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// heatPanel is a matrix that is ready to draw.
type heatPanel struct {
	Matrix
	title   []string // the lines of the title
	largest float64  // the largest absolute value
	end     float64  // the end of the scale
	absent  int      // the number of elements that are absent
	factor  int      // the number of elements on a side of a patch
	patches *image.Paletted
	at      vg.Rectangle // of the matrix itself, y from the figure's top down
	beside  names        // the names of the rows
	below   names        // the names of the columns

	unnamed, unbarred bool // whether the panel before has the names of the rows, and the next one the colour bar
}

func newHeatPanel(m Matrix) heatPanel {
	p := heatPanel{Matrix: m, factor: max(1, (max(m.Rows, m.Cols)+maxPatches-1)/maxPatches)}
	for _, v := range m.Data {
		if axes.Present(v) {
			p.largest = max(p.largest, math.Abs(v))
		} else {
			p.absent++
		}
	}
	p.end = p.largest
	return p
}

// setSide makes the panel's longer side no longer than side.
func (p *heatPanel) setSide(side vg.Length) {
	size := p.grid()
	p.at = draw.Box(0, 0, panelLength(size.X, size, side), panelLength(size.Y, size, side))
	p.beside = besideNames(p.RowNames, p.at.Size().Y/vg.Length(max(1, p.Rows)))
	p.below = setNames(p.ColNames, p.at.Size().X/vg.Length(max(1, p.Cols)))
}

// left returns the width of the names of the rows.
func (p *heatPanel) left() vg.Length {
	if len(p.RowNames) == 0 || p.unnamed {
		return 0
	}
	return p.beside.font.Widest(p.beside.texts) + nameGap
}

// foot returns the height of the names of the columns.
func (p *heatPanel) foot() vg.Length {
	if len(p.ColNames) == 0 {
		return 0
	}
	return p.below.room()
}

// panelLength returns the length of a side of n patches, each a whole number of the PNG's pixels, such that the longer side
// of the matrix is about side. The patches of a very elongated matrix are not square.
func panelLength(n int, size image.Point, side vg.Length) vg.Length {
	if n == 0 {
		return leastSide
	}
	pixel := vg.Length(vg.Inch / draw.DPI)
	patch := max(1, math.Floor(float64(side/pixel)/float64(max(size.X, size.Y))))
	least := math.Ceil(float64(leastSide/pixel) / float64(n))
	return vg.Length(max(patch, least)) * vg.Length(n) * pixel
}

// room returns the width of a panel with its names, colour bar and labels.
func (p *heatPanel) room() vg.Length { return p.left() + p.body() }

// body returns the width of a panel from the matrix on.
func (p *heatPanel) body() vg.Length {
	if p.unbarred {
		return p.at.Size().X
	}
	return max(p.at.Size().X+p.barRoom(), leastSide*2)
}

// barRoom returns the width of the colour bar and its labels.
func (p *heatPanel) barRoom() vg.Length {
	return barSpace + barWide + barSpace + draw.Regular(smallSize).Widest(p.scale())
}

// scale returns the labels of the colour bar, from the top down.
func (p *heatPanel) scale() []string {
	if p.end == 0 {
		return []string{"", "0", ""}
	}
	return []string{axes.Number(p.end, 3), "0", axes.Number(-p.end, 3)}
}

// grid returns how many columns (X) and rows (Y) of patches the matrix has.
func (p *heatPanel) grid() image.Point {
	return image.Pt((p.Cols+p.factor-1)/p.factor, (p.Rows+p.factor-1)/p.factor)
}

// mean returns the mean of the elements of patch (i, j) that are present, or NaN if none is.
func (p *heatPanel) mean(i, j int) float64 {
	sum, n := 0.0, 0
	for r := i * p.factor; r < min((i+1)*p.factor, p.Rows); r++ {
		for c := j * p.factor; c < min((j+1)*p.factor, p.Cols); c++ {
			if v := p.Data[r*p.Cols+c]; axes.Present(v) {
				sum, n = sum+v, n+1
			}
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// paint draws the panel in a figure of the given height.
func (p *heatPanel) paint(d draw.Pen, height vg.Length) {
	size := p.at.Size()
	r := draw.Box(p.at.Min.X, height-p.at.Max.Y, size.X, size.Y)
	for i, line := range p.title {
		up := textSize*0.6 + panelLine*vg.Length(len(p.title)-1-i)
		d.Text(draw.Bold(textSize), ink, vg.Point{X: r.Min.X, Y: r.Max.Y + up}, draw.AtLeft, line)
	}
	d.Text(draw.Regular(smallSize), soft, vg.Point{X: r.Min.X, Y: r.Min.Y - p.foot() - smallSize*1.2}, draw.AtLeft,
		draw.Regular(smallSize).Shorten(p.note(), p.body()+panelGap/2))
	if !p.patches.Bounds().Empty() {
		d.Picture(r, p.patches, true)
		p.paintBlocks(d, r)
		if !p.unbarred {
			p.paintBar(d, r)
		}
	}
	var edge vg.Path
	draw.AddRect(&edge, r)
	d.Stroke(axisIn, hairline, edge)
	for i := range p.RowNames {
		if p.unnamed {
			break
		}
		p.beside.drawBeside(d, i, vg.Point{X: r.Min.X, Y: r.Max.Y - p.beside.pitch*(vg.Length(i)+0.5)})
	}
	for j := range p.ColNames {
		p.below.draw(d, j, vg.Point{X: r.Min.X + p.below.pitch*(vg.Length(j)+0.5), Y: r.Min.Y})
	}
}

// note returns the size of the matrix, the size of patches that are means, and the number of absent elements.
func (p *heatPanel) note() string {
	s := fmt.Sprintf("%d × %d", p.Rows, p.Cols)
	if p.factor > 1 {
		s += fmt.Sprintf(", means of %d × %d", p.factor, p.factor)
	}
	if p.absent > 0 {
		s += fmt.Sprintf(", %d absent (grey)", p.absent)
	}
	return s
}

// paintBlocks draws the lines between blocks, unless they would be too close.
func (p *heatPanel) paintBlocks(d draw.Pen, r vg.Rectangle) {
	if p.Blocks <= 0 {
		return
	}
	const closest, crowded = 4, 16
	var lines vg.Path
	size := r.Size()
	dx := size.X * vg.Length(p.Blocks) / vg.Length(p.Cols)
	dy := size.Y * vg.Length(p.Blocks) / vg.Length(p.Rows)
	for x := r.Min.X + dx; dx >= closest && x < r.Max.X-hairline; x += dx {
		draw.AddSegment(&lines, vg.Point{X: x, Y: r.Min.Y}, vg.Point{X: x, Y: r.Max.Y})
	}
	for y := r.Max.Y - dy; dy >= closest && y > r.Min.Y+hairline; y -= dy {
		draw.AddSegment(&lines, vg.Point{X: r.Min.X, Y: y}, vg.Point{X: r.Max.X, Y: y})
	}
	strength := 0.45
	if dx < crowded {
		strength = 0.2 // many lines must not outshine the matrix
	}
	d.Stroke(draw.Veil(ink, strength), hairline, lines)
}

// paintBar draws the colour bar to the right of the matrix at r.
func (p *heatPanel) paintBar(d draw.Pen, r vg.Rectangle) {
	bar := draw.Box(r.Max.X+barSpace, r.Min.Y, barWide, r.Size().Y)
	d.Picture(bar, draw.HeatBar(), true)
	var edge vg.Path
	draw.AddRect(&edge, bar)
	d.Stroke(axisIn, hairline, edge)
	font := draw.Regular(smallSize)
	x := bar.Max.X + barSpace - 1
	texts := p.scale()
	d.Text(font, ink, vg.Point{X: x, Y: bar.Max.Y - font.Cap()}, draw.AtLeft, texts[0])
	d.Middled(font, ink, vg.Point{X: x, Y: (bar.Min.Y + bar.Max.Y) / 2}, draw.AtLeft, texts[1])
	d.Text(font, ink, vg.Point{X: x, Y: bar.Min.Y}, draw.AtLeft, texts[2])
}
