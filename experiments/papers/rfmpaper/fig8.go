package rfmpaper

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// The measures of Fig. 8, besides rfmShare and the like.
var (
	netShareLearned      = study.NewMeasure("net_share_learned") // of W₁ᵀW₁, after training less before
	netWithoutPhotograph = study.NewMeasure("net_without_photograph")
	netWithoutDigit      = study.NewMeasure("net_without_digit")
)

// SimplicitySpec is the problem of rfm Fig. 8: two images side by side, each of which determines the class. The right
// one is simpler.
type SimplicitySpec struct {
	Data       string `json:"data" toml:"data"` // sidebyside:SET,SET
	Train      int    `json:"train" toml:"train"`
	Test       int    `json:"test" toml:"test"`
	Iterations int    `json:"iterations" toml:"iterations"`
	// Diagonal learns only the diagonal of M; the figure is the same after one iteration.
	Diagonal bool               `json:"diagonal" toml:"diagonal"`
	Ridge    float64            `json:"ridge" toml:"ridge"`
	Sample   int                `json:"sample" toml:"sample"` // training images in the AGOP; 0 is all
	Net      setups.NetworkSpec `json:"net" toml:"net"`
}

// donors is the number of test images that replace pixels of all others, one after another.
const donors = 10

// fig8 returns simplicity bias.
func fig8() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig8", Paper: "rfm", Figure: "Fig. 8",
		Title: "Simplicity bias: of a photograph and a digit side by side, the digit is learned",
		About: study.About{
			Done: "Every image is one of CIFAR-10 with one of MNIST to its right, and each CIFAR-10 class goes " +
				"with one digit. A recursive feature machine of one iteration and a network of two hidden layers " +
				"learn the class.",
			Deviations: []string{
				"At scale small there are 2500 training images, different ones for every seed, instead of 40000, " +
					"and M is diagonal. The network has 512 units in each layer and takes 100 epochs.",
				biasesKept,
			},
			Controls: []string{
				"The control of the share of the digit is the share of the variance of the training images that " +
					"lies there.",
				"The network is also tested with one half of all images replaced by that of one image, the " +
					"donor, averaged over ten donors.",
			},
			Conventions: []string{
				"The share of the digit is that of the trace of the feature matrix which lies on the right half " +
					"of the image. It is a half without a preference. W₁ᵀW₁ is mostly the initialisation, so the " +
					"network's share is that of W₁ − W₀, which training changed.",
			},
		},
		Claims: []study.Claim{
			// The paper gives no number: this is halfway between no preference, a share of .5, and a perfect mask.
			rfmShare.Claim("On a photograph and a digit side by side, the RFM learns to mask the photograph and "+
				"focuses on the digit: share of the trace of M that lies on the digit.",
				"picture", study.AtLeast(.75)).WithControl(rfmShareOverVariance),
			netChangeShare.Claim("On a photograph and a digit side by side, a network learns to mask the "+
				"photograph and focuses on the digit: share of the change of its first layer by training, W₁ − "+
				"W₀, that lies on the digit.",
				"picture", study.AtLeast(.75)).WithControl(netChangeOverVariance),
			netShareLearned.Check("On a photograph and a digit side by side, training raises the share of a "+
				"network's W₁ᵀW₁ that lies on the digit: the rise.",
				study.Above(0)),
			netWithoutPhotograph.Claim("A network trained on a photograph and a digit side by side does equally "+
				"well with one photograph in all images: loss of accuracy.", "none (Shah et al.)", study.AtMost(.05)).
				Diagnosed("The loss is small beside what one digit in all images costs, and about the threshold, which is " +
					"ours. A network that learns 40 000 images instead of 2500 has less reason to remember photographs: " +
					"scale paper would decide, some hours of a core for a seed."),
			netWithoutDigit.Claim("A network trained on a photograph and a digit side by side does no better "+
				"than chance with one digit in all images: accuracy.",
				"chance (Shah et al.)", study.AtMost(.2)),
			rfmShareOverVariance.Check("On a photograph and a digit side by side, the digit has a larger share "+
				"of the RFM's M than of the pixels' variance: difference of the shares.",
				study.AtLeast(.05)),
			netChangeOverVariance.Check("On a photograph and a digit side by side, the digit has a larger share "+
				"of a network's W₁ − W₀ than of the pixels' variance: difference of the shares.",
				study.AtLeast(.05)),
		},
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &SimplicitySpec{
				Data: "sidebyside:deadleaves,deadleaves", Train: 60, Test: 40, Iterations: 1, Diagonal: true,
				Ridge: 1e-3,
				Net:   setups.NetworkSpec{Bias: true, Width: 16, Rate: .1, Batch: 20, Epochs: 2},
			},
			study.Small: &SimplicitySpec{
				Data: "sidebyside:cifar10,mnist", Train: 2500, Test: 1000, Iterations: 1, Diagonal: true, Ridge: 1e-3,
				Net: setups.NetworkSpec{Bias: true, Width: 512, Rate: .1, Batch: 100, Epochs: 100},
			},
			study.PaperScale: &SimplicitySpec{
				Data: "sidebyside:cifar10,mnist", Train: 40000, Test: 10000, Iterations: 1, Ridge: 1e-3, Sample: 20000,
				Net: setups.NetworkSpec{Bias: true, Width: 1024, Rate: .1, Batch: 100, Epochs: 500},
			},
		},
	}
}

// Run implements Spec.
func (s *SimplicitySpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	e, err := kernelmachine.OpenOwnExamples(ctx, in, examples.Spec{Data: s.Data, Train: s.Train, Test: s.Test})
	if err != nil {
		return nil, err
	}
	m := rfm.Machine{Ridge: s.Ridge, Iterations: s.Iterations, Diagonal: s.Diagonal, Sample: s.Sample}
	c, err := trainClassifiers(ctx, in, m, s.Net, e)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	half := e.Shape.Width / 2
	photograph := coordinates(*e.Shape, func(_, column int) bool { return column < half })
	digit := coordinates(*e.Shape, func(_, column int) bool { return column >= half })
	o, err := c.outcome(in, s.Data, "simplicity",
		"The share of the digit in the feature matrix; test accuracies of the images as they are, and with one half "+
			"of all taken from one of them, mean over donors; in percent.", "digit", digit, donors,
		testImages{"accuracy", nil}, testImages{"one photograph", photograph}, testImages{"one digit", digit})
	if err != nil || in.Dry() {
		return nil, err
	}
	byVariance := shareIn(variances(e.Train), digit)
	o.Set(rfmShare, shareIn(c.rfm.diagonal, digit))
	o.Set(netShare, shareIn(c.network.diagonal, digit))
	o.Set(netChangeShare, shareIn(c.change.diagonal, digit))
	o.Set(rfmShareOverVariance, o.Value(rfmShare)-byVariance)
	o.Set(netShareLearned, o.Value(netShare)-shareIn(c.before.diagonal, digit))
	o.Set(netChangeOverVariance, o.Value(netChangeShare)-byVariance)
	o.Set(netWithoutPhotograph, c.network.accuracies[0]-c.network.accuracies[1])
	o.Set(netWithoutDigit, c.network.accuracies[2])
	return o, c.addSimplicityFigure(o)
}

// addSimplicityFigure draws the diagonals.
func (c *classifiers) addSimplicityFigure(o *study.Outcome) error {
	e, s := c.examples, *c.examples.Shape
	f, err := report.ImageGrid("features", nil, [][]report.Image{
		{drawExample(e, e.Train, 0, "training image, "), drawExample(e, e.Train, 1, "training image, ")},
		{
			record.HeatImage(c.rfm.diagonal, s, "RFM, diagonal of M"),
			record.HeatImage(c.network.diagonal, s, "network, diagonal of W₁ᵀW₁"),
		},
		{
			record.HeatImage(c.before.diagonal, s, "network before training"),
			record.HeatImage(c.change.diagonal, s, "network, with W₁ − W₀"),
		},
	})
	f.Caption = "Two training images, and the diagonals of the feature matrices, from 0 (dark) to the largest element."
	f.Alt = "Diagonals of the feature matrices: the half with the digit stands out"
	o.Figures = append(o.Figures, f)
	return err
}
