package cnfapaper

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

var (
	agopChangePearson       = study.NewMeasure("agop_change_pearson")
	agopChangeSds           = study.NewMeasure("agop_change_sds")
	changeCntkSds           = study.NewMeasure("change_cntk_sds")
	changeCntkOverMoment    = study.NewMeasure("change_cntk_over_moment")
	changeLaplaceSds        = study.NewMeasure("change_laplace_sds")
	changeLaplaceOverMoment = study.NewMeasure("change_laplace_over_moment")
	agopCntkSds             = study.NewMeasure("agop_cntk_sds")
	agopCntkOverMoment      = study.NewMeasure("agop_cntk_over_moment")
	cntkLaplaceSds          = study.NewMeasure("cntk_laplace_sds")
	cntkLaplaceOverMoment   = study.NewMeasure("cntk_laplace_over_moment")
	layer1OverIdentity      = study.NewMeasure("layer1_over_identity")
	layer1GainOverRotated   = study.NewMeasure("layer1_gain_over_rotated")
	layer2OverIdentity      = study.NewMeasure("layer2_over_identity")
	layer2GainOverRotated   = study.NewMeasure("layer2_gain_over_rotated")
	layer3OverIdentity      = study.NewMeasure("layer3_over_identity")
	layer3GainOverRotated   = study.NewMeasure("layer3_gain_over_rotated")
)

// ConvFeaturesSpec compares the feature matrices of a trained network with those of
// convolutional kernel machines on the same images.
type ConvFeaturesSpec struct {
	Task setups.PatchTask `json:"task" toml:"task"`
	// Deep is a Deep ConvRFM; its first layer is CNTK-ConvRFM.
	Deep    setups.PatchMachineSpec `json:"deep" toml:"deep"`
	Laplace setups.PatchMachineSpec `json:"laplace" toml:"laplace"` // with patches of the same size
	Net     setups.PatchNetworkSpec `json:"net" toml:"net"`
	Images  int                     `json:"images" toml:"images"` // test images on which deeper layers are compared
}

// features returns the comparison of feature matrices in one table.
func features() *study.Experiment {
	deep := setups.PatchMachineSpec{
		Kernel: "cntk", Depth: 3, Patch: 3, Iterations: 5, Layers: 3, Filters: 64, Sample: 100, Ridges: []float64{1e-3},
	}
	laplace := setups.PatchMachineSpec{Kernel: "laplace", Patch: 3, Iterations: 5, Layers: 1, Ridges: []float64{1e-3}}
	paper, paperLaplace := deep, laplace
	paper.Sample, paper.Ridges = 0, paperRidges()
	paperLaplace.Ridges = paperRidges()
	return &study.Experiment{
		ID: "cnfa/features", Paper: "cnfa", Figure: "Sections 2 and 3",
		Title: "One table of features: a network's CNFM and patch-AGOP, CNTK- and Laplace-ConvRFM's M",
		About: "A network of three convolutions and kernel machines learn the same images. Of the first layer, whose " +
			"patches all read alike, all pairs of matrices are compared: the network's WᵀW, with W − W₀, and its " +
			"patch-AGOP on training images; M of CNTK-ConvRFM and of Laplace-ConvRFM. Pearson's correlation of all " +
			"elements stands beside its null, one of the two rotated at random, and for a network's own CNFM and " +
			"AGOP = WᵀSW that of S rotated, since that AGOP contains W. Controls: WᵀW before training, and the " +
			"second moment of the images' patches, which knows no labels. Deeper layers of Deep ConvRFM and the " +
			"network read different features, 64 random ones and 64 learned ones, so that their matrices have no " +
			"coordinates in common; compared is where in test images they see something. " + seenAbout + bestAbout +
			"At scale small the images are CIFAR-10's at 16×16, and patch-AGOPs are taken on 100 of them, other ones " +
			"for every seed; the paper's are SVHN's.",
		Claims: []study.Claim{
			agopChangePearson.Claim("The ansatz holds in the network: its patch-AGOP is alike W − W₀'s covariance.",
				"> .9 (Pearson)", study.AtLeast(.9)).WithControl(agopChangeSds),
			agopChangeSds.Claim("The ansatz holds in the network: its patch-AGOP is alike W − W₀'s covariance, above the "+
				"null by so many of its standard deviations.",
				"> .9 (Pearson)", study.AtLeast(2)),
			changeCntkSds.Claim("CNTK-ConvRFM recovers the features of the network's first layer: M and W − W₀'s "+
				"covariance, above the null by so many standard deviations.",
				"picture", study.AtLeast(2)).WithControl(changeCntkOverMoment),
			changeLaplaceSds.Claim("So does Laplace-ConvRFM.",
				"picture", study.AtLeast(2)).WithControl(changeLaplaceOverMoment),
			agopCntkSds.Claim("The network's patch-AGOP and CNTK-ConvRFM's M.",
				"picture", study.AtLeast(2)).WithControl(agopCntkOverMoment),
			cntkLaplaceSds.Claim("Both kernels learn alike.",
				"picture", study.AtLeast(2)).WithControl(cntkLaplaceOverMoment),
			changeCntkOverMoment.Claim("CNTK-ConvRFM's M is more alike W − W₀'s covariance than the images' patches are.",
				"not asked by the paper", study.Above(0)),
			changeLaplaceOverMoment.Claim("Laplace-ConvRFM's M is.",
				"not asked by the paper", study.Above(0)),
			agopCntkOverMoment.Claim("CNTK-ConvRFM's M is more alike the network's patch-AGOP than the images' patches are.",
				"not asked by the paper", study.Above(0)),
			cntkLaplaceOverMoment.Claim("Both kernels' M are more alike than either is to the images' patches.",
				"not asked by the paper", study.Above(0)),
			layer1OverIdentity.Claim("Deep ConvRFM and network see images alike, more than M = I does, in the first layer.",
				"picture", study.Above(0)).WithControl(layer1GainOverRotated),
			layer2OverIdentity.Claim("In the second.",
				"picture", study.Above(0)).WithControl(layer2GainOverRotated),
			layer3OverIdentity.Claim("In the third.",
				"picture", study.Above(0)).WithControl(layer3GainOverRotated),
			layer1GainOverRotated.Claim("What share of a patch they let through is alike, more than with M rotated at random, in "+
				"the first layer.",
				"not asked by the paper", study.Above(0)),
			layer2GainOverRotated.Claim("In the second.",
				"not asked by the paper", study.Above(0)),
			layer3GainOverRotated.Claim("In the third.",
				"not asked by the paper", study.Above(0)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ConvFeaturesSpec{
				Task: setups.PatchTask{
					Name: "digits", Data: "glyphs", Size: 10, Train: 30, Validation: 10, Test: 10,
				},
				Deep: setups.PatchMachineSpec{
					Kernel: "cntk", Depth: 3, Patch: 3, Iterations: 1, Layers: 3, Filters: 8, Ridges: []float64{1e-3},
				},
				Laplace: setups.PatchMachineSpec{
					Kernel: "laplace", Patch: 3, Iterations: 1, Layers: 1, Ridges: []float64{1e-3},
				},
				Net: setups.PatchNetworkSpec{Arch: "cnn3", Init: "", Rate: 1e-3, Batch: 10, Epochs: 2}, Images: 4,
			},
			study.Small: &ConvFeaturesSpec{
				Task: edgeTask("photographs", "cifar10", 16, 500, 400, 200), Deep: deep, Laplace: laplace,
				Net: setups.PatchNetworkSpec{Arch: "cnn3", Init: smallInit, Rate: 1e-3, Batch: 50, Epochs: 60}, Images: 20,
			},
			study.PaperScale: &ConvFeaturesSpec{
				Task: edgeTask("photographs", "svhn", 0, 4000, 500, 2000), Deep: paper, Laplace: paperLaplace,
				Net: setups.PatchNetworkSpec{Arch: "cnn3", Init: "", Rate: 1e-4, Batch: 128, Epochs: 500}, Images: 100,
			},
		},
	}
}

// Run implements Spec.
func (s *ConvFeaturesSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if s.Images < 1 || s.Deep.Patch != s.Laplace.Patch {
		return nil, input.Errorf("%d images, patches of %d and %d pixels: want at least one image, and patches of "+
			"one size", s.Images, s.Deep.Patch, s.Laplace.Patch)
	}
	o := &study.Outcome{Values: map[string]float64{}, Matrices: map[string]*mat.Dense{}}
	e, err := s.Task.Open(ctx, in, o)
	if err != nil {
		return nil, err
	}
	t := &taskResult{name: s.Task.Name}
	if t.machine, err = s.Deep.Fit(ctx, in, e); err != nil {
		return nil, err
	}
	laplace, err := s.Laplace.Fit(ctx, in, e)
	if err != nil {
		return nil, err
	}
	if t.net, err = s.Net.Train(ctx, in, e); err != nil {
		return nil, err
	}
	f, err := s.firstLayerMatrices(ctx, in, e, t, laplace)
	if err != nil {
		return nil, err
	}
	x := e.FirstTest(s.Images)
	if t.layers, t.measures, err = compareResponses(ctx, e, in, t.machine, t.net, x); err != nil {
		return nil, err
	}
	o.Tables = append(o.Tables, f.addTable(o), similarityTable([]*taskResult{t}), accuracyTable([]*taskResult{t}))
	setTaskMeasures([]*taskResult{t}, o)
	if err := f.addFigures(e, s.Deep.Patch, o); err != nil {
		return nil, err
	}
	figure, err := taskFigure("seen", s.Task, x, t.layers)
	o.Figures = append(o.Figures, figure)
	return o, err
}

// Jobs implements [study.Worker]. The responses to the few test images are left out.
func (s *ConvFeaturesSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf([]func(setups.PatchTask) ([]cost.Job, error){
		s.Deep.Jobs, s.Laplace.Jobs, s.Net.Jobs, s.Net.VerificationJobs, s.Net.VerificationJobs,
	}, func(of func(setups.PatchTask) ([]cost.Job, error)) ([]cost.Job, error) {
		return of(s.Task)
	})
}

// firstLayerMatrices returns the feature matrices of the first layer.
func (s *ConvFeaturesSpec) firstLayerMatrices(
	ctx context.Context, in study.Setting, e *setups.PatchExamples, t *taskResult, laplace *setups.FittedPatchMachine,
) (*featureMatrices, error) {
	first := t.net.Layers[0]
	own, err := t.net.FirstLayerAnsatz(ctx, in, e, false)
	if err != nil {
		return nil, err
	}
	change, err := t.net.FirstLayerAnsatz(ctx, in, e, true)
	if err != nil {
		return nil, err
	}
	moment, err := setups.PatchMoment(ctx, e.Images(e.Train).X, s.Deep.Patch)
	if err != nil {
		return nil, err
	}
	f := &featureMatrices{own: map[string]similarity.Record{}}
	f.add("agop", "network's AGOP", rfm.FullMetric(own.AGOP(t.net.Net.Filters(first))))
	f.add("cnfm", "CNFM", t.net.CNFM(first, setups.TrainedWeights))
	f.add("change", "CNFM of W − W₀", t.net.CNFM(first, setups.ChangedWeights))
	f.add("cntk", "CNTK-ConvRFM", t.machine.Metric(0))
	f.add("laplace", "Laplace-ConvRFM", laplace.Metric(0))
	f.add("before", "CNFM before training", t.net.CNFM(first, setups.InitialWeights))
	f.add("moment", "patches", moment)
	f.own["agop_cnfm"], f.own["agop_change"] = ansatzSimilarity(own.Ansatz), ansatzSimilarity(change.Ansatz)
	return f, nil
}
