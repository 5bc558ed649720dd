package search

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// ScoreText returns the mean score over the folds, with its standard error.
func (t *Trial) ScoreText() string {
	if t.Accuracy != nil {
		return fmt.Sprintf("accuracy %.2f ± %.2f %%", 100**t.Accuracy, 100*t.StdErr)
	}
	return fmt.Sprintf("R² %.4f ± %.4f", t.Score(), t.StdErr)
}

// Table returns a table of trials. If they are ranked, it has a column of ranks.
func Table(name, caption string, trials []Trial, ranked bool) *report.Table {
	var fields []record.Field[Trial]
	if ranked {
		rank := map[int]int{}
		for i, t := range trials {
			rank[t.Number] = i + 1
		}
		fields = append(fields, record.CountField("rank", func(t Trial) int { return rank[t.Number] }))
	}
	number := func(name, format string, v func(t Trial) float64) record.Field[Trial] {
		return record.NumberField(name, format, v)
	}
	text := func(name string, v func(t Trial) string) record.Field[Trial] { return record.TextField(name, v) }
	score := "R²"
	failed := false
	for _, t := range trials {
		if t.Accuracy != nil {
			score = "accuracy"
		}
		failed = failed || t.Error != ""
	}
	fields = append(fields, number("trial", "%.0f", func(t Trial) float64 { return float64(t.Number) }),
		number(score, "%.4f", func(t Trial) float64 { return t.Score() }),
		number("stderr", "%.4f", func(t Trial) float64 {
			if t.Error != "" {
				return math.NaN()
			}
			return t.StdErr
		}).WithHelp("standard error over the folds"),
		text("kernel", func(t Trial) string { return t.Kernel }),
		text("bandwidth", func(t Trial) string {
			switch {
			case t.Bandwidth == 0:
				return ""
			case t.Adaptive:
				return fmt.Sprintf("%.3g medians", t.Bandwidth)
			}
			return fmt.Sprintf("%.3g", t.Bandwidth)
		}),
		number("ridge", "%.3g", func(t Trial) float64 { return t.Ridge }),
		number("iteration", "%.0f", func(t Trial) float64 { return float64(t.Iteration) }),
		number("power", "%.3g", func(t Trial) float64 { return t.Power }).WithHelp("M = AGOP^power"),
		text("M", func(t Trial) string { return map[bool]string{true: "diagonal", false: "full"}[t.Diagonal] }),
		text("transform", func(t Trial) string { return t.Transform }),
		number("seconds", "%.1f", func(t Trial) float64 { return t.Seconds }))
	if failed {
		fields = append(fields, text("error", func(t Trial) string { return t.Error }))
	}
	t := record.TableOf(name, caption, trials, fields...)
	return t.WithoutEmpty()
}

// Figure draws the score of every trial, and the best so far.
func Figure(trials []Trial, folds int) (report.Figure, error) {
	label := "R² by cross-validation"
	each, best := report.Series{Label: "trial", Dots: true}, report.Series{Label: "best so far"}
	highest := math.Inf(-1)
	for _, t := range trials {
		if t.Error != "" {
			continue
		}
		if t.Accuracy != nil {
			label = "accuracy by cross-validation"
		}
		highest = max(highest, t.Score())
		each.X, each.Y = append(each.X, float64(t.Number)), append(each.Y, t.Score())
		best.X, best.Y = append(best.X, float64(t.Number)), append(best.Y, highest)
	}
	f, err := report.LineChart("scores", "Scores of the trials", "trial", label, []report.Series{each, best})
	f.Caption = fmt.Sprintf("Mean scores over %d folds of the training examples. Trial 0 has the settings that were given, or "+
		"the defaults.", folds)
	return f, err
}
