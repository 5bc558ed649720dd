package cnfapaper

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// tell finds the values of the claims: NAME of cosines, and NAME_excess of what of
// them lies above the null.
func (s *PoolingSpec) tell(found []*poolingNet, o *study.Outcome) {
	all := func(*poolingNet) bool { return true }
	pooled := func(name string) func(*poolingNet) bool {
		return func(p *poolingNet) bool { return p.pooling == name }
	}
	ofPatch := func(patch int) func(*poolingNet) bool {
		return func(p *poolingNet) bool { return p.patch == patch }
	}
	for _, m := range []struct {
		suffix string
		of     func(similarity.Record) float64
	}{
		{"", func(a similarity.Record) float64 { return record.ValueOrNaN(a.Cosine) }},
		{"_excess", similarity.Record.CosineExcess},
	} {
		trained := func(l poolingLayer) float64 { return m.of(l.trained) }
		mean := func(chosen func(*poolingNet) bool) float64 { return meanOfPooled(found, chosen, trained) }
		o.Values["trained_over_initial"+m.suffix] = meanOfPooled(found, all,
			func(l poolingLayer) float64 { return m.of(l.trained) - m.of(l.initial) })
		o.Values["max_over_vec"+m.suffix] = mean(pooled("cnn-max")) - mean(pooled("cnn-vec"))
		o.Values["max_over_avg"+m.suffix] = mean(pooled("cnn-max")) - mean(pooled("cnn-avg"))
		o.Values["patch_drop"+m.suffix] = mean(ofPatch(s.Patches[0])) - mean(ofPatch(s.Patches[len(s.Patches)-1]))
	}
	o.Values["trained_cosine"] = meanOfPooled(found, all,
		func(l poolingLayer) float64 { return record.ValueOrNaN(l.trained.Cosine) })
	o.Values["trained_excess"] = meanOfPooled(found, all,
		func(l poolingLayer) float64 { return l.trained.CosineExcess() })
	o.Values["accuracy_over_chance"] = meanBy(found, func(p *poolingNet) float64 { return p.overChance })
}

// meanOfPooled is the mean of a measure over the convolutions of the networks that
// are chosen.
func meanOfPooled(found []*poolingNet, chosen func(*poolingNet) bool, of func(poolingLayer) float64) float64 {
	var v []float64
	for _, p := range found {
		if chosen(p) {
			for _, l := range p.layers {
				v = append(v, of(l))
			}
		}
	}
	return meanOfDefined(v)
}

// show adds the tables and the panels: A, B and C of the trained CNFM, D, E and F
// of the initial one, by pooling, with bars by convolution and patch size.
func (s *PoolingSpec) show(found []*poolingNet, o *study.Outcome) {
	o.Tables = append(o.Tables, s.table(found), pooledAccuracies(found))
	o.Charts = append(o.Charts, s.overview(found))
	for row, kind := range []struct {
		title string
		of    func(poolingLayer) similarity.Record
	}{
		{"trained CNFM and AGOP", func(l poolingLayer) similarity.Record { return l.trained }},
		{"initial CNFM and AGOP", func(l poolingLayer) similarity.Record { return l.initial }},
	} {
		for k, pooling := range s.Poolings {
			letter := string(rune('A' + row*len(s.Poolings) + k))
			o.Charts = append(o.Charts, s.panel(found, letter, pooling, kind.title, kind.of))
		}
	}
}

// panel is the cosines of one pooling beside their nulls, mean over the datasets.
func (s *PoolingSpec) panel(
	found []*poolingNet, letter, pooling, title string, of func(poolingLayer) similarity.Record,
) study.Chart {
	c := study.Chart{
		Name: strings.ToLower(letter) + "-" + pooling, Title: fmt.Sprintf("%s. %s: %s", letter, pooling, title),
		YLabel:  "cosine",
		Caption: "Cosine by convolution and side of the patches, mean over the datasets, each beside its null.",
	}
	layers := len(found[0].layers)
	for k := range layers {
		c.Labels = append(c.Labels, fmt.Sprintf("convolution %d", k+1))
	}
	for _, patch := range s.Patches {
		own := report.Series{Label: fmt.Sprintf("%d×%d", patch, patch), X: study.Places(layers)}
		null := report.Series{Label: fmt.Sprintf("null of %d×%d", patch, patch), X: study.Places(layers)}
		for k := range layers {
			own.Y = append(own.Y, meanAt(found, pooling, patch, k,
				func(l poolingLayer) float64 { return record.ValueOrNaN(of(l).Cosine) }))
			null.Y = append(null.Y, meanAt(found, pooling, patch, k,
				func(l poolingLayer) float64 { return record.ValueOrNaN(of(l).CosineNull) }))
		}
		c.Series = append(c.Series, own, null)
	}
	return c
}

// meanAt is the mean of a measure at one convolution over the datasets.
func meanAt(found []*poolingNet, pooling string, patch, layer int, of func(poolingLayer) float64) float64 {
	var v []float64
	for _, p := range found {
		if p.pooling == pooling && p.patch == patch {
			v = append(v, of(p.layers[layer]))
		}
	}
	return meanOfDefined(v)
}

// overview is the means over convolutions and datasets.
func (s *PoolingSpec) overview(found []*poolingNet) study.Chart {
	c := study.Chart{
		Name: "overview", Title: "Cosine by pooling and patch size", YLabel: "cosine",
		Caption: "Mean over the convolutions and the datasets, beside the null with S rotated.",
	}
	cosine := report.Series{Label: "trained CNFM and AGOP"}
	null := report.Series{Label: "null: S rotated"}
	initial := report.Series{Label: "initial CNFM and AGOP"}
	for _, pooling := range s.Poolings {
		for _, patch := range s.Patches {
			c.Labels = append(c.Labels, fmt.Sprintf("%s, %d×%d", pooling, patch, patch))
			chosen := func(p *poolingNet) bool { return p.pooling == pooling && p.patch == patch }
			cosine.Y = append(cosine.Y,
				meanOfPooled(found, chosen,
					func(l poolingLayer) float64 { return record.ValueOrNaN(l.trained.Cosine) }))
			null.Y = append(null.Y, meanOfPooled(found, chosen,
				func(l poolingLayer) float64 { return record.ValueOrNaN(l.trained.CosineNull) }))
			initial.Y = append(initial.Y,
				meanOfPooled(found, chosen,
					func(l poolingLayer) float64 { return record.ValueOrNaN(l.initial.Cosine) }))
		}
	}
	for _, b := range []*report.Series{&cosine, &null, &initial} {
		b.X = study.Places(len(c.Labels))
		c.Series = append(c.Series, *b)
	}
	return c
}

// table has a row for each convolution of each pooling and patch size.
func (s *PoolingSpec) table(found []*poolingNet) report.Table {
	t := report.Table{
		Name: "poolings", Caption: "CNFM and AGOP by pooling, patch size and convolution, mean over the datasets.",
		Columns: []report.Column{
			{Name: "network, convolution"},
			{Name: "cosine", Numeric: true, Help: "of trained CNFM and AGOP, not centred: the paper's measure"},
			{Name: "null", Numeric: true, Help: "with S rotated at random"}, {Name: "excess", Numeric: true},
			{Name: "Pearson", Numeric: true, Help: "centred"},
			{Name: "null ", Numeric: true, Help: "with S rotated at random"},
			{Name: "initial", Numeric: true, Help: "cosine of the initial CNFM and the AGOP of the trained network"},
			{Name: "null  ", Numeric: true, Help: "with one of them rotated at random"},
		},
	}
	for _, pooling := range s.Poolings {
		for _, patch := range s.Patches {
			for k := range found[0].layers {
				row := []report.Cell{{Text: fmt.Sprintf("%s %d×%d, %d", pooling, patch, patch, k+1)}}
				for _, m := range []struct {
					of     func(poolingLayer) float64
					format string
				}{
					{func(l poolingLayer) float64 { return record.ValueOrNaN(l.trained.Cosine) }, "%.3f"},
					{func(l poolingLayer) float64 { return record.ValueOrNaN(l.trained.CosineNull) }, "%.3f"},
					{func(l poolingLayer) float64 { return l.trained.CosineExcess() }, "%+.3f"},
					{func(l poolingLayer) float64 { return record.ValueOrNaN(l.trained.Pearson) }, "%.3f"},
					{func(l poolingLayer) float64 { return record.ValueOrNaN(l.trained.PearsonNull) }, "%.3f"},
					{func(l poolingLayer) float64 { return record.ValueOrNaN(l.initial.Cosine) }, "%.3f"},
					{func(l poolingLayer) float64 { return record.ValueOrNaN(l.initial.CosineNull) }, "%.3f"},
				} {
					row = append(row, record.DefinedCell(meanAt(found, pooling, patch, k, m.of), m.format))
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// pooledAccuracies is how well the networks do.
func pooledAccuracies(found []*poolingNet) report.Table {
	t := report.Table{
		Name: "accuracies", Caption: "Accuracies in percent after the last epoch.",
		Columns: record.NumericColumns("network", "training", "test"),
	}
	for _, p := range found {
		t.Rows = append(t.Rows, []report.Cell{
			{Text: fmt.Sprintf("%s %d×%d, %s", p.pooling, p.patch, p.patch, p.set)}, record.PercentCell(p.training),
			record.PercentCell(p.test),
		})
	}
	return t
}
