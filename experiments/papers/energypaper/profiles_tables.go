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
	"github.com/ansatz-lab/ansatz/experiments/train"
)

// pairsTable lists the similarities of each pair.
func pairsTable(pairs []comparedPair) report.Table {
	type pair = comparedPair
	number := func(name, help string, value func(c pair) float64) record.Field[pair] {
		return record.NumberField(name, "%.3f", value).WithHelp(help)
	}
	fields := []record.Field[pair]{
		record.TextField("networks", func(c pair) string { return c.A + " and " + c.B }),
		record.TextField("group", func(c pair) string { return c.Group }),
		agreementField("W", func(c pair) agreement { return c.whole }).WithHelp("correlation of the two profiles"),
		number("ceiling", "the largest correlation that the noise of finitely many filters allows: the geometric "+
			"mean of the agreement of halves of both networks' filters, corrected for their number (Spearman and "+
			"Brown)",
			func(c pair) float64 { return c.whole.ceiling }),
		agreementField("W − W₀", func(c pair) agreement { return c.change }).
			WithHelp("correlation of the profiles of W − W₀, the change by training"),
		number("its ceiling", "the same of W − W₀", func(c pair) float64 { return c.change.ceiling }),
	}
	if slices.ContainsFunc(pairs, func(c pair) bool { return !c.onOneBasis() }) {
		fields = append(fields, number("W, common", "of W on the components of the patches of both datasets together",
			func(c pair) float64 { return c.whole.common }),
			number("W − W₀, common", "of W − W₀ on these", func(c pair) float64 { return c.change.common }))
	}
	fields = append(fields,
		number("± null", "standard deviation of a correlation, around 0, if one of the two sets of filters were "+
			"rotated at random", func(c pair) float64 { return c.compared.NullSD }),
		number("with init", "correlation of either profile with that of the other network's initial filters, mean",
			func(c pair) float64 { return c.cross }),
		number("before", "correlation of the two networks' initial filters", func(c pair) float64 { return c.before }),
		number("partial", "correlation of the residuals of both profiles after a fit of σ and of the ranks; this "+
			"removes the effect of the patches' spectrum, which the paper says is their cause",
			func(c pair) float64 { return c.compared.Partial }))
	if slices.ContainsFunc(pairs, func(c pair) bool { return c.From > 0 }) {
		fields = append(fields, number("middle", "correlation on the components in the middle alone (Fig. 15)",
			func(c pair) float64 { return c.middle.Pearson }))
	}
	return record.TableOf("pairs", "Energy profiles, pair by pair. A correlation is marked if it exceeds its "+
		"null by two standard deviations.", pairs, fields...)
}

// agreementField returns a column of correlations, marked if they lie above their null.
func agreementField(name string, of func(c comparedPair) agreement) record.Field[comparedPair] {
	return record.CellField(name, func(c comparedPair) report.Cell {
		return profile.AboveNullCell(of(c).Pearson, of(c).NullSD)
	})
}

// networksTable lists the accuracies and the profile's properties for each network.
func networksTable(found []*profiledNet) report.Table {
	type net = *profiledNet
	fields := []record.Field[net]{
		record.TextField("network", func(p net) string { return p.Name }),
		record.NumberField("training", "%.1f", func(p net) float64 { return 100 * p.lastEpoch().TrainAccuracy }).
			WithHelp("accuracy on the training images over the last epoch, while it learned, under the labels that it learned"),
		record.NumberField("test", "%.1f", func(p net) float64 { return 100 * testAccuracyOf(p.lastEpoch()) }).
			WithHelp("accuracy on the test images, under labels of the same kind"),
		record.NumberField("moved", "%.2f", func(p net) float64 { return p.moved }).
			WithHelp("‖W − W₀‖/‖W₀‖ of the first layer"),
		record.NumberField("with W₀", "%.3f", func(p net) float64 { return p.ownInit }).
			WithHelp("Pearson of the profiles of W and of its initial filters, or of a fresh initialisation for " +
				"weights from a file"),
		record.NumberField("reliability", "%.3f", func(p net) float64 { return p.whole.reliability }).
			WithHelp("agreement of two sets of as many filters like W, estimated from halves"),
		record.NumberField("of W − W₀", "%.3f", func(p net) float64 { return p.change.reliabilityOrNaN() }).
			WithHelp("the same of W − W₀"),
		record.NumberField("with σ", "%.3f", func(p net) float64 { return p.withDeviations }).
			WithHelp("Pearson of the profile with the standard deviations of the patches along the components"),
		record.NumberField("with rank", "%.3f", func(p net) float64 { return p.withRanks }).
			WithHelp("Pearson of the profile with 1, 2, …"),
		record.CellField("spread", func(p net) report.Cell {
			return record.MarkedCell(record.NumberCell(&p.spread.Spread, "%.3f"), p.spreadMark())
		}).WithHelp("standard deviation of the energies over the components, relative to their root mean square"),
		record.NumberField("null", "%.3f", func(p net) float64 { return p.spread.Null }).
			WithHelp("the same of the filters rotated at random: mean"),
		record.NumberField("± null", "%.3f", func(p net) float64 { return p.spread.NullSD }).
			WithHelp("and standard deviation"),
	}
	if slices.ContainsFunc(found, func(p net) bool { return !math.IsNaN(p.withProjection) }) {
		fields = append(fields, record.NumberField("with projection", "%.3f",
			func(p net) float64 { return p.withProjection }).
			WithHelp("correlation of the labels with the projections that they are made from"))
	}
	return record.TableOf("networks", "The networks, and how their profiles go with the spectrum of the patches. "+
		"Accuracies are of the last epoch, in percent.", found, fields...)
}

// lastEpoch returns the last epoch of the training; its numbers are NaN for weights from a file.
func (p *profiledNet) lastEpoch() train.EpochRecord {
	if len(p.Epochs) == 0 {
		return train.EpochRecord{TrainAccuracy: math.NaN()}
	}
	return p.Epochs[len(p.Epochs)-1]
}

// spreadMark marks a profile that is less even than those of rotated filters.
func (p *profiledNet) spreadMark() report.Mark {
	if p.spread.Spread > p.spread.Null+similarity.NullDeviations*p.spread.NullSD {
		return report.Good
	}
	return report.Muted
}

// profilesChart draws the profiles of W or of W − W₀, scaled to a root mean square of 1. The first curve is the
// initial profile of the first network, which thus has the same colour in all charts.
func profilesChart(found []*profiledNet, change bool) study.Chart {
	c := study.Chart{
		Name: "profiles", Title: "Energy profiles", XLabel: "principal component", YLabel: "energy / root mean square",
		Caption: "‖W pᵢ‖ on the principal components pᵢ of the patches that the network was trained on, in " +
			"descending order of their variance.",
	}
	if change {
		c.Name, c.Title = "changes", "Energy profiles of W − W₀, the change by training"
		c.Caption = strings.Replace(c.Caption, "W", "(W − W₀)", 1)
	}
	if s, ok := profile.Series("before training", found[0].initial.profile); ok {
		c.Series = append(c.Series, s)
	}
	for _, p := range found {
		b := p.whole
		if change {
			b = p.change
		}
		if b == nil {
			continue
		}
		if s, ok := profile.Series(p.Name, b.profile); ok {
			c.Series = append(c.Series, s)
		}
	}
	return c
}

// panelCharts draws the profiles of the pairs, of W or of W − W₀, a chart for each panel, with the initial profile of
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
		c.Name, c.Title = c.Name+"-"+name, c.Title+": "+strings.ReplaceAll(name, "-", " ")
		charts = append(charts, c)
	}
	return charts
}
