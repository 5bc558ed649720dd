package ntkpaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
)

// GapSpec compares networks with their linearizations at several widths. Both are trained by SGD with momentum for the
// mean squared error, from the same weights with the same batches (ntk, section 4.1). It also compares the
// linearizations in the limit of infinite time.
type GapSpec struct {
	Arch     string        `json:"arch" toml:"arch"`
	Tasks    []GapTask     `json:"tasks" toml:"tasks"`
	Epochs   int           `json:"epochs" toml:"epochs"`
	Batch    int           `json:"batch" toml:"batch"`
	Momentum float64       `json:"momentum" toml:"momentum"`
	Schedule string        `json:"schedule" toml:"schedule"` // see [models.ParseSchedule]; "" is constant
	Network  DescentSpec   `json:"network" toml:"network"`
	Linear   []DescentSpec `json:"linear" toml:"linear"` // each is another linearization; claims are about the first
	// Precision is 32 or 64 bits; 0 stands for 32
	Precision int `json:"precision,omitempty" toml:"precision"`
}

// BaselineSpec is another network, or another loss, that the networks are compared with.
type BaselineSpec struct {
	Name    string      `json:"name" toml:"name"`
	Arch    string      `json:"arch" toml:"arch"`
	Loss    string      `json:"loss" toml:"loss"`
	Descent DescentSpec `json:"descent" toml:"descent"`
}

// GapTask is a task at several widths. Its measures are those of the part with its name.
type GapTask struct {
	Name    string    `json:"name" toml:"name"`
	Data    string    `json:"data" toml:"data"`
	Classes string    `json:"classes,omitempty" toml:"classes"` // see train.Spec
	Labels  string    `json:"labels,omitempty" toml:"labels"`   // see train.Spec
	Size    int       `json:"size,omitempty" toml:"size"`       // of the images; 0 is their own
	Shift   int       `json:"shift,omitempty" toml:"shift"`     // random shifts, in pixels
	Train   int       `json:"train,omitempty" toml:"train"`     // images; 0 is all
	Test    int       `json:"test,omitempty" toml:"test"`       // images; 0 is all
	Widths  []float64 `json:"widths" toml:"widths"`             // factors on the network's widths, rising
	Epochs  int       `json:"epochs,omitempty" toml:"epochs"`   // 0: the spec's
	// Limit adds the linearizations in the limit, see [GapSpec.limitRidges]. Every training image is then shifted only
	// once, for all epochs, since a linear system reads it once.
	Limit bool `json:"limit,omitempty" toml:"limit"`
	// Baselines are trained at the smallest width.
	Baselines []BaselineSpec `json:"baselines,omitempty" toml:"baselines"`
}

// gapPoint holds a network of one width and its linearizations, both trained by SGD and in the limit.
type gapPoint struct {
	width   factor
	network accuracies
	linear  []accuracies
	limit   []solvedLimit // for every linearization, then without a ridge; nil unless the task has limits
}

// gapData are the paper's datasets by task.
var gapData = map[string]string{"mnist": mnist, "mnist_all": mnist, "centred": mnist, "shifted": mnist,
	"centred_all": mnist, "shifted_all": mnist, "cifar10": cifar, "cifar10_all": cifar, "alike": snakes,
	"alike_all": snakes}

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
	for _, t := range s.Tasks {
		points, err := s.trainTask(ctx, in, t, o)
		if err == nil {
			err = s.trainBaselines(ctx, in, t, points[0], o)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		if in.Dry() {
			continue
		}
		setGapMeasures(o, t, points)
		o.Tables = append(o.Tables, s.gapTables(t, points)...)
		o.Charts = append(o.Charts, s.gapCharts(t, points)...)
	}
	if !in.Dry() {
		setGapsOver(o, s.Tasks)
	}
	return o, nil
}

// check returns an error for a spec without tasks, linearizations or widths.
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
		what := fmt.Sprintf("%s %v: ", t.Name, p.width)
		spec := s.trainSpec(in, t, width)
		images, err := s.addLimits(ctx, in, what, t, spec, &p)
		if err != nil {
			return nil, err
		}
		spec.LR, spec.WeightDecay = s.Network.Rate, s.Network.Decay
		if p.network, err = trainAccuracies(ctx, in, what+s.Arch, spec, images, o); err != nil {
			return nil, err
		}
		spec.Linearized = true
		for _, d := range s.Linear {
			spec.LR, spec.WeightDecay = d.Rate, d.Decay
			l, err := trainAccuracies(ctx, in, what+"linearized "+s.Arch, spec, images, o)
			if err != nil {
				return nil, err
			}
			p.linear = append(p.linear, l)
		}
		points = append(points, p)
	}
	return points, nil
}

// trainBaselines trains the baselines of a task and compares them with the networks of a point.
func (s *GapSpec) trainBaselines(
	ctx context.Context, in study.Setting, t GapTask, p gapPoint, o *study.Outcome,
) error {
	var rows []baselineRow
	for _, b := range t.Baselines {
		spec := s.trainSpec(in, t, float64(p.width))
		spec.Arch, spec.Loss, spec.LR, spec.WeightDecay = b.Arch, b.Loss, b.Descent.Rate, b.Descent.Decay
		found, err := trainAccuracies(ctx, in, t.Name+": "+b.Name, spec, nil, o)
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

// baselineRow is a baseline with its accuracies.
type baselineRow struct {
	BaselineSpec
	accuracies
}

// trainSpec returns the training that the network and the linearizations of a width share.
func (s *GapSpec) trainSpec(in study.Setting, t GapTask, width float64) train.Spec {
	spec := sharedSpec(in, s.Arch, width, t.Data, t.Train, t.Test)
	spec.Size, spec.Classes, spec.Labels, spec.Shift = t.Size, t.Classes, t.Labels, t.Shift
	spec.Epochs, spec.Batch, spec.Momentum, spec.Schedule = s.epochsOf(t), s.Batch, s.Momentum, s.Schedule
	spec.Precision = s.Precision
	return spec
}

// epochsOf returns the epochs of a task.
func (s *GapSpec) epochsOf(t GapTask) int {
	if t.Epochs != 0 {
		return t.Epochs
	}
	return s.Epochs
}
