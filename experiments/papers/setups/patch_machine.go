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
	"github.com/ansatz-lab/ansatz/graph/values"
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
	// Sample is the number of training images in the patch-AGOP; 0 is all. The published code uses 20.
	Sample int       `json:"sample" toml:"sample"`
	Ridges []float64 `json:"ridges" toml:"ridges"`
	// Select says which images choose the iteration of every layer, after the first, and the ridge of every iteration:
	// validation, images held out for this purpose, is the default; test is what the published code uses.
	Select string `json:"select" toml:"select"`
}

// The values of Select.
const (
	byValidation = "validation"
	byTest       = "test"
)

// judges returns the images that choose iterations and ridges, and their name.
func (s PatchMachineSpec) judges(e *PatchExamples) (rfm.Examples, string, error) {
	switch s.Select {
	case "", byValidation:
		return e.validation, byValidation, nil
	case byTest:
		return e.test, byTest, nil
	}
	return rfm.Examples{}, "", input.Errorf("select %q: want %s or %s", s.Select, byValidation, byTest)
}

// FittedPatchMachine is a machine after its fit.
type FittedPatchMachine struct {
	model *rfm.ConvModel
	plain *rfm.ConvModel // of the same form, with M = I in all layers
	// Judges are the images that chose ridge and iteration: validation or test.
	Judges string
	// Layers has the chosen iteration of each layer: the best on the judging images, not counting the first, in which
	// M is the identity.
	Layers []*rfm.ConvIteration
	// Best has the best iteration of each layer, counting the first. The filters of the next layer are drawn from its
	// M.
	Best []*rfm.ConvIteration
	// FirstLayer has all iterations of the first layer.
	FirstLayer []*rfm.ConvIteration
	// PlainAccuracy is the accuracy on the judging images of the kernel without features, the first iteration;
	// LearnedAccuracy is the best accuracy of all iterations.
	PlainAccuracy, LearnedAccuracy float64
	TestScores                     rfm.Scores
}

// Metric returns the M that a layer learned.
func (f *FittedPatchMachine) Metric(layer int) *rfm.Metric { return f.Layers[layer].Metric }

// Fit fits the machine to the images of a task. As in the paper, the kernel is divided by its largest element, and M
// by its mean eigenvalue, which makes no difference if the kernel is homogeneous in M.
func (s PatchMachineSpec) Fit(ctx context.Context, in study.Setting, e *PatchExamples) (*FittedPatchMachine, error) {
	if s.Iterations < 1 {
		return nil, input.Errorf("%d iterations: want at least one, in which features are learned", s.Iterations)
	}
	if s.Patch%2 == 0 {
		return nil, input.Errorf("patch %d: want an odd number, so that every pixel is the centre of a patch", s.Patch)
	}
	k, err := rfm.ParseConvKernel(s.Kernel, s.Depth, 0)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	f := &FittedPatchMachine{PlainAccuracy: math.NaN(), LearnedAccuracy: math.NaN()}
	judges, name, err := s.judges(e)
	if err != nil {
		return nil, err
	}
	f.Judges = name
	m := rfm.ConvMachine{
		Kernel: k, Patch: s.Patch, Ridges: s.Ridges, Iterations: s.Iterations, Task: rfm.Classification,
		Layers: s.Layers, Filters: s.Filters, Scale: rfm.ScaleTrace, KernelScale: true, Sample: s.Sample,
		Each: f.keepIteration,
	}
	if in.Dry() {
		return f, addPatchJobs(in, m, e, linalg.RowCount(judges.Y))
	}
	images := e.Images(judges)
	m.Validation = &images
	if f.plain, err = fitPlain(ctx, in, m, e); err != nil {
		return nil, err
	}
	if f.model, err = in.FitConv(ctx, e.Name+": "+s.Kernel, m, e.Images(e.Train)); err != nil {
		return nil, err
	}
	f.TestScores, err = f.model.Score(ctx, e.Images(e.test).X, e.test.Y)
	return f, err
}

// plainImages is the number of images for the fit of a machine that learns no features.
const plainImages = 20

// fitPlain fits a machine of the form of m in which M = I in all layers: its features are those of filters drawn from
// N(0, I) by the same seed. They do not depend on the images of the fit, so a few images are enough.
func fitPlain(ctx context.Context, in study.Setting, m rfm.ConvMachine, e *PatchExamples) (*rfm.ConvModel, error) {
	m.Iterations, m.Validation, m.Each, m.Sample, m.Ridges = 0, nil, nil, 0, []float64{1} // any ridge will do
	rows := make([]int, min(plainImages, linalg.RowCount(e.Train.X)))
	for k := range rows {
		rows[k] = k
	}
	return in.FitConv(ctx, e.Name+", M = I: "+workload.KernelName(m.Kernel), m, e.Images(e.Train.Rows(rows)))
}

// addPatchJobs adds the jobs of the fit, and of the test of the last layer, to a dry run.
func addPatchJobs(in study.Setting, m rfm.ConvMachine, e *PatchExamples, judged int) error {
	p, err := patchMachineSize(m, models.Shape(e.Shape), linalg.RowCount(e.Train.Y), judged,
		linalg.ColumnCount(e.Train.Y))
	if err != nil {
		return err
	}
	p.Tested = linalg.RowCount(e.test.Y)
	return in.AddJobs(p.Jobs(), nil)
}

// keepIteration keeps the metric of an iteration, and the iteration itself if it is the best of its layer.
func (f *FittedPatchMachine) keepIteration(it *rfm.ConvIteration) error {
	if it.Layer == 0 {
		f.FirstLayer = append(f.FirstLayer, it)
	}
	switch {
	case it.Index == 0:
		f.Best = append(f.Best, it)
	case it.Validation.Better(*f.Best[it.Layer].Validation):
		f.Best[it.Layer] = it
	}
	switch {
	case it.Index == 1:
		f.Layers = append(f.Layers, it)
	case it.Index > 1 && it.Validation.Better(*f.Layers[it.Layer].Validation):
		f.Layers[it.Layer] = it
	}
	if it.Layer == 0 && it.Index == 0 {
		f.PlainAccuracy, f.LearnedAccuracy = it.Validation.Accuracy, it.Validation.Accuracy
	}
	f.LearnedAccuracy = max(f.LearnedAccuracy, it.Validation.Accuracy)
	return nil
}

// MaxLayers limits the layers of machines and networks whose cost is estimated.
const MaxLayers = 1000

// patchMachineSize returns the sizes that determine the cost of a machine. Without judged images, which choose the
// ridge, the machine solves only for its first ridge. Too many layers are an [*input.Error].
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

// momentImages is the number of images for a moment of patches.
const momentImages = 100

// PatchMoment returns the second moment Σhhᵀ/n of the q×q patches h of the first images, in the order (channel, row,
// column). It depends only on the images, not on what is learned.
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
		values.CopyFrom(g.Data(in), x.Image(i))
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
