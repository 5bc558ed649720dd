package kernelmachine

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Summary says in a sentence or two what the record shows.
func (r *ConvRFMRecord) Summary() string {
	s := "The kernel without features learned, iteration 0: " + r.say(0, 0) + "."
	for l, layer := range r.Layers {
		of := ""
		if len(r.Layers) > 1 {
			of = fmt.Sprintf(" of layer %d", layer.Layer)
		}
		switch {
		case layer.Selected > 0:
			s += fmt.Sprintf(" Iteration %d%s, which was selected: %s.", layer.Selected, of, r.say(l, layer.Selected))
		case l > 0:
			s += fmt.Sprintf(" Iteration 0%s, which was selected: %s.", of, r.say(l, 0))
		case len(layer.Iterations) > 1:
			s += fmt.Sprintf(" No later iteration%s did better on the images that choose.", of)
		}
	}
	if r.Conventions.Select == choosesOnTest {
		s += " Beware: ridge and iteration were chosen on these test images, as published, so that the accuracies are too high."
	}
	for _, layer := range r.Layers {
		for _, it := range layer.Iterations {
			if it.Solution.Note != "" {
				return fmt.Sprintf("%s Layer %d, iteration %d: %s.", s, layer.Layer, it.Iteration, it.Solution.Note)
			}
		}
	}
	return s
}

// say tells the score of an iteration.
func (r *ConvRFMRecord) say(layer, iteration int) string {
	return r.Layers[layer].Iterations[iteration].say()
}

// Table is the record as a table.
func (r *ConvRFMRecord) Table() *report.Table {
	layers := r.Layers
	if len(layers) == 1 {
		layers = []ConvLayerRecord{{Iterations: r.Iterations, Selected: r.Selected}}
	}
	t := iterationsTable("iterations", layers...)
	t.Caption = "The iterations of the convolutional recursive feature machine. Iteration 0 is the kernel with M = I; those that were selected are marked."
	return t
}

// Save writes the report into a folder: report.html, its figures and tables,
// record.json, the metric of the last layer as metric.npy, of several layers
// those of all as metric-layer1.npy and so on, and the model. It returns the path
// of the report.
func (r *ConvRFMFit) Save(ctx context.Context, dir string) (string, error) {
	if err := r.addPictures(ctx); err != nil {
		return "", err
	}
	path, err := saveFit(dir, r)
	if err != nil || len(r.Layers) == 1 {
		return path, err
	}
	for l, layer := range r.model.Layers() {
		if err := array.WriteNPY(filepath.Join(dir, fmt.Sprintf("metric-layer%d.npy", l+1)), layer.Metric.Dense()); err != nil {
			return "", err
		}
	}
	return path, nil
}

// RecordKind implements [record.Record].
func (r *ConvRFMRecord) RecordKind() string { return "convrfm" }

// PageData is where the record was made, and the features of the metrics.
func (r *ConvRFMRecord) PageData() *record.PageData { return &r.page }

// Page is the record as a report with its pictures.
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
		p.Sections = append(p.Sections, r.featuresSection())
	}
	p.Sections = append(p.Sections, report.Section{Heading: "Conventions", Facts: r.Conventions.facts()})
	return p, nil
}

// layerSection shows the iterations of a layer.
func (r *ConvRFMRecord) layerSection(layer ConvLayerRecord) (report.Section, error) {
	s := report.Section{Heading: "Iterations"}
	name, table := "iterations", r.Table()
	if len(r.Layers) > 1 {
		name = fmt.Sprintf("iterations-layer%d", layer.Layer)
		table = iterationsTable(name, ConvLayerRecord{Iterations: layer.Iterations, Selected: layer.Selected})
		s.Heading = fmt.Sprintf("Layer %d", layer.Layer)
		s.Text = []string{fmt.Sprintf("The kernel %s, depth %d, of patches of %d×%d×%d.", layer.Kernel, layer.Depth, layer.Channels, r.Patch, r.Patch)}
		table.Caption = fmt.Sprintf("The iterations of layer %d; the one that was selected is marked.", layer.Layer)
	}
	s.Tables = []report.Table{*table}
	f, err := scoreFigure(name, "Iterations", layer.Iterations)
	s.Figures = []report.Figure{f}
	return s, err
}
