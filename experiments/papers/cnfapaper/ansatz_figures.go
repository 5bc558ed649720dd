package cnfapaper

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"gonum.org/v1/gonum/mat"
)

// addAnsatzFigures adds tables, charts and figures. Those called similarity-NAME and first-layer-NAME are about the
// trained network NAME; before-NAME and above-NAME compare it before and after training.
func addAnsatzFigures(found []*ansatzResult, o *study.Outcome) error {
	o.Tables = append(o.Tables, networksTable(found, o))
	if t := variantsTable(found, o); len(t.Rows) > 0 {
		o.Tables = append(o.Tables, t)
	}
	o.Tables = append(o.Tables, layersTable("layers", found, false), layersTable("layers-before", found, true))
	rootPearson, rootNull := half.similarity()
	for _, f := range found {
		o.Charts = append(o.Charts,
			f.barChart("similarity", "Initial CNFM and trained CNFM, trained CNFM and AGOP",
				layerBar{"initial CNFM and trained CNFM", ansatzLayer.initialPearson},
				layerBar{"trained CNFM and AGOP", ansatzLayer.pearson},
				layerBar{"null: S rotated", ansatzLayer.null},
				layerBar{"trained CNFM and AGOP^½", rootPearson}, layerBar{"null of AGOP^½", rootNull}),
			f.barChart("before", "CNFM and AGOP, after and before training",
				layerBar{"trained", ansatzLayer.pearson},
				layerBar{"before training", ansatzLayer.beforePearson},
				layerBar{"null, trained", ansatzLayer.null},
				layerBar{"null, before", ansatzLayer.beforeNull}))
		null, err := f.nullFigure()
		if err != nil {
			return err
		}
		first, err := f.firstLayerFigure(o)
		if err != nil {
			return err
		}
		o.Figures = append(o.Figures, null, first)
	}
	return nil
}

// networksTable returns a table with a row for each network: means over its convolutions, and
// its accuracies.
func networksTable(found []*ansatzResult, o *study.Outcome) report.Table {
	name := func(f *ansatzResult) string { return f.Name }
	measured := func(m study.Measure) func(*ansatzResult) float64 {
		return func(f *ansatzResult) float64 { return o.Value(m.Of(f.Name)) }
	}
	fields := []record.Field[*ansatzResult]{
		record.TextField("network", name),
		record.PercentField("training", func(f *ansatzResult) float64 { return record.ValueOrNaN(f.training) }).
			WithHelp("accuracy in the last epoch, in percent"),
		record.PercentField("test", measured(testAccuracy)).WithHelp("accuracy in percent"),
	}
	fields = append(fields, alignmentFields(name, o)...)
	return record.TableOf("networks",
		"The convolutions of each network together, and its accuracies in percent.", found, append(fields,
			record.NumberField("before", "%.3f", measured(beforePearson)).
				WithHelp("Pearson of the initial network's CNFM and AGOP, mean"),
			record.NumberField("excess before", "%+.3f", measured(beforeExcess)).WithHelp("over its null"),
			record.NumberField("normalised before", "%+.2f", measured(beforeNormalised)).
				WithHelp("mean excess over the mean of 1 − null"),
			record.NumberField("initial", "%.3f", measured(initAlike)).
				WithHelp("Pearson of initial and trained CNFM, mean"))...)
}

// alignmentFields returns the columns of a table whose rows are networks or variants, by name, with measurements over
// their convolutions.
func alignmentFields[R any](name func(R) string, o *study.Outcome) []record.Field[R] {
	field := func(title, format string, m study.Measure, help string) record.Field[R] {
		return record.NumberField(title, format,
			func(r R) float64 { return o.Value(m.Of(name(r))) }).WithHelp(help)
	}
	all := []record.Field[R]{
		field("Pearson", "%.3f", pearson, "of trained CNFM and AGOP, mean over the convolutions"),
		field("least", "%.3f", leastPearson, "the least of them"),
		field("excess", "%+.3f", excess, "over the null, mean over the convolutions"),
		field("normalised", "%+.2f", normalised, "mean excess over the mean of 1 − null"),
		field("above", "%.2f", above, "share of the convolutions that lie above their null by two standard deviations"),
	}
	for _, p := range agopPowers() {
		power := fmt.Sprintf("AGOP^%.4g", p.exponent)
		all = append(all,
			field(power, "%.3f", p.measure(pearson), "Pearson of trained CNFM and that power of the AGOP, mean"),
			field("normalised "+power, "%+.2f", p.measure(normalised), "mean excess over the mean of 1 − null"))
	}
	return all
}

// variantsTable returns a table with a row for each variant of the networks.
func variantsTable(found []*ansatzResult, o *study.Outcome) report.Table {
	var all []measuredVariant
	for _, f := range found {
		all = append(all, f.variants...)
	}
	name := func(v measuredVariant) string { return v.Name }
	return record.TableOf("variants", "The trained networks in other forms: with the biases of convolutions and "+
		"linear layers at 0, or of the first convolutions of blocks alone.", all,
		append([]record.Field[measuredVariant]{record.TextField("variant", name)}, alignmentFields(name, o)...)...)
}

// layersTable returns the convolutions of all networks, with the columns of
// [verify.Record.Table].
func layersTable(name string, found []*ansatzResult, before bool) report.Table {
	t := *found[0].trained.Table()
	t.Name, t.Rows, t.Columns[0].Name = name, nil, "network, layer"
	if last := len(t.Columns) - 1; before { // before training, the initial CNFM is the CNFM itself
		t.Caption = "The same before training, of the initial network's CNFM and AGOP."
		t.Columns = t.Columns[:last]
	}
	for _, f := range found {
		r := f.trained
		if before {
			r = f.before
		}
		for _, row := range r.Table().Rows {
			row[0].Text = f.Name + ", " + row[0].Text
			t.Rows = append(t.Rows, row[:len(t.Columns)])
		}
	}
	return t
}

// layerBar is a kind of bar that a chart shows at every convolution.
type layerBar struct {
	label  string
	number func(ansatzLayer) float64
}

// barChart returns the bars of Fig. 1A or Fig. 7. Convolutions at which a bar is undefined are left out. If none is
// left, the bars have no labels, so that means over seeds ignore them.
func (f *ansatzResult) barChart(name, title string, bars ...layerBar) study.Chart {
	c := study.Chart{Name: name + "-" + f.Name, Title: title + ": " + f.Name, YLabel: "Pearson correlation"}
	layers := slices.DeleteFunc(f.layers(), func(l ansatzLayer) bool {
		return slices.ContainsFunc(bars, func(b layerBar) bool { return math.IsNaN(b.number(l)) })
	})
	for _, l := range layers {
		c.Labels = append(c.Labels, l.trained.Layer)
	}
	for _, b := range bars {
		s := record.BarsOf(b.label, layers, b.number)
		if len(layers) == 0 {
			s.Label = ""
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// nullFigure draws the similarities against the spread of their nulls.
func (f *ansatzResult) nullFigure() (report.Figure, error) {
	trained, layers := f.trained.Series("trained")
	before, _ := f.before.Series("before training")
	p, err := report.LayerChart("above-"+f.Name, "CNFM and AGOP against the null: "+f.Name, "Pearson correlation",
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
