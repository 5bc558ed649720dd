package ntkpaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
)

// The measures of a network against its first linearization, in percentage points; second is the
// second linearization. A gap is the accuracy of the network less that of the linearization, on test
// images unless it is a train gap. First and last are the smallest and the largest width.
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

// baselineTrain and baselineTest return the measures of a baseline's accuracies in percent, linearOver and
// networkOver those of how far the first linearization and the network are ahead of it on test images.
func baselineTrain(b BaselineSpec) study.Measure {
	return study.NewMeasure("train_accuracy").Of(b.Name)
}
func baselineTest(b BaselineSpec) study.Measure { return study.NewMeasure("test_accuracy").Of(b.Name) }
func linearOver(b BaselineSpec) study.Measure   { return study.NewMeasure("linear_over_" + b.Name) }
func networkOver(b BaselineSpec) study.Measure  { return study.NewMeasure("network_over_" + b.Name) }

// gapOver returns the measure of how much larger the gap of the first task is than that of another
// task, at the smallest width; its part "wide" is that at the largest.
func gapOver(task string) study.Measure { return study.NewMeasure("gap_over_" + task) }

// GapSpec is networks and their linearizations at several widths, trained by SGD with momentum for
// the mean squared error, from the same weights by the same batches (ntk, section 4.1).
type GapSpec struct {
	Arch     string        `json:"arch" toml:"arch"`
	Tasks    []GapTask     `json:"tasks" toml:"tasks"`
	Epochs   int           `json:"epochs" toml:"epochs"`
	Batch    int           `json:"batch" toml:"batch"`
	Momentum float64       `json:"momentum" toml:"momentum"`
	Schedule string        `json:"schedule" toml:"schedule"` // see [models.ParseSchedule]; "" is constant
	Network  DescentSpec   `json:"network" toml:"network"`
	Linear   []DescentSpec `json:"linear" toml:"linear"` // each is another linearization; claims are about the first
	// Baselines are trained on the first task, at its smallest width
	Baselines []BaselineSpec `json:"baselines,omitempty" toml:"baselines"`
	Precision int            `json:"precision,omitempty" toml:"precision"` // 32, for 0, or 64
}

// BaselineSpec is another network, or another loss, that the networks are compared with.
type BaselineSpec struct {
	Name    string      `json:"name" toml:"name"`
	Arch    string      `json:"arch" toml:"arch"`
	Loss    string      `json:"loss" toml:"loss"`
	Descent DescentSpec `json:"descent" toml:"descent"`
}

// GapTask is a task at some widths. The measures about it are those of the part with its name.
type GapTask struct {
	Name    string    `json:"name" toml:"name"`
	Data    string    `json:"data" toml:"data"`
	Classes string    `json:"classes,omitempty" toml:"classes"` // see train.Spec
	Labels  string    `json:"labels,omitempty" toml:"labels"`   // see train.Spec
	Size    int       `json:"size,omitempty" toml:"size"`       // of the images; 0 is their own
	Shift   int       `json:"shift,omitempty" toml:"shift"`     // random shifts, in pixels
	Train   int       `json:"train,omitempty" toml:"train"`     // images; 0 is all
	Test    int       `json:"test,omitempty" toml:"test"`       // images; 0 is all
	Widths  []float64 `json:"widths" toml:"widths"`             // factors on the network's own, rising
}

// gapPoint is a network of a width and its linearizations.
type gapPoint struct {
	width   factor
	network accuracies
	linear  []accuracies
}

// gap returns the network's test accuracy less that of linearization k, in percentage points.
func (p gapPoint) gap(k int) float64 { return 100 * (p.network.test - p.linear[k].test) }

// trainGap returns the network's training accuracy less that of linearization k, in percentage
// points.
func (p gapPoint) trainGap(k int) float64 { return 100 * (p.network.train - p.linear[k].train) }

// gapData are the paper's datasets by task.
var gapData = map[string]string{"mnist": mnist, "centred": mnist, "shifted": mnist, "cifar10": cifar, "alike": snakes}

// StandIns implements [study.Substituter].
func (s *GapSpec) StandIns() map[string]string {
	var all []usedFor
	for _, t := range s.Tasks {
		all = append(all, usedFor{t.Data, gapData[t.Name]})
	}
	return standIns(all...)
}

// Run implements Spec.
func (s *GapSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	o := &study.Outcome{}
	for i, t := range s.Tasks {
		points, err := s.trainTask(ctx, in, t, o)
		if err == nil && i == 0 {
			err = s.trainBaselines(ctx, in, t, points[0], o)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		setGapMeasures(o, t.Name, points)
		o.Tables = append(o.Tables, s.gapTable(t, points))
		o.Charts = append(o.Charts, s.gapCharts(t, points)...)
	}
	first := s.Tasks[0].Name
	for _, t := range s.Tasks[1:] {
		over := gapOver(t.Name)
		o.Set(over, o.Value(gapFirst.Of(first))-o.Value(gapFirst.Of(t.Name)))
		o.Set(over.Of("wide"), o.Value(gapLast.Of(first))-o.Value(gapLast.Of(t.Name)))
	}
	return o, nil
}

// check refuses a spec without tasks, linearizations or widths.
func (s *GapSpec) check() error {
	if len(s.Tasks) == 0 || len(s.Linear) == 0 {
		return input.Errorf("%d tasks and %d linearizations: want at least 1 of each", len(s.Tasks), len(s.Linear))
	}
	for _, t := range s.Tasks {
		if len(t.Widths) == 0 {
			return input.Errorf("%s has no widths", t.Name)
		}
	}
	return nil
}

// trainTask trains the network and its linearizations at all widths of a task.
func (s *GapSpec) trainTask(ctx context.Context, in study.Setting, t GapTask, o *study.Outcome) ([]gapPoint, error) {
	var points []gapPoint
	for _, width := range t.Widths {
		p := gapPoint{width: factor(width)}
		spec := s.trainSpec(in, t, width)
		spec.LR, spec.WeightDecay = s.Network.Rate, s.Network.Decay
		var err error
		p.network, err = trainAccuracies(ctx, in, fmt.Sprintf("%s %v: %s", t.Name, p.width, s.Arch), spec, o)
		if err != nil {
			return nil, err
		}
		spec.Linearized = true
		for _, d := range s.Linear {
			spec.LR, spec.WeightDecay = d.Rate, d.Decay
			l, err := trainAccuracies(ctx, in, fmt.Sprintf("%s %v: linearized %s", t.Name, p.width, s.Arch), spec, o)
			if err != nil {
				return nil, err
			}
			p.linear = append(p.linear, l)
		}
		points = append(points, p)
	}
	return points, nil
}

// trainBaselines trains the baselines and compares them with the networks of a point.
func (s *GapSpec) trainBaselines(
	ctx context.Context, in study.Setting, t GapTask, p gapPoint, o *study.Outcome,
) error {
	var rows []baselineRow
	for _, b := range s.Baselines {
		spec := s.trainSpec(in, t, float64(p.width))
		spec.Arch, spec.Loss, spec.LR, spec.WeightDecay = b.Arch, b.Loss, b.Descent.Rate, b.Descent.Decay
		found, err := trainAccuracies(ctx, in, t.Name+": "+b.Name, spec, o)
		if err != nil {
			return err
		}
		o.Set(baselineTrain(b), 100*found.train)
		o.Set(baselineTest(b), 100*found.test)
		o.Set(linearOver(b), 100*(p.linear[0].test-found.test))
		o.Set(networkOver(b), 100*(p.network.test-found.test))
		rows = append(rows, baselineRow{b, found})
	}
	if len(rows) > 0 {
		o.Tables = append(o.Tables, record.TableOf("baselines", t.Name+": accuracy in percent of the baselines.", rows,
			record.TextField("baseline", func(r baselineRow) string { return r.Name }),
			record.TextField("network", func(r baselineRow) string { return r.Arch }),
			record.TextField("loss", func(r baselineRow) string { return r.Loss }),
			record.PercentField("train", func(r baselineRow) float64 { return r.train }),
			record.PercentField("test", func(r baselineRow) float64 { return r.test })))
	}
	return nil
}

// baselineRow is a baseline with what it reached.
type baselineRow struct {
	BaselineSpec
	accuracies
}

// trainSpec returns the training that the network and the linearizations of a width share.
func (s *GapSpec) trainSpec(in study.Setting, t GapTask, width float64) train.Spec {
	return train.Spec{
		Arch: s.Arch, Width: width, NoDropout: true, Data: t.Data, Dir: in.DataDir, Size: t.Size, Classes: t.Classes,
		Labels: t.Labels, Train: t.Train, Test: t.Test, Draw: drawOf(in), Shift: t.Shift, Epochs: s.Epochs,
		Batch: s.Batch, Momentum: s.Momentum, Schedule: s.Schedule, Loss: models.MeanSquaredError.String(),
		Precision: s.Precision, Threads: in.Threads, Seed: in.Seed,
	}
}

// setGapMeasures sets the measures of a task.
func setGapMeasures(o *study.Outcome, task string, points []gapPoint) {
	first, last := points[0], points[len(points)-1]
	o.Set(gapFirst.Of(task), first.gap(0))
	o.Set(gapLast.Of(task), last.gap(0))
	o.Set(gapShrinks.Of(task), first.gap(0)-last.gap(0))
	o.Set(trainGapFirst.Of(task), first.trainGap(0))
	o.Set(networkGains.Of(task), 100*(last.network.test-first.network.test))
	o.Set(linearGains.Of(task), 100*(last.linear[0].test-first.linear[0].test))
	o.Set(linearTrainGains.Of(task), 100*(last.linear[0].train-first.linear[0].train))
	o.Set(wideLinearOverNetwork.Of(task), 100*(last.linear[0].test-first.network.test))
	if len(first.linear) < 2 {
		return
	}
	least := first.gap(1)
	for _, p := range points {
		least = min(least, p.gap(1))
	}
	o.Set(secondGapLeast.Of(task), least)
	o.Set(rateHelps.Of(task), 100*(last.linear[0].test-last.linear[1].test))
}

// linearName returns the name of linearization k in tables and charts.
func (s *GapSpec) linearName(k int) string {
	if len(s.Linear) == 1 {
		return "linearized"
	}
	return fmt.Sprintf("linearized, rate %g", s.Linear[k].Rate)
}

// gapTable returns the accuracies of a task, a row for every width.
func (s *GapSpec) gapTable(t GapTask, points []gapPoint) report.Table {
	fields := []record.Field[gapPoint]{
		record.TextField("width", func(p gapPoint) string { return p.width.String() }),
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
	return record.TableOf(t.Name, fmt.Sprintf("%s: accuracy in percent after the last epoch, by width.", t.Name),
		points, fields...)
}

// gapCharts draws the accuracies and the gaps of a task by width.
func (s *GapSpec) gapCharts(t GapTask, points []gapPoint) []study.Chart {
	accuracy := study.Chart{
		Name: t.Name + "-accuracy", Title: t.Name + ": accuracy by width", XLabel: widthLabel, YLabel: "fraction right",
		Caption: "After the last epoch.",
	}
	gaps := study.Chart{
		Name: t.Name + "-gap", Title: t.Name + ": how far the network is ahead", XLabel: widthLabel,
		YLabel:  "percentage points",
		Caption: "Accuracy of the network less that of its linearization.",
	}
	add := func(c *study.Chart, name string, test, training func(gapPoint) float64) {
		width := func(p gapPoint) float64 { return p.width.log2() }
		c.Series = append(c.Series, record.SeriesOf(name+", test", points, width, test),
			record.SeriesOf(name+", training", points, width, training))
	}
	add(&accuracy, s.Arch, func(p gapPoint) float64 { return p.network.test },
		func(p gapPoint) float64 { return p.network.train })
	for k := range s.Linear {
		add(&accuracy, s.linearName(k), func(p gapPoint) float64 { return p.linear[k].test },
			func(p gapPoint) float64 { return p.linear[k].train })
		add(&gaps, s.linearName(k), func(p gapPoint) float64 { return p.gap(k) },
			func(p gapPoint) float64 { return p.trainGap(k) })
	}
	return []study.Chart{accuracy, gaps}
}
