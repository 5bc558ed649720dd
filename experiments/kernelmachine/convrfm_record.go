package kernelmachine

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/measure"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// ConvRFMRecord is the record of a convolutional recursive feature machine, as scripts read it.
type ConvRFMRecord struct {
	Data   string            `json:"data"`
	Kernel string            `json:"kernel"`
	Depth  int               `json:"depth"`
	Patch  int               `json:"patch"`
	Train  int               `json:"train"` // images that were fitted
	Test   int               `json:"test"`
	Layers []ConvLayerRecord `json:"layers"`
	// Iterations and Selected are those of the last layer.
	Iterations  []IterationRecord  `json:"iterations"`
	Selected    int                `json:"selected"`
	Seconds     float64            `json:"seconds"`
	Conventions ConvRFMConventions `json:"conventions"`

	page record.PageData
}

// ConvRFMFit is a record with the fitted machine.
type ConvRFMFit struct {
	ConvRFMRecord

	machine  rfm.ConvMachine
	model    *rfm.ConvModel
	last     *rfm.ConvModel  // of the last iteration
	metrics  [][]*rfm.Metric // by layer and iteration
	examples *examples.ImageSet

	testKernel *mat.Dense // see [ConvRFM]
}

// ConvLayerRecord is the record of a layer.
type ConvLayerRecord struct {
	Layer      int               `json:"layer"` // from 1
	Kernel     string            `json:"kernel"`
	Depth      int               `json:"depth"`
	Channels   int               `json:"channels"` // of the layer's input
	Iterations []IterationRecord `json:"iterations"`
	Selected   int               `json:"selected"`
}

// newFit returns the record before the first iteration.
func (c *ConvRFM) newFit() *ConvRFMFit {
	m := c.machine
	f := &ConvRFMFit{machine: m, examples: c.examples, testKernel: c.testKernel}
	f.ConvRFMRecord = ConvRFMRecord{
		Data: c.examples.Name, Kernel: m.Kernel.String(), Depth: m.Kernel.Depth(), Patch: m.Patch,
		Train: c.examples.Train.X.Len(), Test: c.examples.Test.X.Len(),
		Conventions: c.conv, page: record.NewPageData(),
	}
	return f
}

// addIteration tests the model of an iteration and adds its record.
func (r *ConvRFMFit) addIteration(ctx context.Context, it *rfm.ConvIteration, progress func(rfm.ConvProgress)) error {
	if it.Layer == len(r.Layers) {
		r.Layers = append(r.Layers, ConvLayerRecord{
			Layer: it.Layer + 1, Kernel: r.Kernel, Depth: r.Depth - it.Layer,
			Channels: it.Metric.Dim() / (r.Patch * r.Patch),
		})
		r.metrics = append(r.metrics, nil)
	}
	rec := IterationRecord{Iteration: it.Index, Ridge: &it.Ridge, Trace: it.Metric.Trace(), Solution: it.Solution,
		Seconds: it.Seconds}
	validation, test := it.Validation, (*rfm.Scores)(nil)
	switch {
	case r.machine.Validation == &r.examples.Test:
		validation, test = nil, it.Validation // paper mode
	case r.Test > 0:
		var known *mat.Dense
		if it.Layer == 0 && it.Index == 0 {
			known = r.testKernel
		}
		f, err := predictImages(ctx, it.Model(), r.examples.Test.X, known, func(done, total int) {
			if progress != nil {
				progress(rfm.ConvProgress{
					Layer: it.Layer, Iteration: it.Index, Stage: "test", Done: done, Total: total,
				})
			}
		})
		if err != nil {
			return err
		}
		s, err := r.examples.Task.Score(f, r.examples.Test.Y)
		if err != nil {
			return err
		}
		test = &s
	}
	rec.setScores(it.Train, validation, test, r.examples.Unit)
	layer := &r.Layers[it.Layer]
	layer.Iterations = append(layer.Iterations, rec)
	r.metrics[it.Layer] = append(r.metrics[it.Layer], it.Metric)
	r.last = it.Model()
	return nil
}

// setSelected records which iterations the model consists of.
func (r *ConvRFMFit) setSelected(model *rfm.ConvModel) {
	r.model = model
	for l, layer := range model.Layers() {
		if k := slices.Index(r.metrics[l], layer.Metric); k >= 0 {
			r.Layers[l].Selected = r.Layers[l].Iterations[k].Iteration
		}
	}
	last := r.Layers[len(r.Layers)-1]
	r.Iterations, r.Selected = last.Iterations, last.Selected
}

// SaveMetric writes the M of the last layer of the selected model as an NPY file, d×d.
func (r *ConvRFMFit) SaveMetric(path string) error {
	layers := r.model.Layers()
	return array.WriteNPY(path, layers[len(layers)-1].Metric.Dense())
}

// SaveLastMetric writes the M of the last layer's last iteration, selected or not, as an NPY file, d×d.
func (r *ConvRFMFit) SaveLastMetric(path string) error {
	last := r.metrics[len(r.metrics)-1]
	return array.WriteNPY(path, last[len(last)-1].Dense())
}

// SaveKernel writes the kernel matrix of the training images, n×n and not scaled, as an NPY file. It uses
// the M of the last layer's last iteration.
func (r *ConvRFMFit) SaveKernel(ctx context.Context, path string) error {
	k, err := r.last.KernelMatrix(ctx, r.examples.Train.X)
	if err != nil {
		return err
	}
	return array.WriteNPY(path, k)
}

// SaveFeatures writes the last layer's input for the training images as an NPY file of float32, with the
// axes image, row, column and channel.
func (r *ConvRFMFit) SaveFeatures(ctx context.Context, path string) error {
	x, err := r.model.Features(ctx, r.examples.Train.X, len(r.Layers)-1)
	if err != nil {
		return err
	}
	return array.WriteNPYFloat32(path, []int{x.Len(), x.Height, x.Width, x.Channels}, x.Pixels)
}

// SaveModel writes the selected model into a folder.
func (r *ConvRFMFit) SaveModel(dir string) error {
	return saveModel(r.model, &r.examples.Description, measure.Decision{}, dir)
}

// Summary says what the record shows, in a few sentences.
func (r *ConvRFMRecord) Summary() string {
	s := "The plain kernel (iteration 0, M = I): " + r.scoreText(0, 0) + "."
	chosenOn, leak := "validation", r.Conventions.Select == choosesOnTest
	if leak {
		chosenOn = "test"
	}
	for l, layer := range r.Layers {
		layerName := ""
		if len(r.Layers) > 1 {
			layerName = fmt.Sprintf(" of layer %d", layer.Layer)
		}
		switch {
		case layer.Selected > 0:
			s += fmt.Sprintf(" Iteration %d%s, which was selected: %s.", layer.Selected, layerName,
				r.scoreText(l, layer.Selected))
		case l > 0:
			s += fmt.Sprintf(" Iteration 0%s, which was selected: %s.", layerName, r.scoreText(l, 0))
		case len(layer.Iterations) > 1:
			s += fmt.Sprintf(" No later iteration%s did better on the %s images.", layerName, chosenOn)
		}
	}
	if leak {
		s += " Beware: ridge and iteration were chosen on these test images, as published, so the accuracies are " +
			"too high."
	}
	s += r.Conventions.TestCopies.Warning()
	for _, layer := range r.Layers {
		for _, it := range layer.Iterations {
			if it.Solution.Note != "" {
				return fmt.Sprintf("%s Layer %d, iteration %d: %s.", s, layer.Layer, it.Iteration, it.Solution.Note)
			}
		}
	}
	return s
}

// scoreText returns the score of an iteration in words.
func (r *ConvRFMRecord) scoreText(layer, iteration int) string {
	return r.Layers[layer].Iterations[iteration].scoreText()
}

// Tables returns a table with the iterations of all layers.
func (r *ConvRFMRecord) Tables() []*report.Table {
	layers := r.Layers
	if len(layers) == 1 {
		layers = []ConvLayerRecord{{Iterations: r.Iterations, Selected: r.Selected}}
	}
	t := iterationsTable("iterations", layers...)
	t.Caption = "The iterations of the convolutional recursive feature machine. Iteration 0 is the kernel with M = " +
		"I; those that were selected are marked."
	return []*report.Table{t}
}

// Save writes the report into a folder: report.html with its figures and tables, record.json, the
// metric of the last layer as metric.npy, and the model. If there are several layers, it writes the
// metrics of all as metric-layer1.npy and so on. It returns the path of the report.
func (r *ConvRFMFit) Save(ctx context.Context, dir string) (string, error) {
	if err := r.addPictures(ctx); err != nil {
		return "", err
	}
	if len(r.Iterations) > 1 { // else M is I
		var err error
		if r.page.Explorer, err = exploreMetrics(r.Conventions.Seed, r.explored()...); err != nil {
			return "", err
		}
	}
	path, err := saveFit(dir, r)
	if err != nil || len(r.Layers) == 1 {
		return path, err
	}
	for l, layer := range r.model.Layers() {
		if err := array.WriteNPY(filepath.Join(dir, fmt.Sprintf("metric-layer%d.npy", l+1)),
			layer.Metric.Dense()); err != nil {
			return "", err
		}
	}
	return path, nil
}

// RecordKind implements [record.Record].
func (r *ConvRFMRecord) RecordKind() string { return "convrfm" }

// PageData returns the machine on which the record was made, and the figures of the features.
func (r *ConvRFMRecord) PageData() *record.PageData { return &r.page }

// Page returns the report.
func (r *ConvRFMRecord) Page() (*report.Page, error) {
	p := &report.Page{
		Title:      fmt.Sprintf("A convolutional recursive feature machine on %s", r.Data),
		Lead:       r.Summary(),
		Provenance: r.Conventions.Provenance(r.page.Machine, r.Seconds, r.Conventions.Digests()...),
	}
	for _, layer := range r.Layers {
		s, err := r.layerSection(layer)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, s)
	}
	if len(r.Iterations) > 1 { // else M is I
		if r.page.Explorer != nil {
			p.Sections = append(p.Sections, explorerSection(r.page.Explorer))
		}
		p.Sections = append(p.Sections, r.featuresSection())
	}
	p.Sections = append(p.Sections, report.Section{Heading: "Conventions", Facts: r.Conventions.facts()})
	return p, nil
}

// layerSection returns the section about the iterations of a layer.
func (r *ConvRFMRecord) layerSection(layer ConvLayerRecord) (report.Section, error) {
	s := report.Section{Heading: "Iterations"}
	name, table := "iterations", r.Tables()[0]
	if len(r.Layers) > 1 {
		name = fmt.Sprintf("iterations-layer%d", layer.Layer)
		table = iterationsTable(name, ConvLayerRecord{Iterations: layer.Iterations, Selected: layer.Selected})
		s.Heading = fmt.Sprintf("Layer %d", layer.Layer)
		s.Text = []string{
			fmt.Sprintf("The kernel %s, depth %d, of patches of %d×%d×%d.", layer.Kernel, layer.Depth, layer.Channels,
				r.Patch, r.Patch),
		}
		table.Caption = fmt.Sprintf("The iterations of layer %d; the one that was selected is marked.", layer.Layer)
	}
	s.Tables = []report.Table{*table}
	f, err := scoreFigure(name, "Iterations", layer.Iterations)
	s.Figures = []report.Figure{f}
	return s, err
}

// facts returns the conventions as a report shows them.
func (c ConvRFMConventions) facts() []report.Fact {
	c.Test = cmp.Or(c.Test, "none")
	return append(report.FactsOf(c), c.Conventions.Facts()...)
}
