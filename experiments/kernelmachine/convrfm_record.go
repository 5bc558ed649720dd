package kernelmachine

import (
	"context"
	"slices"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/rfm"
)

// ConvRFMRecord is a convolutional recursive feature machine as scripts read
// it.
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

// ConvRFMFit is a record with the machine that it is of.
type ConvRFMFit struct {
	ConvRFMRecord

	machine  rfm.ConvMachine
	model    *rfm.ConvModel
	last     *rfm.ConvModel  // of the last iteration
	metrics  [][]*rfm.Metric // of the iterations of the layers
	examples *examples.ImageSet
}

// ConvLayerRecord is a layer.
type ConvLayerRecord struct {
	Layer      int               `json:"layer"` // from 1
	Kernel     string            `json:"kernel"`
	Depth      int               `json:"depth"`
	Channels   int               `json:"channels"` // of what the layer reads
	Iterations []IterationRecord `json:"iterations"`
	Selected   int               `json:"selected"`
}

func (c *ConvRFM) newFit() *ConvRFMFit {
	m := c.machine
	f := &ConvRFMFit{machine: m, examples: c.examples}
	f.ConvRFMRecord = ConvRFMRecord{
		Data: c.examples.Name, Kernel: m.Kernel.String(), Depth: m.Kernel.Depth(), Patch: m.Patch,
		Train: c.examples.Train.X.Len(), Test: c.examples.Test.X.Len(),
		Conventions: c.conv, page: record.NewPageData(),
	}
	return f
}

// add tests the model of an iteration and notes what it scores.
func (r *ConvRFMFit) add(ctx context.Context, it *rfm.ConvIteration, progress func(rfm.ConvProgress)) error {
	if it.Layer == len(r.Layers) {
		r.Layers = append(r.Layers, ConvLayerRecord{
			Layer: it.Layer + 1, Kernel: r.Kernel, Depth: r.Depth - it.Layer, Channels: it.Metric.Dim() / (r.Patch * r.Patch),
		})
		r.metrics = append(r.metrics, nil)
	}
	rec := IterationRecord{Iteration: it.Index, Ridge: &it.Ridge, Trace: it.Metric.Trace(), Solution: it.Solution, Seconds: it.Seconds}
	validation, test := it.Validation, (*rfm.Scores)(nil)
	switch {
	case r.machine.Validation == &r.examples.Test:
		validation, test = nil, it.Validation // paper mode
	case r.Test > 0:
		f, err := predictImages(ctx, it.Model(), r.examples.Test.X, func(done, total int) {
			if progress != nil {
				progress(rfm.ConvProgress{Layer: it.Layer, Iteration: it.Index, Stage: "test", Done: done, Total: total})
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
	rec.score(it.Train, validation, test, r.examples.Unit)
	layer := &r.Layers[it.Layer]
	layer.Iterations = append(layer.Iterations, rec)
	r.metrics[it.Layer] = append(r.metrics[it.Layer], it.Metric)
	r.last = it.Model()
	return nil
}

// finish notes which iterations made the model.
func (r *ConvRFMFit) finish(model *rfm.ConvModel) {
	r.model = model
	for l, layer := range model.Layers() {
		if k := slices.Index(r.metrics[l], layer.Metric); k >= 0 {
			r.Layers[l].Selected = r.Layers[l].Iterations[k].Iteration
		}
	}
	last := r.Layers[len(r.Layers)-1]
	r.Iterations, r.Selected = last.Iterations, last.Selected
}

// Metric is the M of the last layer of the model that was selected.
func (r *ConvRFMFit) Metric() *rfm.Metric {
	layers := r.model.Layers()
	return layers[len(layers)-1].Metric
}

// SaveMetric writes it as an NPY file, d×d.
func (r *ConvRFMFit) SaveMetric(path string) error {
	return array.WriteNPY(path, r.Metric().Dense())
}

// SaveLastMetric writes the M of the last iteration of the last layer, whether
// it was selected or not, as an NPY file, d×d.
func (r *ConvRFMFit) SaveLastMetric(path string) error {
	last := r.metrics[len(r.metrics)-1]
	return array.WriteNPY(path, last[len(last)-1].Dense())
}

// SaveKernel writes the kernel of the training images, n×n, with the M of the
// last iteration of the last layer, not divided by anything.
func (r *ConvRFMFit) SaveKernel(ctx context.Context, path string) error {
	k, err := r.last.KernelMatrix(ctx, r.examples.Train.X)
	if err != nil {
		return err
	}
	return array.WriteNPY(path, k)
}

// SaveFeatures writes the training images as the last layer reads them, in the
// order (image, row, column, channel), as an NPY file of float32.
func (r *ConvRFMFit) SaveFeatures(ctx context.Context, path string) error {
	x, err := r.model.Features(ctx, r.examples.Train.X, len(r.Layers)-1)
	if err != nil {
		return err
	}
	return array.WriteNPYFloat32(path, []int{x.Len(), x.Height, x.Width, x.Channels}, x.Pixels)
}

// SaveModel writes the model that was selected into a folder.
func (r *ConvRFMFit) SaveModel(dir string) error {
	return saveModel(r.model, &r.examples.Description, dir)
}
