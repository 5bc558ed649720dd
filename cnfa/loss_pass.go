package cnfa

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// lossPass computes the sums that statements about the loss and about a layer's input need, in one more backward pass per
// batch. It belongs to the program that computes the gradients of the outputs, and shares its forward pass. The loss is
// the sum of the images' cross-entropies.
type lossPass struct {
	f             *graph.Function
	watch         []graph.Watch // the nodes whose values the program passes on
	classes       int
	targets, mask *graph.Node // one-hot labels; 1 for every image that has one
	needs         needs
	layers        []*lossSums
	inputs        map[string]moment.Accumulator // by the name of the layer of the network's function
	images        int                           // of the current batch
}

// LossMoments holds one group of images' sums for the statements about a layer's loss and input. They run over the images
// and positions.
type LossMoments struct {
	// Loss is Σδδᵀ for δ the gradient of an image's cross-entropy, one block for each group of the layer.
	Loss moment.Moment
	// Inputs is Σhhᵀ over the patches h that the layer reads, one block for each group of the layer; empty unless a
	// statement needs it.
	Inputs moment.Moment
	// Gradient is the gradient of the cross-entropy in W, c×d; nil unless a statement needs it.
	Gradient *mat.Dense
}

// lossSums holds the sums of the loss pass at one layer.
type lossSums struct {
	info     models.LayerInfo
	loss     moment.Accumulator
	gradient *mat.Dense
}

// lossInputs is the prefix of the names of the pass's inputs. It keeps them apart from a network's parameters, which may
// have any name in ONNX files.
const lossInputs = "cross-entropy of the labels: "

// newLossPass adds the pass for the given layers to a function. Full says that all images of every batch count. If they do not
// and the rows that a layer reads may lie in another order than image by image, the error is a [graph.ErrTogether].
func newLossPass(f *graph.Function, layers []models.LayerInfo, n needs, full bool) (*lossPass, error) {
	batch, classes := f.Output.Shape()[0], f.Output.Shape()[1]
	p := &lossPass{f: f, classes: classes, targets: f.Input(lossInputs+"targets", batch, classes),
		mask:  f.Input(lossInputs+"mask", batch),
		needs: n, inputs: map[string]moment.Accumulator{}}
	one := f.Input(lossInputs+"one", 1)
	if f.Err() != nil {
		return nil, f.Err()
	}
	values.Fill(f.Data(one), 1)
	for _, l := range layers {
		if !n.inputs {
			continue
		}
		of, _ := l.In(f)
		for _, u := range of.Uses() {
			if !full && batch > 1 && !u.ByExample(batch) {
				return nil, fmt.Errorf("%w: the input of %s", graph.ErrTogether, of.Name)
			}
		}
		p.watchInputs(l)
	}
	loss := f.Sub(f.Dot(f.LogSumExp(f.Output), p.mask), f.Dot(f.Output, p.targets))
	var wanted []*graph.Node
	for _, l := range layers {
		of, _ := l.In(f)
		for _, u := range of.Uses() {
			wanted = append(wanted, u.Pre)
		}
		wanted = append(wanted, of.Weight)
	}
	cotangents := f.Pullback([]*graph.Node{loss}, []*graph.Node{one}, wanted)
	for _, l := range layers {
		of, _ := l.In(f)
		uses := len(of.Uses())
		p.watchLoss(l, of, cotangents[:uses], cotangents[uses])
		cotangents = cotangents[uses+1:]
	}
	return p, f.Err()
}

// observe makes the program call see with the value of a node, on the device if onDevice is set.
func (p *lossPass) observe(n *graph.Node, onDevice bool, see func(*tensor.Dense) error) {
	p.watch = append(p.watch, graph.Watch{Node: n, See: see, OnDevice: onDevice})
}

// watchLoss makes the program sum the moments of the cotangents at the uses of a layer, and the gradient in its weights.
func (p *lossPass) watchLoss(l models.LayerInfo, of graph.Layer, pre []*graph.Node, weight *graph.Node) {
	from, to := l.Rows()
	s := &lossSums{info: l, gradient: mat.NewDense(l.Filters, l.PatchSize(), nil)}
	p.layers = append(p.layers, s)
	columns := moment.Columns{From: from, To: to, Width: of.Filters(), Groups: l.Blocks()}
	s.loss = newAccumulator(p.f, columns, of.Rows())
	for _, n := range pre {
		if n != nil {
			p.observe(n, true, func(cot *tensor.Dense) error { return s.loss.Add(0, cot) })
		}
	}
	if weight == nil || !p.needs.gradient {
		return
	}
	p.observe(weight, false, func(cot *tensor.Dense) error {
		values.AddTo(s.gradient.RawMatrix().Data, cot, from*l.PatchSize())
		return nil
	})
}

// watchInputs makes the program sum the moment of a layer's inputs, once for all parts of the layer.
func (p *lossPass) watchInputs(l models.LayerInfo) {
	of, _ := l.In(p.f)
	if p.inputs[of.Name] != nil {
		return
	}
	batch, width := p.f.Output.Shape()[0], l.PatchSize()*l.Blocks()
	add := func(s moment.Accumulator, read *graph.Node) {
		if p.f.Err() != nil {
			return
		}
		width := read.Shape()[read.Dims()-1]
		rows := read.Shape().TotalSize() / width / batch // of one image
		p.observe(read, true, func(h *tensor.Dense) error { return s.Add(0, firstRows(h, p.images*rows, width)) })
	}
	if c := of.Conv; c != nil && len(of.Uses()) == 1 && moment.PatchRows(*c) {
		s := newPatches(p.f, *c)
		p.inputs[of.Name] = s
		row := oneGroup(c)
		row.PadH = 0
		add(s, p.f.Patches(of.In, 1, c.KW, row))
		return
	}
	s := newAccumulator(p.f, moment.Columns{To: width, Width: width, Groups: l.Blocks()}, of.Rows())
	p.inputs[of.Name] = s
	for _, u := range of.Uses() {
		read := u.In
		if u.Conv != nil {
			read = p.f.Patches(u.In, u.Conv.KH, u.Conv.KW, oneGroup(u.Conv))
		}
		add(s, read)
	}
}

// firstRows returns the first n rows of a tensor as a matrix with rows of the given width.
func firstRows(t *tensor.Dense, n, width int) *tensor.Dense {
	if x, ok := t.Data().([]float64); ok {
		return tensor.New(tensor.WithShape(n, width), tensor.WithBacking(x[:n*width]))
	}
	return tensor.New(tensor.WithShape(n, width), tensor.WithBacking(t.Float32s()[:n*width]))
}

// newAccumulator returns an accumulator for the given number of rows per batch.
func newAccumulator(f *graph.Function, c moment.Columns, rows int) moment.Accumulator {
	if f.Output.Dtype() == tensor.Float64 {
		return moment.New[float64](f.Device(), c, rows, 1, moment.Kind{})
	}
	return moment.New[float32](f.Device(), c, rows, 1, moment.Kind{})
}

// newPatches returns an accumulator of the patches of a convolution from its patches of one row.
func newPatches(f *graph.Function, s backend.ConvShape) moment.Accumulator {
	if f.Output.Dtype() == tensor.Float64 {
		return moment.NewPatches[float64](f.Device(), s)
	}
	return moment.NewPatches[float32](f.Device(), s)
}

// sums lists the accumulators.
func (p *lossPass) sums() (all []moment.Accumulator) {
	for _, l := range p.layers {
		all = append(all, l.loss)
	}
	for _, s := range p.inputs {
		all = append(all, s)
	}
	return all
}

// bytes returns the memory of the sums over a number of batches.
func (p *lossPass) bytes(batches int64) int64 {
	n := int64(0)
	for _, s := range p.sums() {
		n += s.Bytes(batches)
	}
	for _, l := range p.layers {
		n += 8 * int64(l.info.Filters) * int64(l.info.PatchSize())
	}
	return n
}

// begin prepares the pass for a batch of len(labels) images. An image without a label counts for the inputs only.
func (p *lossPass) begin(labels []int) {
	p.images = len(labels)
	targets, mask := p.f.Data(p.targets), p.f.Data(p.mask)
	targets.Zero()
	mask.Zero()
	for i, label := range labels {
		if label >= 0 && label < p.classes {
			values.Set(targets, i*p.classes+label, 1)
			values.Set(mask, i, 1)
		}
	}
	for _, s := range p.sums() {
		s.Begin(len(labels), p.f.Output.Shape()[0])
	}
}

// end adds the batch to the sums.
func (p *lossPass) end() {
	for _, s := range p.sums() {
		s.End()
	}
}

// take returns the sums and starts again from zero.
func (p *lossPass) take() []LossMoments {
	inputs := map[string]moment.Moment{}
	for name, s := range p.inputs {
		inputs[name] = s.Take(1)
	}
	all := make([]LossMoments, len(p.layers))
	for i, l := range p.layers {
		of, _ := l.info.In(p.f)
		all[i] = LossMoments{Loss: l.loss.Take(1), Inputs: inputs[of.Name]}
		if p.needs.gradient {
			all[i].Gradient = l.gradient
			l.gradient = mat.NewDense(l.info.Filters, l.info.PatchSize(), nil)
		}
	}
	return all
}
