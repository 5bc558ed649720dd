package cnfapaper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// SeenSpec compares the responses of convolutional kernel machines and networks to the same
// images, layer by layer (cnfa Figs. 4 and 10).
type SeenSpec struct {
	Tasks   []setups.PatchTask      `json:"tasks" toml:"tasks"`
	Machine setups.PatchMachineSpec `json:"machine" toml:"machine"`
	Net     setups.PatchNetworkSpec `json:"net" toml:"net"`
	Images  int                     `json:"images" toml:"images"` // test images that are compared
}

// seenAbout explains how responses are compared, in the texts of Figs. 3, 4 and 10 and of the
// table of features.
const seenAbout = "A convolutional kernel machine and a network of the same depth, patches and images: CNTK-ConvRFM, " +
	"and the trained network's first-layer covariance WᵀW. At every position of a test image stands the norm ‖M^½h‖ " +
	"of its patch h, of photographs ‖Mh‖, with W − W₀ in the place of W (Appendix B). A similarity is Pearson's " +
	"correlation of two such pictures over their positions, averaged over test images. The control is what M = I " +
	"shows, the norm of the patch: both pictures are bright where an image is bright or noisy, whatever was learned. " +
	"A second control is the network before training. Therefore also the gains are compared, the responses over the " +
	"norms of the patches, which do not have that in common; of M = I they are constant, and the control is QMQᵀ, M " +
	"with a random rotation. Network and machine read the same pixels, as they are (the setting standard takes out " +
	"their mean and standard deviation); the network is trained by Adam for the squared error, and is the one after " +
	"the last epoch. At scale small it starts as the paper's do where their features are verified, from normal " +
	"weights of standard deviations 5e-3 and 1e-2: from PyTorch's initialisation it learns so few images with hardly " +
	"a change of its first layer. "

// bestAbout says which iteration of a machine is taken.
const bestAbout = "M is that of the best iteration after the first by validation images, which also choose the " +
	"ridge; test images choose nothing. "

// noisyDigits is the dataset of noisy digits in Figs. 4 and 10.
const noisyDigits = "noisydigits:mnist,noise=1"

// paperRidges returns the ridges that the paper chooses from (Appendix B).
func paperRidges() []float64 { return []float64{1e-8, 1e-5, 1e-3} }

// smallInit is the initialisation of the networks whose features the paper verifies (Appendix
// B).
const smallInit = "normal:5e-3,1e-2"

// taskResult holds the machine, the network and the comparison of their responses for one
// task.
type taskResult struct {
	name     string
	layers   []setups.LayerResponses
	measures []setups.ResponseMeasures
	machine  *setups.FittedPatchMachine
	net      *setups.PatchNetwork
}

// Run implements Spec.
func (s *SeenSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Tasks) == 0 || s.Images < 1 {
		return nil, input.Errorf("%d tasks and %d images: want at least one of either", len(s.Tasks), s.Images)
	}
	o := &study.Outcome{Values: map[string]float64{}, Matrices: map[string]*mat.Dense{}}
	var found []*taskResult
	for k, task := range s.Tasks {
		e, err := task.Open(ctx, in, o)
		if err != nil {
			return nil, err
		}
		t := &taskResult{name: task.Name}
		if t.machine, err = s.Machine.Fit(ctx, in, e); err != nil {
			return nil, err
		}
		if t.net, err = s.Net.Train(ctx, in, e); err != nil {
			return nil, err
		}
		x := e.FirstTest(s.Images)
		if t.layers, t.measures, err = compareResponses(ctx, e, in, t.machine, t.net, x); err != nil {
			return nil, err
		}
		f, err := taskFigure(fmt.Sprintf("seen-%d", k+1), task, x, t.layers)
		if err != nil {
			return nil, err
		}
		o.Figures = append(o.Figures, f)
		addMetrics(o, fmt.Sprintf("task-%d", k+1), t.machine)
		found = append(found, t)
	}
	o.Tables = append(o.Tables, similarityTable(found), accuracyTable(found))
	setTaskMeasures(found, o)
	return o, nil
}

// Jobs implements [study.Worker]. The responses to the few test images are left out.
func (s *SeenSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Tasks, func(t setups.PatchTask) ([]cost.Job, error) {
		machine, err := s.Machine.Jobs(t)
		if err != nil {
			return nil, err
		}
		net, err := s.Net.Jobs(t)
		return slices.Concat(machine, net), err
	})
}

// compareResponses returns the responses of machine and network to images, layer by layer, and
// how alike they are.
func compareResponses(
	ctx context.Context, e *setups.PatchExamples, in study.Setting, f *setups.FittedPatchMachine, n *setups.PatchNetwork,
	x rfm.Images,
) ([]setups.LayerResponses, []setups.ResponseMeasures, error) {
	layers, err := e.MeasureResponses(ctx, in, f, n, x)
	if err != nil {
		return nil, nil, err
	}
	var all []setups.ResponseMeasures
	for _, l := range layers {
		m, err := l.Correlate()
		if err != nil {
			return nil, nil, err
		}
		all = append(all, m)
	}
	return layers, all, nil
}

// addMetrics adds the metrics that a machine learned to the outcome, as NAME-metric-LAYER.
func addMetrics(o *study.Outcome, name string, f *setups.FittedPatchMachine) {
	for k := range f.Layers {
		o.Matrices[fmt.Sprintf("%s-metric-%d", name, k+1)] = mat.DenseCopyOf(f.Metric(k).Dense())
	}
}

// taskFigure draws the first images and the responses of machine and network to them.
func taskFigure(name string, task setups.PatchTask, x rfm.Images, layers []setups.LayerResponses) (report.Figure, error) {
	columns := []string{task.Name}
	for k := range layers {
		columns = append(columns, fmt.Sprintf("layer %d, machine", k+1), fmt.Sprintf("layer %d, network", k+1))
	}
	var rows [][]report.Image
	for i := range min(record.ShownImages, x.Len()) {
		row := setups.ResponseRow(x, i, layers)
		if len(layers) == 1 {
			row = append(row, record.ResponseImage(layers[0].Patches[i]), record.ResponseImage(layers[0].Untrained[i]))
		}
		rows = append(rows, row)
	}
	if len(layers) == 1 {
		columns = []string{task.Name, "machine", "network", "M = I", "network untrained"}
	}
	f, err := report.ImageGrid(name, columns, rows)
	norm := "‖M^½h‖"
	if task.Whole {
		norm = "‖Mh‖"
	}
	f.Caption = fmt.Sprintf("Test images of %s, and at every position the norm %s of the patch there; each picture "+
		"is scaled to its own range.", task.Data, norm)
	f.Alt, f.Wide = "Images beside what kernel machine and network see in them", true
	return f, err
}

// similarityTable returns a table with a row for each layer of each task.
func similarityTable(found []*taskResult) report.Table {
	t := report.Table{
		Name: "seen", Caption: "How alike machine and network see test images, with controls.",
		Columns: setups.ResponseColumns("task, layer"),
	}
	for _, f := range found {
		for k, m := range f.measures {
			t.Rows = append(t.Rows, append([]report.Cell{{Text: fmt.Sprintf("%s, %d", f.name, k+1)}}, m.Cells()...))
		}
	}
	return t
}

// accuracyTable returns the accuracies of machines and networks.
func accuracyTable(found []*taskResult) report.Table {
	t := report.Table{
		Name: "accuracies", Caption: "Accuracies in percent. The best on validation images chose ridge and " +
			"iteration, so that they flatter the machine; the test images chose nothing.",
		Columns: record.NumericColumns("task", "kernel, validation", "best iteration, validation", "machine, test",
			"network, training", "network, test"),
	}
	for _, f := range found {
		t.Rows = append(t.Rows, []report.Cell{
			{Text: f.name}, record.PercentCell(f.machine.PlainAccuracy), record.PercentCell(f.machine.LearnedAccuracy),
			record.PercentCell(f.machine.TestScores.Accuracy),
			record.PercentCell(f.net.TrainScores.Accuracy), record.PercentCell(f.net.TestScores.Accuracy),
		})
	}
	return t
}

// setTaskMeasures fills in the values that the claims are judged by: means over the layers of
// each task, and over the tasks for each layer.
func setTaskMeasures(found []*taskResult, o *study.Outcome) {
	byLayer, byTask := map[string][]setups.ResponseMeasures{}, map[string][]setups.ResponseMeasures{}
	for _, f := range found {
		for k, m := range f.measures {
			layer := fmt.Sprintf("layer%d", k+1)
			byLayer[layer] = append(byLayer[layer], m)
			byTask[f.name] = append(byTask[f.name], m)
		}
	}
	for _, group := range []map[string][]setups.ResponseMeasures{byLayer, byTask} {
		for name, all := range group {
			o.Values[name+"_alike"] = meanBy(all, func(m setups.ResponseMeasures) float64 { return m.Network })
			o.Values[name+"_over_identity"] = meanBy(all,
				func(m setups.ResponseMeasures) float64 { return m.Network - m.Identity })
			o.Values[name+"_gain_over_rotated"] = meanBy(all,
				func(m setups.ResponseMeasures) float64 { return m.Gain - m.Rotated })
		}
	}
}

// meanBy returns the mean of a measure over all elements: NaN if one of them is NaN, or if
// there is none.
func meanBy[T any](all []T, of func(T) float64) float64 {
	var v []float64
	for _, x := range all {
		v = append(v, of(x))
	}
	if len(v) == 0 {
		return math.NaN()
	}
	return stat.Mean(v, nil)
}
