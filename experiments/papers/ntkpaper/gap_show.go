package ntkpaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// The measures of a network against its first linearization, in percentage points; second refers to the second
// linearization. A gap is the network's accuracy minus the linearization's, on test images except for a train gap.
// First and last are the smallest and the largest width.
var (
	gapFirst              = study.NewMeasure("gap_first")
	gapLast               = study.NewMeasure("gap_last")
	gapShrinks            = study.NewMeasure("gap_shrinks")
	trainGapFirst         = study.NewMeasure("train_gap_first")
	networkGains          = study.NewMeasure("network_gains")
	linearGains           = study.NewMeasure("linear_gains")
	linearTrainGains      = study.NewMeasure("linear_train_gains")
	wideLinearOverNetwork = study.NewMeasure("wide_linear_over_network")
	secondGapLeast        = study.NewMeasure("second_gap_least")
	rateHelps             = study.NewMeasure("rate_helps")
)

// The measures of a task with limits. A gap is the sum of two parts: unconverged is the linearization in the limit
// minus the one trained by SGD, and features is the network minus the linearization in the limit.
var (
	unconvergedFirst   = study.NewMeasure("unconverged_first")
	unconvergedLast    = study.NewMeasure("unconverged_last")
	featuresFirst      = study.NewMeasure("features_first")
	featuresLast       = study.NewMeasure("features_last")
	featuresShrink     = study.NewMeasure("features_shrink")
	trainFeaturesFirst = study.NewMeasure("train_features_first")
	limitGains         = study.NewMeasure("limit_gains")
	limitTrainGains    = study.NewMeasure("limit_train_gains")
	// The network minus the limit without a ridge
	featuresNoRidgeFirst = study.NewMeasure("features_no_ridge_first")
	secondFeaturesLeast  = study.NewMeasure("second_features_least")
)

// baselineTrain and baselineTest return the measures of a baseline's accuracies in percent. linearOver and networkOver
// return those of the lead of the first linearization and of the network over it, on test images.
func baselineTrain(b BaselineSpec) study.Measure {
	return study.NewMeasure("train_accuracy").Of(b.Name)
}
func baselineTest(b BaselineSpec) study.Measure { return study.NewMeasure("test_accuracy").Of(b.Name) }
func linearOver(b BaselineSpec) study.Measure   { return study.NewMeasure("linear_over_" + b.Name) }
func networkOver(b BaselineSpec) study.Measure  { return study.NewMeasure("network_over_" + b.Name) }

// gapOver returns the measure of the first task's gap minus another task's gap, at the smallest width; its part "wide"
// is that at the largest. featuresOver is the same for the features' part of the gap.
func gapOver(task string) study.Measure      { return study.NewMeasure("gap_over_" + task) }
func featuresOver(task string) study.Measure { return study.NewMeasure("features_over_" + task) }

// gap returns the network's test accuracy minus that of linearization k, in percentage points.
func (p gapPoint) gap(k int) float64 { return 100 * (p.network.test - p.linear[k].test) }

// trainGap returns the network's training accuracy minus that of linearization k, in percentage points.
func (p gapPoint) trainGap(k int) float64 { return 100 * (p.network.train - p.linear[k].train) }

// unconverged returns linearization k's test accuracy in the limit minus that after SGD, in percentage points.
func (p gapPoint) unconverged(k int) float64 { return 100 * (p.limit[k].Test - p.linear[k].test) }

// features returns the network's test accuracy minus that of linearization k in the limit, in percentage points.
func (p gapPoint) features(k int) float64 { return 100 * (p.network.test - p.limit[k].Test) }

// setGapMeasures sets the measures of a task.
func setGapMeasures(o *study.Outcome, t GapTask, points []gapPoint) {
	first, last := points[0], points[len(points)-1]
	set := func(m study.Measure, v float64) { o.Set(m.Of(t.Name), v) }
	wider := func(m study.Measure, v float64) { set(m, overWidths(len(points), v)) } // differences between two widths
	set(gapFirst, first.gap(0))
	set(gapLast, last.gap(0))
	wider(gapShrinks, first.gap(0)-last.gap(0))
	set(trainGapFirst, first.trainGap(0))
	wider(networkGains, 100*(last.network.test-first.network.test))
	wider(linearGains, 100*(last.linear[0].test-first.linear[0].test))
	wider(linearTrainGains, 100*(last.linear[0].train-first.linear[0].train))
	wider(wideLinearOverNetwork, 100*(last.linear[0].test-first.network.test))
	two := len(first.linear) > 1
	if two {
		set(secondGapLeast, record.LeastOf(points, func(p gapPoint) float64 { return p.gap(1) }))
		set(rateHelps, 100*(last.linear[0].test-last.linear[1].test))
	}
	if !t.Limit {
		return
	}
	set(unconvergedFirst, first.unconverged(0))
	set(unconvergedLast, last.unconverged(0))
	set(featuresFirst, first.features(0))
	set(featuresLast, last.features(0))
	wider(featuresShrink, first.features(0)-last.features(0))
	set(trainFeaturesFirst, 100*(first.network.train-first.limit[0].Train))
	wider(limitGains, 100*(last.limit[0].Test-first.limit[0].Test))
	wider(limitTrainGains, 100*(last.limit[0].Train-first.limit[0].Train))
	set(featuresNoRidgeFirst, first.features(len(first.linear)))
	if two {
		set(secondFeaturesLeast, record.LeastOf(points, func(p gapPoint) float64 { return p.features(1) }))
	}
}

// setGapsOver compares the gaps of the first task, and their features' parts, with those of the other tasks that agree
// with it in having limits or not.
func setGapsOver(o *study.Outcome, tasks []GapTask) {
	first := tasks[0].Name
	compare := func(over, m, wide study.Measure, other string) {
		o.Set(over, o.Value(m.Of(first))-o.Value(m.Of(other)))
		o.Set(over.Of("wide"), o.Value(wide.Of(first))-o.Value(wide.Of(other)))
	}
	for _, t := range tasks[1:] {
		if t.Limit != tasks[0].Limit {
			continue
		}
		compare(gapOver(t.Name), gapFirst, gapLast, t.Name)
		if t.Limit {
			compare(featuresOver(t.Name), featuresFirst, featuresLast, t.Name)
		}
	}
}

// linearName returns the name of linearization k in tables and charts.
func (s *GapSpec) linearName(k int) string {
	if len(s.Linear) == 1 {
		return "linearized"
	}
	return fmt.Sprintf("linearized, rate %g", s.Linear[k].Rate)
}

// limitName returns the name of the limit of linearization k.
func (s *GapSpec) limitName(k int) string {
	if len(s.Linear) == 1 {
		return "limit"
	}
	return fmt.Sprintf("limit, decay %g", s.Linear[k].Decay)
}

// gapTables returns the accuracies of a task, a row for every width, and for a task with limits the parts of its gaps.
func (s *GapSpec) gapTables(t GapTask, points []gapPoint) []report.Table {
	width := record.TextField("width", func(p gapPoint) string { return p.width.String() })
	fields := []record.Field[gapPoint]{
		width,
		record.PercentField(s.Arch+" train", func(p gapPoint) float64 { return p.network.train }),
		record.PercentField(s.Arch+" test", func(p gapPoint) float64 { return p.network.test }),
	}
	for k := range s.Linear {
		name := s.linearName(k)
		fields = append(fields,
			record.PercentField(name+" train", func(p gapPoint) float64 { return p.linear[k].train }),
			record.PercentField(name+" test", func(p gapPoint) float64 { return p.linear[k].test }),
			record.PercentField(name+", gap train", func(p gapPoint) float64 { return p.trainGap(k) / 100 }),
			record.PercentField(name+", gap test", func(p gapPoint) float64 { return p.gap(k) / 100 }))
	}
	tables := []report.Table{record.TableOf(t.Name, fmt.Sprintf("%s: accuracy in percent after epoch %d, by width.",
		t.Name, s.epochsOf(t)), points, fields...)}
	if !t.Limit {
		return tables
	}
	parts := []record.Field[gapPoint]{width}
	for k := range s.Linear {
		limit, of := s.limitName(k), ""
		if len(s.Linear) > 1 {
			of = fmt.Sprintf(", rate %g", s.Linear[k].Rate)
		}
		parts = append(parts,
			record.PercentField(limit+" train", func(p gapPoint) float64 { return p.limit[k].Train }),
			record.PercentField(limit+" test", func(p gapPoint) float64 { return p.limit[k].Test }),
			record.PercentField("gap"+of, func(p gapPoint) float64 { return p.gap(k) / 100 }),
			record.PercentField("not yet converged"+of, func(p gapPoint) float64 { return p.unconverged(k) / 100 }).
				WithHelp("the limit less the linearization that SGD trained, on test images"),
			record.PercentField("no features"+of, func(p gapPoint) float64 { return p.features(k) / 100 }).
				WithHelp("the network less the limit, on test images"))
	}
	plain := len(s.Linear)
	parts = append(parts,
		record.PercentField("limit without ridge, test", func(p gapPoint) float64 { return p.limit[plain].Test }),
		record.NumberField("norm of u, ridge", "%.1f", func(p gapPoint) float64 { return p.limit[0].Norm }),
		record.NumberField("norm of u, no ridge", "%.1f", func(p gapPoint) float64 { return p.limit[plain].Norm }))
	return append(tables, record.TableOf(t.Name+"-parts", fmt.Sprintf("%s: the linearization in the limit of infinite "+
		"time, accuracy in percent, and the gap in test accuracy as the sum of what the linearization had not yet "+
		"learned and of what it cannot learn, by width. The ridge of the limit is that of the weight decay.", t.Name),
		points, parts...))
}

// gapCharts draws the accuracies and the gaps of a task by width, if there are two or more.
func (s *GapSpec) gapCharts(t GapTask, points []gapPoint) []study.Chart {
	if len(points) < 2 {
		return nil
	}
	chart := func(name, title, label, caption string) study.Chart {
		return study.Chart{Name: t.Name + "-" + name, Title: t.Name + ": " + title, XLabel: widthLabel, YLabel: label,
			Caption: caption}
	}
	after := fmt.Sprintf("After epoch %d.", s.epochsOf(t))
	if t.Limit {
		after = fmt.Sprintf("After epoch %d, and in the limit of infinite time.", s.epochsOf(t))
	}
	accuracy := chart("accuracy", "accuracy by width", "accuracy", after)
	gaps := chart("gap", "how far the network is ahead", "percentage points",
		"Accuracy of the network less that of its linearization.")
	training := chart("training", "accuracy on training images by width", "accuracy", after)
	parts := chart("parts", "why the linearization is behind on test images", "percentage points",
		"The gap is the sum of its two parts: the linearization had not yet converged, and it has no features.")
	add := func(c *study.Chart, name string, y func(gapPoint) float64) {
		c.Series = append(c.Series, record.SeriesOf(name, points, func(p gapPoint) float64 { return p.width.log2() }, y))
	}
	add(&accuracy, s.Arch+", test", func(p gapPoint) float64 { return p.network.test })
	add(&training, s.Arch+", training", func(p gapPoint) float64 { return p.network.train })
	for k := range s.Linear {
		add(&accuracy, s.linearName(k)+", test", func(p gapPoint) float64 { return p.linear[k].test })
		add(&training, s.linearName(k)+", training", func(p gapPoint) float64 { return p.linear[k].train })
		add(&gaps, s.linearName(k)+", test", func(p gapPoint) float64 { return p.gap(k) })
		add(&gaps, s.linearName(k)+", training", func(p gapPoint) float64 { return p.trainGap(k) })
	}
	if !t.Limit {
		return []study.Chart{accuracy, training, gaps}
	}
	for k := range s.Linear {
		add(&accuracy, s.limitName(k)+", test", func(p gapPoint) float64 { return p.limit[k].Test })
		add(&training, s.limitName(k)+", training", func(p gapPoint) float64 { return p.limit[k].Train })
	}
	add(&parts, "gap", func(p gapPoint) float64 { return p.gap(0) })
	add(&parts, "not yet converged", func(p gapPoint) float64 { return p.unconverged(0) })
	add(&parts, "no features", func(p gapPoint) float64 { return p.features(0) })
	return []study.Chart{accuracy, training, gaps, parts}
}
