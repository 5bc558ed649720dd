package experiments

import (
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// table has a row for each pair of matrices, and puts their values into the
// outcome: FIRST_SECOND_pearson, and with _excess and _sds what lies above the
// null, as it is and in the null's standard deviations.
func (f *featureMatrices) table(o *Outcome) report.Table {
	t := report.Table{
		Name: "pairs", Caption: "How alike the feature matrices of the first layer are, pair by pair. Marked is what lies above the null by two of its standard deviations.",
		Columns: []report.Column{
			{Name: "matrices"},
			{Name: "Pearson", Numeric: true, Help: "correlation of all d² elements"},
			{Name: "null", Numeric: true, Help: "the same with one of the two rotated at random (of the network's filters with its own AGOP = WᵀSW, with S rotated): mean"},
			{Name: "± null", Numeric: true, Help: "and standard deviation"},
			{Name: "excess", Numeric: true, Help: "Pearson − null"},
			{Name: "cosine", Numeric: true, Help: "not centred"},
			{Name: "null ", Numeric: true, Help: "the cosine's null: mean"},
		},
	}
	for i := range f.metrics {
		for j := i + 1; j < len(f.metrics); j++ {
			key := f.keys[i] + "_" + f.keys[j]
			a, own := f.own[key]
			if !own {
				a = alike(f.metrics[i].Dense(), f.metrics[j].Dense())
			}
			t.Rows = append(t.Rows, append([]report.Cell{{Text: f.names[i] + " and " + f.names[j]}}, a.cells()...))
			a.tell(key, o)
		}
	}
	overMoment(o.Values)
	return t
}

// overMoment is how much more alike pairs are than either of them, or for a network
// the network, is to the second moment of the images' patches.
func overMoment(v map[string]float64) {
	for _, pair := range [][2]string{{"change", "cntk"}, {"change", "laplace"}, {"agop", "cntk"}} {
		v[pair[0]+"_"+pair[1]+"_over_moment"] = v[pair[0]+"_"+pair[1]+"_pearson"] - v[pair[0]+"_moment_pearson"]
	}
	v["cntk_laplace_over_moment"] = v["cntk_laplace_pearson"] - math.Max(v["cntk_moment_pearson"], v["laplace_moment_pearson"])
}

// cells are those of a table of pairs.
func (a AlikeRecord) cells() []report.Cell {
	excess, sds := a.excess()
	mark := report.Muted
	if sds > aboveNull {
		mark = report.Good
	}
	return []report.Cell{
		numberCell(a.Pearson, "%.3f"), numberCell(a.PearsonNull, "%.3f"), numberCell(a.PearsonNullSD, "%.3f"), markedCell(definedCell(excess, "%+.3f"), mark),
		numberCell(a.Cosine, "%.3f"), numberCell(a.CosineNull, "%.3f"),
	}
}

// tell puts the values of a pair into the outcome; what is not defined is NaN.
func (a AlikeRecord) tell(key string, o *Outcome) {
	o.Values[key+"_pearson"] = math.NaN()
	if a.Pearson != nil {
		o.Values[key+"_pearson"] = *a.Pearson
	}
	o.Values[key+"_excess"], o.Values[key+"_sds"] = a.excess()
}

// excess is what lies above the null, as it is and in the null's standard
// deviations; NaN where that is not defined.
func (a AlikeRecord) excess() (excess, sds float64) {
	if a.Pearson == nil || a.PearsonNull == nil || a.PearsonNullSD == nil {
		return math.NaN(), math.NaN()
	}
	excess = *a.Pearson - *a.PearsonNull
	return excess, excess / *a.PearsonNullSD
}

// alikeOfAnsatz is the similarity of a network's filters with its own AGOP, with
// the null of a rotated S.
func alikeOfAnsatz(a cnfa.Ansatz) AlikeRecord {
	if a.Err != nil {
		return AlikeRecord{}
	}
	return AlikeRecord{
		Pearson: ptr(a.Pearson), PearsonNull: ptr(a.PearsonNull), PearsonNullSD: ptr(a.PearsonNullSD),
		Cosine: ptr(a.Cosine), CosineNull: ptr(a.CosineNull), CosineNullSD: ptr(a.CosineNullSD),
	}
}
