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

// poolingLayer is the similarity at one convolution of the trained CNFM, and of the initial
// one, with the AGOP of the trained network.
type poolingLayer struct {
	pooling          string
	patch            int
	index            int // of the convolution in the network
	trained, initial similarity.Record
}

// The numbers of a convolution: cosines of CNFM and AGOP, their nulls and their excess over those.
func (l poolingLayer) cosine() float64        { return record.ValueOrNaN(l.trained.Cosine) }
func (l poolingLayer) null() float64          { return record.ValueOrNaN(l.trained.CosineNull) }
func (l poolingLayer) excess() float64        { return l.trained.CosineExcess() }
func (l poolingLayer) initialCosine() float64 { return record.ValueOrNaN(l.initial.Cosine) }
func (l poolingLayer) initialNull() float64   { return record.ValueOrNaN(l.initial.CosineNull) }
func (l poolingLayer) initialExcess() float64 { return l.initial.CosineExcess() }
func (l poolingLayer) pearson() float64       { return record.ValueOrNaN(l.trained.Pearson) }
func (l poolingLayer) pearsonNull() float64   { return record.ValueOrNaN(l.trained.PearsonNull) }

// poolingLayers are convolutions over which numbers are averaged.
type poolingLayers []poolingLayer

// mean returns the mean of a number over the convolutions in which it is defined.
func (p poolingLayers) mean(number func(poolingLayer) float64) float64 {
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

// byIndex returns the first, the second, … convolutions of the networks, with labels that begin as
// given.
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

// rowMean returns the function that gives the mean of a number over the convolutions of a row.
func rowMean(number func(poolingLayer) float64) func(poolingRow) float64 {
	return func(r poolingRow) float64 { return r.mean(number) }
}

// setMeasures sets the measures, of cosines and of their excesses.
func (s *PoolingSpec) setMeasures(all poolingLayers, o *study.Outcome) {
	o.Set(trainedCosine, all.mean(poolingLayer.cosine))
	o.Set(trainedExcess, all.mean(poolingLayer.excess))
	set := func(version func(study.Measure) study.Measure, trained, initial func(poolingLayer) float64) {
		maxPooling := all.withPooling("cnn-max").mean(trained)
		smallPatch, largePatch := all.withPatch(s.Patches[0]), all.withPatch(s.Patches[len(s.Patches)-1])
		o.Set(version(trainedOverInitial),
			all.mean(func(l poolingLayer) float64 { return trained(l) - initial(l) }))
		o.Set(version(maxOverVec), maxPooling-all.withPooling("cnn-vec").mean(trained))
		o.Set(version(maxOverAvg), maxPooling-all.withPooling("cnn-avg").mean(trained))
		o.Set(version(patchDrop), smallPatch.mean(trained)-largePatch.mean(trained))
	}
	set(func(m study.Measure) study.Measure { return m }, poolingLayer.cosine, poolingLayer.initialCosine)
	set(ofExcess, poolingLayer.excess, poolingLayer.initialExcess)
}

// addTables adds the tables and the panels by pooling: A, B and C of the trained CNFM, and D,
// E and F of the initial one, with bars by patch size.
func (s *PoolingSpec) addTables(all poolingLayers, depth int, o *study.Outcome) {
	var networks, convolutions []poolingRow
	overview := study.Chart{
		Name: "overview", Title: "Cosine by pooling and patch size", YLabel: "cosine",
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
		record.BarsOf("initial CNFM and AGOP", networks, rowMean(poolingLayer.initialCosine)),
	}
	o.Tables = append(o.Tables, poolingsTable(convolutions))
	o.Charts = append(o.Charts, overview)
	for i, pooling := range s.Poolings {
		o.Charts = append(o.Charts, s.panel(all, depth, 'A'+i, pooling, "trained CNFM and AGOP",
			poolingLayer.cosine, poolingLayer.null))
	}
	for i, pooling := range s.Poolings {
		o.Charts = append(o.Charts, s.panel(all, depth, 'A'+len(s.Poolings)+i, pooling, "initial CNFM and AGOP",
			poolingLayer.initialCosine, poolingLayer.initialNull))
	}
}

// poolingsTable returns the table of the convolutions.
func poolingsTable(convolutions []poolingRow) report.Table {
	return record.TableOf("poolings",
		"CNFM and AGOP by pooling, patch size and convolution, mean over the datasets.", convolutions,
		record.TextField("network, convolution", func(r poolingRow) string { return r.label }),
		record.NumberField("cosine", "%.3f", rowMean(poolingLayer.cosine)).
			WithHelp("of trained CNFM and AGOP, not centred: the paper's measure"),
		record.NumberField("null", "%.3f", rowMean(poolingLayer.null)).WithHelp("with S rotated at random"),
		record.NumberField("excess", "%+.3f", rowMean(poolingLayer.excess)),
		record.NumberField("Pearson", "%.3f", rowMean(poolingLayer.pearson)).WithHelp("centred"),
		record.NumberField("null ", "%.3f", rowMean(poolingLayer.pearsonNull)).WithHelp("with S rotated at random"),
		record.NumberField("initial", "%.3f", rowMean(poolingLayer.initialCosine)).
			WithHelp("cosine of the initial CNFM and the AGOP of the trained network"),
		record.NumberField("null  ", "%.3f", rowMean(poolingLayer.initialNull)).
			WithHelp("with one of them rotated at random"))
}

// panel returns the cosines of one pooling beside their nulls, mean over the datasets.
func (s *PoolingSpec) panel(
	all poolingLayers, depth, letter int, pooling, title string, cosine, null func(poolingLayer) float64,
) study.Chart {
	name := string(rune(letter))
	c := study.Chart{
		Name: strings.ToLower(name) + "-" + pooling, Title: fmt.Sprintf("%s. %s: %s", name, pooling, title),
		YLabel:  "cosine",
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
	return record.TableOf("accuracies", "Accuracies in percent after the last epoch.", found,
		record.TextField("network", func(p *poolingNet) string { return p.name }),
		record.PercentField("training", func(p *poolingNet) float64 { return p.training }),
		record.PercentField("test", func(p *poolingNet) float64 { return p.test }))
}
