package rfmpaper

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The measures of depth studies. A kernel on W₁ᵀW₁ has a lead over the network of the same depth, and a gain over the
// plain kernel. Leads, gains, the similarities of W₁ᵀW₁ with the AGOP, and the share that training adds are minima
// over the depths. A growth is from the first depth to the last.
var (
	ntkLead         = study.NewMeasure("ntkw_lead")
	laplaceLead     = study.NewMeasure("laplacew_lead")
	ntkFeaturesGain = study.NewMeasure("ntkw_gain")
	laplaceGain     = study.NewMeasure("laplacew_gain")
	agopPearson     = study.NewMeasure("agop_pearson")
	agopExcess      = study.NewMeasure("agop_excess")
	diagonalPearson = study.NewMeasure("diagonal_pearson")
	diagonalExcess  = study.NewMeasure("diagonal_excess")
	agopGrowth      = study.NewMeasure("agop_growth")
	shareGrowth     = study.NewMeasure("share_growth")
	shareLearned    = study.NewMeasure("share_learned")
)

// scoreAt returns the measure of a learner's score at a depth.
func scoreAt(l learner, depth int) study.Measure {
	return study.NewMeasure(fmt.Sprintf("%s_%d", l.key, depth))
}

// shareAt returns the measure of the share of the diagonal of W₁ᵀW₁ at a depth.
func shareAt(depth int) study.Measure { return study.NewMeasure(fmt.Sprintf("share_%d", depth)) }

// depthScore is a score that a depth study compares.
type depthScore struct {
	name  string
	of    func(rfm.Scores) float64
	lower bool // a lower score is better
}

// outcome returns the results common to both kinds of depth studies: the score, and the share of the diagonals of
// feature matrices. Matrices of at most 100 features are kept whole, of others only the diagonals.
func (score depthScore) outcome(
	all []*depthResult, shareTitle string, share func(diagonal []float64) float64,
) *study.Outcome {
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	for _, r := range all {
		if name := fmt.Sprintf("W1tW1-depth%d", r.depth); len(r.diagonal) <= 100 {
			o.Matrices[name] = mat.DenseCopyOf(setups.NetworkMetric(r.trained.Net).Dense())
		} else {
			o.Matrices[name+"-diagonal"] = mat.NewDense(1, len(r.diagonal), r.diagonal)
		}
	}
	score.setMeasures(all, o)
	setFeatureMeasures(all, share, o)
	o.Tables = append([]report.Table{score.table(all)}, depthFeatureTables(all, share)...)
	o.Charts = []study.Chart{score.chart(all), shareChart(all, shareTitle, share)}
	return o
}

// setMeasures sets the scores by learner and depth, and the leads and gains of both kernels on W₁ᵀW₁.
func (score depthScore) setMeasures(all []*depthResult, o *study.Outcome) {
	for _, r := range all {
		for _, l := range learners {
			if s, there := r.scores[l]; there {
				o.Set(scoreAt(l, r.depth), score.of(s))
			}
		}
	}
	leastLead := func(l, over learner) float64 {
		return record.LeastOf(all, func(r *depthResult) float64 {
			lead := score.of(r.scores[l]) - score.of(r.scores[over])
			if over == byLaplace {
				lead = score.of(r.scores[l]) - score.of(all[0].scores[over])
			}
			if score.lower {
				return -lead
			}
			return lead
		})
	}
	o.Set(ntkLead, leastLead(byNTKFeatures, byNetwork))
	o.Set(laplaceLead, leastLead(byLaplaceFeatures, byNetwork))
	o.Set(ntkFeaturesGain, leastLead(byNTKFeatures, byNTK))
	o.Set(laplaceGain, leastLead(byLaplaceFeatures, byLaplace))
}

// table returns the paper's table of scores by learner and depth.
func (score depthScore) table(all []*depthResult) report.Table {
	fields := []record.Field[learner]{record.TextField("learner", func(l learner) string { return l.name })}
	for _, r := range all {
		fields = append(fields, record.NumberField(fmt.Sprintf("depth %d", r.depth), "%.4f", func(l learner) float64 {
			if s, there := r.scores[l]; there {
				return score.of(s)
			}
			return math.NaN()
		}))
	}
	return record.TableOf("performance", score.name+" on the test examples, by the number of hidden layers.",
		append(slices.Clone(learners), onTraining), fields...)
}

// chart returns the table of scores as curves.
func (score depthScore) chart(all []*depthResult) study.Chart {
	c := study.Chart{
		Name: "performance", Title: score.name + " by depth", XLabel: "hidden layers", YLabel: score.name,
	}
	for _, l := range learners {
		c.Series = append(c.Series, record.SeriesOf(l.name, all, (*depthResult).place, func(r *depthResult) float64 {
			if l == byLaplace {
				r = all[0]
			}
			return score.of(r.scores[l])
		}))
	}
	return c
}

// place returns the depth as an x coordinate.
func (r *depthResult) place() float64 { return float64(r.depth) }

// depthFeatureTables returns two tables of feature matrices: the share of their diagonals, and the
// similarity of matrices and of diagonals with the AGOPs.
func depthFeatureTables(all []*depthResult, share func([]float64) float64) []report.Table {
	type row = *depthResult
	depth := record.TextField("depth", func(r row) string { return fmt.Sprint(r.depth) })
	whole := append([]record.Field[row]{
		depth,
		record.PercentField("share", func(r row) float64 { return share(r.diagonal) }),
		record.PercentField("share before", func(r row) float64 { return share(r.initial) }),
		record.PercentField("share of AGOP", func(r row) float64 { return share(r.features.AGOP) }),
	}, similarity.AlignmentFields(func(r row) similarity.Alignment { return r.features.Alignment() })...)
	diagonal := slices.Concat([]record.Field[row]{depth},
		similarity.AlignmentFields(func(r row) similarity.Alignment { return r.features.Diagonal }),
		[]record.Field[row]{
			record.NumberField("epoch", "%.0f", func(r row) float64 { return float64(r.trained.BestEpoch) }),
			record.TextField("scale for the NTK", func(r row) string { return r.scales[byNTKFeatures] }),
			record.TextField("for Laplace", func(r row) string { return r.scales[byLaplaceFeatures] }),
		})
	return []report.Table{
		record.TableOf("features", "The feature matrix W₁ᵀW₁ by depth: its share in percent, that before "+
			"training and that of the AGOP, and its similarity with the AGOP. A similarity is marked if it "+
			"exceeds its null by two standard deviations.", all, whole...),
		record.TableOf("diagonals", "Similarity of the diagonals of W₁ᵀW₁ and of the AGOP, and the choices by "+
			"validation examples: the epoch, and the divisor of W₁ᵀW₁.", all, diagonal...),
	}
}

// shareChart returns the share of the diagonals, by depth.
func shareChart(all []*depthResult, title string, share func([]float64) float64) study.Chart {
	series := func(label string, diagonal func(*depthResult) []float64) report.Series {
		return record.SeriesOf(label, all, (*depthResult).place,
			func(r *depthResult) float64 { return share(diagonal(r)) })
	}
	return study.Chart{
		Name: "share", Title: title, XLabel: "hidden layers", YLabel: "share of the trace",
		Series: []report.Series{
			series("W₁ᵀW₁", func(r *depthResult) []float64 { return r.diagonal }),
			series("AGOP", func(r *depthResult) []float64 { return r.features.AGOP }),
			series("before training", func(r *depthResult) []float64 { return r.initial }),
		},
	}
}

// setFeatureMeasures sets the share of the diagonals at each depth, its growths and what training
// adds to it, and the similarities with the AGOP.
func setFeatureMeasures(all []*depthResult, share func([]float64) float64, o *study.Outcome) {
	for _, r := range all {
		o.Set(shareAt(r.depth), share(r.diagonal))
	}
	for m, of := range map[study.Measure]func(*depthResult) float64{
		agopPearson:     func(r *depthResult) float64 { return r.features.Alignment().Pearson },
		agopExcess:      func(r *depthResult) float64 { return r.features.Alignment().Excess() },
		diagonalPearson: func(r *depthResult) float64 { return r.features.Diagonal.Pearson },
		diagonalExcess:  func(r *depthResult) float64 { return r.features.Diagonal.Excess() },
		shareLearned:    func(r *depthResult) float64 { return share(r.diagonal) - share(r.initial) },
	} {
		o.Set(m, record.LeastOf(all, of))
	}
	o.Set(shareGrowth, growth(all, func(r *depthResult) float64 { return share(r.diagonal) }))
	o.Set(agopGrowth, growth(all, func(r *depthResult) float64 { return share(r.features.AGOP) }))
}

// growth returns by how much a number grows from the first depth to the last, NaN if there is only one depth.
func growth(all []*depthResult, of func(*depthResult) float64) float64 {
	if len(all) < 2 {
		return math.NaN()
	}
	return of(all[len(all)-1]) - of(all[0])
}
