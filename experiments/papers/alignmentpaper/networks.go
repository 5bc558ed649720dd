package alignmentpaper

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
)

// NetworksSpec compares the statements across networks that are trained under several conditions.
type NetworksSpec struct {
	Networks []TrackedNetwork `json:"networks" toml:"networks"`
	Images   int              `json:"images" toml:"images"` // training images on which statements are measured
	Times    int              `json:"times" toml:"times"`   // measurements after the first step, at even distances
}

// TrackedNetwork is a network, its training, and the condition that it represents.
type TrackedNetwork struct {
	Name        string  `json:"name" toml:"name"`
	Arch        string  `json:"arch" toml:"arch"`
	Width       float64 `json:"width" toml:"width"` // a factor on all widths; 0 is 1
	Init        string  `json:"init" toml:"init"`   // see [models.Architecture.SetInit]
	Data        string  `json:"data" toml:"data"`
	Size        int     `json:"size" toml:"size"`
	Labels      string  `json:"labels" toml:"labels"` // true ("") or random
	Train       int     `json:"train" toml:"train"`
	Test        int     `json:"test" toml:"test"`
	Epochs      int     `json:"epochs" toml:"epochs"`
	Batch       int     `json:"batch" toml:"batch"`
	Optimiser   string  `json:"opt" toml:"opt"`
	Rate        float64 `json:"rate" toml:"rate"`
	Momentum    float64 `json:"momentum" toml:"momentum"`
	WeightDecay float64 `json:"weight_decay" toml:"weight_decay"`
}

// Names of networks that claims compare.
const (
	plainNet   = "lenet"
	decayNet   = "lenet, weight decay"
	randomNet  = "lenet, random labels"
	narrowNet  = "mlp, 64 wide"
	lazyNet    = "mlp, 512 wide"
	vggNet     = "vgg11"
	normedNet  = "vgg11 with batch norm"
	vitNet     = "vit"
	convNextNN = "convnext"
)

// The measures: normalised excesses over the nulls, means over the layers of a network, and differences of those.
var (
	centredEarly       = study.NewMeasure("centred_early")        // C-NFA less NFA, values
	centredEarlyExcess = study.NewMeasure("centred_early_excess") // the same of normalised excesses
	rootOverAGOP       = study.NewMeasure("root_over_agop")
	fittedOverRoot     = study.NewMeasure("fitted_over_root")
	nfaExcess          = study.NewMeasure("nfa_excess")
	lossLikeOutputs    = study.NewMeasure("loss_like_outputs")
	factDecay          = study.NewMeasure("fact_decay")
	factNormed         = study.NewMeasure("fact_normed")
	randomLabels       = study.NewMeasure("random_labels")
	lazyLess           = study.NewMeasure("lazy_less")
	covarianceLess     = study.NewMeasure("covariance_less")
	crhExcess          = study.NewMeasure("crh_excess")
)

// networks returns the comparison of statements.
func networks() *study.Experiment {
	return &study.Experiment{
		ID: "alignment/networks", Paper: "alignment", Figure: "all",
		Title: "Published statements about features, side by side, in trained networks",
		About: study.About{
			Done: "Networks are trained with and without weight decay, with batch norm and without, on random labels, wide with a " +
				"small learning rate, and with attention and depthwise convolutions. During the training every statement of " +
				"`verify --alignments` is measured at every layer, with its null. Numbers are normalised excesses, (value − " +
				"null)/(1 − null), means over layers.",
			Deviations: []string{
				"The statements are those of later papers (arXiv 2402.05271, 2410.03006, 2507.05644, 2510.15563) and of the five; " +
					"none of those papers measures a null.",
				"ViT and ConvNeXt are torchvision's vit_b_16 and convnext_tiny at a sixteenth and an eighth of their widths, on " +
					"CIFAR-10.",
				"For the lazy regime a network of two hidden layers has 512 units in place of 64, and the learning rate is divided " +
					"by the ratio of the widths. That is the NTK parameterisation of its second layer, not of its first.",
				"LeNet is not at a stationary point after 20 epochs, where FACT need not hold; at one it does, exactly " +
					"(alignment/exact).",
			},
			Controls: []string{
				"The null of every statement keeps the singular values of W and all that was measured, and turns the left or the " +
					"right singular vectors of W at random.",
				"The statement input-covariance is a control: a W that only follows the covariance of its input has it.",
			},
			Conventions: []string{
				"Statements are measured on the first training images, 200 at scale small and 1000 at scale paper, in " +
					"evaluation mode: FACT and the statements about gradients of the loss are of the loss that is minimised, " +
					"the mean cross-entropy of the training images.",
				"Every seed learns the same images, the first of the training split.",
				"Early is the first measurement after the start. Layers at which a statement is not defined, or leaves no room " +
					"above its null, are left out of its mean.",
				"The thresholds were written before the first run.",
			},
		},
		Claims: networkClaims(),
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &NetworksSpec{Images: 10, Times: 1, Networks: comparedNetworks(.1, func(n *TrackedNetwork) {
				n.Train, n.Test, n.Epochs, n.Batch = 32, 16, 2, 16
				n.Data = map[string]string{"mnist": "glyphs", "cifar10": "deadleaves"}[n.Data]
			}, plainNet, decayNet, randomNet, narrowNet, lazyNet, normedNet)},
			study.Small: &NetworksSpec{Images: 200, Times: 8, Networks: comparedNetworks(1, func(*TrackedNetwork) {})},
			study.PaperScale: &NetworksSpec{Images: 1000, Times: 20, Networks: comparedNetworks(1, func(n *TrackedNetwork) {
				n.Train, n.Test, n.Epochs = 50000, 10000, 5*n.Epochs
				n.Width = min(1, 4*cmp.Or(n.Width, 1))
			})},
		},
	}
}

// comparedNetworks returns the named networks, or all without names, each after change. factor scales all their
// widths.
func comparedNetworks(factor float64, change func(*TrackedNetwork), names ...string) (all []TrackedNetwork) {
	for _, n := range []TrackedNetwork{

		{Name: plainNet, Arch: "lenet", Data: "mnist", Train: 4000, Test: 1000, Epochs: 20, Batch: 32, Rate: .02,
			Momentum: .9},
		{Name: decayNet, Arch: "lenet", Data: "mnist", Train: 4000, Test: 1000, Epochs: 20, Batch: 32, Rate: .02,
			Momentum: .9, WeightDecay: 2e-3},
		{Name: randomNet, Arch: "lenet", Data: "mnist", Labels: "random", Train: 1000, Test: 1000, Epochs: 80, Batch: 32,
			Rate: .02, Momentum: .9},
		{Name: narrowNet, Arch: "mlp:64,64", Data: "mnist", Train: 4000, Test: 1000, Epochs: 20, Batch: 32, Rate: .1},
		{Name: lazyNet, Arch: "mlp:512,512", Data: "mnist", Train: 4000, Test: 1000, Epochs: 20, Batch: 32, Rate: .1 / 8},
		{Name: vggNet, Arch: "vgg11", Width: .25, Data: "cifar10", Size: 32, Train: 4000, Test: 1000, Epochs: 20, Batch: 64,
			Optimiser: "adam", Rate: 1e-3},
		{Name: normedNet, Arch: "vgg11_bn", Width: .25, Data: "cifar10", Size: 32, Train: 4000, Test: 1000, Epochs: 20,
			Batch: 64, Optimiser: "adam", Rate: 1e-3},
		{Name: "cnn-max of cnfa/fig9", Arch: "cnn-max:3", Width: .25, Init: "normal:5e-3,1e-2", Data: "cifar10", Size: 16, Train: 500,
			Test: 500, Epochs: 150, Batch: 25, Optimiser: "adam", Rate: 1e-3},
		{Name: vitNet, Arch: "vit_b_16", Width: 1. / 16, Data: "cifar10", Size: 64, Train: 4000, Test: 1000, Epochs: 10,
			Batch: 64, Optimiser: "adam", Rate: 1e-3},
		{Name: convNextNN, Arch: "convnext_tiny", Width: .125, Data: "cifar10", Size: 32, Train: 4000, Test: 1000, Epochs: 10,
			Batch: 64, Optimiser: "adam", Rate: 1e-3},
	} {
		if len(names) > 0 && !slices.Contains(names, n.Name) {
			continue
		}
		if n.Width = factor * cmp.Or(n.Width, 1); n.Width == 1 {
			n.Width = 0
		}
		change(&n)
		all = append(all, n)
	}
	return all
}

func networkClaims() []study.Claim {
	return []study.Claim{
		centredEarly.Claim("Early in training the change of the weights is more like its own AGOP (C-NFA) than the weights are "+
			"like theirs (NFA): difference of the correlations, mean over networks.", "higher (2402.05271)",
			study.Above(0)).WithControl(centredEarlyExcess),
		centredEarlyExcess.Check("Early in training C-NFA exceeds its null more than NFA does: difference of the normalised "+
			"excesses, mean over networks.", study.Above(0)),
		nfaExcess.Claim("After training WᵀW is like the AGOP beyond its null: normalised excess, mean over networks with "+
			"learnable labels.", "high (2309.00570)", study.AtLeast(.1)),
		rootOverAGOP.Claim("After training WᵀW is more like AGOP^½ than like the AGOP: difference of the normalised excesses, "+
			"mean over networks.", "α = ½", study.Above(0)),
		fittedOverRoot.Check("After training an exponent that is fitted to the spectra of each layer gives a higher normalised "+
			"excess than ½: difference, mean over networks.", study.Above(0)),
		lossLikeOutputs.Check("After training the AGOP of the loss has about the normalised excess of the AGOP of the outputs: "+
			"absolute difference, mean over networks.", study.AtMost(.1)),
		factDecay.Claim("FACT holds better with weight decay than without: difference of its normalised excess in LeNet after "+
			"training.", "exact at stationary points with weight decay (2507.05644)", study.Above(0)).Diagnosed("FACT is exact where " +
			"training has come to rest, on all images that it learns. After 20 epochs LeNet is not at rest, and 200 of its 4000 " +
			"images are measured. The difference varies by .13 from seed to seed: some thirty seeds would decide, a quarter of " +
			"an hour of a core each."),
		factNormed.Check("FACT does not hold at layers before a batch norm: its normalised excess there, absolute, mean over the "+
			"layers of VGG-11.", study.AtMost(.1)),
		randomLabels.Check("Random labels do not remove the alignment of WᵀW and AGOP: its normalised excess in LeNet on random "+
			"labels.", study.AtLeast(.05)),
		lazyLess.Claim("A wide network with a small learning rate (the lazy regime) has less alignment than a narrow one: "+
			"difference of the normalised excess of NFA.", "no features", study.Above(0)),
		covarianceLess.Check("After training WᵀW is more like the AGOP than like the covariance of its input: difference of the "+
			"normalised excesses, mean over networks.", study.Above(0)),
		crhExcess.Claim("After training the six relations of the canonical representation hypothesis lie above their nulls: "+
			"normalised excess, mean over relations and networks.", "> 0 (2410.03006)", study.Above(0)),
	}
}

// measuredNetwork is a network with its measurements.
type measuredNetwork struct {
	TrackedNetwork
	record *train.Record
	normed map[string]bool // by layer, whether a batch norm follows
}

// spec returns the training.
func (n TrackedNetwork) spec() train.Spec {
	return train.Spec{Arch: n.Arch, Width: n.Width, Init: n.Init, Data: n.Data, Size: n.Size, Labels: n.Labels, Train: n.Train, Test: n.Test,
		Epochs: n.Epochs, Batch: n.Batch, Optimiser: n.Optimiser, LR: n.Rate, Momentum: n.Momentum, WeightDecay: n.WeightDecay}
}

// Run implements [study.Spec].
func (s *NetworksSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if s.Images < 2 || s.Times < 1 || len(s.Networks) == 0 {
		return nil, input.Errorf("images = %d, times = %d, %d networks: want at least 2, 1 and 1", s.Images, s.Times,
			len(s.Networks))
	}
	o := &study.Outcome{}
	var all []measuredNetwork
	for _, n := range s.Networks {
		if n.Train < 1 || n.Epochs < 1 || n.Batch < 1 {
			return nil, input.Errorf("%s: train = %d, epochs = %d, batch = %d: want at least 1 of each", n.Name, n.Train, n.Epochs,
				n.Batch)
		}
		m, err := s.measure(ctx, in, n, o)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	if in.Dry() {
		return o, nil
	}
	setNetworkMeasures(o, all)
	return o, drawNetworks(o, all)
}

// measure trains a network, measures the statements during the training, and records the images of both.
func (s *NetworksSpec) measure(ctx context.Context, in study.Setting, n TrackedNetwork,
	o *study.Outcome) (measuredNetwork, error) {
	m := measuredNetwork{TrackedNetwork: n, normed: map[string]bool{}}
	spec := n.spec()
	spec.ProbeImages, spec.ProbeSplit = s.Images, "train"
	if in.Dry() {
		return m, s.plan(in, n)
	}
	spec.Dir, spec.Threads, spec.Seed = in.DataDir, in.Threads, models.Stream(in.Seed, "start of "+n.Name).Uint64()
	spec.Track = max(1, n.Epochs*((n.Train+n.Batch-1)/n.Batch)/s.Times)
	t, err := train.NewTraining(ctx, spec)
	if err != nil {
		return m, err
	}
	if m.record, err = train.RunReporting(ctx, in, t, fileName(n.Name)); err != nil {
		return m, err
	}
	probes, which, err := t.Images().Probes(s.Images, spec.ProbeSplit)
	if err != nil {
		return m, err
	}
	if err := o.AddDataset(n.Name+", training", t.Images().Train); err != nil {
		return m, err
	}
	if err := o.AddDataset(n.Name+", measured on "+which, probes); err != nil {
		return m, err
	}
	for _, l := range t.Network().Layers() {
		m.normed[l.Name] = l.Normed
	}
	return m, nil
}

// plan adds the jobs of a network.
func (s *NetworksSpec) plan(in study.Setting, n TrackedNetwork) error {
	a, err := input.LookupArchitecture(n.Arch)
	if err != nil {
		return err
	}
	o, err := n.spec().Outline(a)
	if err != nil {
		return err
	}
	if err := in.AddJob(o.Job(false), nil); err != nil {
		return err
	}
	v := workload.VerificationSize{Images: s.Images, Outputs: o.Set.Classes, Draws: cnfa.TrackedNullDraws, LossPass: true,
		Inputs: true, Gradients: true}
	for range s.Times + 1 {
		if err := in.AddJobs(v.Jobs(o.Layers, o.Layers), nil); err != nil {
			return err
		}
	}
	return nil
}

// alignmentAt returns a statement's alignments at all layers for one of the measurements.
func (m measuredNetwork) alignmentAt(time int, statement string) (all []similarity.AlignmentRecord, layers []string) {
	for _, l := range m.record.Ansatz[time].Layers {
		for _, a := range l.Alignments {
			if a.Name == statement {
				all, layers = append(all, a), append(layers, l.Layer)
			}
		}
	}
	return all, layers
}

// mean returns the mean over layers of a statement's number, without layers at which it is undefined.
func (m measuredNetwork) mean(time int, statement string, of func(similarity.AlignmentRecord) *float64) float64 {
	all, _ := m.alignmentAt(time, statement)
	var numbers []float64
	for _, a := range all {
		numbers = append(numbers, record.ValueOrNaN(of(a)))
	}
	return meanOfDefined(numbers)
}

// meanOfDefined returns the mean of the numbers that are not NaN, NaN if there is none.
func meanOfDefined(numbers []float64) float64 {
	sum, n := 0., 0
	for _, x := range numbers {
		if !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	return sum / float64(n)
}

func normalisedOf(a similarity.AlignmentRecord) *float64 { return a.NormalisedExcess }
func valueOf(a similarity.AlignmentRecord) *float64      { return a.Value }

// last returns the mean normalised excess after training.
func (m measuredNetwork) last(statement string) float64 {
	return m.mean(len(m.record.Ansatz)-1, statement, normalisedOf)
}

// setNetworkMeasures sets the measures that claims are about.
func setNetworkMeasures(o *study.Outcome, all []measuredNetwork) {
	root := "nfa^0.5"
	over := func(of func(measuredNetwork) float64) float64 {
		var numbers []float64
		for _, m := range all {
			if m.Labels != "random" {
				numbers = append(numbers, of(m))
			}
		}
		return meanOfDefined(numbers)
	}
	byName := func(name, statement string) float64 {
		for _, m := range all {
			if m.Name == name {
				return m.last(statement)
			}
		}
		return math.NaN()
	}
	early := 1
	o.Set(centredEarly, over(func(m measuredNetwork) float64 {
		return m.mean(early, cnfa.CentredNFA, valueOf) - m.mean(early, cnfa.NFA, valueOf)
	}))
	o.Set(centredEarlyExcess, over(func(m measuredNetwork) float64 {
		return m.mean(early, cnfa.CentredNFA, normalisedOf) - m.mean(early, cnfa.NFA, normalisedOf)
	}))
	o.Set(nfaExcess, over(func(m measuredNetwork) float64 { return m.last(cnfa.NFA) }))
	o.Set(rootOverAGOP, over(func(m measuredNetwork) float64 { return m.last(root) - m.last(cnfa.NFA) }))
	o.Set(fittedOverRoot, over(func(m measuredNetwork) float64 { return m.last(cnfa.FittedNFA) - m.last(root) }))
	o.Set(lossLikeOutputs, over(func(m measuredNetwork) float64 {
		return math.Abs(m.last(cnfa.LossAGOP) - m.last(cnfa.NFA))
	}))
	o.Set(covarianceLess, over(func(m measuredNetwork) float64 { return m.last(cnfa.NFA) - m.last(cnfa.InputCov) }))
	relations := []string{cnfa.ForwardRGA, cnfa.ForwardRWA, cnfa.ForwardGWA, cnfa.BackRGA, cnfa.InputCov, cnfa.LossAGOP}
	o.Set(crhExcess, over(func(m measuredNetwork) float64 {
		sum := 0.
		for _, name := range relations {
			sum += m.last(name)
		}
		return sum / float64(len(relations))
	}))
	o.Set(factDecay, byName(decayNet, cnfa.FACT)-byName(plainNet, cnfa.FACT))
	o.Set(randomLabels, byName(randomNet, cnfa.NFA))
	o.Set(lazyLess, byName(narrowNet, cnfa.NFA)-byName(lazyNet, cnfa.NFA))
	o.Set(factNormed, math.NaN())
	for _, m := range all {
		if m.Name != normedNet {
			continue
		}
		var numbers []float64
		found, layers := m.alignmentAt(len(m.record.Ansatz)-1, cnfa.FACT)
		for i, a := range found {
			if m.normed[layers[i]] {
				numbers = append(numbers, math.Abs(record.ValueOrNaN(a.NormalisedExcess)))
			}
		}
		o.Set(factNormed, meanOfDefined(numbers))
	}
}
