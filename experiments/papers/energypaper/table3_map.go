package energypaper

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/stat"
)

// setWidths sets the measures across initialisations and widths: means over the pairs of classes and, for the last
// two, also over the pairs of widths.
func (s *LinearTableSpec) setWidths(all []*linearCurves, o *study.Outcome) {
	var seeds, steps, times []float64
	for _, c := range all {
		for i, a := range c.widths {
			if a.width == s.Width {
				seeds = append(seeds, a.seeds)
			}
			for _, b := range c.widths[:i] {
				if !slices.Contains(s.Compared, a.width) || !slices.Contains(s.Compared, b.width) {
					continue
				}
				steps = append(steps, stat.Correlation(a.profile, b.profile, nil))
				times = append(times, stat.Correlation(a.sameTime, b.sameTime, nil))
			}
		}
	}
	o.Set(likeOtherSeed, stat.Mean(seeds, nil))
	o.Set(likeOtherWidth, stat.Mean(steps, nil))
	o.Set(likeSameTime, stat.Mean(times, nil))
}

// widthsTable has a row for each width.
func (s *LinearTableSpec) widthsTable(all []*linearCurves) report.Table {
	var rows []int
	for i := range s.Widths {
		rows = append(rows, i)
	}
	mean := func(name, help string, value func(w widthCurve) float64) record.Field[int] {
		return record.NumberField(name, "%.3f", func(i int) float64 {
			return record.MeanOf(all, func(c *linearCurves) float64 { return value(c.widths[i]) })
		}).WithHelp(help)
	}
	fields := []record.Field[int]{
		record.TextField("filters", func(i int) string { return fmt.Sprint(s.Widths[i]) }),
		record.NumberField("ηT/width", "%.3g", func(i int) float64 { return all[0].widths[i].time }),
	}
	for _, c := range all {
		fields = append(fields, record.NumberField(c.name, "%.3f", func(i int) float64 { return c.widths[i].random }).
			WithHelp("true and random labels"))
	}
	fields = append(fields,
		mean("ceiling", "the largest correlation that the noise of the filters allows, mean over the classes",
			func(w widthCurve) float64 { return w.ceiling }),
		mean("initial", "true labels and the initial filters, mean over the classes",
			func(w widthCurve) float64 { return w.initial }),
		mean("seeds", "true labels from two initialisations, mean over the classes",
			func(w widthCurve) float64 { return w.seeds }))
	return record.TableOf("widths", "Linear CNNs of several widths after the paper's steps at the paper's rate: "+
		"correlations of energy profiles.", rows, fields...)
}

// samplesTable lists the correlation with the optimum by the share of the images that the components are computed from.
func samplesTable(all []*linearCurves) report.Table {
	type row = *linearCurves
	fields := []record.Field[row]{record.TextField("classes", func(c row) string { return c.name })}
	for k, s := range all[0].optimum {
		images := fmt.Sprintf("%g %%", 100*s.share)
		fields = append(fields,
			record.NumberField(images, "%.3f", func(c row) float64 { return c.optimum[k].atPaper }).
				WithHelp("components of this share of the images, after the paper's steps"),
			record.NumberField(images+", late", "%.3f", func(c row) float64 { return c.optimum[k].late }).
				WithHelp(fmt.Sprintf("the same at ηT/width = %.0g", lateTime)))
	}
	fields = append(fields, record.NumberField("paper", "%.2f", func(c row) float64 { return c.paper[linearOptimum] }))
	return record.TableOf("samples", "True labels and the optimum: the correlation of the energy profiles by the "+
		"share of the images on whose patches the principal components are computed.", all, fields...)
}

// widthTimes returns the agreement of true and random labels over time, averaged over the pairs of classes: a row for
// each width, and one for infinite width.
func (s *LinearTableSpec) widthTimes(all []*linearCurves) [][]float64 {
	last := len(s.Widths)
	rows := make([][]float64, last+1)
	for k := range linearTimes() {
		for i := range s.Widths {
			rows[i] = append(rows[i], record.MeanOf(all, func(c *linearCurves) float64 { return c.widths[i].byTime[k] }))
		}
		wide := record.MeanOf(all, func(c *linearCurves) float64 { return c.measures[linearWide][k] })
		rows[last] = append(rows[last], wide)
	}
	return rows
}

// widthTimeFigure maps the agreement of true and random labels over width and time.
func (s *LinearTableSpec) widthTimeFigure(all []*linearCurves) (report.Figure, error) {
	times := linearTimes()
	m := report.Matrix{Title: "Correlation of profiles, true and random labels", Rows: len(s.Widths) + 1, Cols: len(times),
		Data: slices.Concat(s.widthTimes(all)...)}
	for _, w := range s.Widths {
		m.RowNames = append(m.RowNames, fmt.Sprintf("width %d", w))
	}
	m.RowNames = append(m.RowNames, "infinite width")
	for _, time := range times {
		rounded, _ := strconv.ParseFloat(fmt.Sprintf("%.2g", time), 64)
		m.ColNames = append(m.ColNames, strconv.FormatFloat(rounded, 'f', -1, 64)) // 100 and not 1e+02
	}
	f, err := report.HeatMaps("width-time", []report.Matrix{m})
	f.Caption = "Correlation of the energy profiles with true and with random labels, mean over the pairs of " +
		"classes. Columns are ηT/width, evenly spaced in the logarithm."
	f.Wide = true
	return f, err
}

// widthTimeChart draws the same, a curve for each width.
func (s *LinearTableSpec) widthTimeChart(all []*linearCurves) study.Chart {
	c := study.Chart{Name: "time-widths", Title: "True and random labels by width", XLabel: "log₁₀ of the training time ηT/width",
		YLabel: "Pearson correlation, mean over pairs",
		Caption: "Correlation of the energy profiles with true and with random labels, mean over the pairs of " +
			"classes, of networks of several widths and by the closed form for infinite width."}
	for i, y := range s.widthTimes(all) {
		label := "infinite width"
		if i < len(s.Widths) {
			label = fmt.Sprintf("%d filters", s.Widths[i])
		}
		c.Series = append(c.Series, report.Series{Label: label, X: all[0].logTimes(), Y: y})
	}
	return c
}
