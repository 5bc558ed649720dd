package train

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
)

// trackedStatements returns the names of the statements that a tracked training measures: all but those that are another
// by a second name.
func trackedStatements() (names []string) {
	for _, s := range cnfa.Statements() {
		if s.SameAs == "" {
			names = append(names, s.Name)
		}
	}
	return names
}

// leaderTimes is at most how many times the table of leading statements has.
const leaderTimes = 8

// statementSection shows which statement leads at which layer and time; ok is false where none were measured.
func (r *Record) statementSection() (s report.Section, ok bool, err error) {
	if len(r.Ansatz) == 0 || len(r.Ansatz[0].Layers) == 0 || len(r.Ansatz[0].Layers[0].Alignments) == 0 {
		return s, false, nil
	}
	var layers []similarity.LayerAlignments
	var names []string
	for _, l := range r.Ansatz[len(r.Ansatz)-1].Layers {
		layers = append(layers, similarity.LayerAlignments{Layer: l.Layer, Alignments: l.Alignments})
	}
	for _, a := range layers[0].Alignments {
		names = append(names, a.Name)
	}
	f, err := r.statementFigure(names)
	if err != nil {
		return s, false, err
	}
	return report.Section{
		Heading: "Which statement holds when",
		Text:    similarity.StatementsText(names),
		Figures: []report.Figure{f},
		Tables:  []report.Table{*r.leaderTable(), *similarity.ExcessTable(layers)},
	}, true, nil
}

// statementFigure draws the normalised excess of every statement, a mean over layers, during the training.
func (r *Record) statementFigure(names []string) (report.Figure, error) {
	var series []report.Series
	for k, name := range names {
		if name == cnfa.Commutator { // not a correlation
			continue
		}
		s := report.Series{Label: name}
		for _, p := range r.Ansatz {
			sum, n := 0., 0
			for _, l := range p.Layers {
				if x := record.ValueOrNaN(l.Alignments[k].NormalisedExcess); !math.IsNaN(x) {
					sum, n = sum+x, n+1
				}
			}
			s.X, s.Y = append(s.X, float64(p.Step)), append(s.Y, sum/float64(n)) // NaN where no layer has one
		}
		series = append(series, s)
	}
	f, err := report.LineChart("statements", "Statements during the training", "step", "normalised excess", series)
	f.Caption = "Normalised excess of every statement over its null, (value − null)/(1 − null), a mean over layers. Zero is a " +
		"network whose weights are turned at random."
	f.Wide = true
	return f, err
}

// leader returns the statement with the largest normalised excess of those that lie above their null and may hold.
func leader(all []similarity.AlignmentRecord) (name string, excess float64) {
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
func (r *Record) leaderTable() *report.Table {
	t := &report.Table{
		Name: "leaders",
		Caption: "The statement that leads, layer by layer: that with the largest normalised excess of those that lie two " +
			"standard deviations above their null. A dash says that none does.",
		Columns: []report.Column{{Name: "layer"}},
	}
	times := min(leaderTimes, len(r.Ansatz))
	var points []AnsatzPoint
	for i := range times {
		p := r.Ansatz[i*(len(r.Ansatz)-1)/max(1, times-1)]
		points = append(points, p)
		t.Columns = append(t.Columns, report.Column{Name: fmt.Sprintf("step %d", p.Step)})
	}
	for i, l := range r.Ansatz[0].Layers {
		row := []report.Cell{{Text: l.Layer}}
		for _, p := range points {
			text := "–"
			if name, excess := leader(p.Layers[i].Alignments); name != "" {
				text = fmt.Sprintf("%s %+.2f", name, excess)
			}
			row = append(row, report.Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
