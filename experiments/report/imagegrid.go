package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gonum.org/v1/plot/vg"
)

// ImageGrid shows pictures in rows and columns under the titles of the columns, and
// beside the names of the rows if there are any. If pictures are in the colour map, its
// bar stands below. Rows may have different lengths. Pictures of up to 64 pixels a side
// keep the edges of their pixels, larger ones are scaled smoothly, and a picture without
// pixels leaves its place empty. There may be 50 rows of 32 columns.
func ImageGrid(name string, columns []string, rows [][]Image, rowNames ...string) (Figure, error) {
	return Description{Chart: images, Names: columns, Rows: rowNames, Images: rows}.Draw(name)
}

// gridDrawing returns the drawing of images. Its width follows from the images.
func gridDrawing(d *Description, r room) drawing {
	whole := newImageGrid(d, r)
	if r.fold && whole.cell < leastCell {
		return whole.folded(d, r).drawing(whole.alt())
	}
	return gridStack{whole}.drawing(whole.alt())
}

const (
	maxGridColumns = 32
	maxGridRows    = 50
)

func checkImages(d *Description) error {
	columns, rows := d.Names, d.Images
	if err := atMost(maxGridColumns, gridColumns(columns, rows), "columns"); err != nil {
		return err
	}
	if err := atMost(maxGridRows, len(rows), "rows"); err != nil {
		return err
	}
	if len(d.Rows) > 0 && len(d.Rows) != len(rows) {
		return fmt.Errorf("%d names for %d rows", len(d.Rows), len(rows))
	}
	for i, row := range rows {
		for j := range row {
			if err := row[j].check(); err != nil {
				return fmt.Errorf("row %d, column %d: %w", i+1, j+1, err)
			}
		}
	}
	return nil
}

func gridColumns(columns []string, rows [][]Image) int {
	n := len(columns)
	for _, row := range rows {
		n = max(n, len(row))
	}
	return n
}

const (
	largestCell vg.Length = 148
	leastCell   vg.Length = 48 // of a grid that may fold its columns
	cellGap     vg.Length = 8
	captionGap  vg.Length = 2
	titleLines            = 2
	noteLines             = 2
	rowLines              = 4
	widestRow   vg.Length = 64 // name
	mapLength   vg.Length = 90 // of the colour bar
	mapRoom               = smallSize * 2
	crispUpTo             = 64 // pixels
)

type imageGrid struct {
	columns       [][]string // lines of the titles
	rows          []gridRow
	count         int // columns
	cell          vg.Length
	left          vg.Length // from the figure's edge to the first column
	head          vg.Length
	mapped        bool // whether some pictures are in the colour map
	width, height vg.Length
}

// gridRow is a row of pictures, with the lines of their captions and of the row's
// name. Heights are in points.
type gridRow struct {
	images   []Image
	captions [][]string
	name     []string
	tallest  vg.Length // the height of the tallest picture
	height   vg.Length // with captions
}

func newImageGrid(d *Description, r room) *imageGrid {
	columns, rows := d.Names, d.Images
	g := &imageGrid{count: max(1, gridColumns(columns, rows)), left: margin}
	names := make([][]string, len(rows))
	for i, s := range d.Rows {
		f := draw.Bold(smallSize)
		names[i] = f.Wrap(s, widestRow, rowLines)
		g.left = max(g.left, margin+f.Widest(names[i])+cellGap)
	}
	g.setCell(r)
	g.setHead(columns)
	g.height = margin + g.head
	for i, row := range rows {
		if i > 0 {
			g.height += cellGap
		}
		g.rows = append(g.rows, g.newRow(row))
		g.rows[i].name = names[i]
		g.rows[i].height = max(g.rows[i].height, draw.Bold(smallSize).Line()*vg.Length(len(names[i])))
		g.height += g.rows[i].height
		g.mapped = g.mapped || slices.ContainsFunc(row, func(m Image) bool { return m.Map && !m.empty() })
	}
	g.height += margin
	if len(rows) == 0 {
		g.height += labelHeight
	}
	return g
}

// folded returns grids of a few columns each, with all rows that have pictures there. Each is as wide as the room allows,
// which is too narrow for all columns.
func (g *imageGrid) folded(d *Description, r room) gridStack {
	most := max(1, int((r.width-g.left-margin+cellGap)/(leastCell+cellGap)))
	each := (g.count + most - 1) / most // the number of grids
	each = (g.count + each - 1) / each
	var all gridStack
	for from := 0; from < g.count; from += each {
		part := Description{Names: cut(d.Names, from, each)}
		for i, row := range d.Images {
			if row = cut(row, from, each); len(row) > 0 {
				part.Images = append(part.Images, row)
				part.Rows = append(part.Rows, cut(d.Rows, i, 1)...)
			}
		}
		all = append(all, newImageGrid(&part, r))
	}
	return all
}

// cut returns the n elements of s from the given one on, or those of them that s has.
func cut[T any](s []T, from, n int) []T { return s[min(from, len(s)):min(from+n, len(s))] }

// gridStack is grids below each other. The bar of the colour map, if any of them needs it, stands below the last.
type gridStack []*imageGrid

func (s gridStack) drawing(alt string) drawing {
	d, mapped, last := drawing{alt: alt}, false, s[len(s)-1]
	for _, g := range s {
		d.width, d.height, mapped = max(d.width, g.width), d.height+g.height, mapped || g.mapped
	}
	if mapped {
		d.width = max(d.width, last.left+mapLength+draw.Regular(smallSize).Width(mapNote)+20+margin)
		d.height += mapRoom
	}
	d.paint = func(p draw.Pen) {
		y := d.height
		for _, g := range s {
			y -= g.height
			g.paint(p.Part(vg.Point{Y: y}, vg.Point{X: d.width, Y: g.height}, 1))
		}
		if mapped {
			last.paintMap(p)
		}
	}
	return d
}

// setCell makes the cells as large as the text column allows, or a wide figure if
// there are many.
func (g *imageGrid) setCell(r room) {
	wideFrom := 6
	if r.width < textWidth {
		wideFrom = 4
	}
	room := r.width
	if g.count >= wideFrom {
		room = r.most
	}
	n := vg.Length(g.count)
	g.cell = min((room-g.left-margin-(n-1)*cellGap)/n, largestCell)
	g.width = g.left + n*g.cell + (n-1)*cellGap + margin
}

func (g *imageGrid) setHead(columns []string) {
	f := draw.Bold(textSize)
	lines := 0
	for _, s := range columns {
		g.columns = append(g.columns, f.Wrap(s, g.cell, titleLines))
		lines = max(lines, len(g.columns[len(g.columns)-1]))
	}
	if lines > 0 {
		g.head = vg.Length(lines)*f.Line() + 3
	}
}

func (g *imageGrid) newRow(images []Image) gridRow {
	r := gridRow{images: images}
	f := draw.Regular(smallSize)
	lines := 0
	for i := range images {
		r.tallest = max(r.tallest, g.size(&images[i]).Y)
		r.captions = append(r.captions, f.Wrap(images[i].Caption, g.cell, noteLines))
		lines = max(lines, len(r.captions[i]))
	}
	r.height = r.tallest
	if lines > 0 {
		r.height += captionGap + vg.Length(lines)*f.Line()
	}
	return r
}

// size returns the size at which a picture is shown: as large as its cell, or for a
// small picture the largest size at which each of its pixels is a whole number of the
// PNG's pixels.
func (g *imageGrid) size(m *Image) vg.Point {
	if m.empty() {
		return vg.Point{}
	}
	longest := max(m.Width, m.Height)
	scale := float64(g.cell) / float64(longest)
	if longest <= crispUpTo {
		pixel := float64(vg.Inch / draw.DPI)
		scale = max(1, math.Floor(scale/pixel)) * pixel
	}
	return vg.Point{X: vg.Length(scale * float64(m.Width)), Y: vg.Length(scale * float64(m.Height))}
}

func (g *imageGrid) paint(d draw.Pen) {
	top := d.Max.Y - margin
	f := draw.Bold(textSize)
	for j, lines := range g.columns {
		// Titles stand on the pictures: a short one starts lower.
		y := top - g.head + 3 + f.Size*draw.Descent + f.Line()*vg.Length(len(lines)-1)
		g.paintLines(d, f, ink, g.x(j), y, lines)
	}
	top -= g.head
	if len(g.rows) == 0 {
		d.Text(draw.Regular(textSize), soft, vg.Point{X: margin, Y: top - textSize}, draw.AtLeft, "no pictures")
	}
	for _, row := range g.rows {
		g.paintRow(d, row, top)
		top -= row.height + cellGap
	}
}

// mapNote follows the 1 at the end of the colour bar: each picture has a scale of its own.
const mapNote = "of the scale of a picture"

// paintMap draws the bar of the colour map at the foot of the figure.
func (g *imageGrid) paintMap(d draw.Pen) {
	f := draw.Regular(smallSize)
	y := margin + mapRoom/2 - smallSize/2
	bar := draw.Box(g.left+8, y, mapLength, f.Cap())
	d.Text(f, ink, vg.Point{X: g.left, Y: y}, draw.AtLeft, "0")
	d.Picture(bar, draw.SequentialBar(), false)
	d.Text(f, ink, vg.Point{X: bar.Max.X + 4, Y: y}, draw.AtLeft, "1 "+mapNote)
}

// x returns the left edge of column j.
func (g *imageGrid) x(j int) vg.Length { return g.left + vg.Length(j)*(g.cell+cellGap) }

func (g *imageGrid) paintRow(d draw.Pen, row gridRow, top vg.Length) {
	f := draw.Regular(smallSize)
	g.paintLines(d, draw.Bold(smallSize), ink, margin, top-f.Size, row.name)
	for j := range row.images {
		m := &row.images[j]
		size := g.size(m)
		if !m.empty() {
			d.Picture(draw.Box(g.x(j), top-size.Y, size.X, size.Y), m.render(size), max(m.Width, m.Height) <= crispUpTo)
		}
		y := top - row.tallest - captionGap - f.Size
		g.paintLines(d, f, soft, g.x(j), y, row.captions[j])
	}
}

// paintLines writes lines, with the baseline of the first one at y.
func (g *imageGrid) paintLines(d draw.Pen, f draw.Face, c color.Color, x, y vg.Length, lines []string) {
	for _, s := range lines {
		d.Text(f, c, vg.Point{X: x, Y: y}, draw.AtLeft, s)
		y -= f.Line()
	}
}

// alt describes in words what the figure shows.
func (g *imageGrid) alt() string {
	text := fmt.Sprintf("Grid of pictures, %s", words.Count(len(g.rows), "row"))
	for j, lines := range g.columns {
		sep := "; columns: "
		if j > 0 {
			sep = ", "
		}
		text += sep + strings.Join(lines, " ")
	}
	return text + "."
}
