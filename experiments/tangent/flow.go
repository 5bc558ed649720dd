package tangent

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// FlowRecord is the gradient flow of a linearization with a ridge. A time is the learning rate times the steps of gradient
// descent with a small learning rate. Each list has a number for every time, or is empty if the set has no images. Losses
// are mean squared errors over images and outputs, accuracies fractions.
type FlowRecord struct {
	Times              []float64 `json:"times,omitempty"`
	TrainLoss          []float64 `json:"train_loss,omitempty"`
	TrainAccuracy      []float64 `json:"train_accuracy,omitempty"`
	ValidationLoss     []float64 `json:"validation_loss,omitempty"`
	ValidationAccuracy []float64 `json:"validation_accuracy,omitempty"`
	TestLoss           []float64 `json:"test_loss,omitempty"`
	TestAccuracy       []float64 `json:"test_accuracy,omitempty"`
}

// perDecade is the number of times of log:FROM:TO in a factor of ten.
const perDecade = 4

// mostTimes bounds the number of times.
const mostTimes = 10000

// logTimes begins log:FROM:TO.
const logTimes = "log:"

// parseTimes reads a list of rising times, or log:FROM:TO.
func parseTimes(text string) ([]float64, error) {
	bad := func(found string) ([]float64, error) {
		return nil, input.Errorf("--times %q: want rising times of at least 0, as 0,1,10,100, or log:FROM:TO, as log:1:1e6; "+
			"found %s", text, found)
	}
	tooMany := fmt.Sprintf("more than %d times", mostTimes)
	if span, logarithmic := strings.CutPrefix(text, logTimes); logarithmic {
		from, to, _ := strings.Cut(span, ":")
		a, err := strconv.ParseFloat(from, 64)
		b, err2 := strconv.ParseFloat(to, 64)
		if err != nil || err2 != nil || !(a > 0 && b > a) || math.IsInf(b, 0) {
			return bad(fmt.Sprintf("FROM %q and TO %q, not two numbers of which FROM is above 0 and TO larger", from, to))
		}
		intervals := math.Ceil(perDecade * math.Log10(b/a) * (1 - 1e-12))
		if intervals >= mostTimes { // b/a may be beyond a float64
			return bad(tooMany)
		}
		n := int(intervals)
		all := make([]float64, n+1)
		for i := range all {
			all[i] = a * math.Pow(b/a, float64(i)/float64(n))
		}
		return all, nil
	}
	var all []float64
	for _, field := range strings.Split(text, ",") {
		t, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		switch {
		case err != nil || !(t >= 0) || math.IsInf(t, 0):
			return bad(fmt.Sprintf("%q", field))
		case len(all) > 0 && t <= all[len(all)-1]:
			return bad(fmt.Sprintf("%v after %v", t, all[len(all)-1]))
		case len(all) == mostTimes:
			return bad(tooMany)
		}
		all = append(all, t)
	}
	return all, nil
}

// curves returns the lists of losses or accuracies, and the names of their sets of images, without empty ones.
func (r *FlowRecord) curves(accuracy bool) (names []string, lists [][]float64) {
	all := [][]float64{r.TrainLoss, r.ValidationLoss, r.TestLoss}
	if accuracy {
		all = [][]float64{r.TrainAccuracy, r.ValidationAccuracy, r.TestAccuracy}
	}
	for i, list := range all {
		if len(list) > 0 {
			names, lists = append(names, sets[i].curve), append(lists, list)
		}
	}
	return names, lists
}

// Tables returns the gradient flow, if there is one, and the solutions.
func (r *LinearizeRecord) Tables() []*report.Table {
	if len(r.Times) == 0 {
		return []*report.Table{r.Table()}
	}
	fields := []record.Field[int]{record.NumberField("time", "%.4g", func(i int) float64 { return r.Times[i] })}
	for _, accuracy := range []bool{false, true} {
		names, lists := r.curves(accuracy)
		for k, list := range lists {
			name, format, scale := names[k]+" loss", "%.4g", 1.
			if accuracy {
				name, format, scale = names[k]+" accuracy", "%.2f", 100
			}
			fields = append(fields, record.NumberField(name, format, func(i int) float64 { return scale * list[i] }))
		}
	}
	rows := make([]int, len(r.Times))
	for i := range rows {
		rows[i] = i
	}
	flow := record.TableOf("flow", r.flowText()+" Accuracies in percent.", rows, fields...)
	return []*report.Table{&flow, r.Table()}
}

// flowText says what the times are, and what a kernel that is not full neglects.
func (r *LinearizeRecord) flowText() string {
	text := "The gradient flow of the linearization, in closed form: time is the learning rate times the steps of gradient " +
		"descent with a small learning rate. "
	if d := r.Conventions.Descent; d != "" {
		text = "Gradient descent on the linearization, " + d + ", in closed form: time is the learning rate times the steps. "
	}
	return strings.TrimSpace(text + textOf(r.Kernel).flow)
}

// lossFigure draws the losses over time; it is nil without a gradient flow.
func (r *LinearizeRecord) lossFigure() (*report.Figure, error) {
	return r.flowFigure("flow-loss", "Loss along the gradient flow", "log10 of the mean squared error", false)
}

// accuracyFigure draws the accuracies over time; it is nil without a gradient flow.
func (r *LinearizeRecord) accuracyFigure() (*report.Figure, error) {
	return r.flowFigure("flow-accuracy", "Accuracy along the gradient flow", "accuracy", true)
}

// ridgesFlowFigure draws the accuracy over time by ridge, of test images if there are some; it is nil for one ridge.
func (r *LinearizeRecord) ridgesFlowFigure() (*report.Figure, error) {
	var series []report.Series
	set := "training"
	for _, s := range r.Solutions {
		if s.Flow == nil || len(r.Solutions) < 2 {
			return nil, nil
		}
		names, lists := s.Flow.curves(true)
		curve := report.Series{Label: fmt.Sprintf("λ = %g", s.Ridge)}
		set = names[len(names)-1]
		for i, t := range s.Flow.Times {
			if t > 0 {
				curve.X, curve.Y = append(curve.X, math.Log10(t)), append(curve.Y, lists[len(lists)-1][i])
			}
		}
		series = append(series, curve)
	}
	if len(r.Times) < 2 {
		return nil, nil
	}
	f, err := report.LineChart("flow-ridges", "Accuracy along the gradient flow by ridge",
		"log10 of the time, learning rate × steps", "accuracy", series)
	f.Caption = fmt.Sprintf("Accuracy on the %s images by ridge. %s", set, r.flowText())
	return &f, err
}

// shownDecades limits the losses that are drawn to so many powers of ten below the largest: in closed form they fall to
// 10^−300, and an axis down to there would show nothing else.
const shownDecades = 6

// flowFigure draws losses, or accuracies, over time; it is nil for fewer than two times.
func (r *LinearizeRecord) flowFigure(name, title, unit string, accuracy bool) (*report.Figure, error) {
	names, lists := r.curves(accuracy)
	var series []report.Series
	least, hidden := math.Inf(-1), false
	if all := slices.Concat(lists...); !accuracy && len(all) > 0 {
		least = math.Log10(slices.Max(all)) - shownDecades
	}
	for k, list := range lists {
		s := report.Series{Label: names[k]}
		for i, y := range list {
			if !accuracy {
				y = math.Log10(y)
			}
			hidden = hidden || y < least
			if r.Times[i] > 0 && y >= least && !math.IsInf(y, 0) {
				s.X, s.Y = append(s.X, math.Log10(r.Times[i])), append(s.Y, y)
			}
		}
		series = append(series, s)
	}
	if len(r.Times) < 2 {
		return nil, nil
	}
	f, err := report.LineChart(name, title, "log10 of the time, learning rate × steps", unit, series)
	f.Caption = r.flowText()
	if hidden {
		f.Caption += fmt.Sprintf(" Losses below 10^−%d of the largest are not drawn.", shownDecades)
	}
	return &f, err
}
