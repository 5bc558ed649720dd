package energypaper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"gonum.org/v1/gonum/mat"
)

// pairsTable lists the similarities of each pair.
func pairsTable(pairs []comparedPair) report.Table {
	type pair = comparedPair
	fields := []record.Field[pair]{
		record.TextField("networks", func(c pair) string { return c.A + " and " + c.B }),
		record.TextField("group", func(c pair) string { return c.Group }),
		record.CellField("Pearson", func(c pair) report.Cell {
			return profile.AboveNullCell(c.alike.Pearson, c.alike.NullSD)
		}).WithHelp("correlation of the two profiles (the paper's measure)"),
		record.NumberField("± null", "%.3f", func(c pair) float64 { return c.alike.NullSD }).
			WithHelp("its standard deviation, around 0, if one of the two sets of filters were rotated at random"),
		record.NumberField("with init", "%.3f", func(c pair) float64 { return c.cross }).
			WithHelp("of either profile with that of the other network's initial filters, mean"),
		record.NumberField("before", "%.3f", func(c pair) float64 { return c.before }).
			WithHelp("of the two networks' initial filters"),
		record.CellField("partial", func(c pair) report.Cell {
			return profile.AboveNullCell(c.alike.Partial, c.alike.PartialNullSD)
		}).WithHelp("correlation of what a fit of σ and of the ranks leaves of either profile"),
		record.NumberField("± null ", "%.3f", func(c pair) float64 { return c.alike.PartialNullSD }).
			WithHelp("its standard deviation by chance"),
	}
	if slices.ContainsFunc(pairs, func(c pair) bool { return c.From > 0 }) {
		fields = append(fields, record.CellField("middle", func(c pair) report.Cell {
			return profile.AboveNullCell(c.middle.Pearson, c.middle.NullSD)
		}).WithHelp("Pearson on the components in the middle alone (Fig. 15)"))
	}
	return record.TableOf("pairs", "Energy profiles, pair by pair. Marked is what lies above its null by two "+
		"standard deviations.", pairs, fields...)
}

// networksTable lists accuracies and properties of the profile of each network.
func networksTable(found []*profiledNet) report.Table {
	type net = *profiledNet
	return record.TableOf("networks", "The networks, and how their profiles go with the spectrum of the patches. "+
		"Accuracies are of the last epoch, in percent.", found,
		record.TextField("network", func(p net) string { return p.Name }),
		record.NumberField("training", "%.1f", func(p net) float64 { return 100 * p.lastEpoch().TrainAccuracy }).
			WithHelp("accuracy on the training images, under the labels that it learned"),
		record.NumberField("test", "%.1f", func(p net) float64 { return 100 * testAccuracyOf(p.lastEpoch()) }).
			WithHelp("accuracy on the test images, under labels of the same kind"),
		record.NumberField("moved", "%.2f", func(p net) float64 { return p.moved }).
			WithHelp("‖W − W₀‖/‖W₀‖ of the first layer"),
		record.NumberField("with W₀", "%.3f", func(p net) float64 { return p.ownInit }).
			WithHelp("Pearson of the profiles of W and of its own initial filters; of weights from a file, of a fresh "+
				"initialisation"),
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
			WithHelp("and standard deviation"))
}

// lastEpoch returns the last epoch of the training, NaN of weights from a file.
func (p *profiledNet) lastEpoch() train.EpochRecord {
	if len(p.Epochs) == 0 {
		return train.EpochRecord{TrainAccuracy: math.NaN()}
	}
	return p.Epochs[len(p.Epochs)-1]
}

// spreadMark says whether the profile is less even than those of rotated filters.
func (p *profiledNet) spreadMark() report.Mark {
	if p.spread.Spread > p.spread.Null+similarity.NullDeviations*p.spread.NullSD {
		return report.Good
	}
	return report.Muted
}

// profilesChart draws the profiles, scaled to a root mean square of 1. The first curve is the
// initial profile of the first network, so that it has the same colour in all charts.
func profilesChart(found []*profiledNet, change bool) study.Chart {
	c := study.Chart{
		Name: "profiles", Title: "Energy profiles", XLabel: "principal component", YLabel: "energy / root mean square",
		Caption: " on the principal components pᵢ of the patches that the network was trained on, in descending " +
			"order of their variance.",
	}
	if change {
		c.Caption = "‖(W − W₀) pᵢ‖" + c.Caption
	} else {
		c.Caption = "‖W pᵢ‖" + c.Caption
	}
	if s, ok := profile.Series("before training", found[0].initialProfile); ok {
		c.Series = append(c.Series, s)
	}
	for _, p := range found {
		if s, ok := profile.Series(p.Name, p.compared); ok {
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

// addMatrices adds the correlations of all networks, after and before training, with each other, as
// Figs. 10 to 15 have them: on all components, and on those in the middle where a pair asks for it.
func addMatrices(found []*profiledNet, pairs []comparedPair, o *study.Outcome) error {
	if err := addMatrix(found, 0, 0, "", o); err != nil {
		return err
	}
	for _, c := range pairs {
		if c.From > 0 {
			return addMatrix(found, c.From, c.To, "-middle", o)
		}
	}
	return nil
}

// addMatrix adds the correlations on the components from to to, counted from 1; on all components
// where from is 0.
func addMatrix(found []*profiledNet, from, to int, suffix string, o *study.Outcome) error {
	names, profiles, err := matrixProfiles(found, from, to)
	if err != nil {
		return err
	}
	n := len(names)
	all, rest := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i, p := range profiles {
		for j, q := range profiles {
			s := undefinedSimilarity()
			if samePatches(found[i%len(found)], found[j%len(found)]) {
				if s, err = profileSimilarity(p, q); err != nil {
					return err
				}
			}
			all.Set(i, j, s.Pearson)
			rest.Set(i, j, s.Partial)
		}
	}
	on := "all components"
	if from > 0 {
		on = fmt.Sprintf("components %d to %d", from, to)
	}
	f, err := report.HeatMaps("matrix"+suffix, []report.Matrix{
		{Title: "Correlation", Rows: n, Cols: n, Data: all.RawMatrix().Data, Blocks: len(found)},
		{Title: "Beyond the spectrum", Rows: n, Cols: n, Data: rest.RawMatrix().Data, Blocks: len(found)},
	})
	f.Caption = fmt.Sprintf("Correlations of energy profiles on %s, and what is left of them beyond the spectrum of "+
		"the patches: %s.", on, numberNames(names))
	f.Wide = true
	o.Figures = append(o.Figures, f)
	o.Tables = append(o.Tables, matrixTable("correlations"+suffix, on, names, all))
	o.Matrices["profile-correlations"+suffix] = all
	return err
}

// samePatches says whether the profiles of two networks are on patches of one size.
func samePatches(p *profiledNet, q *profiledNet) bool {
	return p.basis.Patch == q.basis.Patch && p.basis.Channels == q.basis.Channels && p.basis.Kept == q.basis.Kept
}

// matrixProfiles returns the profiles of all networks after training, then those before training,
// with their names.
func matrixProfiles(found []*profiledNet, from, to int) (names []string, profiles []*cnfa.EnergyProfile, err error) {
	for _, p := range found {
		names, profiles = append(names, p.Name), append(profiles, p.compared)
	}
	for _, p := range found {
		names, profiles = append(names, p.Name+" before training"), append(profiles, p.initialProfile)
	}
	for i, p := range profiles {
		if from > 0 {
			if profiles[i], err = p.Range(from, to); err != nil {
				return nil, nil, input.Errorf("%s: %v", names[i], err)
			}
		}
	}
	return names, profiles, nil
}

// numberNames lists names with their numbers, counted from 1.
func numberNames(names []string) string {
	var all []string
	for i, n := range names {
		all = append(all, fmt.Sprintf("%d %s", i+1, n))
	}
	return strings.Join(all, "; ")
}

// matrixTable has a row and a column for each network.
func matrixTable(name, on string, names []string, correlations *mat.Dense) report.Table {
	fields := []record.Field[int]{
		record.TextField("network", func(i int) string { return fmt.Sprintf("%d %s", i+1, names[i]) }),
	}
	var rows []int
	for j, n := range names {
		rows = append(rows, j)
		fields = append(fields, record.NumberField(fmt.Sprint(j+1), "%.3f",
			func(i int) float64 { return correlations.At(i, j) }).WithHelp(n))
	}
	return record.TableOf(name, fmt.Sprintf("Correlations of energy profiles on %s. Columns are the networks by "+
		"their numbers.", on), rows, fields...)
}
