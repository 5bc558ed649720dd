package ntkpaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
)

// The measures of the solver by width: the decimal logarithm of weights over images where its test accuracy is lowest
// and where u is longest; and by how many points it is better with the most and with the fewest weights.
var (
	worstRatio  = study.NewMeasure("worst_ratio")
	normPeak    = study.NewMeasure("norm_peak")
	recovers    = study.NewMeasure("recovers")
	betterFirst = study.NewMeasure("before")
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
	Widths    []float64 `json:"widths" toml:"widths"`         // factors on the network's widths, rising
	Precision int       `json:"precision" toml:"precision"`   // 64, since float32 loses the solutions near the threshold
}

// threshold returns the experiment about the width at which the solver does worst.
func threshold() *study.Experiment {
	at := func(s ThresholdSpec) *ThresholdSpec {
		s.Arch, s.Class, s.Precision = "lenet", "0", 64
		return &s
	}
	return &study.Experiment{
		ID: "ntk/threshold", Paper: "ntk", Figure: "Tables 1, 2: solver",
		Title: "Digit 0 against the rest: the solver is worst with as many weights as images",
		About: study.About{
			Done: "The linear system of Table 1 is solved at widths around the threshold of as many weights as " +
				"images. In the paper's tables the solver does worst at the standard width, which has 61 thousand " +
				"weights for 60 thousand images, and SGD is said to regularise.",
			Deviations: []string{
				"The paper does not ask where the solver is worst; a look at four widths with one seed preceded " +
					"the claims. At scale small there are 2000 training images, different ones for every seed, so " +
					"the threshold lies between ×0.15 and ×0.22.",
			},
			Conventions: []string{
				"The system is solved without a ridge and in float64, with u of least norm if there are more " +
					"weights than images, of least squares if there are fewer.",
			},
		},
		Claims: []study.Claim{
			worstRatio.Check("The test accuracy of the solver of LeNet's linearization is worst if there are "+
				"about as many weights as images: log₁₀ of weights over images.", study.Within(0, .5)).On(mnist),
			recovers.Claim("The solver of LeNet's linearization is more accurate on test images with many more "+
				"weights than images than at its worst width: points of accuracy.", "97.80 → 99.89 %",
				study.AtLeast(1)).On(mnist),
			betterFirst.Check("The solver of LeNet's linearization is more accurate on test images with fewer "+
				"weights than images than at its worst width: points of accuracy.", study.Above(0)).On(mnist),
			normPeak.Check("The norm of the solution u of LeNet's linearization is largest if there are about as "+
				"many weights as images: log₁₀ of weights over images.", study.Within(0, .5)).On(mnist),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: at(ThresholdSpec{Data: "glyphs", Train: 60, Test: 40, Widths: []float64{.05, .2}}),
			study.Small: at(ThresholdSpec{Data: "mnist", Train: 2000, Test: 4000,
				Widths: []float64{.06, .1, .15, .18, .22, .3, .5, 1}}),
			study.PaperScale: at(ThresholdSpec{Data: "mnist", Widths: []float64{.25, .5, .75, 1, 1.25, 1.5, 2, 5}}),
		},
	}
}

// StandIns implements [study.Substituter].
func (s *ThresholdSpec) StandIns() map[string]string { return standIns(usedFor{s.Data, mnist}) }

// solvedPoint is the solution at a width.
type solvedPoint struct {
	width             factor
	parameters, train int
	tangent.SolutionRecord
}

// ratio returns log10 of weights over images.
func (p solvedPoint) ratio() float64 {
	return math.Log10(float64(p.parameters) / float64(p.train))
}

// Run implements Spec.
func (s *ThresholdSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Widths) == 0 {
		return nil, input.Errorf("no widths")
	}
	o := &study.Outcome{}
	var points []solvedPoint
	for _, width := range s.Widths {
		p, err := s.solve(ctx, in, factor(width), o)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", factor(width), err)
		}
		points = append(points, *p)
	}
	if in.Dry() {
		return nil, nil
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
	set := func(m study.Measure, v float64) { o.Set(m, overWidths(len(points), v)) }
	set(worstRatio, worst.ratio())
	set(normPeak, longest.ratio())
	set(recovers, 100*(last.Test.Accuracy-worst.Test.Accuracy))
	set(betterFirst, 100*(first.Test.Accuracy-worst.Test.Accuracy))
	o.Tables = append(o.Tables, s.solverTable(points))
	byRatio := func(label string, y func(solvedPoint) float64) report.Series {
		return record.SeriesOf(label, points, solvedPoint.ratio, y)
	}
	const ratioLabel = "log10 of weights over images"
	o.Charts = append(o.Charts,
		study.Chart{Name: "accuracy", Title: "Accuracy of the solver", XLabel: ratioLabel, YLabel: "accuracy",
			Series: []report.Series{
				byRatio("training", func(p solvedPoint) float64 { return p.Train.Accuracy }),
				byRatio("test", func(p solvedPoint) float64 { return p.Test.Accuracy }),
			}},
		study.Chart{Name: "norm", Title: "Norm of u", XLabel: ratioLabel, YLabel: "log10 of the norm of u",
			Series: []report.Series{byRatio("norm", func(p solvedPoint) float64 { return math.Log10(p.Norm) })}})
	return o, nil
}

// solve solves the linear system of a width.
func (s *ThresholdSpec) solve(
	ctx context.Context, in study.Setting, width factor, o *study.Outcome,
) (*solvedPoint, error) {
	spec := sharedSpec(in, s.Arch, float64(width), s.Data, s.Train, s.Test)
	spec.Labels, spec.Shift, spec.Precision = train.OneClass+":"+s.Class, s.Shift, s.Precision
	if in.Dry() {
		return &solvedPoint{}, in.AddJob(spec.Tangents(0))
	}
	l, err := tangent.NewLinearization(ctx, tangent.LinearizeSpec{Spec: spec, Method: tangent.SolveMethod})
	if err != nil {
		return nil, err
	}
	if err := recordImages(o, spec, l.Training.Images()); err != nil {
		return nil, err
	}
	found, err := keepSolution(ctx, in, l, width.String())
	if err != nil {
		return nil, err
	}
	return &solvedPoint{width, l.Training.Network().Size(), l.Training.Images().Train.Len(), found}, nil
}

// solverTable returns the solutions, a row for every width.
func (s *ThresholdSpec) solverTable(points []solvedPoint) report.Table {
	return record.TableOf("solver",
		fmt.Sprintf("The solver by width, class %s against the rest, accuracies in percent.", s.Class), points,
		record.TextField("width", func(p solvedPoint) string { return p.width.String() }),
		record.CountField("weights", func(p solvedPoint) int { return p.parameters }),
		record.NumberField("weights / images", "%.2f", func(p solvedPoint) float64 { return math.Pow(10, p.ratio()) }),
		record.PercentField("train", func(p solvedPoint) float64 { return p.Train.Accuracy }),
		record.PercentField("test", func(p solvedPoint) float64 { return p.Test.Accuracy }),
		record.NumberField("norm of u", "%.1f", func(p solvedPoint) float64 { return p.Norm }),
		record.NumberField("log10 of rounding", "%.1f", func(p solvedPoint) float64 { return math.Log10(p.Rounding) }),
		record.TextField("by", func(p solvedPoint) string { return p.Method }))
}
