package cnfapaper

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// ResponsesSpec compares the responses of convolutional kernel machines and networks to the same
// images, layer by layer (cnfa Figs. 4 and 10).
type ResponsesSpec struct {
	Tasks   []setups.PatchTask      `json:"tasks" toml:"tasks"`
	Machine setups.PatchMachineSpec `json:"machine" toml:"machine"`
	Net     setups.PatchNetworkSpec `json:"net" toml:"net"`
	Images  int                     `json:"images" toml:"images"` // test images that are compared
}

// responsesAbout explains how responses are compared, for the texts of Figs. 3, 4 and 10 and of the table of features.
var responsesAbout = study.About{
	Done: "A convolutional kernel machine and a network of the same depth learn the same images. Their responses " +
		"to test images, layer by layer, are compared position by position.",
	Deviations: []string{
		"At scale small the network starts from normal weights of standard deviations 5e-3 and 1e-2, as the " +
			"paper's do where their features are verified. From PyTorch's initialisation it learns so few images " +
			"with hardly a change of its first layer.",
	},
	Controls: []string{
		"The response with M = I is the norm of the patch. Responses are large where an image is bright or " +
			"noisy, whatever was learned, so a similarity has to exceed that with M = I.",
		"The gains are compared too: responses over the norms of the patches, which removes that common part. " +
			"With M = I gains are constant; their control is QMQᵀ, M with a random rotation Q.",
		"The network before training is a further control.",
	},
	Conventions: []string{
		"The response at a position is the norm ‖M^½h‖ of the patch h there, for M of the machine and for WᵀW of " +
			"the network's layer. On photographs it is ‖Mh‖, with W − W₀ in place of W (Appendix B).",
		"A similarity is Pearson's correlation of two such pictures over their positions, averaged over test " +
			"images.",
		"Network and machine read the same pixels, not standardised (the setting standard subtracts the mean and " +
			"divides by the standard deviation). The network is trained by Adam for the squared error and taken " +
			"after the last epoch.",
	},
}

// bestAbout says which iteration of a machine is used.
var bestAbout = study.About{
	Conventions: []string{
		"M is that of the best iteration after the first on validation images, which also choose the ridge.",
	},
}

// publishedAbout says which images choose iterations at scale paper, for the texts of Figs. 4 and 10.
var publishedAbout = study.About{
	Deviations: []string{
		"At scale paper test images choose iteration and ridge in place of validation images, as in the published " +
			"code. At other scales they choose nothing. A chart follows the first layer over the iterations, and the " +
			"table says which iteration was chosen.",
	},
}

// StandIns implements [study.Substituter].
func (s *ResponsesSpec) StandIns() map[string]string { return setups.StandIns(s.Tasks...) }

// Run implements Spec.
func (s *ResponsesSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Tasks) == 0 || s.Images < 1 {
		return nil, input.Errorf("%d tasks and %d images: want at least one of either", len(s.Tasks), s.Images)
	}
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	var found []*taskResult
	for k, task := range s.Tasks {
		e, err := task.Open(ctx, in, o)
		if err != nil {
			return nil, err
		}
		machine, err := s.Machine.Fit(ctx, in, e)
		if err != nil {
			return nil, err
		}
		t, err := compareWithNetwork(ctx, in, task.Name, e, machine, s.Net, s.Images)
		if err != nil {
			return nil, err
		}
		if in.Dry() {
			continue
		}
		f, err := t.figure(fmt.Sprintf("seen-%d", k+1))
		if err != nil {
			return nil, err
		}
		o.Figures = append(o.Figures, f)
		addMetrics(o, fmt.Sprintf("task-%d", k+1), machine)
		found = append(found, t)
	}
	if in.Dry() {
		return o, nil
	}
	o.Tables = append(o.Tables, similarityTable(found...), accuracyTable(found...))
	o.Charts = append(o.Charts, iterationsChart(found))
	setTaskMeasures(found, o)
	return o, nil
}

// taskResult holds a machine and a network that learned the same images, and their responses to test images.
type taskResult struct {
	name      string
	examples  *setups.PatchExamples
	machine   *setups.FittedPatchMachine
	net       *setups.PatchNetwork
	images    rfm.Images
	responses []setups.LayerResponses
	measures  []setups.ResponseMeasures // layer by layer
	// iterations are the correlations of the first layer's responses with the network's, by iteration.
	iterations []float64
}

// compareWithNetwork trains a network on a machine's images, and compares the responses of both to n test images. A
// dry run does not count the responses, which cost little.
func compareWithNetwork(
	ctx context.Context, in study.Setting, name string, e *setups.PatchExamples, machine *setups.FittedPatchMachine,
	spec setups.PatchNetworkSpec, images int,
) (*taskResult, error) {
	spec.Epochs = cmp.Or(e.Epochs, spec.Epochs)
	net, err := spec.Train(ctx, in, e)
	if err != nil {
		return nil, err
	}
	t := &taskResult{name: name, examples: e, machine: machine, net: net}
	if in.Dry() {
		return t, nil
	}
	t.images = e.FirstTest(images)
	if t.responses, err = e.MeasureResponses(ctx, in, machine, net, t.images); err != nil {
		return nil, err
	}
	for _, l := range t.responses {
		m, err := l.Correlate()
		if err != nil {
			return nil, err
		}
		t.measures = append(t.measures, m)
	}
	t.iterations, err = e.CorrelateIterations(ctx, machine, t.responses[0], t.images)
	return t, err
}

// addMetrics adds the metrics that a machine learned to the outcome, as NAME-metric-LAYER.
func addMetrics(o *study.Outcome, name string, f *setups.FittedPatchMachine) {
	for k := range f.Layers {
		o.Matrices[fmt.Sprintf("%s-metric-%d", name, k+1)] = mat.DenseCopyOf(f.Metric(k).Dense())
	}
}

// figure draws the first images and the responses of machine and network to them.
func (t *taskResult) figure(name string) (report.Figure, error) {
	columns := []string{t.examples.Name}
	for k := range t.responses {
		columns = append(columns, fmt.Sprintf("layer %d, machine", k+1), fmt.Sprintf("layer %d, network", k+1))
	}
	one := len(t.responses) == 1
	if one {
		columns = []string{t.examples.Name, "machine", "network", "M = I", "network untrained"}
	}
	var rows [][]report.Image
	for i := range min(record.ShownImages, t.images.Len()) {
		row := setups.ResponseRow(t.images, i, t.responses)
		if first := t.responses[0]; one {
			row = append(row, record.ResponseImage(first.Patches[i]), record.ResponseImage(first.Untrained[i]))
		}
		rows = append(rows, row)
	}
	f, err := report.ImageGrid(name, columns, rows)
	norm := "‖M^½h‖"
	if t.examples.Whole {
		norm = "‖Mh‖"
	}
	f.Caption = fmt.Sprintf("Test images of %s, and at every position the norm %s of the patch there; each picture "+
		"is scaled to its own range.", t.examples.Data, norm)
	f.Alt, f.Wide = "Images beside the responses of kernel machine and network to them", true
	return f, err
}

// iterationsChart returns a chart of the correlation of the first layers' responses, by iteration of the machine.
func iterationsChart(found []*taskResult) study.Chart {
	c := study.Chart{
		Name: "iterations", Title: "First layers of machine and network by iteration", XLabel: "iteration",
		YLabel: "correlation of responses",
		Caption: "The correlation of the first layer's responses with the network's, mean over the images, by " +
			"iteration of the machine; in iteration 0, M = I.",
	}
	for _, t := range found {
		s := report.Series{Label: t.name, Y: t.iterations}
		for k := range t.iterations {
			s.X = append(s.X, float64(k))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// layerMeasures are the measures of a layer for a task.
type layerMeasures struct {
	layer     string
	iteration int // the chosen one
	best      int // the best including M = I; the next layer's filters are drawn from its M
	setups.ResponseMeasures
}

// similarityTable returns a table with a row for each layer of each task.
func similarityTable(found ...*taskResult) report.Table {
	var rows []layerMeasures
	for _, t := range found {
		for k, m := range t.measures {
			rows = append(rows, layerMeasures{
				fmt.Sprintf("%s, %d", t.name, k+1), t.machine.Layers[k].Index, t.machine.Best[k].Index, m,
			})
		}
	}
	return record.TableOf("seen", "Similarity of the responses of machine and network to test images, with "+
		"controls.", rows,
		record.TextField("task, layer", func(m layerMeasures) string { return m.layer }),
		record.NumberField("iteration", "%.0f", func(m layerMeasures) float64 { return float64(m.iteration) }).
			WithHelp("of the machine, that was chosen among those after the first"),
		record.NumberField("best", "%.0f", func(m layerMeasures) float64 { return float64(m.best) }).
			WithHelp("with M = I, iteration 0, among them: the filters of the next layer are drawn from its M"),
		record.NumberField("machine and network", "%.3f", func(m layerMeasures) float64 { return m.Network }).
			WithHelp("correlation of the responses over the positions of an image, mean over the images"),
		record.NumberField("M = I", "%.3f", func(m layerMeasures) float64 { return m.Identity }).
			WithHelp("the same with the norm of the patches in place of the machine's response"),
		record.NumberField("above", "%+.3f", func(m layerMeasures) float64 { return m.OverIdentity() }).
			WithHelp("what lies above that"),
		record.NumberField("M = I in all layers", "%.3f", func(m layerMeasures) float64 { return m.Plain }).
			WithHelp("the network and a machine that learned no features in any layer"),
		record.NumberField("normalised", "%+.3f", func(m layerMeasures) float64 { return m.NormalisedExcess() }).
			WithHelp("the excess over that, as a share of the largest possible"),
		record.NumberField("untrained", "%.3f", func(m layerMeasures) float64 { return m.Untrained }).
			WithHelp("the machine's response and that of the network before training"),
		record.NumberField("gain", "%.3f", func(m layerMeasures) float64 { return m.Gain }).
			WithHelp("correlation of the responses over the norms of the patches"),
		record.NumberField("QMQᵀ", "%.3f", func(m layerMeasures) float64 { return m.Rotated }).
			WithHelp("the same with the machine's M rotated at random"),
		record.NumberField("above ", "%+.3f", func(m layerMeasures) float64 { return m.GainOverRotated() }).
			WithHelp("what lies above that"))
}

// accuracyTable returns the accuracies of machines and networks.
func accuracyTable(found ...*taskResult) report.Table {
	judges := found[0].machine.Judges
	return record.TableOf("accuracies", fmt.Sprintf("Accuracies in percent. Ridge and iteration are the best on "+
		"%s images, which favours the machine.", judges), found,
		record.TextField("task", func(t *taskResult) string { return t.name }),
		record.PercentField("kernel, "+judges, func(t *taskResult) float64 { return t.machine.PlainAccuracy }),
		record.PercentField("best iteration, "+judges,
			func(t *taskResult) float64 { return t.machine.LearnedAccuracy }),
		record.PercentField("machine, test", func(t *taskResult) float64 { return t.machine.TestScores.Accuracy }),
		record.PercentField("network, training", func(t *taskResult) float64 { return t.net.TrainScores.Accuracy }),
		record.PercentField("network, test", func(t *taskResult) float64 { return t.net.TestScores.Accuracy }))
}

// taskPart and layerPart return the parts of measures that are a task and a layer of it.
func taskPart(task string) string { return strings.ReplaceAll(task, " ", "_") }

func layerPart(task string, layer int) string {
	return fmt.Sprintf("%s_layer%d", taskPart(task), layer)
}

// setTaskMeasures sets the measures of each layer of each task, and the means over the layers of each task.
func setTaskMeasures(found []*taskResult, o *study.Outcome) {
	for _, t := range found {
		setMeansOver(taskPart(t.name), t.measures, o)
		for k := range t.measures {
			setMeansOver(layerPart(t.name, k+1), t.measures[k:k+1], o)
		}
	}
}

// setMeansOver sets the means over a part: [alike], [overIdentity], [overPlain] and [gainOverRotated].
func setMeansOver(part string, all []setups.ResponseMeasures, o *study.Outcome) {
	o.Set(alike.Of(part), meanOf(all, func(m setups.ResponseMeasures) float64 { return m.Network }))
	o.Set(overIdentity.Of(part), meanOf(all, setups.ResponseMeasures.OverIdentity))
	o.Set(overPlain.Of(part), meanOf(all, setups.ResponseMeasures.OverPlain))
	o.Set(gainOverRotated.Of(part), meanOf(all, setups.ResponseMeasures.GainOverRotated))
}
