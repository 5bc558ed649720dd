package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gonum.org/v1/plot/vg"
)

// Matrix is a matrix of Rows × Cols elements, stored by rows. If Blocks is
// positive, a thin line follows every Blocks rows and columns, for example to
// separate channels.
type Matrix struct {
	Title  string    `json:"title"`
	Rows   int       `json:"rows"`
	Cols   int       `json:"cols"`
	Data   []float64 `json:"-"` // see [Description]
	Blocks int       `json:"blocks,omitempty"`
	// RowNames and ColNames stand beside and below the matrix; nil for none. If they are too close to be read,
	// some are left out. A single matrix is drawn larger to make room for them.
	RowNames []string `json:"row_names,omitempty"`
	ColNames []string `json:"col_names,omitempty"`
}

// HeatMaps shows matrices side by side. Each element is a patch of one colour:
// blue below zero, white at zero, red above and grey if absent. The scale of a
// matrix ends at its largest absolute value, which stands at its colour bar;
// matrices whose largest values are within a factor of two of each other share one
// scale. A line below says whether they do. Above 784 rows or columns, a patch is
// the mean of several elements, which the line below the matrix says. There may be
// 24 matrices of up to 16384 rows and columns.
func HeatMaps(name string, panels []Matrix) (Figure, error) {
	return Description{Chart: matrices, Matrices: panels}.Draw(name)
}

// heatDrawing returns the drawing of matrices. Its width follows from the matrices.
func heatDrawing(d *Description, r room) drawing { return newHeatMaps(d.Matrices, r).drawing() }

// maxSide is the largest number of rows or columns; their product fits into an int
// of 32 bits.
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
			return fmt.Errorf("panel %d (%q) is %d×%d: want sides from 0 to %d", i+1, p.Title, p.Rows, p.Cols, maxSide)
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
	maxPatches           = 784 // on a side; larger matrices show means of elements
	panelSide  vg.Length = 160
	smallPanel vg.Length = 124 // where there are four or more
	leastPanel vg.Length = 80  // where three fit into a row
	namedSide  vg.Length = 300 // the largest of a single matrix, which makes room for its names
	namedPatch           = uprightPitch + 1
	leastSide  vg.Length = 36
	panelGap   vg.Length = 16
	barWide    vg.Length = 7
	barSpace   vg.Length = 5 // between matrix, colour bar and its labels
	panelHead            = textSize * 1.7
	panelLine            = textSize * 1.2 // of a title
	panelFoot            = smallSize * 1.5
	alike                = 2 // the largest ratio between the largest values of matrices that share a scale
)

// heatMaps is one or more rows of panels with their places.
type heatMaps struct {
	panels        []heatPanel
	shared        bool      // whether the panels have one scale
	head          vg.Length // the height of each panel's title
	width, height vg.Length
}

func newHeatMaps(panels []Matrix, r room) *heatMaps {
	h := &heatMaps{}
	for _, m := range panels {
		h.panels = append(h.panels, newHeatPanel(m))
	}
	h.share()
	side := panelSide
	switch {
	case len(panels) > 3:
		side = smallPanel
	case len(panels) == 1 && len(panels[0].RowNames)+len(panels[0].ColNames) > 0:
		longest := max(panels[0].Rows, panels[0].Cols)
		side = max(panelSide, min(namedPatch*vg.Length(longest), namedSide, r.most/2))
	}
	if len(panels) > 2 {
		side = h.sideOfThree(side, r.most)
	}
	for i := range h.panels {
		p := &h.panels[i]
		p.setSide(side)
		p.patches = draw.HeatMap(p.grid(), p.end, p.mean)
	}
	h.arrange(r.most)
	return h
}

// share gives the panels one scale if their largest values are alike.
func (h *heatMaps) share() {
	least, most := math.Inf(1), 0.
	for _, p := range h.panels {
		least, most = min(least, p.largest), max(most, p.largest)
	}
	if h.shared = len(h.panels) > 1 && most <= alike*least; !h.shared {
		return
	}
	for i := range h.panels {
		h.panels[i].end = most
	}
}

// sideOfThree returns the side with which three panels fit into a row, if they and their names stay large enough, else
// the given side.
func (h *heatMaps) sideOfThree(side, most vg.Length) vg.Length {
	var names, bars vg.Length
	least := leastPanel
	for i := range h.panels {
		p := &h.panels[i]
		p.setSide(side)
		names, bars = max(names, p.left()), max(bars, p.barRoom())
		if named := uprightPitch * vg.Length(max(len(p.RowNames), len(p.ColNames))); named <= side {
			least = max(least, named)
		}
	}
	if !h.shared {
		bars *= 3
	}
	if three := (most - 2*margin - names - bars - 2*panelGap) / 3; three >= least {
		return min(side, three)
	}
	return side
}

func (h *heatMaps) drawing() drawing {
	return drawing{h.width, h.height, "", h.alt(), h.paint}
}

// arrange gives every panel its place, in rows no wider than most. Neighbours in a row with the same row names show them
// once, beside the first, and a shared scale has its colour bar beside the last panel.
func (h *heatMaps) arrange(most vg.Length) {
	x, y, tallest := margin, margin, vg.Length(0)
	h.head = panelHead
	for i := range h.panels {
		p := &h.panels[i]
		p.unbarred = h.shared
		if p.title = draw.Bold(textSize).Wrap(p.Title, p.body(), 2); len(p.title) > 1 {
			h.head = panelHead + panelLine
		}
		p.unbarred = false
	}
	for i := range h.panels {
		p := &h.panels[i]
		size := p.at.Size()
		if x > margin {
			before := &h.panels[i-1]
			before.unbarred, p.unnamed = h.shared, slices.Equal(p.RowNames, before.RowNames)
			if beside := before.at.Min.X + before.body() + panelGap; beside+p.room() <= most-margin {
				x = beside
			} else {
				x, y, tallest = margin, y+h.head+tallest+panelFoot+panelGap/2, 0
				before.unbarred, p.unnamed = false, false
			}
		}
		p.at = draw.Box(x+p.left(), y+h.head, size.X, size.Y)
		tallest = max(tallest, size.Y+p.foot())
		h.width = max(h.width, x+p.room()+margin)
		h.height = y + h.head + tallest + panelFoot + margin
		x += p.room() + panelGap
	}
	switch {
	case len(h.panels) == 0:
		h.width, h.height = panelSide, panelHead+2*margin
	case len(h.panels) > 1:
		h.height += panelFoot
		h.width = max(h.width, 2*margin+draw.Regular(smallSize).Width(h.scales()))
	}
}

// scales returns a sentence that says whether the panels share a scale.
func (h *heatMaps) scales() string {
	if h.shared {
		return "All matrices have one colour scale."
	}
	return "Each matrix has its own colour scale."
}

func (h *heatMaps) paint(d draw.Pen) {
	switch {
	case len(h.panels) == 0:
		d.Middled(draw.Regular(textSize), soft, vg.Point{X: h.width / 2, Y: h.height / 2}, draw.AtCentre, "no matrices")
	case len(h.panels) > 1:
		d.Text(draw.Regular(smallSize), soft, vg.Point{X: margin, Y: margin}, draw.AtLeft, h.scales())
	}
	for i := range h.panels {
		h.panels[i].paint(d, h.height)
	}
}

// alt describes in words what the figure shows.
func (h *heatMaps) alt() string {
	text := fmt.Sprintf("Heat maps of %s.", words.Count(len(h.panels), "matrix"))
	for _, p := range h.panels {
		text += fmt.Sprintf(" %s: %s, largest absolute value %s.", or(p.Title, "untitled"), p.note(),
			axes.Number(p.largest, 3))
	}
	return text
}
