package ntkpaper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The measures of trajectories. First and last are the smallest and the largest width; a decrease with width is
// measured as the ratio first/last.
var (
	statisticsFirst = study.NewMeasure("statistics_first")
	statisticsLast  = study.NewMeasure("statistics_last")
	statisticsFall  = study.NewMeasure("statistics_fall")
	pathsLast       = study.NewMeasure("paths_last")
	pathsFall       = study.NewMeasure("paths_fall")
)

// TrajectorySpec follows the outputs of networks and of their linearizations on a few images during training, by width.
type TrajectorySpec struct {
	Arch     string      `json:"arch" toml:"arch"`
	Data     string      `json:"data" toml:"data"`
	Train    int         `json:"train,omitempty" toml:"train"` // images; 0 is all
	Test     int         `json:"test,omitempty" toml:"test"`   // images; 0 is all
	Probes   int         `json:"probes" toml:"probes"`         // test images whose outputs are followed
	Shown    int         `json:"shown" toml:"shown"`           // probes that the charts of paths show
	Widths   []float64   `json:"widths" toml:"widths"`         // factors on the network's widths, rising
	Epochs   int         `json:"epochs" toml:"epochs"`
	Every    int         `json:"every" toml:"every"` // steps from one record of the outputs to the next
	Batch    int         `json:"batch" toml:"batch"`
	Momentum float64     `json:"momentum" toml:"momentum"`
	Descent  DescentSpec `json:"descent" toml:"descent"`
}

// figA2 returns Fig. A.2: trajectories of outputs.
func figA2() *study.Experiment {
	at := func(s TrajectorySpec) *TrajectorySpec {
		s.Arch, s.Batch, s.Momentum, s.Descent = "lenet", 32, .9, DescentSpec{.1, 5e-5}
		return &s
	}
	smoke := at(TrajectorySpec{Data: "glyphs", Train: 96, Test: 20, Probes: 6, Shown: 2, Widths: []float64{.2, .4},
		Epochs: 1, Every: 1})
	smoke.Descent.Rate = .02
	return &study.Experiment{
		ID: "ntk/figa2", Paper: "ntk", Figure: "Fig. A.2",
		Title: "Outputs of LeNet and of its linearization during training, by width",
		About: trajectoriesAbout,
		Claims: []study.Claim{
			statisticsFall.Claim("On MNIST, the statistics of the output trajectories of LeNet and of its "+
				"linearization are more similar at the largest width than at the smallest: ratio of their "+
				"distances.", "picture",
				study.Above(1)).InLogs().On(mnist),
			// A distance of a tenth of the length of the outputs' way would be visible in a picture of the paths.
			pathsLast.Claim("On MNIST, the output trajectories of LeNet and of its linearization are not close "+
				"path by path, even at the largest width: relative distance.", "not close",
				study.AtLeast(.1)).On(mnist),
			pathsFall.Check("On MNIST, the output trajectories of LeNet and of its linearization are closer path "+
				"by path at the largest width than at the smallest: ratio of their distances.",
				study.Above(1)).InLogs().On(mnist),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: smoke,
			study.Small: at(TrajectorySpec{Data: "mnist", Probes: 100, Shown: 3, Widths: []float64{1, 2, 5}, Epochs: 2,
				Every: 75}),
			study.PaperScale: at(TrajectorySpec{Data: "mnist", Probes: 100, Shown: 3, Widths: paperWidths(),
				Epochs: 100, Every: 1875}),
		},
	}
}

// StandIns implements [study.Substituter].
func (s *TrajectorySpec) StandIns() map[string]string { return standIns(usedFor{s.Data, mnist}) }

// trajectory holds the outputs of a network on the probes, image after image, at some steps of its training. A
// checkpoint of the training stores it.
type trajectory struct {
	models.Position
	Steps   []int
	Outputs [][]float64
}

// trajectoryPoint is the trajectories at one width, with the labels of the probes.
type trajectoryPoint struct {
	width           factor
	labels          []int
	outputs         int // of an image
	network, linear *trajectory
}

// Run implements Spec.
func (s *TrajectorySpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Widths) == 0 || s.Probes < 1 || s.Every < 1 || s.Shown < 0 || s.Shown > s.Probes {
		return nil, input.Errorf("%d widths, %d probes of which %d are shown, every %d steps: want at least 1 of each",
			len(s.Widths), s.Probes, s.Shown, s.Every)
	}
	o := &study.Outcome{}
	var points []trajectoryPoint
	for _, width := range s.Widths {
		p := trajectoryPoint{width: factor(width)}
		if err := s.followBoth(ctx, in, &p, o); err != nil {
			return nil, fmt.Errorf("%v: %w", p.width, err)
		}
		points = append(points, p)
	}
	if in.Dry() {
		return nil, nil
	}
	first, last := points[0], points[len(points)-1]
	o.Set(statisticsFirst, first.statisticsDistance())
	o.Set(statisticsLast, last.statisticsDistance())
	o.Set(statisticsFall, overWidths(len(points), first.statisticsDistance()/last.statisticsDistance()))
	o.Set(pathsLast, last.pathDistance())
	o.Set(pathsFall, overWidths(len(points), first.pathDistance()/last.pathDistance()))
	o.Tables = append(o.Tables, record.TableOf("distances",
		"How far the trajectories of network and linearization are from each other, by width.", points,
		record.TextField("width", func(p trajectoryPoint) string { return p.width.String() }),
		record.NumberField("distance of statistics", "%.4f", trajectoryPoint.statisticsDistance),
		record.NumberField("relative distance of paths", "%.4f", trajectoryPoint.pathDistance)))
	for _, p := range points {
		o.Charts = append(o.Charts, p.statisticsChart(), p.pathChart(s.Shown))
	}
	return o, nil
}

// followBoth trains the network of a width and its linearization, and records their outputs.
func (s *TrajectorySpec) followBoth(ctx context.Context, in study.Setting, p *trajectoryPoint, o *study.Outcome) error {
	spec := sharedSpec(in, s.Arch, float64(p.width), s.Data, s.Train, s.Test)
	spec.Epochs, spec.Batch, spec.Momentum = s.Epochs, s.Batch, s.Momentum
	spec.LR, spec.WeightDecay = s.Descent.Rate, s.Descent.Decay
	for _, linearized := range []bool{false, true} {
		spec.Linearized = linearized
		if in.Dry() {
			if err := in.AddJob(spec.Job(true)); err != nil {
				return err
			}
			continue
		}
		t, err := train.NewTraining(ctx, spec)
		if err != nil {
			return err
		}
		if err := recordImages(o, spec, t.Images()); err != nil {
			return err
		}
		into := &p.network
		if linearized {
			into = &p.linear
		}
		p.outputs = t.Network().Classes
		if *into, err = s.follow(ctx, in, spec, t, p); err != nil {
			return err
		}
	}
	return nil
}

// follow trains a network, and records its outputs on the probes before the first step and every few steps.
func (s *TrajectorySpec) follow(
	ctx context.Context, in study.Setting, spec train.Spec, t *train.Training, p *trajectoryPoint,
) (*trajectory, error) {
	images := t.Images()
	probes, _, err := images.Probes(s.Probes, "")
	if err != nil {
		return nil, err
	}
	px, labels, err := readImages(ctx, images, probes, 0, probes.Len())
	if err != nil {
		return nil, err
	}
	p.labels = labels
	batches := train.ImageBatches{Pipeline: &data.Pipeline{Dataset: images.Train, Normalisation: images.Normalisation,
		Batch: min(s.Batch, images.Train.Len()), Seed: in.Seed}}
	n, err := train.NewNetworkTraining(in, t.Network(), batches, s.Epochs, t.Plan.Options)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	found := &trajectory{}
	add := func(ctx context.Context) error {
		if step := n.Trainer.Steps(); step%s.Every != 0 || slices.Contains(found.Steps, step) {
			return nil
		}
		out, err := n.Trainer.Outputs(ctx, px)
		if err == nil {
			found.Steps = append(found.Steps, n.Trainer.Steps())
			found.Outputs = append(found.Outputs, mat.DenseCopyOf(out).RawMatrix().Data)
		}
		return err
	}
	n.State = found
	n.Begin = add // an interrupted training may lack the record of the step from which it continues
	n.AfterStep = func(ctx context.Context) error {
		in.Report(p.width.String()+": training", n.Trainer.Steps(), s.Epochs*batches.Steps())
		return add(ctx)
	}
	return found, in.Train(ctx, "trajectory", []any{s, spec}, &n.Loop)
}

// statistics are mean and standard deviation of the outputs for the right classes, and of those for the other classes,
// at one step.
type statistics [4]float64

// statisticsAt returns the statistics of outputs on the probes.
func (p trajectoryPoint) statisticsAt(outputs []float64) statistics {
	var right, others []float64
	for i, v := range outputs {
		if i%p.outputs == p.labels[i/p.outputs] {
			right = append(right, v)
		} else {
			others = append(others, v)
		}
	}
	return statistics{stat.Mean(right, nil), stat.PopStdDev(right, nil), stat.Mean(others, nil),
		stat.PopStdDev(others, nil)}
}

// statisticsDistance returns the root mean square of the differences of the statistics over all steps except the
// first, before which network and linearization are equal.
func (p trajectoryPoint) statisticsDistance() float64 {
	sum := 0.
	for k := 1; k < len(p.network.Outputs); k++ {
		a, b := p.statisticsAt(p.network.Outputs[k]), p.statisticsAt(p.linear.Outputs[k])
		for i := range a {
			sum += (a[i] - b[i]) * (a[i] - b[i])
		}
	}
	return math.Sqrt(sum / float64(len(statistics{})*(len(p.network.Outputs)-1)))
}

// pathDistance returns the distance between the outputs over all steps, relative to how far the network's outputs moved.
func (p trajectoryPoint) pathDistance() float64 {
	apart, moved := 0., 0.
	for k, now := range p.network.Outputs {
		for i, v := range now {
			d, m := v-p.linear.Outputs[k][i], v-p.network.Outputs[0][i]
			apart, moved = apart+d*d, moved+m*m
		}
	}
	return math.Sqrt(apart / moved)
}

// curve returns a number of the outputs at each step.
func (t *trajectory) curve(label string, of func(outputs []float64) float64) report.Series {
	s := report.Series{Label: label}
	for k, outputs := range t.Outputs {
		s.X, s.Y = append(s.X, float64(t.Steps[k])), append(s.Y, of(outputs))
	}
	return s
}

// statisticsChart draws the statistics of a width by step.
func (p trajectoryPoint) statisticsChart() study.Chart {
	c := study.Chart{Name: p.fileName("statistics"), XLabel: "step",
		Title:  p.width.String() + ": statistics of outputs during training",
		YLabel: "output", Caption: "Over test images: outputs for the right classes, and for the others."}
	for i, name := range []string{"right, mean", "right, sd", "others, mean", "others, sd"} {
		of := func(outputs []float64) float64 { return p.statisticsAt(outputs)[i] }
		c.Series = append(c.Series, p.network.curve("network: "+name, of), p.linear.curve("linearized: "+name, of))
	}
	return c
}

// pathChart draws the outputs of some images for their classes by step.
func (p trajectoryPoint) pathChart(images int) study.Chart {
	c := study.Chart{Name: p.fileName("paths"), Title: p.width.String() + ": outputs during training", XLabel: "step",
		YLabel: "output", Caption: "The output for the right class of some test images."}
	for i := range images {
		of := func(outputs []float64) float64 { return outputs[i*p.outputs+p.labels[i]] }
		c.Series = append(c.Series, p.network.curve(fmt.Sprintf("network: image %d", i+1), of),
			p.linear.curve(fmt.Sprintf("linearized: image %d", i+1), of))
	}
	return c
}

// fileName returns the name of a chart of the width.
func (p trajectoryPoint) fileName(chart string) string {
	return fmt.Sprintf("%s-x%g", chart, float64(p.width))
}
