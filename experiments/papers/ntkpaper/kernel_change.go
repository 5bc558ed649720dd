package ntkpaper

import (
	"context"
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
	"gonum.org/v1/gonum/mat"
)

// The measures of what training changed. First and last are the smallest and the largest width; what
// falls is measured by the first over the last. The change is that of the kernel, relative to its
// initial size, and the cosine that with the initial kernel; the control has another network's.
var (
	changeFirst        = study.NewMeasure("change_first")
	changeLast         = study.NewMeasure("change_last")
	changeFalls        = study.NewMeasure("change_falls")
	cosineRises        = study.NewMeasure("cosine_rises")
	weightsFall        = study.NewMeasure("weights_fall")
	anotherCosineFirst = study.NewMeasure("another_cosine_first")
	anotherCosineLast  = study.NewMeasure("another_cosine_last")
)

// KernelChangeSpec measures how far training moves the neural tangent kernel from its initial
// value, by width.
type KernelChangeSpec struct {
	Arch     string      `json:"arch" toml:"arch"`
	Data     string      `json:"data" toml:"data"`
	Train    int         `json:"train,omitempty" toml:"train"` // images; 0 is all
	Test     int         `json:"test,omitempty" toml:"test"`   // images; 0 is all
	Probes   int         `json:"probes" toml:"probes"`         // test images that the kernel is of
	Widths   []float64   `json:"widths" toml:"widths"`         // factors on the network's own, rising
	Epochs   int         `json:"epochs" toml:"epochs"`
	Batch    int         `json:"batch" toml:"batch"`
	Momentum float64     `json:"momentum" toml:"momentum"`
	Descent  DescentSpec `json:"descent" toml:"descent"`
}

// kernelPath is the change of the kernel at one width after every epoch, beginning before the
// first.
type kernelPath struct {
	width   factor
	changes []models.KernelChange
	weights float64             // ‖w − w₀‖/‖w₀‖ at the end
	another models.KernelChange // from the initial kernel to that of other initial weights, the control
	test    float64             // accuracy at the end
}

// last returns the change after the last epoch.
func (p kernelPath) last() models.KernelChange { return p.changes[len(p.changes)-1] }

// kernelChange returns the experiment about the kernel's change, of which the paper has no figure.
func kernelChange() *study.Experiment {
	at := func(s KernelChangeSpec) *KernelChangeSpec {
		s.Arch, s.Batch, s.Momentum, s.Descent = "lenet", 32, .9, DescentSpec{.1, 5e-5}
		return &s
	}
	smoke := at(KernelChangeSpec{Data: "glyphs", Train: 60, Test: 20, Probes: 4, Widths: []float64{.2, .4}, Epochs: 1})
	smoke.Descent.Rate = .02
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
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: smoke,
			study.Small: at(KernelChangeSpec{Data: "mnist", Train: 6000, Test: 2000, Probes: 50,
				Widths: []float64{1, 2, 5}, Epochs: 10}),
			study.PaperScale: at(KernelChangeSpec{Data: "mnist", Probes: 100, Widths: paperWidths(), Epochs: 100}),
		},
	}
}

// StandIns implements [study.Substituter].
func (s *KernelChangeSpec) StandIns() map[string]string { return standIns(usedFor{s.Data, mnist}) }

// Run implements Spec.
func (s *KernelChangeSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Widths) == 0 || s.Probes < 1 {
		return nil, input.Errorf("%d widths, %d probes: want at least 1 of each", len(s.Widths), s.Probes)
	}
	o := &study.Outcome{}
	var paths []kernelPath
	for _, width := range s.Widths {
		p, err := s.followKernel(ctx, in, factor(width), o)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", factor(width), err)
		}
		paths = append(paths, *p)
	}
	if in.Dry() {
		return nil, nil
	}
	first, last := paths[0], paths[len(paths)-1]
	o.Set(changeFirst, first.last().Relative)
	o.Set(changeLast, last.last().Relative)
	o.Set(changeFalls, first.last().Relative/last.last().Relative)
	o.Set(cosineRises, last.last().Cosine-first.last().Cosine)
	o.Set(weightsFall, first.weights/last.weights)
	o.Set(anotherCosineFirst, first.another.Cosine)
	o.Set(anotherCosineLast, last.another.Cosine)
	o.Tables = append(o.Tables, kernelPathTable(paths))
	o.Charts = append(o.Charts,
		kernelPathChart("change", "Relative change of the kernel", "relative change", paths,
			func(c models.KernelChange) float64 { return c.Relative }),
		kernelPathChart("cosine", "Alignment with the initial kernel", "cosine", paths,
			func(c models.KernelChange) float64 { return c.Cosine }),
		kernelPathChart("cosine-centred", "Alignment with the initial kernel, centred", "cosine", paths,
			func(c models.KernelChange) float64 { return c.Centred }))
	return o, nil
}

// followKernel trains a network and compares its kernel with the initial one after every epoch.
func (s *KernelChangeSpec) followKernel(
	ctx context.Context, in study.Setting, width factor, o *study.Outcome,
) (*kernelPath, error) {
	spec := train.Spec{
		Arch: s.Arch, Width: float64(width), NoDropout: true, Data: s.Data, Dir: in.DataDir, Train: s.Train,
		Test: s.Test, Draw: drawOf(in), Epochs: s.Epochs, Batch: s.Batch, LR: s.Descent.Rate, Momentum: s.Momentum,
		WeightDecay: s.Descent.Decay, Loss: models.MeanSquaredError.String(), Threads: in.Threads, Seed: in.Seed,
	}
	if in.Dry() {
		return &kernelPath{}, s.addJobs(in, spec)
	}
	t, err := train.NewTraining(ctx, spec)
	if err != nil {
		return nil, err
	}
	if err := recordDataOnce(o, s.Data+", training", t.Images().Train); err != nil {
		return nil, err
	}
	k := &kernelFollower{training: t, in: in,
		path: &kernelPath{width: width, changes: []models.KernelChange{{Cosine: 1, Centred: 1}}}}
	if err := k.measureInitial(ctx, s.Probes); err != nil {
		return nil, err
	}
	r, err := train.RunInSeed(ctx, in, t, "followed", train.Run{
		TestLast: true, AfterEpoch: k.measureEpoch, Notes: &k.path.changes,
		Progress: func(p train.Progress) { in.Report(width.String()+": training", p.Done, p.Total) },
	})
	if err != nil {
		return nil, err
	}
	k.path.weights, k.path.test = weightChange(t.Network(), t.Initial()), record.ValueOrNaN(r.Final().TestAccuracy)
	return k.path, nil
}

// mostKernels is the limit of epochs in a dry run, after each of which there is a kernel.
const mostKernels = 10000

// addJobs adds to a dry run the training of a network, and a kernel after every epoch, before the
// first, and of other weights.
func (s *KernelChangeSpec) addJobs(in study.Setting, spec train.Spec) error {
	kernel, err := spec.Tangents(s.Probes)
	if err != nil {
		return err
	}
	if s.Epochs < 0 || s.Epochs > mostKernels {
		return input.Errorf("%d epochs: want at most %d, after each of which there is a kernel", s.Epochs, mostKernels)
	}
	if err := in.AddJobs(slices.Repeat([]cost.Job{kernel}, s.Epochs+2), nil); err != nil {
		return err
	}
	return in.AddJob(spec.Job(true))
}

// kernelPathTable returns the kernels after the last epoch, a row for every width.
func kernelPathTable(paths []kernelPath) report.Table {
	return record.TableOf("kernel",
		"The kernel after the last epoch against that of the initial weights, by width; and, the control, that of "+
			"other initial weights against it.", paths,
		record.TextField("width", func(p kernelPath) string { return p.width.String() }),
		record.NumberField("change", "%.3f", func(p kernelPath) float64 { return p.last().Relative }),
		record.NumberField("cosine", "%.4f", func(p kernelPath) float64 { return p.last().Cosine }),
		record.NumberField("cosine, centred", "%.4f", func(p kernelPath) float64 { return p.last().Centred }),
		record.NumberField("cosine, other weights", "%.4f", func(p kernelPath) float64 { return p.another.Cosine }),
		record.NumberField("centred, other weights", "%.4f", func(p kernelPath) float64 { return p.another.Centred }),
		record.NumberField("change of the weights", "%.3f", func(p kernelPath) float64 { return p.weights }),
		record.PercentField("test accuracy, %", func(p kernelPath) float64 { return p.test }))
}

// kernelPathChart draws a measure of the change by epoch, a curve for every width.
func kernelPathChart(name, title, label string, paths []kernelPath, of func(models.KernelChange) float64) study.Chart {
	c := study.Chart{Name: name, Title: title, XLabel: "epoch", YLabel: label,
		Caption: "After every epoch, on test images."}
	for _, p := range paths {
		s := report.Series{Label: p.width.String(), X: study.Places(len(p.changes))}
		for _, change := range p.changes {
			s.Y = append(s.Y, of(change))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// kernelFollower measures the kernel of a network that is being trained.
type kernelFollower struct {
	training *train.Training
	in       study.Setting
	px       []float32 // of the probes
	initial  *mat.SymDense
	path     *kernelPath
}

// measureInitial reads the probe images, computes the initial kernel, and compares that of other
// initial weights with it.
func (k *kernelFollower) measureInitial(ctx context.Context, probes int) error {
	set, _, err := k.training.Images().Probes(probes)
	if err != nil {
		return err
	}
	k.px = make([]float32, set.Len()*set.Shape().Pixels())
	loader := &data.Loader{Dataset: set, Normalisation: k.training.Images().Normalisation}
	if err := loader.Load(ctx, 0, set.Len(), k.px, make([]int, set.Len())); err != nil {
		return err
	}
	net := k.training.Network()
	if k.initial, err = k.computeKernel(ctx, net); err != nil {
		return err
	}
	another, err := net.Arch.InitNetwork(net.Input, net.Classes,
		models.Stream(k.in.Seed, "other initial weights").Uint64())
	if err != nil {
		return err
	}
	k.path.another, err = k.compareKernel(ctx, another)
	return err
}

// measureEpoch compares the kernel after an epoch with the initial one.
func (k *kernelFollower) measureEpoch(ctx context.Context, _ int) error {
	change, err := k.compareKernel(ctx, k.training.Network())
	if err == nil {
		k.path.changes = append(k.path.changes, change)
	}
	return err
}

// compareKernel compares the kernel of a network with the initial one.
func (k *kernelFollower) compareKernel(ctx context.Context, n *models.Network) (models.KernelChange, error) {
	kernel, err := k.computeKernel(ctx, n)
	if err != nil {
		return models.KernelChange{}, err
	}
	change, err := models.CompareKernels(kernel, k.initial)
	if err != nil {
		return models.KernelChange{}, err
	}
	return *change, nil
}

// computeKernel returns the kernel of a network at the probes.
func (k *kernelFollower) computeKernel(ctx context.Context, n *models.Network) (*mat.SymDense, error) {
	ntk, err := n.NTK(ctx, k.px, models.NTKOptions{Threads: k.in.Threads, Memory: record.AvailableMemory()})
	if err != nil {
		return nil, err
	}
	return ntk.Gram, nil
}

// weightChange returns ‖w − w₀‖/‖w₀‖ over all parameters.
func weightChange(now, before *models.Network) float64 {
	change, norm := 0., 0.
	for _, p := range now.Parameters() {
		a, b := now.Value(p.Name).Float32s(), before.Value(p.Name).Float32s()
		for i := range a {
			change += float64(a[i]-b[i]) * float64(a[i]-b[i])
			norm += float64(b[i]) * float64(b[i])
		}
	}
	return math.Sqrt(change / norm)
}
