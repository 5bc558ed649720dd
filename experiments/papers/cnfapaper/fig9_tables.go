package cnfapaper

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// The measures of a convolution that charts show.
func trainedCosine(l poolingLayer) float64 { return record.ValueOrNaN(l.trained.Cosine) }
func trainedNull(l poolingLayer) float64   { return record.ValueOrNaN(l.trained.CosineNull) }
func initialCosine(l poolingLayer) float64 { return record.ValueOrNaN(l.initial.Cosine) }
func initialNull(l poolingLayer) float64   { return record.ValueOrNaN(l.initial.CosineNull) }

// poolingColumns are the measures of a convolution, as columns of the table.
var poolingColumns = []struct {
	name, help, format string
	of                 func(poolingLayer) float64
}{
	{"cosine", "of trained CNFM and AGOP, not centred: the paper's measure", "%.3f", trainedCosine},
	{"null", "with S rotated at random", "%.3f", trainedNull},
	{"excess", "", "%+.3f", func(l poolingLayer) float64 { return l.trained.CosineExcess() }},
	{"Pearson", "centred", "%.3f", func(l poolingLayer) float64 { return record.ValueOrNaN(l.trained.Pearson) }},
	{"null ", "with S rotated at random", "%.3f", func(l poolingLayer) float64 {
		return record.ValueOrNaN(l.trained.PearsonNull)
	}},
	{"initial", "cosine of the initial CNFM and the AGOP of the trained network", "%.3f", initialCosine},
	{"null  ", "with one of them rotated at random", "%.3f", initialNull},
}

// meanOver returns the mean of a measure over the convolutions for which chosen is true, or
// over all of them if chosen is nil.
func meanOver(all []poolingLayer, chosen func(poolingLayer) bool, of func(poolingLayer) float64) float64 {
	var v []float64
	for _, l := range all {
		if chosen == nil || chosen(l) {
			v = append(v, of(l))
		}
	}
	return meanOfDefined(v)
}

// setMeasures fills in the values that the claims are judged by: NAME of cosines, and
// NAME_excess of what lies above the null.
func (s *PoolingSpec) setMeasures(all []poolingLayer, o *study.Outcome) {
	for suffix, of := range map[string]func(similarity.Record) float64{
		"":        func(a similarity.Record) float64 { return record.ValueOrNaN(a.Cosine) },
		"_excess": similarity.Record.CosineExcess,
	} {
		trained := func(l poolingLayer) float64 { return of(l.trained) }
		by := func(pooling string) float64 {
			return meanOver(all, func(l poolingLayer) bool { return l.pooling == pooling }, trained)
		}
		sized := func(patch int) float64 {
			return meanOver(all, func(l poolingLayer) bool { return l.patch == patch }, trained)
		}
		o.Values["trained_over_initial"+suffix] = meanOver(all, nil, func(l poolingLayer) float64 {
			return of(l.trained) - of(l.initial)
		})
		o.Values["max_over_vec"+suffix] = by("cnn-max") - by("cnn-vec")
		o.Values["max_over_avg"+suffix] = by("cnn-max") - by("cnn-avg")
		o.Values["patch_drop"+suffix] = sized(s.Patches[0]) - sized(s.Patches[len(s.Patches)-1])
	}
	o.Set(trainedCosineMeasure, meanOver(all, nil, trainedCosine))
	o.Set(trainedExcess, meanOver(all, nil, poolingColumns[2].of))
}

// addTables adds the tables and the panels by pooling: A, B and C of the trained CNFM, and D,
// E and F of the initial one, with curves by patch size.
func (s *PoolingSpec) addTables(all []poolingLayer, depth int, o *study.Outcome) {
	t := report.Table{
		Name: "poolings", Caption: "CNFM and AGOP by pooling, patch size and convolution, mean over the datasets.",
		Columns: []report.Column{{Name: "network, convolution"}},
	}
	for _, c := range poolingColumns {
		t.Columns = append(t.Columns, report.Column{Name: c.name, Numeric: true, Help: c.help})
	}
	overview := study.Chart{
		Name: "overview", Title: "Cosine by pooling and patch size", YLabel: "cosine",
		Caption: "Mean over the convolutions and the datasets, beside the null with S rotated.",
		Series: []report.Series{
			{Label: "trained CNFM and AGOP"}, {Label: "null: S rotated"}, {Label: "initial CNFM and AGOP"},
		},
	}
	for _, pooling := range s.Poolings {
		for _, patch := range s.Patches {
			network := func(l poolingLayer) bool { return l.pooling == pooling && l.patch == patch }
			for i, of := range []func(poolingLayer) float64{trainedCosine, trainedNull, initialCosine} {
				series := &overview.Series[i]
				series.X = append(series.X, float64(len(overview.Labels)))
				series.Y = append(series.Y, meanOver(all, network, of))
			}
			overview.Labels = append(overview.Labels, fmt.Sprintf("%s, %d×%d", pooling, patch, patch))
			for k := range depth {
				row := []report.Cell{{Text: fmt.Sprintf("%s %d×%d, %d", pooling, patch, patch, k+1)}}
				here := func(l poolingLayer) bool { return network(l) && l.index == k }
				for _, c := range poolingColumns {
					row = append(row, record.DefinedCell(meanOver(all, here, c.of), c.format))
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	o.Tables, o.Charts = append(o.Tables, t), append(o.Charts, overview)
	for i, pooling := range s.Poolings {
		o.Charts = append(o.Charts,
			s.panel(all, depth, 'A'+i, pooling, "trained CNFM and AGOP", trainedCosine, trainedNull))
	}
	for i, pooling := range s.Poolings {
		o.Charts = append(o.Charts, s.panel(all, depth, 'A'+len(s.Poolings)+i, pooling, "initial CNFM and AGOP",
			initialCosine, initialNull))
	}
}

// panel returns the cosines of one pooling beside their nulls, mean over the datasets.
func (s *PoolingSpec) panel(
	all []poolingLayer, depth, letter int, pooling, title string, cosine, null func(poolingLayer) float64,
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
		own := report.Series{Label: side, X: study.Places(depth)}
		control := report.Series{Label: "null of " + side, X: study.Places(depth)}
		for k := range depth {
			here := func(l poolingLayer) bool { return l.pooling == pooling && l.patch == patch && l.index == k }
			own.Y = append(own.Y, meanOver(all, here, cosine))
			control.Y = append(control.Y, meanOver(all, here, null))
		}
		c.Series = append(c.Series, own, control)
	}
	return c
}

// poolingAccuracies returns the accuracies of the networks.
func poolingAccuracies(found []*poolingNet) report.Table {
	t := report.Table{
		Name: "accuracies", Caption: "Accuracies in percent after the last epoch.",
		Columns: record.NumericColumns("network", "training", "test"),
	}
	for _, p := range found {
		t.Rows = append(t.Rows, []report.Cell{
			{Text: p.name}, record.PercentCell(p.training), record.PercentCell(p.test),
		})
	}
	return t
}
