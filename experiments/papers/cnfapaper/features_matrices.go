package cnfapaper

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// featureMatrices holds feature matrices of the same patches, with their keys in values and
// their names in texts.
type featureMatrices struct {
	keys, names []string
	metrics     []*rfm.Metric
	// own has the similarities, by the keys of their pairs, of a network's filters and its own
	// AGOP. Their null rotates S.
	own map[string]similarity.Record
}

// add appends a matrix.
func (f *featureMatrices) add(key, name string, m *rfm.Metric) {
	f.keys, f.names, f.metrics = append(f.keys, key), append(f.names, name), append(f.metrics, m)
}

// addFigures draws the matrices and their eigenvectors, and adds the matrices to the outcome.
// q is the side of the patches.
func (f *featureMatrices) addFigures(e *setups.PatchExamples, q int, o *study.Outcome) error {
	var panels []report.Matrix
	sides := make([]int, len(f.metrics))
	for k, m := range f.metrics {
		p := record.MatrixPanel(f.names[k], m.Dense())
		if e.Shape.Channels > 1 {
			p.Blocks = q * q
		}
		panels, sides[k] = append(panels, p), q
		o.Matrices["first-layer-"+f.keys[k]] = mat.DenseCopyOf(m.Dense())
	}
	heat, err := report.HeatMaps("first-layer", panels)
	if err != nil {
		return err
	}
	heat.Caption = fmt.Sprintf("Feature matrices of the first layer, %d×%d, rows and columns in the order (channel, "+
		"row, column); patches are the second moment of the images' patches.", f.metrics[0].Dim(), f.metrics[0].Dim())
	heat.Alt, heat.Wide = "Feature matrices of a network and of kernel machines as heat maps", true
	vectors, err := kernelmachine.EigenpatchFigure("first-layer-eigenvectors", f.names, f.metrics, e.Shape.Channels,
		sides)
	o.Figures = append(o.Figures, heat, vectors)
	return err
}

// addTable adds a table with a row for each pair of matrices, and fills in their values:
// FIRST_SECOND_pearson, _excess over the null, and _sds, the excess in the null's standard
// deviations.
func (f *featureMatrices) addTable(o *study.Outcome) report.Table {
	t := report.Table{
		Name: "pairs", Caption: "How alike the feature matrices of the first layer are, pair by pair. Marked is what " +
			"lies above the null by two of its standard deviations.",
		Columns: []report.Column{
			{Name: "matrices"},
			{Name: "Pearson", Numeric: true, Help: "correlation of all d² elements"},
			{
				Name: "null", Numeric: true,
				Help: "the same with one of the two rotated at random (of the network's filters with its own AGOP = " +
					"WᵀSW, with S rotated): mean",
			},
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
	setOverMoment(o.Values)
	return t
}

// setOverMoment fills in how much more alike pairs of matrices are than their first one, or
// for two machines the closer one, is to the second moment of the images' patches.
func setOverMoment(v map[string]float64) {
	for _, pair := range [][2]string{{"change", "cntk"}, {"change", "laplace"}, {"agop", "cntk"}} {
		v[pair[0]+"_"+pair[1]+"_over_moment"] = v[pair[0]+"_"+pair[1]+"_pearson"] - v[pair[0]+"_moment_pearson"]
	}
	v["cntk_laplace_over_moment"] = v["cntk_laplace_pearson"] - math.Max(v["cntk_moment_pearson"],
		v["laplace_moment_pearson"])
}

// setSimilarityValues fills in the values of a pair, NaN where a measure is undefined.
func setSimilarityValues(a similarity.Record, key string, o *study.Outcome) {
	o.Values[key+"_pearson"] = math.NaN()
	if a.Pearson != nil {
		o.Values[key+"_pearson"] = *a.Pearson
	}
	o.Values[key+"_excess"], o.Values[key+"_sds"] = a.Excess()
}

// ansatzSimilarity returns the similarity of a network's CNFM and AGOP, with the null of a
// rotated S.
func ansatzSimilarity(a cnfa.Ansatz) similarity.Record {
	if a.Err != nil {
		return similarity.Record{}
	}
	return similarity.Record{
		Pearson: record.Ptr(a.Pearson), PearsonNull: record.Ptr(a.PearsonNull),
		PearsonNullSD: record.Ptr(a.PearsonNullSD),
		Cosine:        record.Ptr(a.Cosine), CosineNull: record.Ptr(a.CosineNull),
		CosineNullSD: record.Ptr(a.CosineNullSD),
	}
}
