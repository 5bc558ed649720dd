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
	width                   float64
	solver, linear, network accuracies
	method                  string // of the solver
}

// Run implements Spec.
func (s *BinarySpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Widths) == 0 || s.SolverWidths < 1 || s.SolverWidths > len(s.Widths) {
		return nil, input.Errorf("%d widths, %d of them for the solver: want at least 1 of each", len(s.Widths),
			s.SolverWidths)
	}
	o := &study.Outcome{Values: map[string]float64{}}
	var points []binaryPoint
	for i, width := range s.Widths {
		p := binaryPoint{width: width, solver: accuracies{math.NaN(), math.NaN()}}
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
	setBinaryValues(points, s.SolverWidths, o.Values)
	o.Tables = append(o.Tables, s.accuracyTable("test", points, func(a accuracies) float64 { return a.test }),
		s.accuracyTable("train", points, func(a accuracies) float64 { return a.train }))
	o.Charts = append(o.Charts, binaryChart(points))
	return o, nil
}

// Jobs implements [study.Worker]: at each width the network, its linearization, and its
// kernel where the system is solved.
func (s *BinarySpec) Jobs() ([]cost.Job, error) {
	var all []cost.Job
	for i, width := range s.Widths {
		spec := s.trainSpec(study.Setting{}, width)
		net, err := spec.Job(true)
		if err != nil {
			return nil, err
		}
		spec.Linearized = true
		linear, err := spec.Job(true)
		if err != nil {
			return nil, err
		}
		all = append(all, net, linear)
		if i < s.SolverWidths {
			solved, err := spec.Tangents(0)
			if err != nil {
				return nil, err
			}
			all = append(all, solved)
		}
	}
	return all, nil
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
	spec := s.trainSpec(in, p.width)
	if p.network, err = trainAccuracies(ctx, in, fmt.Sprintf("×%g: %s", p.width, s.Arch), spec, o); err != nil {
		return err
	}
	spec.Linearized = true
	p.linear, err = trainAccuracies(ctx, in, fmt.Sprintf("×%g: linearized %s", p.width, s.Arch), spec, o)
	return err
}

// solve solves the linear system of the linearization and sets its accuracies.
func (s *BinarySpec) solve(ctx context.Context, in study.Setting, p *binaryPoint) error {
	l, err := tangent.NewLinearization(ctx,
		tangent.LinearizeSpec{Spec: s.trainSpec(in, p.width), Method: tangent.SolveMethod, Ridges: []float64{s.Ridge}})
	if err != nil {
		return err
	}
	found, err := keepSolution(ctx, in, l, fmt.Sprintf("×%g: solver", p.width))
	if err != nil {
		return err
	}
	p.solver, p.method = accuracies{found.Train.Accuracy, found.Test.Accuracy}, found.Method
	return nil
}

// setBinaryValues sets the values of the claims, in percentage points.
func setBinaryValues(points []binaryPoint, solved int, values map[string]float64) {
	first, last, widest := points[0], points[len(points)-1], points[solved-1]
	least := 1.
	for _, p := range points[:solved] {
		least = min(least, p.solver.train)
	}
	values["solver_train_least"] = 100 * least
	values["linear_over_solver_first"] = 100 * (first.linear.test - first.solver.test)
	values["solver_gains"] = 100 * (widest.solver.test - first.solver.test)
	values["network_over_solver_last"] = 100 * (widest.network.test - widest.solver.test)
	values["linear_train_short_first"] = 100 * (1 - first.linear.train)
	values["gap_first"] = 100 * (first.network.test - first.linear.test)
	values["gap_last"] = 100 * (last.network.test - last.linear.test)
	values["gap_shrinks"] = values["gap_first"] - values["gap_last"]
	values["network_train_least"] = 100
	for _, p := range points {
		values["network_train_least"] = min(values["network_train_least"], 100*p.network.train)
	}
}

// accuracyTable has the layout of Tables 1 and 2: a row for the solver, the linearization and the
// network, and a column for every width.
func (s *BinarySpec) accuracyTable(set string, points []binaryPoint, of func(accuracies) float64) report.Table {
	t := report.Table{Name: set, Caption: fmt.Sprintf("Accuracy on the %s images in percent, class %s against the "+
		"rest, by width.", map[string]string{"test": "test", "train": "training"}[set], s.Class),
		Columns: record.NumericColumns("")}
	rows := [][]report.Cell{{{Text: "solver"}}, {{Text: "linearized, SGD"}}, {{Text: s.Arch}}}
	for _, p := range points {
		t.Columns = append(t.Columns, report.Column{Name: fmt.Sprintf("×%g", p.width), Numeric: true})
		for i, a := range []accuracies{p.solver, p.linear, p.network} {
			rows[i] = append(rows[i], record.PercentCell(of(a)))
		}
	}
	t.Columns[0].Name = set
	t.Rows = rows
	return t
}

// binaryChart draws errors on the test images by width.
func binaryChart(points []binaryPoint) study.Chart {
	c := study.Chart{Name: "error", Title: "Error on test images by width", XLabel: widthLabel, YLabel: "percent wrong",
		Caption: "One class against the rest."}
	for _, line := range []struct {
		label string
		of    func(binaryPoint) accuracies
	}{
		{"solver", func(p binaryPoint) accuracies { return p.solver }},
		{"linearized, SGD", func(p binaryPoint) accuracies { return p.linear }},
		{"network", func(p binaryPoint) accuracies { return p.network }},
	} {
		s := report.Series{Label: line.label}
		for _, p := range points {
			s.X, s.Y = append(s.X, math.Log2(p.width)), append(s.Y, 100*(1-line.of(p).test))
		}
		c.Series = append(c.Series, s)
	}
	return c
}
