package rfmpaper

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The measures of Fig. 3, beside rfmShare and the like. Each is of one kind of images.
var (
	rfmOverLaplace = study.NewMeasure("rfm_over_laplace")
	ntkGain        = study.NewMeasure("ntk_gain")
)

// The kinds of images, of which a seed has one.
const svhnImages, standInImages = "svhn", "standin"

// CentreSpec is the problem of rfm Fig. 3: the digit in the centre decides, and others may
// stand beside it.
type CentreSpec struct {
	Data string `json:"data" toml:"data"`
	// StandIn is a set of digits, which are set beside one another where Data is not found.
	StandIn string `json:"stand_in" toml:"stand_in"`
	Train   int    `json:"train" toml:"train"` // 0 is all
	// Validation is the share of Train on which the RFM's iteration is chosen.
	Validation float64            `json:"validation" toml:"validation"`
	Test       int                `json:"test" toml:"test"` // 0 is all
	Iterations int                `json:"iterations" toml:"iterations"`
	Ridge      float64            `json:"ridge" toml:"ridge"`
	NTKRidge   float64            `json:"ntk_ridge" toml:"ntk_ridge"` // of the NTK on the RFM's features
	Sample     int                `json:"sample" toml:"sample"`       // training images in the AGOP; 0 is all
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

// fig3 returns feature learning on SVHN.
func fig3() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig3", Paper: "rfm", Figure: "Fig. 3",
		Title: "The digit in the centre: RFMs close the gap between kernels and networks",
		About: "SVHN's images show the digit that counts in the centre, and often others beside it. Where SVHN is " +
			"not here, digits of MNIST stand in for it, each with half of another to its left and to its right " +
			"(28×56 pixels), and the claims on SVHN are not attempted. Laplace kernel, NTK of two hidden layers, " +
			"recursive feature machine with centred gradients, NTK of one hidden layer on the feature matrix that it " +
			"learned, and a network of two hidden layers; images on the unit sphere. The RFM's iteration is chosen " +
			"on validation images, a fifth of the training images; the network is the one after its last epoch; at " +
			"scale small it has 512 units a layer and a rate of .5 in place of .05, as it takes 6000 steps in place " +
			"of 230000. The share of the centre is that of the trace of a feature matrix which lies in the middle " +
			"half of the columns; its control is what of the variance of the training images lies there.",
		Claims: []study.Claim{
			rfmOverLaplace.Of(svhnImages).Claim("SVHN: RFMs are more accurate than Laplace kernels by over 10 points.",
				"> 10 points", study.AtLeast(.1)),
			ntkGain.Of(svhnImages).Claim("SVHN: an NTK on features that the RFM learned is more accurate than an NTK "+
				"by 5 points.",
				"5 points", study.AtLeast(.05)),
			rfmShare.Of(svhnImages).Claim("SVHN: the RFM learns to select the centre.",
				"picture", study.AtLeast(.75)).WithControl(rfmShareOverVariance.Of(svhnImages)),
			rfmOverLaplace.Of(standInImages).Claim("Stand-in: the RFM is more accurate than the Laplace kernel.",
				"> 10 points on SVHN", study.AtLeast(.02)),
			ntkGain.Of(standInImages).Claim("Stand-in: an NTK on features that the RFM learned is more accurate than "+
				"an NTK.",
				"5 points on SVHN", study.AtLeast(.02)),
			rfmShare.Of(standInImages).Claim("Stand-in: the RFM learns to select the centre.",
				"picture", study.AtLeast(.9)).WithControl(rfmShareOverVariance.Of(standInImages)),
			netShare.Of(standInImages).Claim("Stand-in: the network learns to select the centre.",
				"picture", study.AtLeast(.75)).WithControl(netShareOverVariance.Of(standInImages)),
			rfmShareOverVariance.Of(svhnImages).Claim("SVHN: the centre has more of the RFM's M than of the pixels' "+
				"variance.",
				"not asked by the paper", study.AtLeast(.05)),
			rfmShareOverVariance.Of(standInImages).Claim("Stand-in: the centre has more of the RFM's M than of the "+
				"pixels' variance.",
				"not asked by the paper", study.AtLeast(.05)),
			netShareOverVariance.Of(standInImages).Claim("Stand-in: so it has of the network's W₁ᵀW₁.",
				"not asked by the paper", study.AtLeast(.05)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &CentreSpec{
				StandIn: "glyphs", Train: 100, Validation: .2, Test: 60, Iterations: 1, Ridge: 1e-3, NTKRidge: 1e-2,
				Net: setups.NetworkSpec{Bias: true, Width: 16, Rate: .05, Batch: 20, Epochs: 2},
			},
			study.Small: &CentreSpec{
				Data: "svhn", StandIn: "mnist", Train: 1500, Validation: .2, Test: 2000, Iterations: 5, Ridge: 1e-3,
				NTKRidge: 1e-2,
				Net:      setups.NetworkSpec{Bias: true, Width: 512, Rate: .5, Batch: 100, Epochs: 500},
			},
			study.PaperScale: &CentreSpec{
				Data: "svhn", StandIn: "mnist", Validation: .2, Iterations: 5, Ridge: 1e-3, NTKRidge: 1e-2,
				Sample: 20000,
				Net:    setups.NetworkSpec{Bias: true, Width: 1024, Rate: .05, Batch: 100, Epochs: 500},
			},
		},
	}
}

// Run implements Spec.
func (s *CentreSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	o := &study.Outcome{}
	e, kind, err := s.openImages(ctx, in, o)
	if err != nil {
		return nil, err
	}
	fit, validation, err := holdOut(in, e.Train, s.Validation)
	if err != nil {
		return nil, err
	}
	e.Train = fit
	c := &centreResult{spec: s, examples: e, validation: validation,
		at: coordinates(*e.Shape, func(_, column int) bool {
			return column >= e.Shape.Width/4 && column < e.Shape.Width-e.Shape.Width/4
		})}
	if err := c.fitKernels(ctx, in); err != nil {
		return nil, err
	}
	if err := c.trainNetwork(ctx, in); err != nil || in.Dry() {
		return nil, err
	}
	c.setMeasures(kind, o)
	return o, c.addTo(o)
}

// openImages opens SVHN, or the images that stand in for it. It returns the kind of the images too.
func (s *CentreSpec) openImages(
	ctx context.Context, in study.Setting, o *study.Outcome,
) (e *examples.Set, kind string, err error) {
	spec, kind := examples.Spec{Data: s.Data, Train: s.Train, Test: s.Test}, svhnImages
	standIn := s.Data == "" || in.Dry() && s.Train > 0 // costs of some images were measured on the stand-in
	if !standIn {
		e, err = kernelmachine.OpenOwnExamples(ctx, in, spec)
		var missing *data.NotFoundError
		if standIn = errors.As(err, &missing); standIn {
			o.Notes = append(o.Notes, fmt.Sprintf("%s is not here: digits of %s beside one another stand in for it.",
				s.Data, s.StandIn))
		}
	}
	if standIn {
		spec.Data, kind = s.StandIn, standInImages
		if e, err = kernelmachine.OpenOwnExamples(ctx, in, spec); err == nil {
			addNeighbours(in, e)
		}
	}
	if err != nil {
		return nil, "", err
	}
	kernelmachine.RecordExamples(o, e.Name, e)
	if !in.Dry() {
		e.ProjectToSphere()
	}
	return e, kind, nil
}

// centreResult holds the results of Fig. 3.
type centreResult struct {
	spec       *CentreSpec
	examples   *examples.Set
	validation rfm.Examples
	at         []int // the coordinates of the centre

	laplace, ntk, rfm, ntkOnFeatures, network, change centreMachine

	validationAccuracies, testAccuracies []float64 // of the RFM, by iteration

	pictures  []report.Image
	diagonals [][]float64 // of the RFM, the network, and with W₁ − W₀
}

// centreMachine holds the accuracies of a machine, and the share of the centre in its feature
// matrix. A number is NaN if the machine has none.
type centreMachine struct {
	name                   string
	training, test, centre float64
}

// setMeasures sets the measures of one kind of images. Those of the other kind are NaN.
func (c *centreResult) setMeasures(kind string, o *study.Outcome) {
	byVariance := shareIn(variances(c.examples.Train), c.at)
	for m, v := range map[study.Measure]float64{
		rfmOverLaplace:       c.rfm.test - c.laplace.test,
		ntkGain:              c.ntkOnFeatures.test - c.ntk.test,
		rfmShare:             c.rfm.centre,
		netShare:             c.network.centre,
		rfmShareOverVariance: c.rfm.centre - byVariance,
		netShareOverVariance: c.network.centre - byVariance,
	} {
		o.Set(m.Of(svhnImages), math.NaN())
		o.Set(m.Of(standInImages), math.NaN())
		o.Set(m.Of(kind), v)
	}
}

// addTo adds tables, charts and figures to the outcome.
func (c *centreResult) addTo(o *study.Outcome) error {
	machines := []centreMachine{c.laplace, c.ntk, c.rfm, c.ntkOnFeatures, c.network, c.change}
	o.Tables = []report.Table{record.TableOf("centre",
		"Accuracies, and the share of the centre in the feature matrix, in percent.", machines,
		record.TextField("machine", func(m centreMachine) string { return m.name }),
		record.PercentField("training", func(m centreMachine) float64 { return m.training }),
		record.PercentField("test", func(m centreMachine) float64 { return m.test }),
		record.PercentField("share of the centre", func(m centreMachine) float64 { return m.centre }))}
	x := study.Places(len(c.testAccuracies))
	o.Charts = []study.Chart{{
		Name: "iterations", Title: "Recursive feature machine", XLabel: "iteration", YLabel: "accuracy",
		Series: []report.Series{
			{Label: "validation", X: x, Y: c.validationAccuracies}, {Label: "test", X: x, Y: c.testAccuracies},
		},
	}}
	var first []report.Image
	for i := range min(3, linalg.RowCount(c.examples.Test.X)) {
		first = append(first, drawExample(c.examples, c.examples.Test, i, "test image, "))
	}
	f, err := report.ImageGrid("features", nil, [][]report.Image{first, c.pictures})
	f.Caption = "Three test images, and the diagonals of the feature matrices, from 0 (dark) to the largest element."
	f.Alt = "Diagonals of the feature matrices: the centre stands out"
	o.Figures = []report.Figure{f}
	o.Matrices = map[string]*mat.Dense{"diagonals": record.StackRows(c.diagonals...)}
	return err
}
