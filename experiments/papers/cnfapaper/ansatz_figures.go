package cnfapaper

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"gonum.org/v1/gonum/mat"
)

// addAnsatzFigures adds tables, charts and figures. similarity-NAME and first-layer-NAME are
// of a network after training, before-NAME and above-NAME of before and after.
func addAnsatzFigures(found []*ansatzResult, o *study.Outcome) error {
	o.Tables = append(o.Tables, networksTable(found, o), layersTable("layers", found, false),
		layersTable("layers-before", found, true))
	for _, f := range found {
		similar := f.barChart("similarity", "Initial CNFM and trained CNFM, trained CNFM and AGOP", []layerBar{
			{"initial CNFM and trained CNFM", func(l, _ verify.LayerRecord) *float64 { return l.PearsonInit }},
			{"trained CNFM and AGOP", func(l, _ verify.LayerRecord) *float64 { return l.Pearson }},
			{"null: S rotated", func(l, _ verify.LayerRecord) *float64 { return l.PearsonNull }},
		})
		before := f.barChart("before", "CNFM and AGOP, after and before training", []layerBar{
			{"trained", func(l, _ verify.LayerRecord) *float64 { return l.Pearson }},
			{"before training", func(_, b verify.LayerRecord) *float64 { return b.Pearson }},
			{"null, trained", func(l, _ verify.LayerRecord) *float64 { return l.PearsonNull }},
			{"null, before", func(_, b verify.LayerRecord) *float64 { return b.PearsonNull }},
		})
		o.Charts = append(o.Charts, similar, before)
		above, err := f.nullFigure()
		if err != nil {
			return err
		}
		first, err := f.firstLayerFigure(o)
		if err != nil {
			return err
		}
		o.Figures = append(o.Figures, above, first)
	}
	return nil
}

// networksTable returns a table with a row for each network: means over its convolutions, and
// its accuracies.
func networksTable(found []*ansatzResult, o *study.Outcome) report.Table {
	t := report.Table{
		Name: "networks", Caption: "The convolutions of each network together, and its accuracies in percent.",
		Columns: []report.Column{
			{Name: "network"},
			{Name: "training", Numeric: true, Help: "accuracy in the last epoch, in percent"},
			{Name: "test", Numeric: true, Help: "accuracy in percent"},
			{Name: "Pearson", Numeric: true, Help: "of trained CNFM and AGOP, mean over the convolutions"},
			{Name: "least", Numeric: true, Help: "the least of them"},
			{Name: "excess", Numeric: true, Help: "over the null, mean over the convolutions"},
			{
				Name: "above", Numeric: true,
				Help: "share of the convolutions that lie above their null by two standard deviations",
			},
			{Name: "before", Numeric: true, Help: "Pearson of the initial network's CNFM and AGOP, mean"},
			{Name: "excess before", Numeric: true, Help: "over its null"},
			{Name: "initial", Numeric: true, Help: "Pearson of initial and trained CNFM, mean"},
		},
	}
	for _, f := range found {
		v := func(name string) *float64 { return record.DefinedOrNil(o.Values[f.Name+"_"+name]) }
		row := []report.Cell{{Text: f.Name}}
		t.Rows = append(t.Rows, append(row,
			record.PercentCell(record.ValueOrNaN(f.training)), record.PercentCell(record.ValueOrNaN(f.test)),
			record.NumberCell(v("pearson"), "%.3f"), record.NumberCell(v("least"), "%.3f"),
			record.NumberCell(v("excess"), "%+.3f"), record.NumberCell(v("above"), "%.2f"),
			record.NumberCell(v("before_pearson"), "%.3f"), record.NumberCell(v("before_excess"), "%+.3f"),
			record.NumberCell(v("init_alike"), "%.3f"),
		))
	}
	return t
}

// layersTable returns the convolutions of all networks, with the columns of
// [verify.Record.Table].
func layersTable(name string, found []*ansatzResult, before bool) report.Table {
	t := *found[0].trained.Table()
	t.Name, t.Rows, t.Columns[0].Name = name, nil, "network, layer"
	if last := len(t.Columns) - 1; before { // the initial CNFM is its own
		t.Caption = "The same before training, of the initial network's CNFM and AGOP."
		t.Columns = t.Columns[:last]
	}
	for _, f := range found {
		r := f.trained
		if before {
			r = f.before
		}
		for _, l := range r.Layers {
			row := l.Row()[:len(t.Columns)]
			row[0].Text = f.Name + ", " + row[0].Text
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// layerBar is a bar that a chart has for every convolution.
type layerBar struct {
	label string
	of    func(trained, before verify.LayerRecord) *float64
}

// barChart returns the bars of Fig. 1A or Fig. 7. Convolutions at which a bar is undefined are
// left out.
func (f *ansatzResult) barChart(name, title string, all []layerBar) study.Chart {
	c := study.Chart{
		Name: name + "-" + f.Name, Title: title + ": " + f.Name, YLabel: "Pearson",
		Series: make([]report.Series, len(all)),
	}
	for i, l := range f.trained.Layers {
		b := f.before.Layers[i]
		if slices.ContainsFunc(all, func(bar layerBar) bool { return bar.of(l, b) == nil }) {
			continue
		}
		for k, bar := range all {
			s := &c.Series[k]
			s.Label, s.X, s.Y = bar.label, append(s.X, float64(len(c.Labels))), append(s.Y, *bar.of(l, b))
		}
		c.Labels = append(c.Labels, l.Layer)
	}
	return c
}

// nullFigure draws the similarities against the spread of their nulls.
func (f *ansatzResult) nullFigure() (report.Figure, error) {
	trained, layers := f.trained.Series("trained")
	before, _ := f.before.Series("before training")
	p, err := report.LayerChart("above-"+f.Name, "CNFM and AGOP against the null: "+f.Name, "Pearson",
		[]report.LayerSeries{trained, before}, layers)
	p.Caption = "Similarity of CNFM and AGOP, layer by layer, after training and before. " + verify.WhereTheNullIs
	p.Wide = true
	return p, err
}

// firstLayerFigure draws the matrices of the first convolution, and adds them to the outcome.
func (f *ansatzResult) firstLayerFigure(o *study.Outcome) (report.Figure, error) {
	l := f.trained.Result.Layers[0]
	var panels []report.Matrix
	for _, m := range []struct {
		title, key string
		matrix     *mat.SymDense
	}{
		{"initial CNFM", "initial-cnfm", cnfa.CNFM(f.initial.Filters(l.Name))},
		{"trained CNFM", "cnfm", cnfa.CNFM(f.net.Filters(l.Name))},
		{"AGOP", "agop", l.AGOP(f.net.Filters(l.Name))},
	} {
		panels = append(panels, verify.LayerPanel(m.title, m.matrix, l))
		o.Matrices[f.Name+"-first-"+m.key] = mat.DenseCopyOf(m.matrix)
	}
	p, err := report.HeatMaps("first-layer-"+f.Name, panels)
	p.Caption = fmt.Sprintf("%s, first convolution: feature matrices of %d×%d, rows and columns in the order "+
		"(channel, row, column).", f.Name, l.PatchSize(), l.PatchSize())
	p.Alt, p.Wide = "Initial CNFM, trained CNFM and AGOP of a first convolution as heat maps", true
	return p, err
}
