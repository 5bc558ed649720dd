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
	"github.com/ansatz-lab/ansatz/models"
)

// The measures of Tables 1 and 2 besides the gaps of gap.go: accuracies in percent and their
// differences in points, on test images unless they are about training. First is the smallest
// width, last the largest at which the system is solved.
var (
	solverTrainLeast      = study.NewMeasure("solver_train_least")
	linearOverSolverFirst = study.NewMeasure("linear_over_solver_first")
	solverGains           = study.NewMeasure("solver_gains")
	networkOverSolverLast = study.NewMeasure("network_over_solver_last")
	linearTrainShortFirst = study.NewMeasure("linear_train_short_first")
	networkTrainLeast     = study.NewMeasure("network_train_least")
)

// binaryAbout says what is learned, and how.
const binaryAbout = "The digit 0 against the rest, with one output towards 1 and 0: by LeNet, by its linearization " +
	"at its initial weights with the same mini-batches, and by solving the linear system of the linearization for " +
	"the training images, without a ridge and in its dual form, which gives the u of least norm. Learning rate 0.01, " +
	"momentum 0.9, weight decay 5e-5. The paper has one seed. At scale small there are 2000 training images, 5000 " +
	"test images and 30 epochs in place of 200; at scale paper the kernel of 60 000 rows and its decomposition need " +
	"173 GB. "

// binarySpecs returns the specs of Tables 1 and 2, for digits shifted by up to a number of pixels.
func binarySpecs(shift int) map[study.Scale]study.Spec {
	at := func(s BinarySpec) *BinarySpec {
		s.Arch, s.Class, s.Shift, s.Batch, s.Momentum, s.Descent = "lenet", "0", shift, 32, .9, DescentSpec{.01, 5e-5}
		return &s
	}
	smoke := at(BinarySpec{Data: "glyphs", Train: 60, Test: 40, Widths: []float64{.2, .4}, SolverWidths: 2, Epochs: 1})
	smoke.Shift = min(shift, 3)
	return map[study.Scale]study.Spec{
		study.Smoke: smoke,
		study.Small: at(BinarySpec{Data: "mnist", Train: 2000, Test: 5000, Widths: []float64{1, 2, 5},
			SolverWidths: 3, Epochs: 30}),
		study.PaperScale: at(BinarySpec{Data: "mnist", Widths: paperWidths(), SolverWidths: 3, Epochs: 200}),
	}
}

// table1 returns Table 1: digits where they are.
func table1() *study.Experiment {
	return &study.Experiment{
		ID: "ntk/table1", Paper: "ntk", Figure: "Table 1",
		Title: "Zero or not: LeNet, its linearization by SGD, and the solver",
		About: binaryAbout + "With 30 weights an image at the standard width, where the paper has one, the system " +
			"can be solved exactly with room to spare, which the paper's 60 000 images leave only at larger widths: " +
			"ntk/threshold is the solver where weights are as many as images.",
		Claims: []study.Claim{
			solverTrainLeast.Claim("The solver attains perfect training accuracy at all widths.",
				"100 %", study.AtLeast(100)),
			linearOverSolverFirst.Claim("At the standard width its test accuracy is worse than that of the "+
				"linearization trained by SGD (points).",
				"99.61 against 97.80 %", study.Above(0)),
			solverGains.Claim("Larger widths improve the solver's test accuracy (points).",
				"97.80 → 99.89 %", study.Above(0)),
			networkOverSolverLast.Claim("At the largest width it matches the network's (points).",
				"99.88 against 99.89 %", study.Within(0, .1)),
			linearTrainShortFirst.Claim("At the standard width SGD does not bring the linearization to 100 % on the "+
				"training images (points short).",
				"99.42 %", study.Above(0)),
			networkTrainLeast.Claim("LeNet reaches perfect training accuracy.",
				"100 %", study.AtLeast(99.95)),
			gapShrinks.Claim("The gap between LeNet and its linearization shrinks with width (points).",
				"0.28 → −0.01", study.Above(0)),
		},
		Specs: binarySpecs(0),
	}
}

// table2 returns Table 2: shifted digits.
func table2() *study.Experiment {
	return &study.Experiment{
		ID: "ntk/table2", Paper: "ntk", Figure: "Table 2", Title: "Zero or not, digits shifted by up to 7 pixels",
		About: binaryAbout + "SGD sees every training digit shifted anew each time it is read; the solver, which has " +
			"one system to solve, sees it shifted once. Test digits are shifted once.",
		Claims: []study.Claim{
			solverTrainLeast.Claim("The solver attains perfect training accuracy at all widths.",
				"100 %", study.AtLeast(100)),
			linearOverSolverFirst.Claim("At the standard width its test accuracy is much worse than that of the "+
				"linearization trained by SGD (points).",
				"95.48 against 86.05 %", study.AtLeast(1)),
			solverGains.Claim("Larger widths improve the solver's test accuracy (points).",
				"86.05 → 99.17 %", study.Above(0)),
			linearTrainShortFirst.Claim("At the standard width SGD does not bring the linearization to 100 % on the "+
				"training images (points short).",
				"95.42 %", study.AtLeast(.5)),
			gapFirst.Claim("At the standard width LeNet is well ahead of its linearization (points).",
				"4.24 points", study.AtLeast(1)),
			gapShrinks.Claim("The gap shrinks with width (points).",
				"4.24 → 0.31", study.Above(0)),
		},
		Specs: binarySpecs(7),
	}
}

// BinarySpec is one class against the rest, learned at several widths by a network with one output,
// by its linearization with SGD, and by solving the linear system of the linearization (ntk,
// section 4.3).
type BinarySpec struct {
	Arch         string      `json:"arch" toml:"arch"`
	Data         string      `json:"data" toml:"data"`
	Class        string      `json:"class" toml:"class"`
	Shift        int         `json:"shift,omitempty" toml:"shift"` // random shifts, in pixels
	Train        int         `json:"train,omitempty" toml:"train"` // images; 0 is all
	Test         int         `json:"test,omitempty" toml:"test"`   // images; 0 is all
	Widths       []float64   `json:"widths" toml:"widths"`         // factors on the network's own, rising
	SolverWidths int         `json:"solver_widths" toml:"solver_widths"`
	Epochs       int         `json:"epochs" toml:"epochs"`
	Batch        int         `json:"batch" toml:"batch"`
	Momentum     float64     `json:"momentum" toml:"momentum"`
	Descent      DescentSpec `json:"descent" toml:"descent"`
	Ridge        float64     `json:"ridge,omitempty" toml:"ridge"` // of the solver
}

// binaryPoint is the three methods at one width; the solver's accuracies are NaN where it was not
// run.
type binaryPoint struct {
	width                   factor
	solver, linear, network accuracies
}

// Run implements Spec.
func (s *BinarySpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Widths) == 0 || s.SolverWidths < 1 || s.SolverWidths > len(s.Widths) {
		return nil, input.Errorf("%d widths, %d of them for the solver: want at least 1 of each", len(s.Widths),
			s.SolverWidths)
	}
	o := &study.Outcome{}
	var points []binaryPoint
	for i, width := range s.Widths {
		p := binaryPoint{width: factor(width), solver: accuracies{math.NaN(), math.NaN()}}
		if err := s.trainBoth(ctx, in, &p, o); err != nil {
			return nil, err
		}
		if i < s.SolverWidths {
			if err := s.solve(ctx, in, &p); err != nil {
				return nil, err
			}
		}
		points = append(points, p)
	}
	setBinaryMeasures(o, points, s.SolverWidths)
	o.Tables = append(o.Tables, s.accuracyTable("test", "test", points, func(a accuracies) float64 { return a.test }),
		s.accuracyTable("train", "training", points, func(a accuracies) float64 { return a.train }))
	o.Charts = append(o.Charts, errorChart(points))
	return o, nil
}

// trainSpec returns the training that the network and the linearization of a width share.
func (s *BinarySpec) trainSpec(in study.Setting, width float64) train.Spec {
	return train.Spec{
		Arch: s.Arch, Width: width, NoDropout: true, Data: s.Data, Dir: in.DataDir,
		Labels: train.OneClass + ":" + s.Class, Train: s.Train, Test: s.Test, Shift: s.Shift,
		Epochs: s.Epochs, Batch: s.Batch, LR: s.Descent.Rate, Momentum: s.Momentum, WeightDecay: s.Descent.Decay,
		Loss: models.MeanSquaredError.String(), Threads: in.Threads, Seed: in.Seed,
	}
}

// trainBoth trains the network and its linearization.
func (s *BinarySpec) trainBoth(ctx context.Context, in study.Setting, p *binaryPoint, o *study.Outcome) (err error) {
	spec := s.trainSpec(in, float64(p.width))
	if p.network, err = trainAccuracies(ctx, in, fmt.Sprintf("%v: %s", p.width, s.Arch), spec, o); err != nil {
		return err
	}
	spec.Linearized = true
	p.linear, err = trainAccuracies(ctx, in, fmt.Sprintf("%v: linearized %s", p.width, s.Arch), spec, o)
	return err
}

// solve solves the linear system of the linearization and sets its accuracies.
func (s *BinarySpec) solve(ctx context.Context, in study.Setting, p *binaryPoint) error {
	spec := s.trainSpec(in, float64(p.width))
	if in.Dry() {
		return in.AddJob(spec.Tangents(0))
	}
	l, err := tangent.NewLinearization(ctx,
		tangent.LinearizeSpec{Spec: spec, Method: tangent.SolveMethod, Ridges: []float64{s.Ridge}})
	if err != nil {
		return err
	}
	found, err := keepSolution(ctx, in, l, p.width.String()+": solver")
	if err != nil {
		return err
	}
	p.solver = accuracies{found.Train.Accuracy, found.Test.Accuracy}
	return nil
}

// setBinaryMeasures sets the measures; solved is the number of widths at which the system is solved.
func setBinaryMeasures(o *study.Outcome, points []binaryPoint, solved int) {
	first, last, lastSolved := points[0], points[len(points)-1], points[solved-1]
	gap := func(p binaryPoint) float64 { return 100 * (p.network.test - p.linear.test) }
	solver, network := 1., 1.
	for i, p := range points {
		if network = min(network, p.network.train); i < solved {
			solver = min(solver, p.solver.train)
		}
	}
	o.Set(solverTrainLeast, 100*solver)
	o.Set(networkTrainLeast, 100*network)
	o.Set(linearOverSolverFirst, 100*(first.linear.test-first.solver.test))
	o.Set(solverGains, 100*(lastSolved.solver.test-first.solver.test))
	o.Set(networkOverSolverLast, 100*(lastSolved.network.test-lastSolved.solver.test))
	o.Set(linearTrainShortFirst, 100*(1-first.linear.train))
	o.Set(gapFirst, gap(first))
	o.Set(gapLast, gap(last))
	o.Set(gapShrinks, gap(first)-gap(last))
}

// binaryMethod is one of the three methods.
type binaryMethod struct {
	name string
	of   func(binaryPoint) accuracies
}

// binaryMethods returns the methods in the order of the tables. The network has the given name.
func binaryMethods(network string) []binaryMethod {
	return []binaryMethod{
		{"solver", func(p binaryPoint) accuracies { return p.solver }},
		{"linearized, SGD", func(p binaryPoint) accuracies { return p.linear }},
		{network, func(p binaryPoint) accuracies { return p.network }},
	}
}

// accuracyTable has the layout of Tables 1 and 2: a row for every method and a column for every
// width.
func (s *BinarySpec) accuracyTable(
	name, images string, points []binaryPoint, of func(accuracies) float64,
) report.Table {
	fields := []record.Field[binaryMethod]{record.TextField(name, func(m binaryMethod) string { return m.name })}
	for _, p := range points {
		fields = append(fields,
			record.PercentField(p.width.String(), func(m binaryMethod) float64 { return of(m.of(p)) }))
	}
	return record.TableOf(name, fmt.Sprintf("Accuracy on the %s images in percent, class %s against the rest, by "+
		"width.", images, s.Class), binaryMethods(s.Arch), fields...)
}

// errorChart draws errors on the test images by width.
func errorChart(points []binaryPoint) study.Chart {
	c := study.Chart{Name: "error", Title: "Error on test images by width", XLabel: widthLabel, YLabel: "percent wrong",
		Caption: "One class against the rest."}
	for _, m := range binaryMethods("network") {
		c.Series = append(c.Series, record.SeriesOf(m.name, points,
			func(p binaryPoint) float64 { return p.width.log2() },
			func(p binaryPoint) float64 { return 100 * (1 - m.of(p).test) }))
	}
	return c
}
