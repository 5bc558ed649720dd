package cnfapaper

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
)

// AnsatzNetwork is a network in which the ansatz is verified: one that is trained here, or one
// whose weights are in a file. Names are unique in an experiment and part of the names of
// values and figures.
type AnsatzNetwork struct {
	Name  string  `json:"name" toml:"name"`
	Arch  string  `json:"arch" toml:"arch"`
	Width float64 `json:"width" toml:"width"` // a factor on all widths; 0 is 1
	Init  string  `json:"init" toml:"init"`   // see [models.Architecture.SetInit]
	Data  string  `json:"data" toml:"data"`
	Size  int     `json:"size" toml:"size"` // to which images are scaled; 0 is as of the command train
	// Normalise is that of the command train. "" uses mean and standard deviation of all training images, which is
	// slow if these are generated.
	Normalise string `json:"normalise" toml:"normalise"`
	// Weights is the file of a network that is not trained here; a relative path is below the data folder. Since its
	// initial weights are unknown, a fresh initialisation replaces them.
	Weights string          `json:"weights" toml:"weights"`
	Lessons NetworkTraining `json:"lessons" toml:"lessons"`
	Form    AnsatzForm      `json:"form" toml:"form"`
}

// AnsatzForm says which convolutions of a network are verified, and with which biases.
type AnsatzForm struct {
	Layers string `json:"layers" toml:"layers"` // a regular expression of their names; "" is all
	// NoBias sets all biases of a trained network to 0. In AlexNet and VGG the published code does so with that of the
	// convolution that it measures.
	NoBias bool `json:"no_bias" toml:"no_bias"`
}

// blockStarts matches the first convolution of each block of a ResNet, which the paper verifies, and that of the
// network, which its Fig. 1B shows.
const blockStarts = `(^|\.)conv1$`

// AnsatzVariant is a further measurement of a network, in another form.
type AnsatzVariant struct {
	Name    string     `json:"name" toml:"name"` // unique among networks and variants
	Network string     `json:"network" toml:"network"`
	Form    AnsatzForm `json:"form" toml:"form"`
}

// NetworkTraining says how a network is trained with the cross-entropy. Zero fields have the defaults of the command
// train.
type NetworkTraining struct {
	Train       int     `json:"train" toml:"train"` // images
	Test        int     `json:"test" toml:"test"`
	Epochs      int     `json:"epochs" toml:"epochs"`
	Batch       int     `json:"batch" toml:"batch"`
	Optimiser   string  `json:"opt" toml:"opt"`
	Rate        float64 `json:"rate" toml:"rate"`
	Momentum    float64 `json:"momentum" toml:"momentum"`
	WeightDecay float64 `json:"weight_decay" toml:"weight_decay"`
	Schedule    string  `json:"schedule" toml:"schedule"`
	NoDropout   bool    `json:"no_dropout" toml:"no_dropout"`
	Crop        int     `json:"crop" toml:"crop"`
	Flip        bool    `json:"flip" toml:"flip"`
}

// ansatzNet is a network after training, with its initial weights and its training images.
type ansatzNet struct {
	AnsatzNetwork
	net, initial  *models.Network
	images        data.Dataset
	normalisation data.Normalisation
	path          string   // of the file of weights, if it is not trained here
	training      *float64 // accuracies after the last epoch; nil for weights from a file
	test          *float64

	// A dry run has only the layers and the size of the dataset.
	infos []models.LayerInfo
	set   workload.DatasetSize
}

// trainOrLoad trains the network, or opens the file of its weights.
func (n AnsatzNetwork) trainOrLoad(ctx context.Context, in study.Setting) (*ansatzNet, error) {
	if in.Dry() {
		return n.outline(in)
	}
	if n.Weights == "" {
		net, err := n.train(ctx, in)
		if err != nil {
			return nil, err
		}
		return net.withForm(n.Form), nil
	}
	e, err := setups.EnergyNetwork{
		Name: n.Name, Arch: n.Arch, Width: n.Width, Data: n.Data, Size: n.Size, Weights: n.Weights,
	}.Open(in, setups.EnergyTraining{Train: n.Lessons.Train}, 0)
	if err != nil {
		return nil, err
	}
	net := &ansatzNet{
		AnsatzNetwork: n, net: e.Net, initial: e.Initial, images: e.Images, normalisation: e.Normalisation, path: e.Path,
	}
	return net.withForm(n.Form), nil
}

// withForm returns the network in a form. The original network keeps its biases.
func (n *ansatzNet) withForm(form AnsatzForm) *ansatzNet {
	other := *n
	other.Form = form
	if form.NoBias && n.net != nil { // it is nil in a dry run
		other.net, other.initial = withoutBiases(n.net), withoutBiases(n.initial)
	}
	return &other
}

// withoutBiases returns a copy of the network in which the biases of convolutions and linear layers are 0.
func withoutBiases(net *models.Network) *models.Network {
	net = net.Clone()
	for _, l := range net.Layers() {
		if b := net.Value(l.Name + ".bias"); b != nil {
			b.Zero()
		}
	}
	return net
}

// train trains the network.
func (n AnsatzNetwork) train(ctx context.Context, in study.Setting) (*ansatzNet, error) {
	spec := n.trainSpec()
	spec.Dir, spec.Threads, spec.Seed = in.DataDir, in.Threads, models.Stream(in.Seed, "start of "+n.Name).Uint64()
	t, err := train.NewTraining(ctx, spec)
	if err != nil {
		return nil, err
	}
	r, err := train.RunReporting(ctx, in, t, n.Name)
	if err != nil {
		return nil, err
	}
	last := r.Epochs[len(r.Epochs)-1]
	return &ansatzNet{
		AnsatzNetwork: n, net: t.Network(), initial: t.Initial(),
		images: t.Images().Train, normalisation: t.Images().Normalisation,
		training: record.Ptr(last.TrainAccuracy), test: last.TestAccuracy,
	}, nil
}

// trainSpec returns the training of the network, without the folder of its images, seed and
// threads.
func (n AnsatzNetwork) trainSpec() train.Spec {
	l := n.Lessons
	return train.Spec{
		Arch: n.Arch, Width: n.Width, Init: n.Init, NoDropout: l.NoDropout, Data: n.Data, Size: n.Size,
		Normalise: n.Normalise,
		Train:     l.Train, Test: l.Test, Crop: l.Crop, Flip: l.Flip, Epochs: l.Epochs, Batch: l.Batch,
		Optimiser: l.Optimiser, LR: l.Rate, Momentum: l.Momentum, WeightDecay: l.WeightDecay, Schedule: l.Schedule,
	}
}

// outline returns the network in a dry run. Its training is a job, unless its weights are in a file.
func (n AnsatzNetwork) outline(in study.Setting) (*ansatzNet, error) {
	a, err := input.LookupArchitecture(n.Arch)
	if err != nil {
		return nil, err
	}
	o, err := n.trainSpec().Outline(a)
	if err != nil {
		return nil, err
	}
	net := &ansatzNet{AnsatzNetwork: n, infos: o.Layers, set: o.Set}
	if n.Weights != "" {
		return net, nil
	}
	return net, in.AddJob(o.Job(false), nil)
}

// verify measures the ansatz at the convolutions of the network, or of the network before
// training, on training images that the seed draws.
func (n *ansatzNet) verify(
	ctx context.Context, in study.Setting, images, probes int, before bool,
) (*verify.Verified, error) {
	if in.Dry() {
		v := workload.VerificationSize{
			Images: workload.ImagesUsed(images, n.set.Train), Outputs: cmp.Or(probes, n.set.Classes),
		}
		return nil, in.AddJobs(v.Jobs(n.infos, train.ConvsIn(n.infos)), nil)
	}
	order := models.Stream(in.Seed, "images of "+n.Name).Perm(n.images.Len())
	set, err := data.Subset(n.images, order[:min(images, len(order))])
	if err != nil {
		return nil, err
	}
	net := n.net
	if before {
		net = n.initial
	}
	layers, err := n.convolutions(net)
	if err != nil {
		return nil, err
	}
	v, err := cnfa.Verify(ctx, net, &data.Loader{Dataset: set, Normalisation: n.normalisation, Workers: 1},
		cnfa.Options{
			Images: set.Len(), Probes: probes, Layers: layers, Powers: exponents(), Initial: n.initial,
			Seed: in.Seed, Threads: in.Threads, Memory: record.AvailableMemory(),
		})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.Name, err)
	}
	r := &verify.Verified{Record: verify.Record{
		Arch: n.Arch, Data: n.Data, Images: v.Images, Powers: exponents(),
	}, Result: v}
	for _, l := range v.Layers {
		r.Layers = append(r.Layers, verify.NewLayerRecord(l))
	}
	return r, nil
}

// convolutions returns an expression that matches the names of the convolutions that are verified. It
// returns an *input.Error if there are none.
func (n *ansatzNet) convolutions(net *models.Network) (*regexp.Regexp, error) {
	chosen, err := regexp.Compile(n.Form.Layers)
	if err != nil {
		return nil, input.Errorf("%s: layers %q: %v", n.Name, n.Form.Layers, err)
	}
	var names []string
	for _, l := range net.Layers() {
		if l.Kind == "conv" && chosen.MatchString(l.Name) {
			names = append(names, regexp.QuoteMeta(l.Name))
		}
	}
	if len(names) == 0 {
		return nil, input.Errorf("%s: layers %q: no convolution has such a name", n.Name, n.Form.Layers)
	}
	return regexp.MustCompile("^(" + strings.Join(names, "|") + ")$"), nil
}

// check returns an *input.Error if there are no networks, if the name of a network or variant is empty or used twice,
// or if a variant belongs to no network.
func (s *AnsatzSpec) check() error {
	var names []string
	for _, n := range s.Networks {
		names = append(names, n.Name)
	}
	if len(names) == 0 {
		return input.Errorf("no networks: want at least one")
	}
	networks := names
	for _, v := range s.Variants {
		if !slices.Contains(networks, v.Network) {
			return input.Errorf("variant %q: there is no network %q", v.Name, v.Network)
		}
		names = append(names, v.Name)
	}
	for i, name := range names {
		if name == "" || slices.Contains(names[:i], name) {
			return input.Errorf("networks and variants: the name %q is empty or there twice", name)
		}
	}
	return nil
}
