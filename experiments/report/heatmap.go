package report

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gonum.org/v1/plot/vg"
)

// Matrix is a matrix of Rows × Cols elements, stored by rows. If Blocks is
// positive, thin lines follow every Blocks rows and columns, for instance to
// separate channels.
type Matrix struct {
	Title  string    `json:"title"`
	Rows   int       `json:"rows"`
	Cols   int       `json:"cols"`
	Data   []float64 `json:"-"` // see [Description]
	Blocks int       `json:"blocks,omitempty"`
	// RowNames and ColNames stand beside and below the matrix; nil for none. Where they are too close to be
	// read, some are left out. A matrix that is alone is drawn larger for them.
	RowNames []string `json:"row_names,omitempty"`
	ColNames []string `json:"col_names,omitempty"`
}

// HeatMaps shows matrices side by side, an element a patch of even colour:
// blue below zero, white at zero and red above. Every matrix has its own scale,
// to its largest absolute value, which stands at its colour bar. Elements that
// are absent are grey. Above 784 rows or columns, a patch is the mean of
// several elements, as the line below the matrix then says. There may be 24
// matrices of up to 16384 rows and columns.
func HeatMaps(name string, panels []Matrix) (Figure, error) {
	return Description{Chart: matrices, Matrices: panels}.Draw(name)
}

// heatDrawing returns the drawing of matrices, which have a width of their own.
func heatDrawing(d *Description, r room) drawing { return newHeatMaps(d.Matrices, r).drawing() }

// maxSide is the largest number of rows or columns; it keeps their product in
// an int of any size.
const maxSide = 1 << 14

const maxPanels = 24

func checkMatrices(d *Description) error {
	panels := d.Matrices
	if err := atMost(maxPanels, len(panels), "matrices"); err != nil {
		return err
	}
	for i, p := range panels {
		switch {
		case p.Rows < 0 || p.Cols < 0 || p.Rows > maxSide || p.Cols > maxSide:
			return fmt.Errorf("panel %d (%q) is %d×%d, sides are 0 to %d", i+1, p.Title, p.Rows, p.Cols, maxSide)
		case len(p.Data) != p.Rows*p.Cols:
			return fmt.Errorf("panel %d (%q) has %d elements for %d×%d", i+1, p.Title, len(p.Data), p.Rows, p.Cols)
		case p.RowNames != nil && len(p.RowNames) != p.Rows, p.ColNames != nil && len(p.ColNames) != p.Cols:
			return fmt.Errorf("panel %d (%q) has %d and %d names for %d×%d", i+1, p.Title, len(p.RowNames),
				len(p.ColNames), p.Rows, p.Cols)
		}
	}
	return nil
}

const (
	maxPatches           = 784 // a side of a matrix that is shown in full
	panelSide  vg.Length = 160
	smallPanel vg.Length = 124 // where there are four or more
	namedSide  vg.Length = 300 // at most, of one matrix alone, so that its names find room
	namedPatch           = uprightPitch + 1
	leastSide  vg.Length = 36
	panelGap   vg.Length = 16
	barWide    vg.Length = 7
	barSpace   vg.Length = 5 // between matrix, colour bar and its labels
	panelHead            = textSize * 1.7
	panelFoot            = smallSize * 1.5
)

// heatMaps is a row, or several, of panels with their places.
type heatMaps struct {
	panels        []heatPanel
	width, height vg.Length
}

func newHeatMaps(panels []Matrix, r room) *heatMaps {
	side := panelSide
	switch {
	case len(panels) > 3:
		side = smallPanel
	case len(panels) == 1 && len(panels[0].RowNames)+len(panels[0].ColNames) > 0:
		longest := max(panels[0].Rows, panels[0].Cols)
		side = max(panelSide, min(namedPatch*vg.Length(longest), namedSide, r.most/2))
	}
	h := &heatMaps{}
	for _, m := range panels {
		h.panels = append(h.panels, newHeatPanel(m, side))
	}
	h.arrange(r.most)
	return h
}

func (h *heatMaps) drawing() drawing {
	return drawing{h.width, h.height, "", h.alt(), h.paint}
}

// arrange gives every panel its place, in rows no wider than most.
func (h *heatMaps) arrange(most vg.Length) {
	x, y, tallest := margin, margin, vg.Length(0)
	for i := range h.panels {
		p := &h.panels[i]
		size := p.at.Size()
		if x > margin && x+p.room() > most-margin {
			x, y, tallest = margin, y+panelHead+tallest+panelFoot+panelGap/2, 0
		}
		p.at = draw.Box(x+p.left(), y+panelHead, size.X, size.Y)
		tallest = max(tallest, size.Y+p.foot())
		h.width = max(h.width, x+p.room()+margin)
		h.height = y + panelHead + tallest + panelFoot + margin
		x += p.room() + panelGap
	}
	if len(h.panels) == 0 {
		h.width, h.height = panelSide, panelHead+2*margin
	}
}

func (h *heatMaps) paint(d draw.Pen) {
	if len(h.panels) == 0 {
		d.Middled(draw.Regular(textSize), soft, vg.Point{X: h.width / 2, Y: h.height / 2}, draw.AtCentre, "no matrices")
	}
	for i := range h.panels {
		h.panels[i].paint(d, h.height)
	}
}

// alt says in words what the figure shows.
func (h *heatMaps) alt() string {
	text := fmt.Sprintf("Heat maps of %s.", words.Count(len(h.panels), "matrix"))
	for _, p := range h.panels {
		text += fmt.Sprintf(" %s: %s, largest absolute value %s.", or(p.Title, "untitled"), p.note(),
			axes.Number(p.largest, 3))
	}
	return text
}
