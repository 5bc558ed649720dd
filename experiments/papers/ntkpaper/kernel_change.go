package ntkpaper

import (
	"cmp"
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

var (
	changeFalls        = study.NewMeasure("change_falls")
	cosineRises        = study.NewMeasure("cosine_rises")
	weightsFall        = study.NewMeasure("weights_fall")
	changeFirst        = study.NewMeasure("change_first")
	changeLast         = study.NewMeasure("change_last")
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
	Width   float64
	Changes []models.KernelChange
	Weights float64             // ‖w − w₀‖/‖w₀‖ at the end
	Another models.KernelChange // of the kernel of other initial weights from that of these
	Test    float64             // accuracy at the end
}

func (p kernelPath) last() models.KernelChange { return p.Changes[len(p.Changes)-1] }

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
		Title: "How far training takes the tangent kernel from where it was, by width",
		About: "LeNets trained as in Fig. 2; after every epoch the kernel of the network as it is then, on the first " +
			"test images, is compared with the kernel of the initial weights. The paper does not measure it: it is " +
			"the quantity that the theory says does not change in the limit of infinite width, in its " +
			"parameterisation and at its learning rates; here both are PyTorch's. A kernel that grows as a whole " +
			"changes what is learned less than one that turns: the cosine does not see growth. Beside it is how far " +
			"the kernel of other initial weights is from that of these: kernels of the same images are alike for " +
			"that reason alone.",
		Claims: []study.Claim{
			changeFalls.Claim("The relative change ‖Θ − Θ₀‖/‖Θ₀‖ falls with width (first over last).",
				"0 in the limit", study.Above(1)),
			cosineRises.Claim("The kernel turns less with width: its cosine with Θ₀ rises.",
				"1 in the limit", study.Above(0)),
			weightsFall.Claim("The relative change of the weights falls with width (first over last).",
				"0 in the limit", study.Above(1)),
			changeFirst.Claim("At the standard width the kernel is not the one that training began with.",
				"feature learning", study.AtLeast(.5)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: smoke,
			study.Small: at(KernelChangeSpec{Data: "mnist", Train: 6000, Test: 2000, Probes: 50,
				Widths: []float64{1, 2, 5}, Epochs: 10}),
			study.PaperScale: at(KernelChangeSpec{Data: "mnist", Probes: 100, Widths: paperWidths(), Epochs: 100}),
		},
	}
}

// Run implements Spec.
func (s *KernelChangeSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Widths) == 0 || s.Probes < 1 {
		return nil, input.Errorf("%d widths, %d probes: want at least 1 of each", len(s.Widths), s.Probes)
	}
	o := &study.Outcome{Values: map[string]float64{}}
	var paths []kernelPath
	for _, width := range s.Widths {
		p, err := s.followKernel(ctx, in, width, o)
		if err != nil {
			return nil, fmt.Errorf("×%g: %w", width, err)
		}
		paths = append(paths, *p)
	}
	first, last := paths[0], paths[len(paths)-1]
	o.Set(changeFirst, first.last().Relative)
	o.Set(changeLast, last.last().Relative)
	o.Set(changeFalls, first.last().Relative/last.last().Relative)
	o.Set(cosineRises, last.last().Cosine-first.last().Cosine)
	o.Set(weightsFall, first.Weights/last.Weights)
	o.Set(anotherCosineFirst, first.Another.Cosine)
	o.Set(anotherCosineLast, last.Another.Cosine)
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

// Jobs implements [study.Worker]: at each width the network, and a kernel after every epoch,
// before the first, and of other weights.
func (s *KernelChangeSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Widths, func(width float64) ([]cost.Job, error) {
		spec := train.Spec{Arch: s.Arch, Width: width, Data: s.Data, Train: s.Train, Test: s.Test, Epochs: s.Epochs,
			Batch: s.Batch}
		net, err := spec.Job(true)
		if err != nil {
			return nil, err
		}
		kernel, err := spec.Tangents(s.Probes)
		if err != nil || s.Epochs < 0 || s.Epochs > mostKernels {
			return nil, cmp.Or(err, input.Errorf("%d epochs: want at most %d, after each of which there is a kernel",
				s.Epochs, mostKernels))
		}
		return append(slices.Repeat([]cost.Job{kernel}, s.Epochs+2), net), nil
	})
}

// mostKernels is the limit of epochs after which a kernel is computed.
const mostKernels = 10000

// followKernel trains a network and compares its kernel with the initial one after every epoch.
func (s *KernelChangeSpec) followKernel(ctx context.Context, in study.Setting, width float64,
	o *study.Outcome) (*kernelPath,
	error) {
	t, err := train.NewTraining(ctx, train.Spec{
		Arch: s.Arch, Width: width, NoDropout: true, Data: s.Data, Dir: in.DataDir, Train: s.Train, Test: s.Test,
		Epochs: s.Epochs, Batch: s.Batch,
		LR: s.Descent.Rate, Momentum: s.Momentum, WeightDecay: s.Descent.Decay, Loss: models.MeanSquaredError.String(),
		Threads: in.Threads, Seed: in.Seed,
	})
	if err != nil {
		return nil, err
	}
	if err := recordDataOnce(o, s.Data+", training", t.Images().Train); err != nil {
		return nil, err
	}
	k := &kernelFollower{training: t, in: in,
		path: &kernelPath{Width: width, Changes: []models.KernelChange{{Cosine: 1, Centred: 1}}}}
	if err := k.measureInitial(ctx, s.Probes); err != nil {
		return nil, err
	}
	r, err := train.TrainIn(ctx, in, t, "followed", train.Run{
		TestLast: true, AfterEpoch: k.measureEpoch, Notes: &k.path.Changes,
		Progress: func(p train.Progress) { in.Report(fmt.Sprintf("×%g: training", width), p.Done, p.Total) },
	})
	if err != nil {
		return nil, err
	}
	k.path.Weights, k.path.Test = weightChange(t.Network(), t.Initial()), record.ValueOrNaN(r.Final().TestAccuracy)
	return k.path, nil
}

func kernelPathTable(paths []kernelPath) report.Table {
	t := report.Table{
		Name: "kernel", Caption: "The kernel after the last epoch against that of the initial weights, by width; " +
			"and, the control, that of other initial weights against it.",
		Columns: record.NumericColumns("width", "change", "cosine", "cosine, centred", "cosine, other weights",
			"centred, other weights", "change of the weights", "test accuracy, %"),
	}
	for _, p := range paths {
		c := p.last()
		t.Rows = append(t.Rows, []report.Cell{
			{Text: fmt.Sprintf("×%g", p.Width)}, record.NumberCell(&c.Relative, "%.3f"),
			record.NumberCell(&c.Cosine, "%.4f"), record.NumberCell(&c.Centred, "%.4f"),
			record.NumberCell(&p.Another.Cosine, "%.4f"), record.NumberCell(&p.Another.Centred, "%.4f"),
			record.NumberCell(&p.Weights, "%.3f"), record.PercentCell(p.Test),
		})
	}
	return t
}

func kernelPathChart(name, title, label string, paths []kernelPath, of func(models.KernelChange) float64) study.Chart {
	c := study.Chart{Name: name, Title: title, XLabel: "epoch", YLabel: label,
		Caption: "After every epoch, on test images."}
	for _, p := range paths {
		s := report.Series{Label: fmt.Sprintf("×%g", p.Width)}
		for epoch, change := range p.Changes {
			s.X, s.Y = append(s.X, float64(epoch)), append(s.Y, of(change))
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

// measureInitial reads the probe images and computes the initial kernel, and that of other initial
// weights.
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
	if k.initial, err = k.computeKernel(ctx, k.training.Network()); err != nil {
		return err
	}
	return k.measureOtherWeights(ctx)
}

// measureOtherWeights compares the kernel of other initial weights with the initial one.
func (k *kernelFollower) measureOtherWeights(ctx context.Context) error {
	net := k.training.Network()
	another, err := net.Arch.InitNetwork(net.Input, net.Classes,
		models.Stream(k.in.Seed, "other initial weights").Uint64())
	if err != nil {
		return err
	}
	kernel, err := k.computeKernel(ctx, another)
	if err != nil {
		return err
	}
	c, err := models.CompareKernels(kernel, k.initial)
	if err == nil {
		k.path.Another = *c
	}
	return err
}

func (k *kernelFollower) computeKernel(ctx context.Context, n *models.Network) (*mat.SymDense, error) {
	ntk, err := n.NTK(ctx, k.px, models.NTKOptions{Threads: k.in.Threads, Memory: record.AvailableMemory()})
	if err != nil {
		return nil, err
	}
	return ntk.Gram, nil
}

// measureEpoch compares the kernel after an epoch with the initial one.
func (k *kernelFollower) measureEpoch(ctx context.Context, _ int) error {
	now, err := k.computeKernel(ctx, k.training.Network())
	if err != nil {
		return err
	}
	c, err := models.CompareKernels(now, k.initial)
	if err != nil {
		return err
	}
	k.path.Changes = append(k.path.Changes, *c)
	return nil
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
