package setups

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// PatchMachineSpec is a convolutional kernel machine that learns features (paper cnfa, section 3).
type PatchMachineSpec struct {
	Kernel     string `json:"kernel" toml:"kernel"` // see [rfm.ParseConvKernel]
	Depth      int    `json:"depth" toml:"depth"`   // convolutions of the kernel
	Patch      int    `json:"patch" toml:"patch"`
	Iterations int    `json:"iterations" toml:"iterations"`
	Layers     int    `json:"layers" toml:"layers"` // that learn features: more than 1 is a Deep ConvRFM
	Filters    int    `json:"filters" toml:"filters"`
	// Sample is the number of training images in the patch-AGOP; 0 is all, the published code takes 20.
	Sample int       `json:"sample" toml:"sample"`
	Ridges []float64 `json:"ridges" toml:"ridges"`
	// Last takes the M of the last iteration, as Algorithm 1 says, and the first
	// ridge. Otherwise validation images choose them (Appendix B).
	Last bool `json:"last" toml:"last"`
}

// FittedPatchMachine is a machine after its fit.
type FittedPatchMachine struct {
	model *rfm.ConvModel
	// Layers has the chosen iteration of each layer: the last one, or the best on the validation
	// images after the first, in which M is the identity.
	Layers []*rfm.ConvIteration
	// FirstMetrics has the metrics of the first layer, iteration by iteration.
	FirstMetrics []*rfm.Metric
	// PlainAccuracy is the accuracy on the validation images of the kernel without features, the
	// first iteration; LearnedAccuracy is the best of all. Both are NaN where the last is taken.
	PlainAccuracy, LearnedAccuracy float64
	TestScores                     rfm.Scores
}

// Metric returns the M that a layer learned.
func (f *FittedPatchMachine) Metric(layer int) *rfm.Metric { return f.Layers[layer].Metric }

// Fit fits the machine to the images of a task. As in the paper, M is divided by its mean eigenvalue,
// which makes no difference to a kernel that is homogeneous in M, and the kernel by its largest
// element. Test images choose nothing.
func (s PatchMachineSpec) Fit(ctx context.Context, in study.Setting, e *PatchExamples) (*FittedPatchMachine, error) {
	if s.Iterations < 1 {
		return nil, input.Errorf("%d iterations: want at least one, in which features are learned", s.Iterations)
	}
	k, err := rfm.ParseConvKernel(s.Kernel, s.Depth, 0)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	f := &FittedPatchMachine{PlainAccuracy: math.NaN(), LearnedAccuracy: math.NaN()}
	m := rfm.ConvMachine{
		Kernel: k, Patch: s.Patch, Ridges: s.Ridges, Iterations: s.Iterations, Task: rfm.Classification,
		Layers: s.Layers, Filters: s.Filters, Scale: rfm.ScaleTrace, KernelScale: true, Sample: s.Sample,
		Each: f.keepIteration,
	}
	if in.Dry() {
		return f, s.addJobs(in, m, e)
	}
	if !s.Last {
		validation := e.Images(e.validation)
		m.Validation = &validation
	}
	if f.model, err = in.FitConv(ctx, e.Name+": "+s.Kernel, m, e.Images(e.Train)); err != nil {
		return nil, err
	}
	f.TestScores, err = f.model.Score(ctx, e.Images(e.test).X, e.test.Y)
	return f, err
}

// addJobs adds the jobs of the fit, and of the test of the last layer, to a dry run.
func (s PatchMachineSpec) addJobs(in study.Setting, m rfm.ConvMachine, e *PatchExamples) error {
	judged := 0
	if !s.Last {
		judged = linalg.RowCount(e.validation.Y)
	}
	p, err := patchMachineSize(m, models.Shape(e.Shape), linalg.RowCount(e.Train.Y), judged,
		linalg.ColumnCount(e.Train.Y))
	if err != nil {
		return err
	}
	p.Tested = linalg.RowCount(e.test.Y)
	return in.AddJobs(p.Jobs(), nil)
}

// keepIteration keeps the metric of an iteration, and the iteration itself where it is the best of
// its layer.
func (f *FittedPatchMachine) keepIteration(it *rfm.ConvIteration) error {
	if it.Layer == 0 {
		f.FirstMetrics = append(f.FirstMetrics, it.Metric)
	}
	switch {
	case it.Index == 1:
		f.Layers = append(f.Layers, it)
	case it.Index > 1 && (it.Validation == nil || it.Validation.Better(*f.Layers[it.Layer].Validation)):
		f.Layers[it.Layer] = it
	}
	if it.Validation == nil {
		return nil
	}
	if it.Layer == 0 && it.Index == 0 {
		f.PlainAccuracy, f.LearnedAccuracy = it.Validation.Accuracy, it.Validation.Accuracy
	}
	f.LearnedAccuracy = max(f.LearnedAccuracy, it.Validation.Accuracy)
	return nil
}

// MaxLayers limits the layers of machines and networks whose cost is estimated.
const MaxLayers = 1000

// patchMachineSize returns what the cost of a machine depends on. Without judged images, which choose
// the ridge, the machine solves for its first ridge alone. Too many layers are an [*input.Error].
func patchMachineSize(m rfm.ConvMachine, shape models.Shape, train, judged, outputs int,
) (workload.PatchMachineSize, error) {
	p := workload.PatchMachineSize{
		Kernel: workload.KernelName(m.Kernel), Depth: m.Kernel.Depth(), Patch: m.Patch, Iterations: m.Iterations,
		Layers: m.Layers, Filters: m.Filters, Sample: m.Sample,
		Train: train, Judged: judged, Ridges: 1, Shape: shape, Outputs: outputs,
	}
	if judged > 0 {
		p.Ridges = len(m.Ridges)
	}
	if p.Depth > MaxLayers || p.Layers > MaxLayers {
		return p, input.Errorf("%d layers of %d convolutions: want at most %d", p.Layers, p.Depth, MaxLayers)
	}
	return p, nil
}

// momentImages is the number of images that a moment of patches is computed on.
const momentImages = 100

// PatchMoment returns the second moment Σhhᵀ/n of the q×q patches h of the first images, in the
// order (channel, row, column). It depends on the images alone, not on what is learned.
func PatchMoment(ctx context.Context, x rfm.Images, q int) (*rfm.Metric, error) {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	g := graph.New(d, graph.Double)
	in := g.Input("x", 1, x.Height, x.Width, x.Channels)
	patches := g.Patches(in, q, q, graph.Conv2D{})
	moment := g.MatMul(patches, patches, true, false)
	p, err := g.Compile(graph.Plan{Outputs: []*graph.Node{moment}})
	if err != nil {
		return nil, err
	}
	dim := x.Channels * q * q
	sum := mat.NewDense(dim, dim, nil)
	n := min(x.Len(), momentImages)
	for i := range n {
		for k, v := range x.Image(i) {
			g.Data(in).Float64s()[k] = float64(v)
		}
		if err := p.Run(ctx); err != nil {
			return nil, err
		}
		sum.Add(sum, mat.NewDense(dim, dim, p.Value(moment).Float64s()))
	}
	out := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := i; j < dim; j++ {
			out.SetSym(i, j, sum.At(i, j)/float64(n))
		}
	}
	return rfm.FullMetric(out), nil
}
