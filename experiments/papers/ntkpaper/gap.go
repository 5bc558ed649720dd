package ntkpaper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
)

// GapSpec is networks and their linearizations at several widths, trained by SGD with momentum for
// the mean squared error, from the same weights by the same batches (ntk, section 4.1).
type GapSpec struct {
	Arch      string        `json:"arch" toml:"arch"`
	Tasks     []GapTask     `json:"tasks" toml:"tasks"`
	Epochs    int           `json:"epochs" toml:"epochs"`
	Batch     int           `json:"batch" toml:"batch"`
	Momentum  float64       `json:"momentum" toml:"momentum"`
	Schedule  string        `json:"schedule" toml:"schedule"` // see [models.ParseSchedule]; "" is constant
	Network   DescentSpec   `json:"network" toml:"network"`
	Linear    []DescentSpec `json:"linear" toml:"linear"` // each is another linearization; claims are about the first
	Precision int           `json:"precision,omitempty" toml:"precision"`
}

// GapTask is a task at some widths. The values of claims about it begin with its
// name.
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

// DescentSpec is the learning rate and the weight decay.
type DescentSpec struct {
	Rate  float64 `json:"rate" toml:"rate"`
	Decay float64 `json:"decay" toml:"decay"` // weight decay
}

// accuracies are the shares of training and test images that are right after the last epoch; NaN
// where training diverged.
type accuracies struct{ train, test float64 }

// gapPoint is a network of a width and its linearizations.
type gapPoint struct {
	width   float64
	network accuracies
	linear  []accuracies
}

// gap returns the network's test accuracy less that of linearization k, in percentage points.
func (p gapPoint) gap(k int) float64 { return 100 * (p.network.test - p.linear[k].test) }

// trainGap returns the network's training accuracy less that of linearization k, in percentage
// points.
func (p gapPoint) trainGap(k int) float64 { return 100 * (p.network.train - p.linear[k].train) }

// Run implements Spec.
func (s *GapSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	o := &study.Outcome{Values: map[string]float64{}}
	for _, t := range s.Tasks {
		points, err := s.trainTask(ctx, in, t, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		s.addTaskResults(t, points, o)
	}
	s.setTaskDifferences(o)
	return o, nil
}

// Jobs implements [study.Worker]: at each width the network, and its linearizations.
func (s *GapSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Tasks, func(t GapTask) ([]cost.Job, error) {
		return train.JobsOf(t.Widths, func(width float64) ([]cost.Job, error) {
			spec := s.trainSpec(study.Setting{}, t, width)
			net, err := spec.Job(true)
			if err != nil {
				return nil, err
			}
			spec.Linearized = true
			linear, err := spec.Job(true)
			return append(slices.Repeat([]cost.Job{linear}, len(s.Linear)), net), err
		})
	})
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
		p := gapPoint{width: width}
		spec := s.trainSpec(in, t, width)
		spec.LR, spec.WeightDecay = s.Network.Rate, s.Network.Decay
		var err error
		if p.network, err = trainAccuracies(ctx, in, fmt.Sprintf("%s ×%g: %s", t.Name, width, s.Arch), spec,
			o); err != nil {
			return nil, err
		}
		spec.Linearized = true
		for _, d := range s.Linear {
			spec.LR, spec.WeightDecay = d.Rate, d.Decay
			l, err := trainAccuracies(ctx, in, fmt.Sprintf("%s ×%g: linearized %s", t.Name, width, s.Arch), spec, o)
			if err != nil {
				return nil, err
			}
			p.linear = append(p.linear, l)
		}
		points = append(points, p)
	}
	return points, nil
}

// trainSpec returns the training that the network and the linearizations of a width share.
func (s *GapSpec) trainSpec(in study.Setting, t GapTask, width float64) train.Spec {
	return train.Spec{
		Arch: s.Arch, Width: width, NoDropout: true, Data: t.Data, Dir: in.DataDir, Size: t.Size, Classes: t.Classes,
		Labels: t.Labels,
		Train:  t.Train, Test: t.Test, Shift: t.Shift, Epochs: s.Epochs, Batch: s.Batch, Momentum: s.Momentum,
		Schedule: s.Schedule,
		Loss:     models.MeanSquaredError.String(), Precision: s.Precision, Threads: in.Threads, Seed: in.Seed,
	}
}

// trainAccuracies trains, and records the data once for every set. A training that diverges is no
// error: a note says so, and the accuracies are NaN.
func trainAccuracies(ctx context.Context, in study.Setting, what string, spec train.Spec, o *study.Outcome) (accuracies,
	error) {
	none := accuracies{math.NaN(), math.NaN()}
	t, err := train.NewTraining(ctx, spec)
	if err != nil {
		return none, err
	}
	if err := errors.Join(recordDataOnce(o, spec.Data+", training", t.Images().Train),
		recordDataOnce(o, spec.Data+", test", t.Images().Test)); err != nil {
		return none, err
	}
	r, err := train.TrainIn(ctx, in, t, what,
		train.Run{TestLast: true, Progress: func(p train.Progress) { in.Report(what, p.Done, p.Total) }})
	var diverged *models.DivergedError
	if errors.As(err, &diverged) {
		o.Notes = append(o.Notes, fmt.Sprintf("%s diverged with learning rate %g, seed %d.", what, spec.LR, in.Seed))
		return none, nil
	}
	if err != nil {
		return none, err
	}
	last := r.Final()
	return accuracies{last.TrainAccuracy, record.ValueOrNaN(last.TestAccuracy)}, nil
}

// recordDataOnce records a dataset unless the outcome has one of that name.
func recordDataOnce(o *study.Outcome, what string, set data.Dataset) error {
	for _, d := range o.Data {
		if d.Name == what {
			return nil
		}
	}
	return o.AddDataset(what, set)
}

// linearName returns the name of linearization k in tables and charts.
func (s *GapSpec) linearName(k int) string {
	if len(s.Linear) == 1 {
		return "linearized"
	}
	return fmt.Sprintf("linearized, rate %g", s.Linear[k].Rate)
}

// widthAxis returns the logarithms of the widths to base 2.
func widthAxis(points []gapPoint) (x []float64) {
	for _, p := range points {
		x = append(x, math.Log2(p.width))
	}
	return x
}

const widthLabel = "log2 of the width factor"

// gapSeries returns a quantity by width.
func gapSeries(label string, points []gapPoint, of func(gapPoint) float64) report.Series {
	s := report.Series{Label: label, X: widthAxis(points)}
	for _, p := range points {
		s.Y = append(s.Y, of(p))
	}
	return s
}
