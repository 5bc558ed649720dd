package ntkpaper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
)

// The measures of the changes during training. First and last are the smallest and the largest width; the decrease of
// a quantity with width is measured as the ratio first/last. The change is that of the kernel, relative to its initial
// size, and the cosine is that with the initial kernel; their control uses the kernel of another network. Labels rise
// by the final minus the initial alignment with the labels, at the smallest width unless it says last. The fall of the
// velocity is the ratio of that of the first step to that between the last two records.
var (
	changeFirst        = study.NewMeasure("change_first")
	changeLast         = study.NewMeasure("change_last")
	changeFalls        = study.NewMeasure("change_falls")
	cosineRises        = study.NewMeasure("cosine_rises")
	weightsFall        = study.NewMeasure("weights_fall")
	anotherCosineFirst = study.NewMeasure("another_cosine_first")
	anotherCosineLast  = study.NewMeasure("another_cosine_last")
	labelsRise         = study.NewMeasure("labels_rise")
	labelsRiseLast     = study.NewMeasure("labels_rise_last")
	velocityFalls      = study.NewMeasure("velocity_falls")
)

// KernelChangeSpec follows the neural tangent kernel of networks during training, by width: how far it moves from its
// initial value, how fast, and how well it aligns with the labels. The kernel is the mean of the outputs' kernels, see
// [models.NTKOptions].
type KernelChangeSpec struct {
	Arch     string      `json:"arch" toml:"arch"`
	Data     string      `json:"data" toml:"data"`
	Train    int         `json:"train,omitempty" toml:"train"` // images; 0 is all
	Test     int         `json:"test,omitempty" toml:"test"`   // images; 0 is all
	Probes   int         `json:"probes" toml:"probes"`         // test images between which the kernel is computed
	Widths   []float64   `json:"widths" toml:"widths"`         // factors on the network's widths, rising
	Epochs   int         `json:"epochs" toml:"epochs"`
	Batch    int         `json:"batch" toml:"batch"`
	Momentum float64     `json:"momentum" toml:"momentum"`
	Descent  DescentSpec `json:"descent" toml:"descent"`
	// Records is the number of steps after which a kernel is computed, evenly spaced in log scale to the last step.
	Records int `json:"records,omitempty" toml:"records"`
	// Others are further tasks, trained in the same way at the smallest width.
	Others []KernelTask `json:"others,omitempty" toml:"others"`
}

// KernelTask is another task whose kernel is followed. Its measures are those of the part with its name.
type KernelTask struct {
	Name  string `json:"name" toml:"name"`
	Data  string `json:"data" toml:"data"`
	Shift int    `json:"shift,omitempty" toml:"shift"` // random shifts, in pixels
}

// kernelChange returns the experiment on the kernel's change, for which the paper has no figure.
func kernelChange() *study.Experiment {
	at := func(s KernelChangeSpec) *KernelChangeSpec {
		s.Arch, s.Batch, s.Momentum, s.Descent = "lenet", 32, .9, DescentSpec{.1, 5e-5}
		s.Others = []KernelTask{{"shifted", "mnist", 7}, {"cifar10", "cifar10", 0}}
		return &s
	}
	smoke := at(KernelChangeSpec{Data: "glyphs", Train: 60, Test: 20, Probes: 8, Widths: []float64{.2, .4}, Epochs: 2,
		Records: 3})
	smoke.Descent.Rate, smoke.Others = .02, []KernelTask{{"shifted", "glyphs", 3}, {"cifar10", "glyphs", 0}}
	return &study.Experiment{
		ID: "ntk/kernel", Paper: "ntk", Figure: "Section 1",
		Title: "Change of the tangent kernel by training, by width",
		About: kernelChangeAbout,
		Claims: []study.Claim{
			changeFalls.Check("The relative change ‖Θ − Θ₀‖/‖Θ₀‖ of LeNet's tangent kernel by training falls "+
				"with width: ratio of the first to the last.",
				study.Above(1)).InLogs().On(mnist),
			cosineRises.Check("The cosine of LeNet's tangent kernel Θ after training with the initial Θ₀ rises "+
				"with width: difference.", study.Above(0)).On(mnist),
			weightsFall.Check("The relative change of LeNet's weights by training falls with width: ratio of the "+
				"first to the last.",
				study.Above(1)).InLogs().On(mnist),
			changeFirst.Check("Training changes the tangent kernel of LeNet of the standard width: relative "+
				"change ‖Θ − Θ₀‖/‖Θ₀‖.", study.AtLeast(.5)).On(mnist),
			labelsRise.Check("Training raises the centred alignment of the tangent kernel of LeNet of the standard "+
				"width with the labels: difference.", study.Above(0)).On(mnist),
			labelsRise.Of("shifted").Check("On shifted digits, training raises the centred alignment of the tangent "+
				"kernel of LeNet of the standard width with the labels: difference.", study.Above(0)).On(mnist),
			labelsRise.Of("cifar10").Check("On CIFAR-10, training raises the centred alignment of the tangent kernel "+
				"of LeNet of the standard width with the labels: difference.", study.Above(0)).On(cifar),
			velocityFalls.Check("The tangent kernel of LeNet of the standard width moves faster in the first step of "+
				"training than at the end: ratio of the relative velocities.", study.Above(1)).InLogs().On(mnist),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: smoke,
			study.Small: at(KernelChangeSpec{Data: "mnist", Train: 6000, Test: 2000, Probes: 200,
				Widths: []float64{1, 2, 5}, Epochs: 10, Records: 11}),
			study.PaperScale: at(KernelChangeSpec{Data: "mnist", Probes: 200, Widths: paperWidths(), Epochs: 100,
				Records: 21}),
		},
	}
}

// StandIns implements [study.Substituter].
func (s *KernelChangeSpec) StandIns() map[string]string {
	all := []usedFor{{s.Data, mnist}}
	for _, t := range s.Others {
		all = append(all, usedFor{t.Data, gapData[t.Name]})
	}
	return standIns(all...)
}

// Run implements Spec.
func (s *KernelChangeSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Widths) == 0 || s.Probes < 2 || s.Records < 2 {
		return nil, input.Errorf("%d widths, %d probes, %d records: want at least 1 width, and 2 of the others",
			len(s.Widths), s.Probes, s.Records)
	}
	o := &study.Outcome{}
	var paths, others []*kernelPath
	for _, width := range s.Widths {
		p, err := s.followKernel(ctx, in, KernelTask{Data: s.Data}, factor(width), o)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", factor(width), err)
		}
		paths = append(paths, p)
	}
	for _, t := range s.Others {
		p, err := s.followKernel(ctx, in, t, factor(s.Widths[0]), o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		others = append(others, p)
	}
	if in.Dry() {
		return nil, nil
	}
	setPathMeasures(o, paths, others)
	o.Tables, o.Charts = kernelTables(paths, others), kernelCharts(paths, others)
	return o, nil
}

// setPathMeasures sets the measures of the paths by width, and of those for other tasks.
func setPathMeasures(o *study.Outcome, paths, others []*kernelPath) {
	first, last := paths[0], paths[len(paths)-1]
	o.Set(changeFirst, first.last().Relative)
	o.Set(changeLast, last.last().Relative)
	o.Set(changeFalls, overWidths(len(paths), first.last().Relative/last.last().Relative))
	o.Set(cosineRises, overWidths(len(paths), last.last().Cosine-first.last().Cosine))
	o.Set(weightsFall, overWidths(len(paths), first.weights/last.weights))
	o.Set(anotherCosineFirst, first.another.Cosine)
	o.Set(anotherCosineLast, last.another.Cosine)
	o.Set(labelsRise, first.labelsRise())
	o.Set(labelsRiseLast, last.labelsRise())
	o.Set(velocityFalls, first.Points[1].Velocity/first.last().Velocity)
	for _, p := range others {
		o.Set(changeFirst.Of(p.task), p.last().Relative)
		o.Set(labelsRise.Of(p.task), p.labelsRise())
	}
}

// followKernel trains a network and records its kernel before the first step and after some.
func (s *KernelChangeSpec) followKernel(
	ctx context.Context, in study.Setting, task KernelTask, width factor, o *study.Outcome,
) (*kernelPath, error) {
	spec := sharedSpec(in, s.Arch, float64(width), task.Data, s.Train, s.Test)
	spec.Shift, spec.Epochs, spec.Batch, spec.Momentum = task.Shift, s.Epochs, s.Batch, s.Momentum
	spec.LR, spec.WeightDecay = s.Descent.Rate, s.Descent.Decay
	if in.Dry() {
		return nil, s.addJobs(in, spec)
	}
	t, err := train.NewTraining(ctx, spec)
	if err != nil {
		return nil, err
	}
	if err := recordImages(o, spec, t.Images()); err != nil {
		return nil, err
	}
	k := &kernelFollower{training: t, in: in, rate: s.Descent.Rate, path: &kernelPath{task: task.Name, width: width}}
	if err := k.measureInitial(ctx, s.Probes); err != nil {
		return nil, err
	}
	what := cmp.Or(task.Name, s.Data) + " " + width.String()
	r, err := train.RunInSeed(ctx, in, t, "followed", train.Run{
		TestLast: true, AtStep: k.measureStep, AtSteps: logSteps(t.Steps(), s.Records), Notes: &k.path.followed,
		Progress: func(p train.Progress) { in.Report(what+": training", p.Done, p.Total) },
	})
	if err != nil {
		return nil, err
	}
	k.path.weights, k.path.test = weightChange(t.Network(), t.Initial()), record.ValueOrNaN(r.Final().TestAccuracy)
	return k.path, nil
}

// logSteps returns up to n steps from 1 to last, rising, evenly spaced in their logarithms.
func logSteps(last, n int) []int {
	var all []int
	for i := range n {
		all = append(all, int(math.Round(math.Pow(float64(last), float64(i)/float64(n-1)))))
	}
	return slices.Compact(all)
}

// mostKernels limits the records in a dry run; there is a kernel after each.
const mostKernels = 10000

// addJobs adds to a dry run the training of a network, and kernels: at every record, before the first step, and for
// other initial weights.
func (s *KernelChangeSpec) addJobs(in study.Setting, spec train.Spec) error {
	kernel, err := spec.Tangents(s.Probes)
	if err != nil {
		return err
	}
	if s.Records > mostKernels {
		return input.Errorf("%d records: want at most %d, for each of which there is a kernel", s.Records, mostKernels)
	}
	if err := in.AddJobs(slices.Repeat([]cost.Job{kernel}, s.Records+2), nil); err != nil {
		return err
	}
	return in.AddJob(spec.Job(true))
}
