package setups

import (
	"cmp"
	"context"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
)

// EnergyTraining says how the networks of paper energy are trained: by SGD without momentum at a constant learning
// rate, on pixels that are not normalised (appendix B.5).
type EnergyTraining struct {
	Train  int     `json:"train" toml:"train"` // images; 0 is all
	Test   int     `json:"test" toml:"test"`
	Epochs int     `json:"epochs" toml:"epochs"`
	Batch  int     `json:"batch" toml:"batch"`
	Rate   float64 `json:"rate" toml:"rate"`
}

// EnergyNetwork is a network with the images and labels that it learns, or the file of its weights.
// Names are unique in an experiment.
type EnergyNetwork struct {
	Name  string  `json:"name" toml:"name"`
	Arch  string  `json:"arch" toml:"arch"`
	Width float64 `json:"width" toml:"width"` // a factor on all widths; 0 is 1
	// First is the number of filters of the first convolution, regardless of Width; 0 lets Width decide. It is for
	// VGGs, whose other layers do not depend on it.
	First int `json:"first" toml:"first"`
	// Kernel is the side of the first convolution's filters, padded to keep the size; 0 is the
	// architecture's.
	Kernel int    `json:"kernel" toml:"kernel"`
	Data   string `json:"data" toml:"data"`
	// StandsFor is the paper's dataset that the images stand in for; "" if they are the paper's own.
	StandsFor string  `json:"stands_for" toml:"stands_for"`
	Size      int     `json:"size" toml:"size"`       // to which images are scaled; 0 is as of the command train
	Classes   string  `json:"classes" toml:"classes"` // as of the command train
	Labels    string  `json:"labels" toml:"labels"`   // as of the command train
	Loss      string  `json:"loss" toml:"loss"`       // as of the command train
	Freeze    string  `json:"freeze" toml:"freeze"`   // as of the command train
	Epochs    int     `json:"epochs" toml:"epochs"`   // 0: the training's
	Rate      float64 `json:"rate" toml:"rate"`       // 0: the training's
	Batch     int     `json:"batch" toml:"batch"`     // 0: the training's
	// Start names the random streams of the initialisation, of the order of the images and of random labels; "" stands
	// for the network's name. Networks to be compared need different ones: filters with the same start stay similar to
	// some degree.
	Start string `json:"start" toml:"start"`
	// Weights is the file of weights of a network that is not trained here. Unless its path is absolute, it is in the
	// data folder.
	Weights string `json:"weights" toml:"weights"`
}

// TrainedEnergyNetwork is a network after its training, or with weights from a file.
type TrainedEnergyNetwork struct {
	EnergyNetwork
	Net, Initial  *models.Network
	Images        data.Dataset // the training images, with true or other labels
	Normalisation data.Normalisation
	Epochs        []train.EpochRecord // nil for weights from a file
	Path          string              // of the file of weights
}

// Record records the images and, if there is one, the file of the weights.
func (n *TrainedEnergyNetwork) Record(o *study.Outcome) error {
	if err := o.AddDataset(n.Name, n.Images); err != nil || n.Path == "" {
		return err
	}
	return RecordWeights(o, n.Name, n.Path)
}

// Train trains the network on its images, from a seed that depends on the setting and on Start. In a
// dry run it has no network and no images.
func (n EnergyNetwork) Train(ctx context.Context, in study.Setting, e EnergyTraining) (*TrainedEnergyNetwork, error) {
	a, err := n.Architecture()
	if err != nil {
		return nil, err
	}
	spec := n.trainSpec(e)
	if in.Dry() {
		return &TrainedEnergyNetwork{EnergyNetwork: n}, in.AddJob(spec.JobOf(a, false))
	}
	spec.Dir, spec.Threads, spec.Seed, spec.Draw = in.DataDir, in.Threads, n.seed(in), imagesSeed(in)
	t, err := train.NewTrainingOf(ctx, spec, a)
	if err != nil {
		return nil, err
	}
	if layers := t.Network().Layers(); n.First > 0 && layers[0].Filters != n.First {
		return nil, input.Errorf("%s: a first layer of %d filters cannot be had at width %v: the nearest is %d", n.Name,
			n.First, n.Width, layers[0].Filters)
	}
	r, err := train.RunReporting(ctx, in, t, n.Name)
	if err != nil {
		return nil, err
	}
	return &TrainedEnergyNetwork{EnergyNetwork: n, Net: t.Network(), Initial: t.Initial(), Images: t.Images().Train,
		Normalisation: t.Images().Normalisation, Epochs: r.Epochs}, nil
}

// seed returns the seed of the network within the run.
func (n EnergyNetwork) seed(in study.Setting) uint64 {
	return models.Stream(in.Seed, "start of "+cmp.Or(n.Start, n.Name)).Uint64()
}

// imagesSeed returns the seed that draws the images of a run. All networks of a run learn the same images, and other
// runs use different ones, so that differences between runs include the variance of the data.
func imagesSeed(in study.Setting) uint64 { return max(1, models.Stream(in.Seed, "images").Uint64()) }

// StandIn describes the network's images, which stand in for others.
func (n EnergyNetwork) StandIn() string {
	text := n.Data
	if n.Classes != "" {
		text += " of " + n.Classes
	}
	if parts, split := strings.CutPrefix(n.Labels, "split:"); split {
		text += " with every class in " + strings.TrimSuffix(parts, ":random") + " parts"
	}
	if some, against := strings.CutPrefix(n.Labels, "some:"); against {
		text += " of " + strings.TrimSuffix(some, ":random") + " against the rest"
	}
	return text
}

// Architecture returns the architecture with First and Kernel applied to its first convolution.
func (n EnergyNetwork) Architecture() (*models.Architecture, error) {
	a, err := input.LookupArchitecture(n.Arch)
	if err != nil || n.First == 0 && n.Kernel == 0 {
		return a, err
	}
	a = a.On(models.Shape{Channels: 3, Height: 32, Width: 32}) // the form for small images
	root, _ := a.Root.(models.Sequential)
	for len(root) > 0 {
		switch l := root[0].Layer.(type) {
		case models.Sequential:
			root = l
		case models.Conv:
			root[0].Layer = n.firstLayer(l)
			return a, nil
		default:
			root = nil
		}
	}
	return nil, input.Errorf("%s: %s does not begin with a convolution whose number of filters could be set", n.Name,
		n.Arch)
}

// firstLayer returns the convolution l with the network's own number and size of filters.
func (n EnergyNetwork) firstLayer(l models.Conv) models.Conv {
	if n.First > 0 {
		l.Filters = n.First
		if n.Width > 0 {
			l.Filters = int(math.Round(float64(n.First) / n.Width))
		}
	}
	if n.Kernel > 0 {
		l.Kernel = [2]int{n.Kernel, n.Kernel}
		l.Geometry.PadH, l.Geometry.PadW = n.Kernel/2, n.Kernel/2
	}
	return l
}

// Open reads the network's weights from a file, and opens its training images, at most most unless that is 0. In a dry
// run it has no network and no images.
func (n EnergyNetwork) Open(in study.Setting, e EnergyTraining, most int) (*TrainedEnergyNetwork, error) {
	if in.Dry() {
		return &TrainedEnergyNetwork{EnergyNetwork: n}, nil
	}
	path, _, err := in.FindWeights(n.Weights)
	if err != nil {
		return nil, err
	}
	a, err := input.LookupArchitecture(n.Arch)
	if err != nil {
		return nil, err
	}
	a.Width = n.Width
	spec := input.DataSpec{Data: n.Data, Split: "train", Dir: in.DataDir, Size: n.Size, Count: e.Train,
		Seed: imagesSeed(in)}
	src, err := input.Open(spec, a)
	if err != nil {
		return nil, err
	}
	net, state, err := input.OpenWeights(a, path, src.Shape())
	if err != nil {
		return nil, err
	}
	spec.Normalise = state.Metadata()[input.NormalisationMetadata]
	out := &TrainedEnergyNetwork{EnergyNetwork: n, Net: net, Path: path}
	if out.Normalisation, err = src.Normalisation(spec, net.Arch); err != nil {
		return nil, err
	}
	if out.Images, err = input.DrawImages("train", src.Dataset, e.Train, imagesSeed(in)); err != nil {
		return nil, err
	}
	if most > 0 && most < out.Images.Len() {
		out.Images = data.Head(out.Images, most)
	}
	if out.Initial, err = net.Arch.InitNetwork(net.Input, net.Classes, n.seed(in)); err != nil {
		return nil, &input.Error{Err: err}
	}
	return out, nil
}

// ComponentsJob estimates the cost of the principal components of the patches that the first layer reads, on at most
// most images; 0 is all.
func (n EnergyNetwork) ComponentsJob(e EnergyTraining, most int) (cost.Job, error) {
	a, err := n.Architecture()
	if err != nil {
		return nil, err
	}
	o, err := n.trainSpec(e).Outline(a)
	if err != nil {
		return nil, err
	}
	if len(o.Layers) == 0 {
		return nil, input.Errorf("the network %q has no layer that reads patches", n.Name)
	}
	side := math.Round(math.Sqrt(float64(o.Layers[0].PatchSize()) / float64(o.Set.Shape.Channels)))
	return PatchMomentsJob(o.Set.Shape, int(side), workload.ImagesUsed(most, o.Set.Train)), nil
}

// trainSpec returns the training of the network, without folder, threads and seed.
func (n EnergyNetwork) trainSpec(e EnergyTraining) train.Spec {
	epochs := e.Epochs
	if n.Epochs > 0 {
		epochs = n.Epochs
	}
	return train.Spec{
		Arch: n.Arch, Width: n.Width, Data: n.Data, Size: n.Size, Normalise: "none", Classes: n.Classes,
		Labels: n.Labels, Train: e.Train, Test: e.Test, Epochs: epochs, Batch: cmp.Or(n.Batch, e.Batch),
		LR: cmp.Or(n.Rate, e.Rate), Loss: n.Loss, Freeze: n.Freeze,
	}
}

// LinearCNNFilters is the number of filters of the architecture linear-cnn at width 1.
const LinearCNNFilters = 64

// PatchMomentsJob estimates the cost of the second moments of image patches and their components. It models them as
// images that pass through a layer with as many multiplications.
func PatchMomentsJob(s models.Shape, side, images int) cost.Job {
	d, positions := float64(s.Channels*side*side), float64(max(1, s.Height-side+1)*max(1, s.Width-side+1))
	net := cost.Net{Layers: 1, Conv: positions * d * d / 2, Patches: positions * d, Values: positions,
		Parameters: d * d}
	return cost.Training{Net: net, Batch: 1, Tested: float64(images)}
}

// DescentOptions returns the options of gradient descent on the mean squared error.
func DescentOptions(batch int, rate float64, p graph.Precision) models.TrainOptions {
	return models.TrainOptions{Batch: batch, Optimiser: models.SGD{LR: rate}, Loss: models.MeanSquaredError,
		Precision: p, Memory: record.AvailableMemory()}
}
