package ntkpaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
)

var (
	worstRatio    = study.NewMeasure("worst_ratio")
	recovers      = study.NewMeasure("recovers")
	beforeMeasure = study.NewMeasure("before")
	normPeak      = study.NewMeasure("norm_peak")
)

// ThresholdSpec solves the linear system of one class against the rest at widths with fewer weights
// than images, about as many, and more.
type ThresholdSpec struct {
	Arch      string    `json:"arch" toml:"arch"`
	Data      string    `json:"data" toml:"data"`
	Class     string    `json:"class" toml:"class"`
	Shift     int       `json:"shift,omitempty" toml:"shift"` // random shifts, in pixels
	Train     int       `json:"train,omitempty" toml:"train"` // images; 0 is all
	Test      int       `json:"test,omitempty" toml:"test"`   // images; 0 is all
	Widths    []float64 `json:"widths" toml:"widths"`         // factors on the network's own, rising
	Precision int       `json:"precision" toml:"precision"`   // 64, or float32 loses the solutions near the threshold
}

// threshold returns the experiment about the width at which the solver does worst.
func threshold() *study.Experiment {
	at := func(s ThresholdSpec) *ThresholdSpec {
		s.Arch, s.Class, s.Precision = "lenet", "0", 64
		return &s
	}
	return &study.Experiment{
		ID: "ntk/threshold", Paper: "ntk", Figure: "Tables 1, 2: solver",
		Title: "Zero or not: the solver is at its worst where there are as many weights as images",
		About: "In the paper's tables the solver does worst at the standard width, which has 61 thousand weights for " +
			"60 thousand images, and SGD is said to regularise. Here the linear system of Table 1 is solved at " +
			"widths around that threshold, without a ridge and in float64, with u of least norm where there are more " +
			"weights than images, of least squares where there are fewer. At scale small there are 2000 training " +
			"images, so that the threshold lies between ×0.15 and ×0.22. The paper does not ask this; a look at four " +
			"widths with one seed preceded the claims.",
		Claims: []study.Claim{
			worstRatio.Claim("The test accuracy is worst where weights are about as many as images (log10 of weights "+
				"over images).",
				"61 706 weights, 60 000 images", study.Within(0, .5)),
			recovers.Claim("With more weights it recovers (points).",
				"97.80 → 99.89 %", study.AtLeast(1)),
			beforeMeasure.Claim("With fewer it was better, too (points).",
				"not asked by the paper", study.Above(0)),
			normPeak.Claim("The norm of u is largest about there (log10 of weights over images).",
				"not asked by the paper", study.Within(0, .5)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: at(ThresholdSpec{Data: "glyphs", Train: 60, Test: 40, Widths: []float64{.05, .2}}),
			study.Small: at(ThresholdSpec{Data: "mnist", Train: 2000, Test: 4000,
				Widths: []float64{.06, .1, .15, .18, .22, .3, .5, 1}}),
			study.PaperScale: at(ThresholdSpec{Data: "mnist", Widths: []float64{.25, .5, .75, 1, 1.25, 1.5, 2, 5}}),
		},
	}
}

// thresholdPoint is the solution at a width.
type thresholdPoint struct {
	width             float64
	parameters, train int
	tangent.SolutionRecord
}

// ratio returns log10 of weights over images.
func (p thresholdPoint) ratio() float64 {
	return math.Log10(float64(p.parameters) / float64(p.train))
}

// Run implements Spec.
func (s *ThresholdSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Widths) == 0 {
		return nil, input.Errorf("no widths")
	}
	o := &study.Outcome{Values: map[string]float64{}}
	var points []thresholdPoint
	for _, width := range s.Widths {
		p, err := s.solve(ctx, in, width, o)
		if err != nil {
			return nil, fmt.Errorf("×%g: %w", width, err)
		}
		points = append(points, *p)
	}
	worst, longest := points[0], points[0]
	for _, p := range points {
		if p.Test.Accuracy < worst.Test.Accuracy {
			worst = p
		}
		if p.Norm > longest.Norm {
			longest = p
		}
	}
	first, last := points[0], points[len(points)-1]
	o.Set(worstRatio, worst.ratio())
	o.Set(normPeak, longest.ratio())
	o.Set(recovers, 100*(last.Test.Accuracy-worst.Test.Accuracy))
	o.Set(beforeMeasure, 100*(first.Test.Accuracy-worst.Test.Accuracy))
	o.Tables = append(o.Tables, s.solverTable(points))
	o.Charts = append(o.Charts,
		thresholdChart("accuracy", "Accuracy of the solver", "fraction right", points,
			map[string]func(thresholdPoint) float64{
				"training": func(p thresholdPoint) float64 { return p.Train.Accuracy },
				"test":     func(p thresholdPoint) float64 { return p.Test.Accuracy },
			}),
		thresholdChart("norm", "Norm of u", "log10 of the norm", points, map[string]func(thresholdPoint) float64{
			"norm": func(p thresholdPoint) float64 { return math.Log10(p.Norm) },
		}))
	return o, nil
}

// Jobs implements [study.Worker]: the kernel of each width, whose system is solved.
func (s *ThresholdSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Widths, func(width float64) ([]cost.Job, error) {
		j, err := train.Spec{Arch: s.Arch, Width: width, Data: s.Data, Labels: train.OneClass + ":" + s.Class,
			Train: s.Train, Test: s.Test}.Tangents(0)
		return []cost.Job{j}, err
	})
}

// solve solves the linear system of a width.
func (s *ThresholdSpec) solve(ctx context.Context, in study.Setting, width float64, o *study.Outcome) (*thresholdPoint,
	error) {
	l, err := tangent.NewLinearization(ctx, tangent.LinearizeSpec{Method: tangent.SolveMethod, Spec: train.Spec{
		Arch: s.Arch, Width: width, Data: s.Data, Dir: in.DataDir, Labels: train.OneClass + ":" + s.Class,
		Train: s.Train, Test: s.Test, Shift: s.Shift,
		Loss: models.MeanSquaredError.String(), Precision: s.Precision, Threads: in.Threads, Seed: in.Seed,
	}})
	if err != nil {
		return nil, err
	}
	if err := recordDataOnce(o, s.Data+", training", l.Training.Images().Train); err != nil {
		return nil, err
	}
	found, err := keepSolution(ctx, in, l, fmt.Sprintf("×%g", width))
	if err != nil {
		return nil, err
	}
	return &thresholdPoint{width, l.Training.Network().Size(), l.Training.Images().Train.Len(), found}, nil
}

// keepSolution solves a linear system of one ridge, or reads the solution that an earlier run kept.
func keepSolution(ctx context.Context, in study.Setting, l *tangent.Linearization, what string) (tangent.SolutionRecord,
	error) {
	return study.Keep(in, "solution "+what, l.Spec, func() (tangent.SolutionRecord, error) {
		r, err := l.Run(ctx, func(stage string, done, total int) { in.Report(what+": "+stage, done, total) })
		if err != nil {
			return tangent.SolutionRecord{}, err
		}
		return r.Solutions[0], nil
	})
}

func (s *ThresholdSpec) solverTable(points []thresholdPoint) report.Table {
	t := report.Table{
		Name: "solver", Caption: fmt.Sprintf("The solver by width, class %s against the rest, accuracies in percent.",
			s.Class),
		Columns: record.NumericColumns("width", "weights", "weights / images", "train", "test", "norm of u",
			"log10 of rounding"),
	}
	t.Columns = append(t.Columns, report.Column{Name: "by"})
	for _, p := range points {
		ratio, rounding := math.Pow(10, p.ratio()), math.Log10(p.Rounding)
		t.Rows = append(t.Rows, []report.Cell{
			{Text: fmt.Sprintf("×%g", p.width)}, record.CountCell(p.parameters), record.NumberCell(&ratio, "%.2f"),
			record.PercentCell(p.Train.Accuracy), record.PercentCell(p.Test.Accuracy),
			record.NumberCell(&p.Norm, "%.1f"), record.NumberCell(&rounding, "%.1f"), {Text: p.Method},
		})
	}
	return t
}

// thresholdChart draws quantities by weights over images.
func thresholdChart(name, title, label string, points []thresholdPoint,
	of map[string]func(thresholdPoint) float64) study.Chart {
	c := study.Chart{Name: name, Title: title, XLabel: "log10 of weights over images", YLabel: label}
	for _, series := range []string{"training", "test", "norm"} {
		if of[series] == nil {
			continue
		}
		line := report.Series{Label: series}
		for _, p := range points {
			line.X, line.Y = append(line.X, p.ratio()), append(line.Y, of[series](p))
		}
		c.Series = append(c.Series, line)
	}
	return c
}
