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

// PatchNetworkSpec is the convolutional network that a kernel machine is compared with. It is
// trained by Adam for the mean squared error on one-hot targets, which the kernel machine minimises
// as well.
type PatchNetworkSpec struct {
	Arch   string  `json:"arch" toml:"arch"` // cnn3 is the paper's: three convolutions of 64 filters, VALID, no biases
	Init   string  `json:"init" toml:"init"` // see [models.Architecture.SetInit]
	Rate   float64 `json:"rate" toml:"rate"`
	Batch  int     `json:"batch" toml:"batch"`
	Epochs int     `json:"epochs" toml:"epochs"`
}

// PatchNetwork is a network of a [PatchNetworkSpec] after its last epoch.
type PatchNetwork struct {
	Net, initial            *models.Network
	Layers                  []string // the convolutions
	TrainScores, TestScores rfm.Scores
}

// Train trains the network on the images of a task, as they are.
func (s PatchNetworkSpec) Train(ctx context.Context, in study.Setting, e *PatchExamples) (*PatchNetwork, error) {
	if s.Batch < 1 || s.Epochs < 1 {
		return nil, input.Errorf("a network's batch %d and epochs %d: want at least 1", s.Batch, s.Epochs)
	}
	t, err := s.training(in, e)
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
	n := &PatchNetwork{Net: t.Net, initial: t.Initial}
	for _, layer := range t.Net.Layers() {
		if layer.Kind == "conv" {
			n.Layers = append(n.Layers, layer.Name)
		}
	}
	if n.TrainScores, err = ScoreNetwork(ctx, t.Device, n.Net, e.Train, rfm.Classification); err != nil {
		return nil, err
	}
	n.TestScores, err = ScoreNetwork(ctx, t.Device, n.Net, e.test, rfm.Classification)
	return n, err
}

// training prepares the network and its training.
func (s PatchNetworkSpec) training(in study.Setting, e *PatchExamples) (*train.NetworkTraining, error) {
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, err
	}
	if err := a.SetInit(s.Init); err != nil {
		return nil, &input.Error{Err: err}
	}
	_, classes := e.Train.Y.Dims()
	shape := models.Shape{Channels: e.Shape.Channels, Height: e.Shape.Height, Width: e.Shape.Width}
	net, err := a.InitNetwork(shape, classes, in.Seed)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	rows := examplesInRows(e.Train, s.Batch, in.Seed)
	return train.NewNetworkTraining(in, net, rows, s.Epochs, models.TrainOptions{
		Batch: rows.BatchSize(), Optimiser: models.Adam{LR: s.Rate}, Loss: models.MeanSquaredError,
	})
}

// CNFM returns WᵀW of a convolution: of W, of W − W₀, or of W₀.
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

// The weights of a network after training, what training changed in them, and before training.
const (
	TrainedWeights weightsOf = iota
	ChangedWeights           // W − W₀
	InitialWeights
)

// FirstLayerAnsatz verifies the ansatz at the first convolution on training images, with W, or with
// W − W₀ where change is true.
func (n *PatchNetwork) FirstLayerAnsatz(ctx context.Context, in study.Setting, e *PatchExamples,
	change bool) (cnfa.LayerResult, error) {
	v, err := cnfa.Verify(ctx, n.Net, e, cnfa.Options{
		Images:  min(ansatzImages, linalg.RowCount(e.Train.X)),
		Layers:  regexp.MustCompile("^" + regexp.QuoteMeta(n.Layers[0]) + "$"),
		Initial: n.initial, FromInitial: change, Seed: in.Seed, Threads: in.Threads, Memory: record.AvailableMemory(),
	})
	if err != nil {
		return cnfa.LayerResult{}, err
	}
	return v.Layers[0], nil
}

// ansatzImages is the number of training images that a network's AGOP is computed on.
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

// findLayers returns the layers of the network on the images of a task.
func (s PatchNetworkSpec) findLayers(t PatchTask) ([]models.LayerInfo, workload.DatasetSize, error) {
	set, err := workload.FindDatasetSize(t.Data, t.Size)
	if err != nil {
		return nil, set, err
	}
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, set, err
	}
	layers, err := workload.LayersFor(a, set.Shape, set.Classes)
	return layers, set, err
}

// Jobs estimates the training of the network on the images of a task.
func (s PatchNetworkSpec) Jobs(t PatchTask) ([]cost.Job, error) {
	layers, _, err := s.findLayers(t)
	if err != nil {
		return nil, err
	}
	l := workload.TrainingSize{Train: t.Train, Tested: t.Train + t.Test, Tests: 1, Batch: s.Batch, Epochs: s.Epochs}
	return []cost.Job{l.Job(cost.NetOf(layers))}, nil
}

// VerificationJobs estimates the verification of the ansatz at the first convolution.
func (s PatchNetworkSpec) VerificationJobs(t PatchTask) ([]cost.Job, error) {
	layers, set, err := s.findLayers(t)
	if err != nil {
		return nil, err
	}
	convs := train.ConvsIn(layers)
	if len(convs) == 0 {
		return nil, input.Errorf("the network %q has no convolution", s.Arch)
	}
	v := workload.VerificationSize{Images: min(ansatzImages, t.Train), Outputs: set.Classes}
	return v.Jobs(layers, convs[:1]), nil
}
