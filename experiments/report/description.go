package report

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"

	"gonum.org/v1/plot/vg"
)

// Description is a figure as data: what one of the constructors, such as
// [LineChart], was given. It is plain JSON but for the elements of matrices and the
// pixels of images, which [Page.Save] writes to arrays/NAME.npy; see [Figure.Redraw].
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

// room is how wide a figure is, and how wide it is at most if what it shows needs that.
type room struct {
	width, most vg.Length
	labels      []string // of the panel with most curves, whose looks the other panels share
	// keys are the letters of the panels that have long legends, by what these say; later panels refer to them. letter is
	// that of the panel.
	keys   map[string]string
	letter string
}

// onPage is the room of a figure of its own, onPhone that in a window of 360 pixels.
var (
	onPage  = room{width: textWidth, most: wideWidth}
	onPhone = room{width: columnWidth(2), most: columnWidth(2)}
)

// panelLetter is the letter of a panel before a title.
var panelLetter = regexp.MustCompile(`^[A-Z]\. `)

// kind is how charts of a kind are made.
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

// Draw draws the figure under a name.
func (d Description) Draw(name string) (Figure, error) {
	d.roundArray()
	k, known := kinds()[d.Chart]
	if !known {
		return Figure{Description: &d}, fmt.Errorf("report: figure %q: there are no charts of kind %q", name, d.Chart)
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
			panel.Title = panelLetter.ReplaceAllString(d.Title, "") // it gets its letter from its place
		}
		return k.drawing(&panel, r)
	}
	return f, err
}

// Redraw draws the figure again from its description, with the array that
// [Page.Save] wrote to the folder dir. The bytes are those of the first time.
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

// Numbers are numbers of a chart. JSON has null for NaN, and "Infinity" and
// "-Infinity" as texts.
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
