package measure

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// Result is the part of a record about predictions for test examples.
type Result struct {
	Measures []Named `json:"measures,omitempty"`
	// Of a classification: how probabilities are computed, the costs of the classes if they differ, and the
	// reliability curve.
	Probabilities    string             `json:"probabilities,omitempty"`
	Slope            float64            `json:"calibration_slope,omitempty"` // as in [Temperature]
	ClassWeights     map[string]float64 `json:"class_weights,omitempty"`
	Reliability      []Bin              `json:"reliability,omitempty"`
	CalibrationError *float64           `json:"calibration_error,omitempty"`
}

// OfClasses measures outputs for rows of the given classes; names are those of the classes.
func OfClasses(d Decision, outputs *mat.Dense, classes []int, names []string, seed uint64) Result {
	p := d.Probabilities(outputs)
	r := Result{Measures: Classes(p, classes, d.Decide(outputs), seed), Probabilities: d.describe()}
	if d.Temperature != nil {
		r.Slope = d.Temperature.Slope
	}
	if d.Weights != nil {
		r.ClassWeights = map[string]float64{}
		for k, w := range d.Weights {
			r.ClassWeights[names[k]] = w
		}
	}
	bins, e := Reliability(p, classes)
	r.Reliability, r.CalibrationError = bins, &e
	return r
}

// OfNumbers measures predictions for rows with the given targets, both in the target's unit.
func OfNumbers(predictions, targets []float64, seed uint64) Result {
	return Result{Measures: Numbers(predictions, targets, seed)}
}

// describe says how probabilities are made.
func (d Decision) describe() string {
	if d.Temperature == nil {
		return "outputs cut to [0, 1] and divided by their sum; not calibrated, for want of held-out rows"
	}
	return fmt.Sprintf("softmax of %.4g times the outputs, calibrated on %d held-out rows", d.Temperature.Slope,
		d.Temperature.Rows)
}

// Sentence lists the measures in a sentence, "" if there are none.
func (r *Result) Sentence() string {
	var parts []string
	for _, m := range r.Measures {
		parts = append(parts, fmt.Sprintf("%s %.4g (%.4g to %.4g)", label(m.Name), m.Value, m.Low, m.High))
	}
	if parts == nil {
		return ""
	}
	return " With 95 % intervals: " + strings.Join(parts, ", ") + "." + r.remarks()
}

// remarks says if probabilities are not calibrated, and if classes are decided by weights; "" if neither is so.
func (r *Result) remarks() string {
	text := ""
	if r.Probabilities != "" && r.Slope == 0 {
		text = " Probabilities are not calibrated, for want of held-out rows."
	}
	if r.ClassWeights == nil {
		return text
	}
	return text + " Classes are decided by the class weights, so that accuracies differ from those of the iterations."
}

// label returns a measure's name for texts.
func label(name string) string {
	switch name {
	case "log_loss":
		return "log-loss"
	case "auc", "rmse", "mae", "r2":
		return strings.ToUpper(strings.Replace(name, "2", "²", 1))
	case "brier":
		return "Brier score"
	}
	return strings.ReplaceAll(name, "_", " ")
}

// Table returns the measures with their intervals.
func (r *Result) Table() *report.Table {
	t := &report.Table{Name: "measures", Columns: record.NumericColumns("measure", "value", "low", "high"),
		Caption: "Measures on the test examples, with 95 % bootstrap intervals over these examples." + r.remarks()}
	for _, m := range r.Measures {
		t.Rows = append(t.Rows, append(record.TextCells(label(m.Name)), record.DefinedCell(m.Value, "%.4g"),
			record.DefinedCell(m.Low, "%.4g"), record.DefinedCell(m.High, "%.4g")))
	}
	return t
}

// Section returns the measures as a part of a page, nil if there are none.
func (r *Result) Section() (*report.Section, error) {
	if len(r.Measures) == 0 {
		return nil, nil
	}
	s := &report.Section{Heading: "Measures on the test examples", Tables: []report.Table{*r.Table()}}
	if r.Probabilities != "" {
		s.Facts = append(s.Facts, report.Fact{Name: "probabilities", Value: r.Probabilities})
	}
	if len(r.Reliability) == 0 {
		return s, nil
	}
	curve := report.Series{Label: "this model"}
	for _, b := range r.Reliability {
		curve.X, curve.Y = append(curve.X, b.Predicted), append(curve.Y, b.Observed)
	}
	f, err := report.LineChart("reliability", "How often predicted probabilities come true", "predicted probability",
		"share that is of the class", []report.Series{curve, {Label: "calibrated", X: []float64{0, 1}, Y: []float64{0, 1}}})
	f.Caption = fmt.Sprintf("Predicted probabilities of the test examples in bins of width .1, and the share of each bin that "+
		"is of the class. The expected calibration error, the mean distance from the diagonal, is %.3f.", *r.CalibrationError)
	s.Figures = []report.Figure{f}
	return s, err
}
