package rfmpaper

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// depthMeasure is the score that a depth study compares.
type depthMeasure struct {
	name, format string
	of           func(rfm.Scores) float64
	lower        bool // a lower score is better
}

// depthValues returns the scores by learner and depth, as KEY_DEPTH. For both kernels on W₁ᵀW₁
// it adds the least lead over the network of the same depth, and over the kernel without.
func depthValues(all []*depthResult, m depthMeasure) map[string]float64 {
	v := map[string]float64{}
	lead := func(name string, a, b float64) {
		by := a - b
		if m.lower {
			by = -by
		}
		if old, there := v[name]; !there || by < old {
			v[name] = by
		}
	}
	for _, r := range all {
		at := func(l learner) float64 { return m.of(r.scores[l]) }
		for _, l := range learners() {
			if _, there := r.scores[l]; there {
				v[fmt.Sprintf("%s_%d", l.key(), r.depth)] = at(l)
			}
		}
		lead("ntkw_lead", at(byNTKFeatures), at(byNetwork))
		lead("laplacew_lead", at(byLaplaceFeatures), at(byNetwork))
		lead("ntkw_gain", at(byNTKFeatures), at(byNTK))
		lead("laplacew_gain", at(byLaplaceFeatures), m.of(all[0].scores[byLaplace]))
	}
	return v
}

// depthTable returns the paper's table of scores by learner and depth.
func depthTable(all []*depthResult, m depthMeasure) report.Table {
	t := report.Table{
		Name: "performance", Caption: m.name + " on the test examples, by the number of hidden layers.",
		Columns: []report.Column{{Name: "learner"}},
	}
	for _, r := range all {
		t.Columns = append(t.Columns, report.Column{Name: fmt.Sprintf("depth %d", r.depth), Numeric: true})
	}
	for _, l := range append(learners(), onTraining) {
		row := []report.Cell{{Text: string(l)}}
		for _, r := range all {
			cell := record.NumberCell(nil, "")
			if s, there := r.scores[l]; there {
				y := m.of(s)
				cell = record.NumberCell(&y, m.format)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// depthChart returns the table of scores as curves.
func depthChart(all []*depthResult, m depthMeasure) study.Chart {
	c := study.Chart{Name: "performance", Title: m.name + " by depth", XLabel: "hidden layers", YLabel: m.name}
	for _, l := range learners() {
		s := report.Series{Label: string(l)}
		for _, r := range all {
			y := m.of(r.scores[l])
			if l == byLaplace {
				y = m.of(all[0].scores[l])
			}
			s.X, s.Y = append(s.X, float64(r.depth)), append(s.Y, y)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// depthFeatureTables returns two tables of the feature matrices: the part of their diagonals
// that lies in some features, and how alike matrices and diagonals are to the AGOPs.
func depthFeatureTables(all []*depthResult, part func([]float64) float64) []report.Table {
	whole := report.Table{
		Name: "features", Caption: "The feature matrix W₁ᵀW₁ by depth: its share in percent, that before training " +
			"and that of the AGOP, and its similarity with the AGOP. Marked: above the null by two standard " +
			"deviations.",
		Columns: append(record.NumericColumns("depth", "share", "share before", "share of AGOP"),
			similarity.AlignmentColumns()...),
	}
	diagonal := report.Table{
		Name: "diagonals", Caption: "Similarity of the diagonals of W₁ᵀW₁ and of the AGOP, and what the validation " +
			"examples chose: the epoch, and what W₁ᵀW₁ is divided by.",
		Columns: append(append([]report.Column{{Name: "depth"}}, similarity.AlignmentColumns()...),
			report.Column{Name: "epoch", Numeric: true}, report.Column{Name: "scale for the NTK"},
			report.Column{Name: "for Laplace"}),
	}
	for _, r := range all {
		depth := report.Cell{Text: fmt.Sprint(r.depth)}
		whole.Rows = append(whole.Rows,
			append([]report.Cell{
				depth, record.PercentCell(part(r.diagonal)), record.PercentCell(part(r.initial)),
				record.PercentCell(part(r.features.AGOP)),
			}, r.features.Alignment().Cells()...))
		diagonal.Rows = append(diagonal.Rows, append(append([]report.Cell{depth}, r.features.Diagonal.Cells()...),
			report.Cell{Text: fmt.Sprint(r.trained.BestEpoch), Value: float64(r.trained.BestEpoch)},
			report.Cell{Text: r.scales[byNTKFeatures]}, report.Cell{Text: r.scales[byLaplaceFeatures]}))
	}
	return []report.Table{whole, diagonal}
}

// shareChart returns the part of the diagonals that lies in some features, by depth.
func shareChart(all []*depthResult, title, what string, part func([]float64) float64) study.Chart {
	trained := report.Series{Label: "W₁ᵀW₁"}
	before := report.Series{Label: "before training"}
	agop := report.Series{Label: "AGOP"}
	for _, r := range all {
		x := float64(r.depth)
		trained.X, trained.Y = append(trained.X, x), append(trained.Y, part(r.diagonal))
		before.X, before.Y = append(before.X, x), append(before.Y, part(r.initial))
		agop.X, agop.Y = append(agop.X, x), append(agop.Y, part(r.features.AGOP))
	}
	return study.Chart{
		Name: "share", Title: title, XLabel: "hidden layers", YLabel: what,
		Series: []report.Series{trained, agop, before},
	}
}

// setFeatureMeasures fills in the part of the diagonals that lies in some features: at each
// depth, its growth from the first depth to the last, also of the AGOP, and the least that
// training adds. It also fills in the least similarities with the AGOP and their excesses.
func setFeatureMeasures(all []*depthResult, part func([]float64) float64, v map[string]float64) {
	for _, name := range []string{
		"agop_pearson", "agop_excess", "diagonal_pearson", "diagonal_excess", "share_learned",
	} {
		v[name] = math.Inf(1)
	}
	for _, r := range all {
		v[fmt.Sprintf("share_%d", r.depth)] = part(r.diagonal)
		whole, diagonal := r.features.Alignment(), r.features.Diagonal
		for name, x := range map[string]float64{
			"agop_pearson": whole.Pearson, "agop_excess": whole.Excess(), "diagonal_pearson": diagonal.Pearson,
			"diagonal_excess": diagonal.Excess(),
			"share_learned":   part(r.diagonal) - part(r.initial),
		} {
			v[name] = min(v[name], x)
		}
	}
	first, last := all[0], all[len(all)-1]
	v["share_growth"] = part(last.diagonal) - part(first.diagonal)
	v["agop_growth"] = part(last.features.AGOP) - part(first.features.AGOP)
}
