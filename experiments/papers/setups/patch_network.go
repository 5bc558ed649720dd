package setups

import (
	"context"
	"regexp"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// PatchNetworkSpec is a convolutional network to compare with a kernel machine. It is trained by Adam for the mean
// squared error on one-hot targets, which the kernel machine minimises as well.
type PatchNetworkSpec struct {
	Arch   string  `json:"arch" toml:"arch"` // cnn3 is the paper's: three convolutions of 64 filters, VALID, no biases
	Init   string  `json:"init" toml:"init"` // see [models.Architecture.SetInit]
	Rate   float64 `json:"rate" toml:"rate"`
	Batch  int     `json:"batch" toml:"batch"`
	Epochs int     `json:"epochs" toml:"epochs"`
}

// PatchNetwork is a network of a [PatchNetworkSpec] after its last epoch.
type PatchNetwork struct {
	Net, initial            *models.Network    // nil in a dry run
	layers                  []models.LayerInfo // all
	Layers                  []string           // the convolutions
	TrainScores, TestScores rfm.Scores
}

// Train trains the network on the images of a task, without further processing.
func (s PatchNetworkSpec) Train(ctx context.Context, in study.Setting, e *PatchExamples) (*PatchNetwork, error) {
	if s.Batch < 1 || s.Epochs < 1 {
		return nil, input.Errorf("a network's batch %d and epochs %d: want at least 1", s.Batch, s.Epochs)
	}
	a, err := s.architecture()
	if err != nil {
		return nil, err
	}
	shape, classes := models.Shape(e.Shape), linalg.ColumnCount(e.Train.Y)
	if in.Dry() {
		layers, err := workload.LayersFor(a, shape, classes)
		if err != nil {
			return nil, err
		}
		n, err := newPatchNetwork(layers)
		train := linalg.RowCount(e.Train.Y)
		l := workload.TrainingSize{
			Train: train, Tested: train + linalg.RowCount(e.test.Y), Tests: 1, Batch: s.Batch, Epochs: s.Epochs,
		}
		return n, in.AddJob(l.Job(cost.NetOf(layers)), err)
	}
	net, err := a.InitNetwork(shape, classes, in.Seed)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	n, err := newPatchNetwork(net.Layers())
	if err != nil {
		return nil, err
	}
	rows := examplesInRows(e.Train, s.Batch, in.Seed)
	t, err := train.NewNetworkTraining(in, net, rows, s.Epochs, models.TrainOptions{
		Batch: rows.BatchSize(), Optimiser: models.Adam{LR: s.Rate}, Loss: models.MeanSquaredError,
	})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	stage := e.Name + ": training the network"
	t.EndEpoch = func(context.Context) error {
		in.Report(stage, t.Epoch()+1, s.Epochs)
		return nil
	}
	if err := in.Train(ctx, stage, s, &t.Loop); err != nil {
		return nil, err
	}
	n.Net, n.initial = t.Net, t.Initial
	if n.TrainScores, err = ScoreNetwork(ctx, t.Device, n.Net, e.Train, rfm.Classification); err != nil {
		return nil, err
	}
	n.TestScores, err = ScoreNetwork(ctx, t.Device, n.Net, e.test, rfm.Classification)
	return n, err
}

// architecture returns the architecture with its initialisation.
func (s PatchNetworkSpec) architecture() (*models.Architecture, error) {
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, err
	}
	if err := a.SetInit(s.Init); err != nil {
		return nil, &input.Error{Err: err}
	}
	return a, nil
}

// newPatchNetwork returns a network of some layers, without weights. It returns an [*input.Error] if none is a
// convolution.
func newPatchNetwork(layers []models.LayerInfo) (*PatchNetwork, error) {
	n := &PatchNetwork{layers: layers}
	for _, l := range train.ConvsIn(layers) {
		n.Layers = append(n.Layers, l.Name)
	}
	if len(n.Layers) == 0 {
		return nil, input.Errorf("the network has no convolution")
	}
	return n, nil
}

// CNFM returns the feature matrix WᵀW of a convolution, for W, W − W₀ or W₀.
func (n *PatchNetwork) CNFM(layer string, of weightsOf) *rfm.Metric {
	w := n.Net.Filters(layer)
	switch w0 := n.initial.Filters(layer); of {
	case InitialWeights:
		w = w0
	case ChangedWeights:
		w = mat.DenseCopyOf(w)
		w.Sub(w, w0)
	}
	return rfm.FullMetric(cnfa.CNFM(w))
}

// weightsOf selects the weights of a network.
type weightsOf int

// The weights of a network after training, their change by training, and the weights before training.
const (
	TrainedWeights weightsOf = iota
	ChangedWeights           // W − W₀
	InitialWeights
)

// FirstLayerAnsatz verifies the ansatz at the first convolution on training images, with W, or with
// W − W₀ where change is true.
func (n *PatchNetwork) FirstLayerAnsatz(ctx context.Context, in study.Setting, e *PatchExamples,
	change bool) (cnfa.LayerResult, error) {
	images := min(ansatzImages, linalg.RowCount(e.Train.X))
	if in.Dry() {
		v := workload.VerificationSize{Images: images, Outputs: linalg.ColumnCount(e.Train.Y)}
		return cnfa.LayerResult{}, in.AddJobs(v.Jobs(n.layers, train.ConvsIn(n.layers)[:1]), nil)
	}
	v, err := cnfa.Verify(ctx, n.Net, HoldImages(e.Train, images), cnfa.Options{
		Images:  images,
		Layers:  regexp.MustCompile("^" + regexp.QuoteMeta(n.Layers[0]) + "$"),
		Initial: n.initial, FromInitial: change, Seed: in.Seed, Threads: in.Threads, Memory: record.AvailableMemory(),
	})
	if err != nil {
		return cnfa.LayerResult{}, err
	}
	return v.Layers[0], nil
}

// ansatzImages is the number of training images for a network's AGOP.
const ansatzImages = 200

// inputs returns the inputs of a convolution for images, in the trained network or in the initial
// one.
func (n *PatchNetwork) inputs(ctx context.Context, layer string, x rfm.Images, before bool) (rfm.Images, error) {
	net := n.Net
	if before {
		net = n.initial
	}
	px, s, err := cnfa.Inputs(ctx, net, layer, x.Pixels)
	return rfm.Images{Height: s.Height, Width: s.Width, Channels: s.Channels, Pixels: px}, err
}
