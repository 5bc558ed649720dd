package cnfapaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// SeenSpec compares how convolutional kernel machines and networks see the same
// images, layer by layer (cnfa Figs. 4 and 10).
type SeenSpec struct {
	Tasks   []setups.PatchTask      `json:"tasks" toml:"tasks"`
	Machine setups.PatchMachineSpec `json:"machine" toml:"machine"`
	Net     setups.PatchNetworkSpec `json:"net" toml:"net"`
	Images  int                     `json:"images" toml:"images"` // test images that are compared
}

const seenAbout = "A convolutional kernel machine and a network of the same depth, patches and images: CNTK-ConvRFM, and the trained network's first-layer covariance WᵀW. " +
	"At every position of a test image stands the norm ‖M^½h‖ of its patch h, of photographs ‖Mh‖, with W − W₀ in the place of W (Appendix B). " +
	"A similarity is Pearson's correlation of two such pictures over their positions, averaged over test images. The control is what M = I shows, the norm of the patch: " +
	"both pictures are bright where an image is bright or noisy, whatever was learned. A second control is the network before training. " +
	"Therefore also the gains are compared, the responses over the norms of the patches, which do not have that in common; of M = I they are constant, and the control is QMQᵀ, M with a random rotation. " +
	"Network and machine read the same pixels, as they are (the setting standard takes out their mean and standard deviation); the network is trained by Adam for the squared error, and is the one after the last epoch. " +
	"At scale small it starts as the paper's do where their features are verified, from normal weights of standard deviations 5e-3 and 1e-2: from PyTorch's initialisation it learns so few images with hardly a change of its first layer. "

const bestAbout = "M is that of the best iteration after the first by validation images, which also choose the ridge; test images choose nothing. "

// taskSeen is what came of one task.
type taskSeen struct {
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
	var found []*taskSeen
	for k, task := range s.Tasks {
		e, err := task.Open(ctx, in, o)
		if err != nil {
			return nil, err
		}
		t := &taskSeen{name: task.Name}
		if t.machine, err = s.Machine.Fit(ctx, in, e); err != nil {
			return nil, err
		}
		if t.net, err = s.Net.Train(ctx, in, e); err != nil {
			return nil, err
		}
		x := e.FirstTest(s.Images)
		if t.layers, t.measures, err = compareSeen(ctx, e, in, t.machine, t.net, x); err != nil {
			return nil, err
		}
		f, err := seenFigure(fmt.Sprintf("seen-%d", k+1), task, x, t.layers)
		if err != nil {
			return nil, err
		}
		o.Figures = append(o.Figures, f)
		keepMetrics(o, fmt.Sprintf("task-%d", k+1), t.machine)
		found = append(found, t)
	}
	o.Tables = append(o.Tables, seenTable(found), patchAccuracies(found))
	summariseSeen(found, o)
	return o, nil
}

// compareSeen is seen with its measures.
func compareSeen(ctx context.Context, e *setups.PatchExamples, in study.Setting, f *setups.FittedPatchMachine, n *setups.PatchNetwork, x rfm.Images) ([]setups.LayerResponses, []setups.ResponseMeasures, error) {
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

// keepMetrics puts the metrics that a machine learned among the matrices.
func keepMetrics(o *study.Outcome, name string, f *setups.FittedPatchMachine) {
	for k := range f.Layers {
		o.Matrices[fmt.Sprintf("%s-metric-%d", name, k+1)] = mat.DenseCopyOf(f.Metric(k).Dense())
	}
}

// seenFigure draws the first of the images and what is seen in them.
func seenFigure(name string, task setups.PatchTask, x rfm.Images, layers []setups.LayerResponses) (report.Figure, error) {
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
	f.Caption = fmt.Sprintf("Test images of %s, and at every position the norm %s of the patch there; each picture is scaled to its own range.", task.Data, norm)
	f.Alt, f.Wide = "Images beside what kernel machine and network see in them", true
	return f, err
}

// seenTable has a row for each layer of each task.
func seenTable(found []*taskSeen) report.Table {
	t := report.Table{Name: "seen", Caption: "How alike machine and network see test images, with controls.", Columns: setups.ResponseColumns("task, layer")}
	for _, f := range found {
		for k, m := range f.measures {
			t.Rows = append(t.Rows, append([]report.Cell{{Text: fmt.Sprintf("%s, %d", f.name, k+1)}}, m.Cells()...))
		}
	}
	return t
}

// patchAccuracies is how well machines and networks do.
func patchAccuracies(found []*taskSeen) report.Table {
	t := report.Table{
		Name: "accuracies", Caption: "Accuracies in percent. The best on validation images chose ridge and iteration, so that they flatter the machine; the test images chose nothing.",
		Columns: record.NumericColumns("task", "kernel, validation", "best iteration, validation", "machine, test", "network, training", "network, test"),
	}
	for _, f := range found {
		t.Rows = append(t.Rows, []report.Cell{
			{Text: f.name}, record.PercentCell(f.machine.PlainAccuracy), record.PercentCell(f.machine.LearnedAccuracy), record.PercentCell(f.machine.TestScores.Accuracy),
			record.PercentCell(f.net.TrainScores.Accuracy), record.PercentCell(f.net.TestScores.Accuracy),
		})
	}
	return t
}

// summariseSeen finds the values of the claims: of every task its mean over the
// layers, of every layer its mean over the tasks.
func summariseSeen(found []*taskSeen, o *study.Outcome) {
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
			o.Values[name+"_over_identity"] = meanBy(all, func(m setups.ResponseMeasures) float64 { return m.Network - m.Identity })
			o.Values[name+"_gain_over_rotated"] = meanBy(all, func(m setups.ResponseMeasures) float64 { return m.Gain - m.Rotated })
		}
	}
}

// meanBy is the mean of what is measured of each, NaN where one is.
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
