package cnfapaper

import (
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// table has a row for each pair of matrices, and puts their values into the
// outcome: FIRST_SECOND_pearson, and with _excess and _sds what lies above the
// null, as it is and in the null's standard deviations.
func (f *featureMatrices) table(o *study.Outcome) report.Table {
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
				a = similarity.Compare(f.metrics[i].Dense(), f.metrics[j].Dense())
			}
			t.Rows = append(t.Rows, append([]report.Cell{{Text: f.names[i] + " and " + f.names[j]}}, a.Cells()...))
			setSimilarityValues(a, key, o)
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

// setSimilarityValues puts the values of a pair into the outcome; what is not defined is NaN.
func setSimilarityValues(a similarity.Record, key string, o *study.Outcome) {
	o.Values[key+"_pearson"] = math.NaN()
	if a.Pearson != nil {
		o.Values[key+"_pearson"] = *a.Pearson
	}
	o.Values[key+"_excess"], o.Values[key+"_sds"] = a.Excess()
}

// alikeOfAnsatz is the similarity of a network's filters with its own AGOP, with
// the null of a rotated S.
func alikeOfAnsatz(a cnfa.Ansatz) similarity.Record {
	if a.Err != nil {
		return similarity.Record{}
	}
	return similarity.Record{
		Pearson: record.Ptr(a.Pearson), PearsonNull: record.Ptr(a.PearsonNull), PearsonNullSD: record.Ptr(a.PearsonNullSD),
		Cosine: record.Ptr(a.Cosine), CosineNull: record.Ptr(a.CosineNull), CosineNullSD: record.Ptr(a.CosineNullSD),
	}
}
