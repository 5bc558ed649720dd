package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// whatPartialIs is said wherever profiles are compared.
const whatPartialIs = "A profile is compared on the principal components in the order of their variance, and every profile that follows that order is correlated with every other: " +
	"those of filters that are random patches too, whose profile is the standard deviations σ of the patches along the components. " +
	"Rotating one of two sets of filters at random leaves a correlation of mean 0 and standard deviation 1/√(m − 1) of m components, exactly; that null is narrow for smooth profiles. " +
	"Therefore profiles are held against σ and against the ranks of the components too, and the partial correlation is of what a fit of both leaves of either profile: what networks share beyond the spectrum. "

// pairsTable has a row for each pair.
func pairsTable(pairs []comparedPair) report.Table {
	middle := slices.ContainsFunc(pairs, func(c comparedPair) bool { return c.From > 0 })
	t := report.Table{
		Name: "pairs", Caption: "Energy profiles, pair by pair. Marked is what lies above its null by two standard deviations.",
		Columns: []report.Column{
			{Name: "networks"}, {Name: "group"},
			{Name: "Pearson", Numeric: true, Help: "correlation of the two profiles (the paper's measure)"},
			{Name: "± null", Numeric: true, Help: "its standard deviation, around 0, if one of the two sets of filters were rotated at random"},
			{Name: "with init", Numeric: true, Help: "of either profile with that of the other network's initial filters, mean"},
			{Name: "before", Numeric: true, Help: "of the two networks' initial filters"},
			{Name: "partial", Numeric: true, Help: "correlation of what a fit of σ and of the ranks leaves of either profile"},
			{Name: "± null ", Numeric: true, Help: "its standard deviation by chance"},
		},
	}
	if middle {
		t.Columns = append(t.Columns, report.Column{Name: "middle", Numeric: true, Help: "Pearson on the components in the middle alone (Fig. 15)"})
	}
	for _, c := range pairs {
		row := []report.Cell{
			{Text: c.A + " and " + c.B}, {Text: c.Group},
			aboveNullCell(c.alike.Pearson, c.alike.NullSD), definedCell(c.alike.NullSD, "%.3f"), correlationCell(c.cross), correlationCell(c.before),
			aboveNullCell(c.alike.Partial, c.alike.PartialNullSD), definedCell(c.alike.PartialNullSD, "%.3f"),
		}
		if middle {
			row = append(row, aboveNullCell(c.middle.Pearson, c.middle.NullSD))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// profiledTable has a row for each network.
func profiledTable(found []*profiledNet) report.Table {
	t := report.Table{
		Name: "networks", Caption: "The networks, and how their profiles go with the spectrum of the patches. Accuracies are of the last epoch, in percent.",
		Columns: []report.Column{
			{Name: "network"},
			{Name: "training", Numeric: true, Help: "accuracy on the training images, under the labels that it learned"},
			{Name: "test", Numeric: true, Help: "accuracy on the test images, under labels of the same kind"},
			{Name: "moved", Numeric: true, Help: "‖W − W₀‖/‖W₀‖ of the first layer"},
			{Name: "with W₀", Numeric: true, Help: "Pearson of the profiles of W and of its own initial filters; of weights from a file, of a fresh initialisation"},
			{Name: "with σ", Numeric: true, Help: "Pearson of the profile with the standard deviations of the patches along the components"},
			{Name: "with rank", Numeric: true, Help: "Pearson of the profile with 1, 2, …"},
			{Name: "spread", Numeric: true, Help: "standard deviation of the energies over the components, relative to their root mean square"},
			{Name: "null", Numeric: true, Help: "the same of the filters rotated at random: mean"},
			{Name: "± null", Numeric: true, Help: "and standard deviation"},
		},
	}
	for _, p := range found {
		training, test := math.NaN(), math.NaN()
		if n := len(p.epochs); n > 0 {
			training, test = 100*p.epochs[n-1].TrainAccuracy, 100*valueOrNaN(p.epochs[n-1].TestAccuracy)
		}
		deviations, ranks := p.shown.WithSpectrum()
		mark := report.Muted
		if p.spread.Spread > p.spread.Null+aboveNull*p.spread.NullSD {
			mark = report.Good
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: p.Name}, definedCell(training, "%.1f"), definedCell(test, "%.1f"), definedCell(p.moved, "%.2f"), correlationCell(p.ownInit),
			correlationCell(deviations), correlationCell(ranks),
			markedCell(numberCell(&p.spread.Spread, "%.3f"), mark), numberCell(&p.spread.Null, "%.3f"), numberCell(&p.spread.NullSD, "%.3f"),
		})
	}
	return t
}

// profilesChart draws the profiles, scaled to a root mean square of 1, behind the
// first network's initial one, which has the same colour in all charts.
func profilesChart(found []*profiledNet, change bool) Chart {
	c := Chart{
		Name: "profiles", Title: "Energy profiles", XLabel: "principal component", YLabel: "energy / root mean square",
		Caption: "‖W pᵢ‖ on the principal components pᵢ of the patches that the network was trained on, in descending order of their variance.",
	}
	if change {
		c.Caption = "‖(W − W₀) pᵢ‖ on the principal components pᵢ of the patches that the network was trained on, in descending order of their variance."
	}
	if s, ok := profileSeries("before training", found[0].initial0); ok {
		c.Series = append(c.Series, s)
	}
	for _, p := range found {
		if s, ok := profileSeries(p.Name, p.shown); ok {
			c.Series = append(c.Series, s)
		}
	}
	return c
}

// componentsFigure draws the components of a basis as patches.
func componentsFigure(name string, b *energyBasis) (report.Figure, error) {
	const columns, most = 9, 54
	patch := []int{b.Channels, b.Patch, b.Patch}
	var rows [][]report.Image
	for k := range min(b.rank, most) {
		img := patchImage(b.Vectors[k], patch)
		img.Caption = fmt.Sprintf("%d: σ = %.2g", k+1, math.Sqrt(b.Variances[k]))
		if k%columns == 0 {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], img)
	}
	f, err := report.ImageGrid(name, nil, rows)
	f.Caption = "The principal components of the patches in descending order of their variance, each scaled to its own range, with the standard deviation σ of the patches along it; mid-grey is 0."
	f.Alt, f.Wide = "Principal components of image patches: from smooth ones to fine ones", true
	return f, err
}
