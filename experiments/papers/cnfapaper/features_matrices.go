package cnfapaper

import (
	"fmt"
	"math"
	"slices"

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

// featureMatrices holds feature matrices of the same patches.
type featureMatrices struct {
	all []featureMatrix
	// own has the similarities, by the keys of their pairs, of a network's filters to its own AGOP. Their null rotates
	// S.
	own map[string]similarity.Record
}

// featureMatrix is a feature matrix with its key in the names of measures and its name in texts.
type featureMatrix struct {
	key, name string
	metric    *rfm.Metric
}

// addFigures draws the matrices and their eigenvectors, and adds the matrices to the outcome.
// q is the side of the patches.
func (f *featureMatrices) addFigures(e *setups.PatchExamples, q int, o *study.Outcome) error {
	var panels []report.Matrix
	var names []string
	var metrics []*rfm.Metric
	for _, m := range f.all {
		p := record.MatrixPanel(m.name, m.metric.Dense())
		if e.Shape.Channels > 1 {
			p.Blocks = q * q
		}
		panels, names, metrics = append(panels, p), append(names, m.name), append(metrics, m.metric)
		o.Matrices["first-layer-"+m.key] = mat.DenseCopyOf(m.metric.Dense())
	}
	heat, err := report.HeatMaps("first-layer", panels)
	if err != nil {
		return err
	}
	heat.Caption = fmt.Sprintf("Feature matrices of the first layer, %d×%d, rows and columns in the order (channel, "+
		"row, column); patches are the second moment of the images' patches.", metrics[0].Dim(), metrics[0].Dim())
	heat.Alt, heat.Wide = "Feature matrices of a network and of kernel machines as heat maps", true
	vectors, err := kernelmachine.EigenpatchFigure("first-layer-eigenvectors", names, metrics, e.Shape.Channels,
		slices.Repeat([]int{q}, len(metrics)))
	o.Figures = append(o.Figures, heat, vectors)
	return err
}

// addTable returns a table with a row for each pair of matrices, and sets their measures:
// [pearson], [excess] and [excessSDs] of FIRST_SECOND, and [overMoment] of some.
func (f *featureMatrices) addTable(o *study.Outcome) report.Table {
	t := report.Table{
		Name: "pairs", Caption: "Similarity of the feature matrices of the first layer, pair by pair. A " +
			"similarity is marked if it exceeds its null by two of the null's standard deviations.",
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
			{Name: "normalised", Numeric: true, Help: similarity.NormalisedHelp},
			{Name: "cosine", Numeric: true, Help: "not centred"},
			{Name: "null ", Numeric: true, Help: "the cosine's null: mean"},
		},
	}
	for i, a := range f.all {
		for _, b := range f.all[i+1:] {
			pair := a.key + "_" + b.key
			r, own := f.own[pair]
			if !own {
				r = similarity.Compare(a.metric.Dense(), b.metric.Dense())
			}
			t.Rows = append(t.Rows, append([]report.Cell{{Text: a.name + " and " + b.name}}, r.Cells()...))
			over, sds := r.Excess()
			o.Set(pearson.Of(pair), record.ValueOrNaN(r.Pearson))
			o.Set(excess.Of(pair), over)
			o.Set(excessSDs.Of(pair), sds)
		}
	}
	setOverMoment(o)
	return t
}

// setOverMoment sets [overMoment] of the pairs that claims are about.
func setOverMoment(o *study.Outcome) {
	similar := func(pair string) float64 { return o.Value(pearson.Of(pair)) }
	o.Set(overMoment.Of("change_cntk"), similar("change_cntk")-similar("change_moment"))
	o.Set(overMoment.Of("change_laplace"), similar("change_laplace")-similar("change_moment"))
	o.Set(overMoment.Of("agop_cntk"), similar("agop_cntk")-similar("agop_moment"))
	o.Set(overMoment.Of("cntk_laplace"),
		similar("cntk_laplace")-math.Max(similar("cntk_moment"), similar("laplace_moment")))
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
