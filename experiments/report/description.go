package report

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"

	"gonum.org/v1/plot/vg"
)

// Description is a figure as data: the arguments of the constructor, such as
// [LineChart], that drew it. It is plain JSON, except that [Page.Save] writes elements
// of matrices and pixels of images to arrays/NAME.npy; see [Figure.Redraw].
type Description struct {
	Chart    string        `json:"chart"` // lines, layers, bars, matrices or images
	Title    string        `json:"title,omitempty"`
	XLabel   string        `json:"x,omitempty"`
	YLabel   string        `json:"y,omitempty"`
	Names    []string      `json:"names,omitempty"` // of the layers, the bars or the columns of images
	Rows     []string      `json:"rows,omitempty"`  // names of the rows of images
	Lines    []Series      `json:"lines,omitempty"`
	Layers   []LayerSeries `json:"layers,omitempty"`
	Bars     []Bars        `json:"bars,omitempty"`
	Matrices []Matrix      `json:"matrices,omitempty"`
	Images   [][]Image     `json:"images,omitempty"`
}

// The kinds of charts.
const (
	lines      = "lines"
	layerMarks = "layers"
	bars       = "bars"
	matrices   = "matrices"
	images     = "images"
)

// room is the width of a figure, and the largest width that its content may demand.
type room struct {
	width, most vg.Length
	labels      []string // of the panel with most curves, whose looks the other panels share
	// keys has the letters of the panels with long legends, by the texts of these; later panels refer to them. letter is
	// the panel's own letter.
	keys   map[string]string
	letter string
	fold   bool // whether columns of pictures that have no room side by side stand below each other
}

// onPage is the room of a figure that is not a panel, onPhone its room in a window of 360 pixels.
var (
	onPage  = room{width: textWidth, most: wideWidth}
	onPhone = room{width: columnWidth(2), most: columnWidth(2), fold: true}
)

// panelLetter matches the letter of a panel before a title.
var panelLetter = regexp.MustCompile(`^[A-Z]\. `)

// kind has the functions that check and draw a kind of chart.
type kind struct {
	noun    string
	check   func(*Description) error
	drawing func(*Description, room) drawing
	numbers func(*Description) []byte // see [Figure]
}

func kinds() map[string]kind {
	return map[string]kind{
		lines:      {"line chart", checkSeries, lineDrawing, lineNumbers},
		layerMarks: {"layer chart", checkLayers, layerDrawing, layerNumbers},
		bars:       {"bar chart", checkBars, barDrawing, barNumbers},
		matrices:   {"heat maps", checkMatrices, heatDrawing, heatNumbers},
		images:     {"image grid", checkImages, gridDrawing, gridNumbers},
	}
}

// Draw draws the figure under a name. It returns an error for a description that does not fit the chart.
func (d Description) Draw(name string) (Figure, error) {
	d.roundArray()
	k, known := kinds()[d.Chart]
	if !known {
		return Figure{Description: &d}, fmt.Errorf("report: figure %q: its chart is %q: want lines, layers, bars, matrices or "+
			"images", name, d.Chart)
	}
	err := checkName(name)
	if err == nil {
		err = k.check(&d)
	}
	if err != nil {
		return Figure{Description: &d}, fmt.Errorf("report: %s %q: %w", k.noun, name, err)
	}
	f, err := k.drawing(&d, onPage).figure(name, k.numbers(&d))
	f.Description = &d
	f.draw = func(r room) drawing {
		panel := d
		if r.letter != "" {
			panel.Title = panelLetter.ReplaceAllString(d.Title, "") // its place gives the panel its letter
		}
		return k.drawing(&panel, r)
	}
	return f, err
}

// Redraw draws the figure again from its description, with the array that
// [Page.Save] wrote to the folder dir, and gives the same bytes.
func (f Figure) Redraw(dir string) (Figure, error) {
	if f.Description == nil {
		return f, fmt.Errorf("report: figure %q has no description: it was made before figures had one", f.Name)
	}
	d := *f.Description
	if err := d.readArray(dir, f.Name); err != nil {
		return f, fmt.Errorf("report: figure %q: %w", f.Name, err)
	}
	drawn, err := d.Draw(f.Name)
	drawn.Caption, drawn.Alt, drawn.Wide = f.Caption, f.Alt, f.Wide
	return drawn, err
}

// Numbers are numbers of a chart. In JSON, NaN is null, and infinities are the texts
// "Infinity" and "-Infinity".
type Numbers []float64

// MarshalJSON writes the numbers with all their digits.
func (n Numbers) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte("null"), nil
	}
	all := make([]any, len(n))
	for i, v := range n {
		switch {
		case math.IsInf(v, 1):
			all[i] = "Infinity"
		case math.IsInf(v, -1):
			all[i] = "-Infinity"
		case !math.IsNaN(v):
			all[i] = v
		}
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (n *Numbers) UnmarshalJSON(text []byte) error {
	var all []any
	if err := json.Unmarshal(text, &all); err != nil || all == nil {
		*n = nil
		return err
	}
	*n = make(Numbers, len(all))
	for i, v := range all {
		switch v := v.(type) {
		case float64:
			(*n)[i] = v
		case nil:
			(*n)[i] = math.NaN()
		case string:
			if v != "Infinity" && v != "-Infinity" {
				return fmt.Errorf("want a number, null, %q or %q, not %q", "Infinity", "-Infinity", v)
			}
			(*n)[i] = math.Inf(len("Infinity") - len(v)) // 0 or -1
		default:
			return fmt.Errorf("want a number, not %v", v)
		}
	}
	return nil
}
