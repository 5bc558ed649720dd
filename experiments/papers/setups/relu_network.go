package setups

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// NetworkSpec is a fully connected network, of ReLUs or of squares, that is trained for the mean squared error.
type NetworkSpec struct {
	Width int  `json:"width" toml:"width"` // units of each hidden layer
	Bias  bool `json:"bias" toml:"bias"`   // the code of the authors of paper rfm has none
	// FirstStd is the standard deviation of the first layer's initial weights; 0 is PyTorch's initialisation.
	FirstStd float64 `json:"first_std" toml:"first_std"`
	Adam     bool    `json:"adam" toml:"adam"` // in place of SGD
	Rate     float64 `json:"rate" toml:"rate"`
	// Decay is the weight decay of AdamW, which then replaces Adam; 0 is none. Beta2 is Adam's; 0 is .999.
	Decay float64 `json:"decay,omitempty" toml:"decay"`
	Beta2 float64 `json:"beta2,omitempty" toml:"beta2"`
	// Squares uses the activation z² instead of max(z, 0).
	Squares bool `json:"squares,omitempty" toml:"squares"`
	Batch   int  `json:"batch" toml:"batch"` // 0 is all examples
	// Epochs is the number of passes over the examples. The weights after the epoch with the least validation error
	// are kept.
	Epochs int `json:"epochs" toml:"epochs"`
}

// check returns an [input.Error] if the network or its training is empty.
func (s NetworkSpec) check() error {
	if s.Width < 1 || s.Epochs < 1 || s.Batch < 0 {
		return input.Errorf("a network of width %d, %d epochs and batches of %d: want at least 1, 1 and 0", s.Width,
			s.Epochs, s.Batch)
	}
	if (s.Decay > 0 || s.Beta2 > 0) && !s.Adam {
		return input.Errorf("decay = %v, beta2 = %v: these are AdamW's, which needs adam = true", s.Decay, s.Beta2)
	}
	return nil
}

// Architecture returns the network with a number of hidden layers.
func (s NetworkSpec) Architecture(depth int) *models.Architecture {
	var layers models.Sequential
	activation, units := models.Layer(models.ReLU{}), "ReLUs"
	if s.Squares {
		activation, units = square{}, "squares"
	}
	for k := range depth {
		name := "first"
		if k > 0 {
			name = fmt.Sprintf("hidden%d", k)
		}
		layers = append(layers, models.Named{Name: name, Layer: models.Linear{Out: s.Width, NoBias: !s.Bias}},
			models.Named{Layer: activation})
	}
	layers = append(layers, models.Named{Name: "last", Layer: models.Linear{NoBias: !s.Bias}})
	a := &models.Architecture{
		Name: fmt.Sprintf("%d hidden layers of %d %s", depth, s.Width, units), Root: layers, Normalise: "none",
	}
	if s.FirstStd > 0 {
		a.Init.Linear = firstLayerNormal(s.FirstStd)
	}
	return a
}

// optimiser returns Adam or SGD.
func (s NetworkSpec) optimiser() models.Optimiser {
	if s.Adam {
		return models.Adam{LR: s.Rate, Beta2: s.Beta2, WeightDecay: s.Decay, Decoupled: s.Decay > 0}
	}
	return models.SGD{LR: s.Rate}
}

// square is the activation z².
type square struct{}

// Build implements [models.Layer].
func (square) Build(b *models.Builder, _ string, z *graph.Node) *graph.Node { return b.Mul(z, z) }

// firstLayerNormal draws the first layer from a normal distribution with this standard deviation, and the other layers
// as PyTorch does.
type firstLayerNormal float64

func (std firstLayerNormal) Draw(rng *rand.Rand, dst []float32, at models.Place) {
	if at.Layer == 0 {
		models.Normal{float64(std)}.Draw(rng, dst, at)
		return
	}
	models.Default{}.Draw(rng, dst, at)
}

func (std firstLayerNormal) String() string {
	return fmt.Sprintf("normal with standard deviation %g in the first layer, PyTorch's in the others", float64(std))
}

// TrainedNetwork is a network with the weights of least error on validation examples.
type TrainedNetwork struct {
	Net     *models.Network
	Initial *models.Network // as it was before training
	Last    *models.Network // as it was after the last epoch
	networkErrors
}

// networkErrors are the errors of a network during its training.
type networkErrors struct {
	models.Position
	BestEpoch int // with the least validation error so far, counted from 1; 0 during the first
	// TrainMSE and ValidationMSE are the errors after every epoch; those of the
	// training examples are means over the steps of the epoch.
	TrainMSE, ValidationMSE []float64
}

// add adds the errors of an epoch, and reports whether it is the best so far.
func (e *networkErrors) add(train, validation float64) (best bool) {
	best = e.BestEpoch == 0 || validation < e.ValidationMSE[e.BestEpoch-1]
	e.TrainMSE, e.ValidationMSE = append(e.TrainMSE, train), append(e.ValidationMSE, validation)
	if best {
		e.BestEpoch = len(e.ValidationMSE)
	}
	return best
}

// Train trains a network with a number of hidden layers. The seed determines its weights and the
// order of its examples.
func (s NetworkSpec) Train(
	ctx context.Context, depth int, train, validation rfm.Examples, in study.Setting,
) (*TrainedNetwork, error) {
	t, err := s.training(in, depth, train)
	if err != nil {
		return nil, err
	}
	if in.Dry() {
		in.AddTested(float64(s.Epochs) * float64(linalg.RowCount(validation.X)))
		return new(TrainedNetwork), nil
	}
	defer t.Close()
	out := &TrainedNetwork{Initial: t.Initial, Last: t.Net}
	stage := fmt.Sprintf("network of depth %d", depth)
	t.State = &out.networkErrors
	t.EndEpoch = func(ctx context.Context) error {
		score, err := ScoreNetwork(ctx, t.Device, t.Net, validation, rfm.Regression)
		if err != nil {
			return err
		}
		if out.add(out.Running.MeanLoss(), score.MSE) {
			t.KeepBest()
		}
		in.Report(stage, len(out.ValidationMSE), s.Epochs)
		return nil
	}
	if err := in.Train(ctx, stage, s, &t.Loop); err != nil {
		return nil, err
	}
	out.Net = t.Best
	return out, nil
}

// training prepares the training of a network with a number of hidden layers. In a dry run it is nil.
func (s NetworkSpec) training(in study.Setting, depth int, e rfm.Examples) (*train.NetworkTraining, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if in.Dry() {
		n := linalg.RowCount(e.X)
		l := workload.TrainingSize{Train: n, Batch: cmp.Or(s.Batch, n), Epochs: s.Epochs}
		return nil, in.AddJob(l.Job(s.countNet(depth, e)), nil)
	}
	rows := examplesInRows(e, s.Batch, in.Seed)
	_, outputs := e.Y.Dims()
	shape := models.Shape{Channels: rows.Size, Height: 1, Width: 1}
	net, err := s.Architecture(depth).InitNetwork(shape, outputs, in.Seed)
	if err != nil {
		return nil, err
	}
	return train.NewNetworkTraining(in, net, rows, s.Epochs, models.TrainOptions{
		Batch: rows.BatchSize(), Optimiser: s.optimiser(), Loss: models.MeanSquaredError,
	})
}

// examplesInRows returns batches of examples with their targets, in an order that the seed draws.
func examplesInRows(e rfm.Examples, batch int, seed uint64) *models.Rows {
	_, size := e.X.Dims()
	return &models.Rows{Pixels: linalg.Float32s(e.X), Size: size, Targets: linalg.Float32s(e.Y), Batch: batch, Seed: seed}
}

// predictBatch is the number of rows that [PredictNetwork] evaluates at a time.
const predictBatch = 1000

// PredictNetwork returns the outputs of a network for the rows of x, n×outputs.
func PredictNetwork(ctx context.Context, d *backend.Device, net *models.Network, x *mat.Dense) (*mat.Dense, error) {
	batch := min(linalg.RowCount(x), predictBatch)
	return net.Outputs(ctx, d, linalg.Float32s(x), batch, graph.Single)
}

// ScoreNetwork scores the predictions of a network against the targets.
func ScoreNetwork(
	ctx context.Context, d *backend.Device, net *models.Network, e rfm.Examples, task rfm.Task,
) (rfm.Scores, error) {
	f, err := PredictNetwork(ctx, d, net, e.X)
	if err != nil {
		return rfm.Scores{}, err
	}
	return task.Score(f, e.Y)
}

// countNet counts the layers, weights and products of a network with a number of hidden layers.
func (s NetworkSpec) countNet(depth int, e rfm.Examples) cost.Net {
	d, c := float64(linalg.ColumnCount(e.X)), float64(linalg.ColumnCount(e.Y))
	h, w := float64(depth), float64(s.Width)
	products := d*w + (h-1)*w*w + w*c
	return cost.Net{Layers: h + 1, Linear: products, Parameters: products, Values: h*w + c}
}

// FirstLayerJobs returns the jobs of [AlignFeatures] for a network with a number of hidden layers.
func (s NetworkSpec) FirstLayerJobs(depth int, e rfm.Examples, draws int) []cost.Job {
	images, outputs, w := linalg.RowCount(e.X), linalg.ColumnCount(e.Y), float64(s.Width)
	v := workload.VerificationSize{Images: images, Groups: 1, Outputs: outputs, Draws: 2 * draws, Batch: predictBatch}
	first := []models.LayerInfo{
		{Kind: "linear", Filters: s.Width, Patch: []int{linalg.ColumnCount(e.X)}, Positions: 1},
	}
	return []cost.Job{
		cost.Verification{
			Net: s.countNet(depth, e), Images: float64(images), Outputs: float64(outputs),
			Batch: float64(max(1, min(images, predictBatch))), Moments: w * w, Squares: w * w,
		},
		v.Comparing(first, first),
	}
}
