package rfmpaper

import (
	"context"
	"image"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// The measures of Fig. 9: where the mask lies, and what accuracy the machines lose without its pixels or
// without those of the object.
var (
	maskInPatch      = study.NewMeasure("mask_in_patch")
	maskOverVariance = study.NewMeasure("mask_over_variance")
	maskOfPatch      = study.NewMeasure("mask_of_patch")
	netDropMask      = study.NewMeasure("net_drop_mask")
	netDropObject    = study.NewMeasure("net_drop_object")
	rfmDropMask      = study.NewMeasure("rfm_drop_mask")
)

// SpuriousSpec is the test of rfm Fig. 9 on a planted feature: a patch in the upper left corner that
// mostly agrees with the label.
type SpuriousSpec struct {
	Data       string             `json:"data" toml:"data"` // spurious:SET,test=aligned
	Side       int                `json:"side" toml:"side"` // of the patch of that set
	Train      int                `json:"train" toml:"train"`
	Test       int                `json:"test" toml:"test"`
	Iterations int                `json:"iterations" toml:"iterations"`
	Ridge      float64            `json:"ridge" toml:"ridge"`
	Sample     int                `json:"sample" toml:"sample"`       // training images in the AGOP; 0 is all
	Threshold  float64            `json:"threshold" toml:"threshold"` // of the mask, see [rfm.Metric.Above]
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

// fig9 returns spurious features.
func fig9() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig9", Paper: "rfm", Figure: "Fig. 9",
		Title: "Spurious features: the RFM's feature matrix tells what a network relies on",
		About: "In place of CelebA's eyes, which the paper finds to give lipstick and earrings away, a patch is " +
			"planted in a corner that agrees with the label in 95 % of the images. A recursive feature machine shows " +
			"where to look: the mask is what of the diagonal of M lies above a threshold. Then a network is tested " +
			"on images in which the mask's pixels are those of one image, and, for comparison, on ones in which an " +
			"equal area in the middle of the object is that of one image. The patch of the test images agrees with " +
			"the label as often as in training. At scale small its pixels vary more than all others, so that their " +
			"variance alone would find it too, which the control shows. Every seed has other images; scale paper is " +
			"larger, not the paper's.",
		Claims: []study.Claim{
			maskInPatch.Claim("The diagonal of the RFM's feature matrix shows the spurious feature: the part of the "+
				"mask that lies in it.",
				"picture of the eyes", study.AtLeast(.9)).WithControl(maskOverVariance),
			maskOfPatch.Claim("The mask covers the spurious feature: the part of it that it covers.",
				"picture of the eyes", study.AtLeast(.5)),
			netDropMask.Claim("The network is much worse where the masked pixels are those of one image.",
				"−35.3 and −23 points", study.AtLeast(.2)),
			netDropObject.Claim("It is little worse where an equal area of the object is that of one image.",
				"−4.87 and −5 points", study.AtMost(.1)),
			rfmDropMask.Claim("So is the RFM.",
				"not asked by the paper", study.AtLeast(.2)),
			maskOverVariance.Claim("More of the mask lies in the spurious feature than of as many pixels of the "+
				"largest variance.",
				"not asked by the paper", study.AtLeast(.05)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &SpuriousSpec{
				Data: "spurious:glyphs,test=aligned", Side: 5, Train: 200, Test: 100, Iterations: 1, Ridge: 1e-3,
				Threshold: rfm.TicketThreshold,
				Net:       setups.NetworkSpec{Bias: true, Width: 32, Rate: .1, Batch: 20, Epochs: 5},
			},
			study.Small: &SpuriousSpec{
				Data: "spurious:cifar10,test=aligned", Side: 5, Train: 2500, Test: 1000, Iterations: 2, Ridge: 1e-3,
				Threshold: rfm.TicketThreshold,
				Net:       setups.NetworkSpec{Bias: true, Width: 1024, Rate: .1, Batch: 128, Epochs: 30},
			},
			study.PaperScale: &SpuriousSpec{
				Data: "spurious:cifar10,test=aligned", Side: 5, Train: 40000, Test: 10000, Iterations: 2, Ridge: 1e-3,
				Sample: 20000, Threshold: rfm.TicketThreshold,
				Net: setups.NetworkSpec{Bias: true, Width: 1024, Rate: .1, Batch: 128, Epochs: 500},
			},
		},
	}
}

// Run implements Spec.
func (s *SpuriousSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	e, err := kernelmachine.OpenOwnExamples(ctx, in, examples.Spec{Data: s.Data, Train: s.Train, Test: s.Test})
	if err != nil {
		return nil, err
	}
	if s.Side < 1 || s.Side > min(e.Shape.Height, e.Shape.Width) {
		return nil, input.Errorf("side %d: want 1 to the size of the images, %v", s.Side, e.Shape)
	}
	m := rfm.Machine{Ridge: s.Ridge, Iterations: s.Iterations, Diagonal: true, Sample: s.Sample}
	c, err := trainClassifiers(ctx, in, m, s.Net, e)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	square := image.Rect(0, 0, s.Side, s.Side)
	patch := coordinates(*e.Shape, func(row, column int) bool { return image.Pt(column, row).In(square) })
	centre := square.Add(image.Pt((e.Shape.Width-s.Side)/2, (e.Shape.Height-s.Side)/2))
	object := coordinates(*e.Shape, func(row, column int) bool { return image.Pt(column, row).In(centre) })
	mask := rfm.DiagonalMetric(c.rfm.diagonal).Above(s.Threshold)
	if len(mask) == 0 {
		return nil, input.Errorf("threshold %v: nothing of M lies above it", s.Threshold)
	}
	masked, withoutObject := withCoordinates(in, e.Test, mask), withCoordinates(in, e.Test, object)
	o, err := c.outcome(in, s.Data, "spurious",
		"The share of the patch in the feature matrix; test accuracies of the images as they are, and with pixels of "+
			"all taken from the first of them: those of the RFM's mask, of the patch, and of as large a square in the "+
			"middle of the object; in percent.", "patch", patch,
		testImages{"accuracy", e.Test}, testImages{"one mask", masked},
		testImages{"one patch", withCoordinates(in, e.Test, patch)}, testImages{"one object", withoutObject})
	if err != nil || in.Dry() {
		return nil, err
	}
	d := len(c.rfm.diagonal)
	maskPixels := rfm.Selection(d, mask).Diagonal()
	variable := rfm.Selection(d, largest(variances(e.Train), len(mask))).Diagonal()
	inPatch := shareIn(maskPixels, patch)
	net, learner := c.network.accuracies, c.rfm.accuracies
	o.Set(maskInPatch, inPatch)
	o.Set(maskOverVariance, inPatch-shareIn(variable, patch))
	o.Set(maskOfPatch, inPatch*float64(len(mask))/float64(len(patch)))
	o.Set(netDropMask, net[0]-net[1])
	o.Set(netDropObject, net[0]-net[3])
	o.Set(rfmDropMask, learner[0]-learner[1])
	return o, c.addSpuriousFigure(o, maskPixels, masked, withoutObject)
}

// addSpuriousFigure draws the mask, and test images with and without the pixels of the mask and of
// the object.
func (c *classifiers) addSpuriousFigure(
	o *study.Outcome, maskPixels []float64, masked, withoutObject rfm.Examples,
) error {
	e, s := c.examples, *c.examples.Shape
	var rows [][]report.Image
	for i := range min(3, linalg.RowCount(e.Test.X)) {
		rows = append(rows, []report.Image{
			drawExample(e, e.Test, i, ""),
			record.RowImage(masked.X.RawRowView(i), s, "one mask"),
			record.RowImage(withoutObject.X.RawRowView(i), s, "one object"),
		})
	}
	f, err := report.ImageGrid("spurious", nil, append(rows, []report.Image{
		record.HeatImage(c.rfm.diagonal, s, "RFM, diagonal of M"),
		record.HeatImage(maskPixels, s, "mask"),
		record.HeatImage(c.network.diagonal, s, "network, diagonal of W₁ᵀW₁"),
	}))
	f.Caption = "Test images, with the pixels of the mask and of the middle of the object as they are in the first " +
		"of them; below, the feature matrices, from 0 (dark) to the largest element, and the mask."
	f.Alt = "The mask covers the patch in the corner"
	o.Figures = append(o.Figures, f)
	return err
}
