package cnfapaper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// poolingLayer holds the similarities at one convolution.
type poolingLayer struct {
	pooling string
	patch   int
	index   int // of the convolution in the network
	ansatz  similarity.AnsatzRecord
	// The similarities of CNFM and AGOP of the trained network, of the initial CNFM and the trained network's AGOP,
	// and of both of the initial network.
	trained, initial, before similarity.Record
}

// The numbers of a convolution: cosines of CNFM and AGOP, and their nulls.
func (l poolingLayer) cosine() float64        { return record.ValueOrNaN(l.trained.Cosine) }
func (l poolingLayer) null() float64          { return record.ValueOrNaN(l.trained.CosineNull) }
func (l poolingLayer) excess() float64        { return l.trained.CosineExcess() }
func (l poolingLayer) initialCosine() float64 { return record.ValueOrNaN(l.initial.Cosine) }
func (l poolingLayer) initialNull() float64   { return record.ValueOrNaN(l.initial.CosineNull) }
func (l poolingLayer) beforeCosine() float64  { return record.ValueOrNaN(l.before.Cosine) }
func (l poolingLayer) beforeNull() float64    { return record.ValueOrNaN(l.before.CosineNull) }
func (l poolingLayer) pearson() float64       { return record.ValueOrNaN(l.trained.Pearson) }
func (l poolingLayer) pearsonNull() float64   { return record.ValueOrNaN(l.trained.PearsonNull) }

// poolingNumber is a number of a convolution.
type poolingNumber func(poolingLayer) float64

// poolingPower returns the functions for the correlation of the trained CNFM and AGOP^α, and its null.
func poolingPower(p agopPower) (pearson, null poolingNumber) {
	return func(l poolingLayer) float64 { return l.ansatz.Power(p.exponent).Pearson },
		func(l poolingLayer) float64 { return l.ansatz.Power(p.exponent).PearsonNull }
}

// poolingLayers are convolutions over which numbers are averaged.
type poolingLayers []poolingLayer

// mean returns the mean of a number over the convolutions in which it is defined.
func (p poolingLayers) mean(number poolingNumber) float64 {
	return meanOfDefined(p, number)
}

// where returns the convolutions for which a condition holds.
func (p poolingLayers) where(holds func(poolingLayer) bool) poolingLayers {
	return slices.DeleteFunc(slices.Clone(p), func(l poolingLayer) bool { return !holds(l) })
}

func (p poolingLayers) withPooling(pooling string) poolingLayers {
	return p.where(func(l poolingLayer) bool { return l.pooling == pooling })
}

func (p poolingLayers) withPatch(patch int) poolingLayers {
	return p.where(func(l poolingLayer) bool { return l.patch == patch })
}

// byIndex groups the networks' convolutions by index: the first ones, the second ones, …, with the given prefix of
// their labels.
func (p poolingLayers) byIndex(label string, depth int) []poolingRow {
	var rows []poolingRow
	for k := range depth {
		here := p.where(func(l poolingLayer) bool { return l.index == k })
		rows = append(rows, poolingRow{fmt.Sprintf("%s%d", label, k+1), here})
	}
	return rows
}

// poolingRow is a row of a table or a bar of a chart.
type poolingRow struct {
	label string
	poolingLayers
}

// rowMean returns a function that averages a number over the convolutions of a row.
func rowMean(number poolingNumber) func(poolingRow) float64 {
	return func(r poolingRow) float64 { return r.mean(number) }
}

// rowNormalised returns a function that computes the normalised excess over the convolutions of a row.
func rowNormalised(number, null poolingNumber) func(poolingRow) float64 {
	return func(r poolingRow) float64 { return normalisedMean(r.poolingLayers, number, null) }
}

// setMeasures sets the measures, of cosines and of their normalised excesses.
func (s *PoolingSpec) setMeasures(all poolingLayers, o *study.Outcome) {
	o.Set(trainedCosine, all.mean(poolingLayer.cosine))
	o.Set(trainedExcess, all.mean(poolingLayer.excess))
	s.setDifferences(all, o, func(m study.Measure) study.Measure { return m },
		func(layers poolingLayers, cosine, _ poolingNumber) float64 { return layers.mean(cosine) })
	s.setDifferences(all, o, ofNormalised,
		func(layers poolingLayers, cosine, null poolingNumber) float64 {
			return normalisedMean(layers, cosine, null)
		})
	for _, p := range agopPowers() {
		similar, null := poolingPower(p)
		o.Set(p.measure(pearson), all.mean(similar))
		o.Set(p.measure(normalised), normalisedMean(all, similar, null))
	}
	o.Set(pearson, all.mean(poolingLayer.pearson))
	o.Set(normalised, normalisedMean(all, poolingLayer.pearson, poolingLayer.pearsonNull))
}

// setDifferences sets one version of the differences between cosine levels; level computes the level over some
// convolutions.
func (s *PoolingSpec) setDifferences(
	all poolingLayers, o *study.Outcome, version func(study.Measure) study.Measure,
	level func(layers poolingLayers, cosine, null poolingNumber) float64,
) {
	trained := func(layers poolingLayers) float64 { return level(layers, poolingLayer.cosine, poolingLayer.null) }
	maxPooling := trained(all.withPooling("cnn-max"))
	o.Set(version(trainedOverInitial),
		trained(all)-level(all, poolingLayer.initialCosine, poolingLayer.initialNull))
	o.Set(version(trainedOverBefore), trained(all)-level(all, poolingLayer.beforeCosine, poolingLayer.beforeNull))
	o.Set(version(maxOverVec), maxPooling-trained(all.withPooling("cnn-vec")))
	o.Set(version(maxOverAvg), maxPooling-trained(all.withPooling("cnn-avg")))
	o.Set(version(patchDrop), trained(all.withPatch(s.Patches[0]))-trained(all.withPatch(s.Patches[len(s.Patches)-1])))
}

// addTables adds the tables and the panels by pooling, with bars by patch size: A, B and C of the trained
// CNFM, and D, E and F of the initial one, with the AGOP of the trained and of the initial network.
func (s *PoolingSpec) addTables(all poolingLayers, depth int, o *study.Outcome) {
	var networks, convolutions []poolingRow
	overview := study.Chart{
		Name: "overview", Title: "Cosine by pooling and patch size", YLabel: "cosine similarity",
		Caption: "Mean over the convolutions and the datasets, beside the null with S rotated.",
	}
	for _, pooling := range s.Poolings {
		for _, patch := range s.Patches {
			n := poolingRow{fmt.Sprintf("%s, %d×%d", pooling, patch, patch), all.withPooling(pooling).withPatch(patch)}
			networks, overview.Labels = append(networks, n), append(overview.Labels, n.label)
			convolutions = append(convolutions,
				n.byIndex(fmt.Sprintf("%s %d×%d, ", pooling, patch, patch), depth)...)
		}
	}
	overview.Series = []report.Series{
		record.BarsOf("trained CNFM and AGOP", networks, rowMean(poolingLayer.cosine)),
		record.BarsOf("null: S rotated", networks, rowMean(poolingLayer.null)),
		record.BarsOf("initial CNFM, trained AGOP", networks, rowMean(poolingLayer.initialCosine)),
		record.BarsOf("initial CNFM and AGOP", networks, rowMean(poolingLayer.beforeCosine)),
	}
	o.Tables = append(o.Tables, poolingsTable(convolutions))
	o.Charts = append(o.Charts, overview)
	letter := func(i int) string { return string(rune('A' + i)) }
	for i, pooling := range s.Poolings {
		o.Charts = append(o.Charts, s.panel(all, depth, letter(i), pooling, "trained CNFM and AGOP",
			poolingLayer.cosine, poolingLayer.null))
	}
	for i, pooling := range s.Poolings {
		d := letter(len(s.Poolings) + i)
		o.Charts = append(o.Charts,
			s.panel(all, depth, d, pooling, "initial CNFM, AGOP of the trained network",
				poolingLayer.initialCosine, poolingLayer.initialNull),
			s.panel(all, depth, d+"-initial", pooling, "initial CNFM and AGOP",
				poolingLayer.beforeCosine, poolingLayer.beforeNull))
	}
}

// poolingsTable returns the table of the convolutions.
func poolingsTable(convolutions []poolingRow) report.Table {
	fields := []record.Field[poolingRow]{
		record.TextField("network, convolution", func(r poolingRow) string { return r.label }),
		record.NumberField("cosine", "%.3f", rowMean(poolingLayer.cosine)).
			WithHelp("of trained CNFM and AGOP, not centred: the paper's measure"),
		record.NumberField("null", "%.3f", rowMean(poolingLayer.null)).WithHelp("with S rotated at random"),
		record.NumberField("excess", "%+.3f", rowMean(poolingLayer.excess)),
		record.NumberField("normalised", "%+.2f", rowNormalised(poolingLayer.cosine, poolingLayer.null)).
			WithHelp("mean excess over the mean of 1 − null"),
		record.NumberField("Pearson", "%.3f", rowMean(poolingLayer.pearson)).WithHelp("centred"),
		record.NumberField("null ", "%.3f", rowMean(poolingLayer.pearsonNull)).WithHelp("with S rotated at random"),
		record.NumberField("initial", "%.3f", rowMean(poolingLayer.initialCosine)).
			WithHelp("cosine of the initial CNFM and the AGOP of the trained network"),
		record.NumberField("null  ", "%.3f", rowMean(poolingLayer.initialNull)).
			WithHelp("with one of them rotated at random"),
		record.NumberField("both initial", "%.3f", rowMean(poolingLayer.beforeCosine)).
			WithHelp("cosine of CNFM and AGOP of the initial network"),
		record.NumberField("null   ", "%.3f", rowMean(poolingLayer.beforeNull)).WithHelp("with S rotated at random"),
	}
	for _, p := range agopPowers() {
		similar, null := poolingPower(p)
		power := fmt.Sprintf("AGOP^%.4g", p.exponent)
		fields = append(fields,
			record.NumberField(power, "%.3f", rowMean(similar)).
				WithHelp("Pearson of trained CNFM and that power of the AGOP"),
			record.NumberField("null of "+power, "%.3f", rowMean(null)).WithHelp("with S rotated at random"),
			record.NumberField("normalised "+power, "%+.2f", rowNormalised(similar, null)).
				WithHelp("mean excess over the mean of 1 − null"))
	}
	return record.TableOf("poolings",
		"CNFM and AGOP by pooling, patch size and convolution, mean over the datasets.", convolutions, fields...)
}

// panel returns the cosines of one pooling with their nulls, averaged over the datasets.
func (s *PoolingSpec) panel(
	all poolingLayers, depth int, letter, pooling, title string, cosine, null poolingNumber,
) study.Chart {
	c := study.Chart{
		Name: strings.ToLower(letter) + "-" + pooling, Title: fmt.Sprintf("%.1s. %s: %s", letter, pooling, title),
		YLabel:  "cosine similarity",
		Caption: "Cosine by convolution and side of the patches, mean over the datasets, each beside its null.",
	}
	for k := range depth {
		c.Labels = append(c.Labels, fmt.Sprintf("convolution %d", k+1))
	}
	for _, patch := range s.Patches {
		side := fmt.Sprintf("%d×%d", patch, patch)
		rows := all.withPooling(pooling).withPatch(patch).byIndex("", depth)
		c.Series = append(c.Series,
			record.BarsOf(side, rows, rowMean(cosine)), record.BarsOf("null of "+side, rows, rowMean(null)))
	}
	return c
}

// poolingAccuracies returns the accuracies of the networks.
func poolingAccuracies(found []*poolingNet) report.Table {
	return record.TableOf("accuracies", "Accuracies in percent: of the training images over the last epoch, while the network "+
		"learned, and of the test images after it.", found,
		record.TextField("network", func(p *poolingNet) string { return p.name }),
		record.PercentField("training", func(p *poolingNet) float64 { return p.training }),
		record.PercentField("test", func(p *poolingNet) float64 { return p.test }))
}
