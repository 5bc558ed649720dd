package energypaper

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/floats"
)

// addResults adds the measures, the tables and the charts of the pairs.
func (s *LinearTableSpec) addResults(all []*linearCurves, o *study.Outcome) error {
	least := make([]float64, len(linearTimes()))
	for _, c := range all {
		o.Set(likeOptimum.Of(c.key), c.atPaper[linearOptimum])
		o.Set(likeInitial.Of(c.key), c.atPaper[linearInit])
		o.Set(likeRandom.Of(c.key), c.atPaper[linearRandom])
		o.Set(overNull.Of(c.key), c.shape[overNull])
		floats.AddScaled(least, 1/float64(len(all)), c.measures[linearRandom])
	}
	o.Set(randomCentred, record.MeanOf(all, func(c *linearCurves) float64 { return c.atPaper[linearCentred] }))
	o.Set(linearNoise, record.MeanOf(all, func(c *linearCurves) float64 { return c.ceiling }))
	o.Set(randomAnyTime, floats.Min(least))
	s.setWidths(all, o)
	setShapes("fig4", all, o)
	setShapes("fig8", all, o)
	o.Tables = append(o.Tables, linearTable(all), s.widthsTable(all), samplesTable(all), timesTable(all),
		thirdsTable(all))
	o.Charts = append(o.Charts,
		timeChart(all, "time-random", "True and random labels", linearRandom),
		timeChart(all, "time-optimum", "True labels and the optimum", linearOptimum),
		timeChart(all, "time-initial", "True labels and the initial filters", linearInit),
		s.widthTimeChart(all), controlChart(all))
	f, err := s.widthTimeFigure(all)
	o.Figures = append(o.Figures, f)
	return err
}

// timeChart draws a measure of all pairs by ηT/width, with the paper's numbers as diamonds.
func timeChart(all []*linearCurves, name, title string, measure int) study.Chart {
	c := study.Chart{Name: name, Title: title, XLabel: "log₁₀ of the training time ηT/width", YLabel: "Pearson correlation of profiles",
		Caption: fmt.Sprintf("By the closed form. Diamonds are the paper's values in Table 3, drawn at %.3g, its "+
			"time with as many filters.", all[0].paperTime)}
	for _, p := range all {
		c.Series = append(c.Series, report.Series{Label: p.name, X: p.logTimes(), Y: p.measures[measure]})
	}
	for _, p := range all {
		c.Series = append(c.Series, report.Series{Label: "paper, " + p.name, X: []float64{math.Log10(p.paperTime)},
			Y: []float64{p.paper[measure]}, Dots: true})
	}
	return c
}

// controlChart draws the measures that are controls, as means over the pairs.
func controlChart(all []*linearCurves) study.Chart {
	c := study.Chart{Name: "time-controls", Title: "What makes them alike", XLabel: "log₁₀ of the training time ηT/width",
		YLabel: "Pearson correlation, mean over pairs",
		Caption: "Profiles with true labels against those with random ones, from random filters, for infinitely many " +
			"of them (Theorem 4.2), and from 0; with labels ±½; and against the label 1 for all images, and 0 and 1 " +
			"exchanged. The null, one of two filter banks rotated at random, has mean 0."}
	for _, m := range []struct {
		label   string
		measure int
	}{{"random labels", linearRandom}, {"infinite width", linearWide}, {"from 0", linearFromZero},
		{"labels ±½", linearCentred}, {"label 1 for all", linearConstant}, {"0 and 1 exchanged", linearSwapped}} {
		y := make([]float64, len(all[0].time))
		for _, p := range all {
			floats.AddScaled(y, 1/float64(len(all)), p.measures[m.measure])
		}
		c.Series = append(c.Series, report.Series{Label: m.label, X: all[0].logTimes(), Y: y})
	}
	return c
}

// logTimes returns log₁₀ ηT/width.
func (c *linearCurves) logTimes() []float64 { return similarity.MapValues(c.time, math.Log10) }

// linearTable is Table 3, with the paper's numbers and the controls.
func linearTable(all []*linearCurves) report.Table {
	type row = *linearCurves
	ours := func(name string, measure int) record.Field[row] {
		return record.NumberField(name, "%.3f", func(c row) float64 { return c.atPaper[measure] })
	}
	paper := func(measure int) record.Field[row] {
		return record.Field[row]{Column: report.Column{Name: "(paper)"}, Cell: func(c row) report.Cell {
			return report.Cell{Text: fmt.Sprintf("(%.2f)", c.paper[measure]), Mark: report.Muted}
		}}
	}
	return record.TableOf("table3", fmt.Sprintf("Table 3: Pearson correlations of energy profiles at ηT/width = "+
		"%.3g; in brackets the paper's.", all[0].paperTime), all,
		record.TextField("classes", func(c row) string { return c.name }),
		ours("optimum", linearOptimum), paper(linearOptimum), ours("initial", linearInit), paper(linearInit),
		ours("random labels", linearRandom), paper(linearRandom),
		record.NumberField("ceiling", "%.3f", func(c row) float64 { return c.ceiling }).
			WithHelp("the largest correlation of true and random labels that the noise of the filters allows, "+
				"from halves of the filters"),
		ours("infinite width", linearWide).WithHelp("of true and random labels, √(μ² + σ²) of Theorem 4.2"),
		ours("from 0", linearFromZero), ours("labels ±½", linearCentred), ours("label 1", linearConstant),
		ours("exchanged", linearSwapped))
}

// timesTable lists how true and random labels agree at some ηT/width.
func timesTable(all []*linearCurves) report.Table {
	return tableByTime("times", "True and random labels by ηT/width.", "%.3f", all,
		func(c *linearCurves) []float64 { return c.measures[linearRandom] })
}

// thirdsTable lists by how much the middle third of the components exceeds the first at some ηT/width.
func thirdsTable(all []*linearCurves) report.Table {
	return tableByTime("thirds", "Mean energy of the middle third of the components less that of the first third by "+
		"ηT/width: true labels, infinitely many filters (Theorem 4.2), relative to the root mean square.", "%+.3f", all,
		func(c *linearCurves) []float64 { return c.overLow })
}

// tableByTime lists a measure of each pair at every fifth of the times.
func tableByTime(name, title, format string, all []*linearCurves, measure func(*linearCurves) []float64) report.Table {
	fields := []record.Field[*linearCurves]{record.TextField("classes", func(c *linearCurves) string { return c.name })}
	for k := 0; k < len(all[0].time); k += 5 {
		fields = append(fields, record.NumberField(fmt.Sprintf("%.3g", all[0].time[k]), format,
			func(c *linearCurves) float64 { return measure(c)[k] }))
	}
	return record.TableOf(name, title, all, fields...)
}
