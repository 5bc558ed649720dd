package experiments

import (
	"context"
	"regexp"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// PatchNetSpec is the convolutional network that a kernel machine is compared
// with, and how it is trained by Adam for the mean squared error on one-hot
// targets, which is what the kernel machine solves.
type PatchNetSpec struct {
	Arch   string  `json:"arch" toml:"arch"` // cnn3 is the paper's: three convolutions of 64 filters, VALID, no biases
	Init   string  `json:"init" toml:"init"` // see [models.Architecture.SetInit]
	Rate   float64 `json:"rate" toml:"rate"`
	Batch  int     `json:"batch" toml:"batch"`
	Epochs int     `json:"epochs" toml:"epochs"`
}

// patchNet is such a network after its last epoch.
type patchNet struct {
	net, initial        *models.Network
	layers              []string // the convolutions
	trainScore, testing rfm.Scores
}

// train trains the network on the images of a task, as they are.
func (s PatchNetSpec) train(ctx context.Context, in Setting, e *patchExamples) (*patchNet, error) {
	if s.Batch < 1 || s.Epochs < 1 {
		return nil, badInput("a network's batch %d and epochs %d: want at least 1", s.Batch, s.Epochs)
	}
	t, err := s.training(in, e)
	if err != nil {
		return nil, err
	}
	defer t.close()
	stage := e.Name + ": training the network"
	t.EndEpoch = func(context.Context) error {
		in.report(stage, t.Epoch()+1, s.Epochs)
		return nil
	}
	if err := in.train(ctx, stage, s, &t.Loop); err != nil {
		return nil, err
	}
	n := &patchNet{net: t.net, initial: t.initial}
	for _, layer := range t.net.Layers() {
		if layer.Kind == "conv" {
			n.layers = append(n.layers, layer.Name)
		}
	}
	if n.trainScore, err = scoreNetwork(ctx, t.device, n.net, e.train, rfm.Classification); err != nil {
		return nil, err
	}
	n.testing, err = scoreNetwork(ctx, t.device, n.net, e.test, rfm.Classification)
	return n, err
}

// training prepares the training.
func (s PatchNetSpec) training(in Setting, e *patchExamples) (*networkTraining, error) {
	a, err := lookup(s.Arch)
	if err != nil {
		return nil, err
	}
	if err := a.SetInit(s.Init); err != nil {
		return nil, &InputError{err}
	}
	_, classes := e.train.Y.Dims()
	shape := models.Shape{Channels: e.shape.Channels, Height: e.shape.Height, Width: e.shape.Width}
	net, err := a.InitNetwork(shape, classes, in.Seed)
	if err != nil {
		return nil, &InputError{err}
	}
	rows := examplesInRows(e.train, s.Batch, in.Seed)
	return in.newNetworkTraining(net, rows, s.Epochs, models.TrainOptions{
		Batch: rows.BatchSize(), Optimiser: models.Adam{LR: s.Rate}, Loss: models.MeanSquaredError,
	})
}

// cnfm is the WᵀW of a convolution: of W, of W − W₀, or of W₀.
func (n *patchNet) cnfm(layer string, of weightsOf) *rfm.Metric {
	w := n.net.Filters(layer)
	switch w0 := n.initial.Filters(layer); of {
	case initialWeights:
		w = w0
	case changedWeights:
		w = mat.DenseCopyOf(w)
		w.Sub(w, w0)
	}
	return rfm.FullMetric(cnfa.CNFM(w))
}

// weightsOf says which weights of a network are meant.
type weightsOf int

const (
	trainedWeights weightsOf = iota
	changedWeights           // W − W₀
	initialWeights
)

// firstLayerAnsatz verifies the ansatz at the first convolution on training
// images, with W or with W − W₀.
func (n *patchNet) firstLayerAnsatz(ctx context.Context, in Setting, e *patchExamples, change bool) (cnfa.LayerResult, error) {
	v, err := cnfa.Verify(ctx, n.net, e, cnfa.Options{
		Images: min(ansatzImages, rowCount(e.train.X)), Layers: regexp.MustCompile("^" + regexp.QuoteMeta(n.layers[0]) + "$"),
		Initial: n.initial, FromInitial: change, Seed: in.Seed, Threads: in.Threads, Memory: availableMemory(),
	})
	if err != nil {
		return cnfa.LayerResult{}, err
	}
	return v.Layers[0], nil
}

// ansatzImages is on how many training images a network's AGOP is taken.
const ansatzImages = 200

// inputs are images as a convolution reads them, in the trained network or as it
// was before.
func (n *patchNet) inputs(ctx context.Context, layer string, x rfm.Images, before bool) (rfm.Images, error) {
	net := n.net
	if before {
		net = n.initial
	}
	px, s, err := cnfa.Inputs(ctx, net, layer, x.Pixels)
	return rfm.Images{Height: s.Height, Width: s.Width, Channels: s.Channels, Pixels: px}, err
}
