package alignmentpaper

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// shownStatements are those of the charts and tables: all that are correlations and measured in a training.
func shownStatements(m measuredNetwork) (names []string) {
	for _, a := range m.record.Ansatz[0].Layers[0].Alignments {
		if a.Name != cnfa.Commutator {
			names = append(names, a.Name)
		}
	}
	return names
}

// drawNetworks adds the table, the map and the charts of all networks.
func drawNetworks(o *study.Outcome, all []measuredNetwork) error {
	names := shownStatements(all[0])
	t := report.Table{
		Name: "statements",
		Caption: "Normalised excess of every statement after training, mean over the layers of each network. The largest of a " +
			"network is marked.",
		Columns: []report.Column{{Name: "network"}, {Name: "test accuracy", Numeric: true}},
	}
	for _, name := range names {
		s, err := cnfa.LookupStatement(name)
		if err == nil {
			t.Columns = append(t.Columns, report.Column{Name: name, Numeric: true, Help: s.Says + " (" + s.Source + ")"})
		}
	}
	after := report.Matrix{Title: "Normalised excess of statements", Rows: len(all), Cols: len(names), ColNames: names}
	for _, m := range all {
		row := []report.Cell{{Text: m.Name}}
		last := m.record.Epochs[len(m.record.Epochs)-1]
		row = append(row, record.NumberCell(last.TestAccuracy, "%.3f"))
		best := -1
		var excesses []float64
		for k, name := range names {
			x := m.last(name)
			excesses = append(excesses, x)
			row = append(row, record.DefinedCell(x, "%+.2f"))
			if x == x && (best < 0 || x > excesses[best]) {
				best = k
			}
		}
		if best >= 0 {
			row[2+best] = record.MarkedCell(row[2+best], report.Good)
		}
		t.Rows = append(t.Rows, row)
		after.RowNames, after.Data = append(after.RowNames, m.Name), append(after.Data, excesses...)
		o.Charts = append(o.Charts, m.course(names))
	}
	o.Tables = append(o.Tables, t)
	o.Notes = append(o.Notes, leadingNote(all, names))
	f, err := report.HeatMaps("after-training", []report.Matrix{after})
	f.Caption = "Normalised excess of every statement after training, mean over the layers of each network. 0: no more " +
		"alignment than under random rotations. Where a statement is not defined, the patch is grey."
	f.Wide = true
	o.Figures = append(o.Figures, f)
	return err
}

// course returns the chart of the statements over the training of a network.
func (m measuredNetwork) course(names []string) study.Chart {
	c := study.Chart{
		Name: "during-" + fileName(m.Name), Title: m.Name, XLabel: "epoch", YLabel: "normalised excess",
		Caption: fmt.Sprintf("Statements during the training of %s: normalised excess, mean over layers.", m.Name),
	}
	for _, name := range names {
		s := report.Series{Label: name}
		for time, p := range m.record.Ansatz {
			s.X, s.Y = append(s.X, p.Epoch), append(s.Y, m.mean(time, name, normalisedOf))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// leadingNote says which statement leads in each network.
func leadingNote(all []measuredNetwork, names []string) string {
	var leaders []string
	for _, m := range all {
		best, top := "", 0.
		for _, name := range names {
			if x := m.last(name); x == x && (best == "" || x > top) {
				best, top = name, x
			}
		}
		leaders = append(leaders, fmt.Sprintf("%s: %s (%+.2f)", m.Name, best, top))
	}
	return "The statement with the largest normalised excess after training, by network: " + strings.Join(leaders, "; ") + "."
}

// fileName returns a name as a part of the name of a file.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, name)
}
