package similarity

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Course is the ansatz at the layers of a network at several times, such as the steps of its training or its checkpoints.
type Course struct {
	Unit   string    // the unit of the times: "step"
	During string    // for titles: "during the training"
	Times  []float64 // rising
	Names  []string  // names of the times in tables: "step 100"
	Layers []string
	// CNFMs are those that are compared with the AGOP.
	CNFMs []CourseCNFM
	// Alignments returns the statements at a time and a layer, both from 0; nil if none were measured.
	Alignments func(time, layer int) []AlignmentRecord
}

// CourseCNFM is one of the CNFMs of a course, such as that of W or of W − W₀.
type CourseCNFM struct {
	Name, Label string // of files, and in texts
	At          func(time, layer int) AnsatzRecord
}

const (
	layerFigures = 12 // the number of layers up to which each has a figure of its own
	excessCurves = 24 // the largest number of layers that one figure shows
	leaderTimes  = 8  // the largest number of times in the table of leading statements
)

// Figures draws every CNFM's excess over its null, all layers in one figure, and each of few layers with its nulls.
func (c *Course) Figures() (all []report.Figure, err error) {
	for _, k := range c.CNFMs {
		f, err := c.excessFigure(k)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	if len(c.Layers) > layerFigures {
		return all, nil
	}
	for i := range c.Layers {
		f, err := c.layerFigure(i)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// excessFigure draws the excess of every layer or, if there are many, of evenly spaced ones.
func (c *Course) excessFigure(k CourseCNFM) (report.Figure, error) {
	var series []report.Series
	shown := min(len(c.Layers), excessCurves)
	for n := range shown {
		i := n * len(c.Layers) / shown
		s := c.curve(c.Layers[i], func(time int) (y, sd float64) { return record.ValueOrNaN(k.At(time, i).Excess), 0 })
		s.Low, s.High = nil, nil
		series = append(series, s)
	}
	f, err := report.LineChart("excess-"+k.Name, "Excess over the null, with "+k.Label, c.Unit, "Pearson correlation − null", series)
	f.Caption = fmt.Sprintf("Similarity of the CNFM of %s and the AGOP, less its null, layer by layer. 0: no more alignment "+
		"than under random rotations.", k.Label)
	if shown < len(c.Layers) {
		f.Caption += fmt.Sprintf(" %d of the %d layers are shown.", shown, len(c.Layers))
	}
	f.Wide = true
	return f, err
}

// layerFigure draws one layer's similarities and their nulls.
func (c *Course) layerFigure(i int) (report.Figure, error) {
	var series []report.Series
	caption := fmt.Sprintf("%s: similarity of CNFM and AGOP with its null; bands are two standard deviations.", c.Layers[i])
	for _, k := range c.CNFMs {
		series = append(series,
			c.curve(k.Label, func(time int) (y, sd float64) {
				a := k.At(time, i)
				return record.ValueOrNaN(a.Pearson), record.ValueOrNaN(a.PearsonStdErr)
			}),
			c.curve("null of "+k.Label, func(time int) (y, sd float64) {
				a := k.At(time, i)
				return record.ValueOrNaN(a.PearsonNull), record.ValueOrNaN(a.PearsonNullSD)
			}))
	}
	if len(c.CNFMs) > 1 {
		caption = fmt.Sprintf("%s: similarity of CNFM and AGOP, for the filters W and for their change W − W₀, with both nulls; "+
			"bands are two standard deviations.", c.Layers[i])
	}
	f, err := report.LineChart(fmt.Sprintf("layer-%d", i+1), c.Layers[i], c.Unit, "Pearson correlation of CNFM and AGOP", series)
	f.Caption = caption
	return f, err
}

// curve returns a quantity over the times, with a band of two standard deviations.
func (c *Course) curve(label string, of func(time int) (y, sd float64)) report.Series {
	s := report.Series{Label: label, X: c.Times}
	for time := range c.Times {
		y, sd := of(time)
		s.Y, s.Low, s.High = append(s.Y, y), append(s.Low, y-2*sd), append(s.High, y+2*sd)
	}
	return s
}

// StatementSection shows which statement leads at which layer and time; ok is false if none were measured.
func (c *Course) StatementSection() (s report.Section, ok bool, err error) {
	if len(c.Times) == 0 || len(c.Layers) == 0 || len(c.Alignments(0, 0)) == 0 {
		return s, false, nil
	}
	var layers []LayerAlignments
	var names []string
	for i, name := range c.Layers {
		layers = append(layers, LayerAlignments{Layer: name, Alignments: c.Alignments(len(c.Times)-1, i)})
	}
	for _, a := range layers[0].Alignments {
		names = append(names, a.Name)
	}
	f, err := c.statementFigure(names)
	if err != nil {
		return s, false, err
	}
	return report.Section{
		Heading: "Which statement holds when",
		Text:    []string{StatementsText},
		Folded:  []report.Detail{StatementsDetail(names)},
		Figures: []report.Figure{f},
		Tables:  []report.Table{*c.leaderTable(), *ExcessTable(layers)},
	}, true, nil
}

// statementFigure draws the normalised excess of every statement, a mean over layers.
func (c *Course) statementFigure(names []string) (report.Figure, error) {
	var series []report.Series
	for k, name := range names {
		if name == cnfa.Commutator { // it is not a correlation
			continue
		}
		s := report.Series{Label: name, X: c.Times}
		for time := range c.Times {
			sum, n := 0., 0
			for i := range c.Layers {
				if x := record.ValueOrNaN(c.Alignments(time, i)[k].NormalisedExcess); !math.IsNaN(x) {
					sum, n = sum+x, n+1
				}
			}
			s.Y = append(s.Y, sum/float64(n)) // NaN if no layer has a value
		}
		series = append(series, s)
	}
	f, err := report.LineChart("statements", "Statements "+c.During, c.Unit, "normalised excess", series)
	f.Caption = "Normalised excess of every statement over its null, (value − null)/(1 − null), a mean over layers. 0: no more " +
		"alignment than under random rotations."
	f.Wide = true
	return f, err
}

// leader returns the statement with the largest normalised excess, among those that lie above their null and can hold.
func leader(all []AlignmentRecord) (name string, excess float64) {
	for _, a := range all {
		above, _ := a.Above()
		if !above || a.CannotHold != "" || a.Name == cnfa.Commutator || a.NormalisedExcess == nil {
			continue
		}
		if name == "" || *a.NormalisedExcess > excess {
			name, excess = a.Name, *a.NormalisedExcess
		}
	}
	return name, excess
}

// leaderTable returns the leading statement of every layer at a few times.
func (c *Course) leaderTable() *report.Table {
	t := &report.Table{
		Name: "leaders",
		Caption: "The statement that leads, layer by layer: that with the largest normalised excess of those that can hold there " +
			"and lie two standard deviations above their null, the commutator aside. A dash says that none does.",
		Columns: []report.Column{{Name: "layer"}},
	}
	times := min(leaderTimes, len(c.Times))
	var shown []int
	for i := range times {
		shown = append(shown, i*(len(c.Times)-1)/max(1, times-1))
		t.Columns = append(t.Columns, report.Column{Name: c.Names[shown[i]]})
	}
	for i, name := range c.Layers {
		row := []report.Cell{{Text: name}}
		for _, time := range shown {
			text := "–"
			if name, excess := leader(c.Alignments(time, i)); name != "" {
				text = fmt.Sprintf("%s %+.2f", name, excess)
			}
			row = append(row, report.Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
