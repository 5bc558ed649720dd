package report

import (
	"fmt"
	"image/color"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// ImageGrid shows pictures in rows and columns under the titles of the columns.
// Rows may be of different lengths. Pictures of up to 64 pixels a side keep the
// edges of their pixels, larger ones are scaled smoothly; one without pixels
// leaves its place empty. There may be 50 rows of 32 columns.
func ImageGrid(name string, columns []string, rows [][]Image) (Figure, error) {
	return Description{Chart: images, Names: columns, Images: rows}.Draw(name)
}

// gridDrawing returns the drawing of images, which have a width of their own.
func gridDrawing(d *Description, _ vg.Length) drawing {
	return newImageGrid(d.Names, d.Images).drawing()
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
	cellGap     vg.Length = 8
	captionGap  vg.Length = 2
	titleLines            = 2
	noteLines             = 2
	crispUpTo             = 64 // pixels
)

type imageGrid struct {
	columns       [][]string // lines of the titles
	rows          []gridRow
	count         int // columns
	cell          vg.Length
	head          vg.Length
	width, height vg.Length
}

// gridRow is a row of pictures; the lines of their captions and their sizes
// are in points.
type gridRow struct {
	images   []Image
	captions [][]string
	tallest  vg.Length // picture
	height   vg.Length // with captions
}

func newImageGrid(columns []string, rows [][]Image) *imageGrid {
	g := &imageGrid{count: max(1, gridColumns(columns, rows))}
	g.setCell()
	g.setHead(columns)
	g.height = margin + g.head
	for i, row := range rows {
		if i > 0 {
			g.height += cellGap
		}
		g.rows = append(g.rows, g.newRow(row))
		g.height += g.rows[i].height
	}
	g.height += margin
	if len(rows) == 0 {
		g.height += labelHeight
	}
	return g
}

func (g *imageGrid) drawing() drawing {
	return drawing{g.width, g.height, "", g.alt(), g.paint}
}

// setCell makes the cells as large as fits the text column, or a wide figure
// if there are many.
func (g *imageGrid) setCell() {
	const wideFrom = 6
	room := textWidth
	if g.count >= wideFrom {
		room = wideWidth
	}
	n := vg.Length(g.count)
	g.cell = min((room-2*margin-(n-1)*cellGap)/n, largestCell)
	g.width = 2*margin + n*g.cell + (n-1)*cellGap
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

// size returns the size at which a picture is shown: as large as its cell, but
// for small ones only so large that a pixel of the picture is a whole number of
// the PNG's pixels.
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

// x returns the left edge of column j.
func (g *imageGrid) x(j int) vg.Length { return margin + vg.Length(j)*(g.cell+cellGap) }

func (g *imageGrid) paintRow(d draw.Pen, row gridRow, top vg.Length) {
	f := draw.Regular(smallSize)
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

// paintLines writes lines, the baseline of the first at y.
func (g *imageGrid) paintLines(d draw.Pen, f draw.Face, c color.Color, x, y vg.Length, lines []string) {
	for _, s := range lines {
		d.Text(f, c, vg.Point{X: x, Y: y}, draw.AtLeft, s)
		y -= f.Line()
	}
}

// alt says in words what the figure shows.
func (g *imageGrid) alt() string {
	text := fmt.Sprintf("Grid of pictures, %s", plural(len(g.rows), "row"))
	for j, lines := range g.columns {
		sep := "; columns: "
		if j > 0 {
			sep = ", "
		}
		text += sep
		for k, s := range lines {
			if k > 0 {
				text += " "
			}
			text += s
		}
	}
	return text + "."
}
