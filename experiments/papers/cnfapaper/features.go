package cnfapaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Measures of a pair of feature matrices, besides [pearson] and [excess].
var (
	excessSDs = study.NewMeasure("sds") // the excess in standard deviations of the null
	// By how much the correlation exceeds that of the images' patches with the first matrix or, for two machines, with
	// the closer one.
	overMoment = study.NewMeasure("over_moment")
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
	deep, paperDeep := convrfm(3, 1e-3), convrfm(3, paperRidges()...)
	deep.Sample = 100
	laplace := setups.PatchMachineSpec{Kernel: "laplace", Patch: 3, Iterations: 5, Layers: 1, Ridges: []float64{1e-3}}
	smokeLaplace, paperLaplace := laplace, laplace
	smokeLaplace.Iterations, paperLaplace.Ridges = 1, paperRidges()
	return &study.Experiment{
		ID: "cnfa/features", Paper: "cnfa", Figure: "Sections 2 and 3",
		Title: "One table of features: a network's CNFM and patch-AGOP, CNTK- and Laplace-ConvRFM's M",
		About: study.About{
			Done: "A network of three convolutions and two kernel machines, CNTK- and Laplace-ConvRFM, learn the " +
				"same images. In the first layer all pairs of feature matrices are compared: the network's WᵀW, " +
				"with W − W₀ for W, its patch-AGOP, and the M of both machines.",
			Deviations: []string{
				"The paper's images are SVHN's. At scale small they are CIFAR-10's at 16×16, different ones for " +
					"every seed, and patch-AGOPs are taken on 100 of them.",
			},
			Controls: []string{
				"The network's WᵀW before training is in the table as well.",
				"The second moment of the images' patches knows no labels. A machine's M should resemble the " +
					"network's features more than that does.",
			},
			Conventions: []string{
				"Similarity is Pearson's correlation of all entries. Its null has one of the two matrices " +
					"rotated at random; for a network's own CNFM and AGOP = WᵀSW it has S rotated, since that " +
					"AGOP contains W.",
				"Test images choose nothing. The network's AGOP is that of 200 training images.",
				"The matrices of deeper layers are not compared: Deep ConvRFM reads 64 random features there and " +
					"the network 64 learned ones, which have no coordinates in common. Their responses to test " +
					"images are compared instead.",
			},
		}.With(responsesAbout).With(bestAbout),
		Claims: []study.Claim{
			pearson.Of("agop_change").Claim("The ansatz holds in the first layer of a network trained on SVHN: "+
				"correlation of its patch-AGOP and the covariance of W − W₀.",
				"> .9 (Pearson)", study.AtLeast(.9)).On("SVHN").WithControl(excessSDs.Of("agop_change")),
			excessSDs.Of("agop_change").Check("In the first layer of a network trained on SVHN, the correlation "+
				"of its patch-AGOP and the covariance of W − W₀ exceeds its null: excess in standard deviations "+
				"of the null.",
				study.AtLeast(2)).On("SVHN"),
			excessSDs.Of("change_cntk").Claim("CNTK-ConvRFM recovers the features of a network's first layer on "+
				"SVHN: excess of the correlation of M and the covariance of W − W₀, in standard deviations of its "+
				"null.",
				"picture", study.AtLeast(2)).On("SVHN").WithControl(overMoment.Of("change_cntk")),
			excessSDs.Of("change_laplace").Claim("Laplace-ConvRFM recovers the features of a network's first "+
				"layer on SVHN: excess of the correlation of M and the covariance of W − W₀, in standard "+
				"deviations of its null.",
				"picture", study.AtLeast(2)).On("SVHN").WithControl(overMoment.Of("change_laplace")),
			excessSDs.Of("agop_cntk").Claim("The patch-AGOPs of a network's first layer and of CNTK-ConvRFM are "+
				"similar on SVHN: excess of their correlation, in standard deviations of its null.",
				"picture", study.AtLeast(2)).On("SVHN").WithControl(overMoment.Of("agop_cntk")),
			excessSDs.Of("cntk_laplace").Claim("CNTK-ConvRFM and Laplace-ConvRFM learn similar M on SVHN: excess "+
				"of the correlation of their M, in standard deviations of its null.",
				"picture", study.AtLeast(2)).On("SVHN").WithControl(overMoment.Of("cntk_laplace")),
			control(overMoment.Of("change_cntk"), "On SVHN, CNTK-ConvRFM's M resembles the covariance of W − W₀ "+
				"of a network's first layer more than the second moment of the images' patches does: difference "+
				"of the correlations.").On("SVHN"),
			control(overMoment.Of("change_laplace"), "On SVHN, Laplace-ConvRFM's M resembles the covariance of W "+
				"− W₀ of a network's first layer more than the second moment of the images' patches does: "+
				"difference of the correlations.").On("SVHN"),
			control(overMoment.Of("agop_cntk"), "On SVHN, CNTK-ConvRFM's M resembles the patch-AGOP of a "+
				"network's first layer more than the second moment of the images' patches does: difference of the "+
				"correlations.").On("SVHN"),
			control(overMoment.Of("cntk_laplace"), "On SVHN, the M of CNTK-ConvRFM and of Laplace-ConvRFM "+
				"resemble each other more than either resembles the second moment of the images' patches: "+
				"difference of the correlations.").On("SVHN"),
			layerClaim(1), layerClaim(2), layerClaim(3),
			layerControl(1), layerControl(2), layerControl(3),
		},
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ConvFeaturesSpec{
				Task: smokeDigits(), Deep: smokeConvRFM(3, 3, 8), Laplace: smokeLaplace, Net: smokeNetwork("cnn3"),
				Images: 4,
			},
			study.Small: &ConvFeaturesSpec{
				Task: smallPhotographs(16, 500), Deep: deep, Laplace: laplace,
				Net: smallNetwork(50, 60), Images: 20,
			},
			study.PaperScale: &ConvFeaturesSpec{
				Task: paperPhotographs("svhn"), Deep: paperDeep,
				Laplace: paperLaplace, Net: paperNetwork(500), Images: 100,
			},
		},
	}
}

// layerClaim returns the claim about the responses of a layer of Deep ConvRFM, counted from 1.
func layerClaim(layer int) study.Claim {
	part := fmt.Sprintf("layer%d", layer)
	return overIdentity.Of(part).Claim(fmt.Sprintf("Layer %d of Deep ConvRFM responds to SVHN's images as layer "+
		"%[1]d of a network does, more than with M = I: difference of the correlations.", layer),
		"picture", study.Above(0)).On("SVHN").WithControl(gainOverRotated.Of(part)).Diagnosed(
		"On photographs of 16×16 pixels the network's responses follow the norms of the patches, which M = I passes on " +
			"unchanged, so that a learned M has little to add. Nor does the network learn much from 500 of them (table of " +
			"accuracies). SVHN would decide, whose networks have to tell the digit in the middle from those beside it: two " +
			"days of a core for a seed at scale paper.")
}

// layerControl returns the null control of [layerClaim].
func layerControl(layer int) study.Claim {
	return control(gainOverRotated.Of(fmt.Sprintf("layer%d", layer)), fmt.Sprintf("Layer %d of Deep ConvRFM "+
		"passes on similar shares of SVHN's patches as layer %[1]d of a network does, more than with M rotated at "+
		"random: difference of the correlations of the gains.", layer)).On("SVHN")
}

// StandIns implements [study.Substituter].
func (s *ConvFeaturesSpec) StandIns() map[string]string {
	if s.Task.Data == "svhn" {
		return nil
	}
	return map[string]string{"SVHN": s.Task.Data}
}

// Run implements Spec.
func (s *ConvFeaturesSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if s.Images < 1 || s.Deep.Patch != s.Laplace.Patch {
		return nil, input.Errorf("%d images, patches of %d and %d pixels: want at least one image, and patches of "+
			"one size", s.Images, s.Deep.Patch, s.Laplace.Patch)
	}
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	e, err := s.Task.Open(ctx, in, o)
	if err != nil {
		return nil, err
	}
	deep, err := s.Deep.Fit(ctx, in, e)
	if err != nil {
		return nil, err
	}
	laplace, err := s.Laplace.Fit(ctx, in, e)
	if err != nil {
		return nil, err
	}
	t, err := compareWithNetwork(ctx, in, s.Task.Name, e, deep, s.Net, s.Images)
	if err != nil {
		return nil, err
	}
	f, err := s.firstLayerMatrices(ctx, in, t, laplace)
	if err != nil || in.Dry() {
		return o, err
	}
	o.Tables = append(o.Tables, f.addTable(o), similarityTable(t), accuracyTable(t))
	for k := range t.measures {
		setMeansOver(fmt.Sprintf("layer%d", k+1), t.measures[k:k+1], o)
	}
	if err := f.addFigures(e, s.Deep.Patch, o); err != nil {
		return nil, err
	}
	figure, err := t.figure("seen")
	o.Figures = append(o.Figures, figure)
	return o, err
}

// firstLayerMatrices returns the feature matrices of the first layer: those of the network, of the corresponding deep
// machine and of Laplace-ConvRFM.
func (s *ConvFeaturesSpec) firstLayerMatrices(
	ctx context.Context, in study.Setting, t *taskResult, laplace *setups.FittedPatchMachine,
) (*featureMatrices, error) {
	own, err := t.net.FirstLayerAnsatz(ctx, in, t.examples, false)
	if err != nil {
		return nil, err
	}
	change, err := t.net.FirstLayerAnsatz(ctx, in, t.examples, true)
	if err != nil || in.Dry() {
		return nil, err
	}
	first := t.net.Layers[0]
	moment, err := setups.PatchMoment(ctx, t.examples.Images(t.examples.Train).X, s.Deep.Patch)
	if err != nil {
		return nil, err
	}
	return &featureMatrices{
		all: []featureMatrix{
			{"agop", "network's AGOP", rfm.FullMetric(own.AGOP(t.net.Net.Filters(first)))},
			{"cnfm", "CNFM", t.net.CNFM(first, setups.TrainedWeights)},
			{"change", "CNFM of W − W₀", t.net.CNFM(first, setups.ChangedWeights)},
			{"cntk", "CNTK-ConvRFM", t.machine.Metric(0)},
			{"laplace", "Laplace-ConvRFM", laplace.Metric(0)},
			{"before", "CNFM before training", t.net.CNFM(first, setups.InitialWeights)},
			{"moment", "patches", moment},
		},
		own: map[string]similarity.Record{
			"agop_cnfm": ansatzSimilarity(own.Ansatz), "agop_change": ansatzSimilarity(change.Ansatz),
		},
	}, nil
}
