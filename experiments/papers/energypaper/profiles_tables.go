package energypaper

import (
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// pairsTable lists the similarities of each pair.
func pairsTable(pairs []comparedPair) report.Table {
	middle := slices.ContainsFunc(pairs, func(c comparedPair) bool { return c.From > 0 })
	t := report.Table{
		Name: "pairs", Caption: "Energy profiles, pair by pair. Marked is what lies above its null by two standard " +
			"deviations.",
		Columns: []report.Column{
			{Name: "networks"}, {Name: "group"},
			{Name: "Pearson", Numeric: true, Help: "correlation of the two profiles (the paper's measure)"},
			{Name: "± null", Numeric: true, Help: "its standard deviation, around 0, if one of the two sets of " +
				"filters were rotated at random"},
			{Name: "with init", Numeric: true,
				Help: "of either profile with that of the other network's initial filters, mean"},
			{Name: "before", Numeric: true, Help: "of the two networks' initial filters"},
			{Name: "partial", Numeric: true,
				Help: "correlation of what a fit of σ and of the ranks leaves of either profile"},
			{Name: "± null ", Numeric: true, Help: "its standard deviation by chance"},
		},
	}
	if middle {
		t.Columns = append(t.Columns, report.Column{Name: "middle", Numeric: true,
			Help: "Pearson on the components in the middle alone (Fig. 15)"})
	}
	for _, c := range pairs {
		row := []report.Cell{
			{Text: c.A + " and " + c.B}, {Text: c.Group},
			profile.AboveNullCell(c.alike.Pearson, c.alike.NullSD), record.DefinedCell(c.alike.NullSD, "%.3f"),
			record.CorrelationCell(c.cross), record.CorrelationCell(c.before),
			profile.AboveNullCell(c.alike.Partial, c.alike.PartialNullSD),
			record.DefinedCell(c.alike.PartialNullSD, "%.3f"),
		}
		if middle {
			row = append(row, profile.AboveNullCell(c.middle.Pearson, c.middle.NullSD))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// profiledTable lists accuracies and properties of the profile of each network.
func profiledTable(found []*profiledNet) report.Table {
	t := report.Table{
		Name: "networks", Caption: "The networks, and how their profiles go with the spectrum of the patches. " +
			"Accuracies are of the last epoch, in percent.",
		Columns: []report.Column{
			{Name: "network"},
			{Name: "training", Numeric: true,
				Help: "accuracy on the training images, under the labels that it learned"},
			{Name: "test", Numeric: true, Help: "accuracy on the test images, under labels of the same kind"},
			{Name: "moved", Numeric: true, Help: "‖W − W₀‖/‖W₀‖ of the first layer"},
			{Name: "with W₀", Numeric: true, Help: "Pearson of the profiles of W and of its own initial filters; of " +
				"weights from a file, of a fresh initialisation"},
			{Name: "with σ", Numeric: true, Help: "Pearson of the profile with the standard deviations of the " +
				"patches along the components"},
			{Name: "with rank", Numeric: true, Help: "Pearson of the profile with 1, 2, …"},
			{Name: "spread", Numeric: true, Help: "standard deviation of the energies over the components, relative " +
				"to their root mean square"},
			{Name: "null", Numeric: true, Help: "the same of the filters rotated at random: mean"},
			{Name: "± null", Numeric: true, Help: "and standard deviation"},
		},
	}
	for _, p := range found {
		training, test := math.NaN(), math.NaN()
		if n := len(p.Epochs); n > 0 {
			training, test = 100*p.Epochs[n-1].TrainAccuracy, 100*record.ValueOrNaN(p.Epochs[n-1].TestAccuracy)
		}
		deviations, ranks := p.compared.WithSpectrum()
		mark := report.Muted
		if p.spread.Spread > p.spread.Null+similarity.NullDeviations*p.spread.NullSD {
			mark = report.Good
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: p.Name}, record.DefinedCell(training, "%.1f"), record.DefinedCell(test, "%.1f"),
			record.DefinedCell(p.moved, "%.2f"), record.CorrelationCell(p.ownInit),
			record.CorrelationCell(deviations), record.CorrelationCell(ranks),
			record.MarkedCell(record.NumberCell(&p.spread.Spread, "%.3f"), mark),
			record.NumberCell(&p.spread.Null, "%.3f"), record.NumberCell(&p.spread.NullSD, "%.3f"),
		})
	}
	return t
}

// profilesChart draws the profiles, scaled to a root mean square of 1. The first curve is the
// initial profile of the first network, so that it has the same colour in all charts.
func profilesChart(found []*profiledNet, change bool) study.Chart {
	c := study.Chart{
		Name: "profiles", Title: "Energy profiles", XLabel: "principal component", YLabel: "energy / root mean square",
		Caption: "‖W pᵢ‖ on the principal components pᵢ of the patches that the network was trained on, in " +
			"descending order of their variance.",
	}
	if change {
		c.Caption = "‖(W − W₀) pᵢ‖ on the principal components pᵢ of the patches that the network was trained on, in " +
			"descending order of their variance."
	}
	if s, ok := profile.ProfileSeries("before training", found[0].initialProfile); ok {
		c.Series = append(c.Series, s)
	}
	for _, p := range found {
		if s, ok := profile.ProfileSeries(p.Name, p.compared); ok {
			c.Series = append(c.Series, s)
		}
	}
	return c
}

// panelCharts draws the profiles of the pairs, a chart for each panel, with the initial profile of
// the panel's first network.
func panelCharts(pairs []comparedPair, change bool) []study.Chart {
	var names []string
	nets := map[string][]*profiledNet{}
	for _, c := range pairs {
		name := c.panel()
		if nets[name] == nil {
			names = append(names, name)
		}
		for _, n := range []*profiledNet{c.a, c.b} {
			if !slices.Contains(nets[name], n) {
				nets[name] = append(nets[name], n)
			}
		}
	}
	var charts []study.Chart
	for _, name := range names {
		c := profilesChart(nets[name], change)
		c.Name, c.Title = "profiles-"+name, "Energy profiles: "+strings.ReplaceAll(name, "-", " ")
		charts = append(charts, c)
	}
	return charts
}
