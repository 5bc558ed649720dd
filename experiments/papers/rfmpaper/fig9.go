package rfmpaper

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/data"
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

// The measures of Fig. 9: the location of the mask, and the accuracy that the machines lose without its pixels or
// without those of the object.
var (
	maskInSpurious   = study.NewMeasure("mask_in_spurious")
	maskOverVariance = study.NewMeasure("mask_over_variance")
	netDropMask      = study.NewMeasure("net_drop_mask")
	netDropObject    = study.NewMeasure("net_drop_object")
	rfmDropMask      = study.NewMeasure("rfm_drop_mask")
)

// SpuriousSpec is the test of rfm Fig. 9 on drawn heads: a spurious attribute mostly agrees with the label.
type SpuriousSpec struct {
	Data       string             `json:"data" toml:"data"`         // heads:attribute=OBJECT,with=SPURIOUS,test=aligned
	Spurious   string             `json:"spurious" toml:"spurious"` // the attribute that correlates with the label
	Object     string             `json:"object" toml:"object"`     // the attribute that is the label
	Size       int                `json:"size" toml:"size"`         // of the images
	Train      int                `json:"train" toml:"train"`
	Test       int                `json:"test" toml:"test"`
	Iterations int                `json:"iterations" toml:"iterations"`
	Ridge      float64            `json:"ridge" toml:"ridge"`
	Sample     int                `json:"sample" toml:"sample"` // training images in the AGOP; 0 is all
	Mask       float64            `json:"mask" toml:"mask"`     // the share of the coordinates in the mask
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

// fig9 returns spurious features.
func fig9() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig9", Paper: "rfm", Figure: "Fig. 9",
		Title: "Spurious features: the RFM's feature matrix shows on which features a network relies",
		About: study.About{
			Done: "Drawn heads may wear glasses, which is the label, and a hat, which agrees with it in 90 % of " +
				"the images. The feature matrix of a recursive feature machine (RFM) shows where to look, and a " +
				"network is tested with those pixels replaced.",
			Deviations: []string{
				"The heads replace CelebA's faces, in which the paper finds that eyes give lipstick and earrings " +
					"away. Nobody has marked where CelebA's eyes and lips are, so scale paper is larger but not " +
					"the paper's.",
				"The size of the mask was chosen after a first run on heads, in which a threshold on the " +
					"diagonal made most of the picture the mask.",
				"M is diagonal: what it has off its diagonal is not learned. After one iteration the diagonal is the same.",
				biasesKept,
			},
			Controls: []string{
				"As many pixels of the labelled object, those that glasses touch most often, are replaced too.",
				"The pixels of the hat vary more than others, so that their variance alone finds them, which the " +
					"control shows.",
			},
			Conventions: []string{
				"The hat agrees with the label as often in the test split as in training. It is larger than the " +
					"frames of the glasses, and so the easier feature.",
				"The mask is the tenth of the coordinates in which the diagonal of M is largest, after one " +
					"iteration of the RFM. The hat's region is the pixels that a hat touches, or would touch, in at " +
					"least half of up to 500 heads of the test split.",
				"Replaced pixels are those of one image, the donor, averaged over ten donors. Every seed has " +
					"different images, which are not scaled to the unit sphere.",
			},
		},
		Claims: []study.Claim{
			// A majority, since the paper shows a picture in which the eyes stand out.
			maskInSpurious.Claim("The diagonal of the RFM's feature matrix on CelebA shows the spurious feature: "+
				"part of the mask that lies in the feature's region.",
				"picture of the eyes", study.AtLeast(.5)).WithControl(maskOverVariance).On("CelebA"),
			netDropMask.Claim("A network on CelebA is much less accurate if the pixels of the RFM's mask are "+
				"replaced by those of one image: loss of accuracy.",
				"−35.3 and −23 points", study.AtLeast(.2)).On("CelebA"),
			netDropObject.Claim("A network on CelebA is little less accurate if as many pixels of the labelled "+
				"object are replaced by those of one image: loss of accuracy.",
				"−4.87 and −5 points", study.AtMost(.1)).On("CelebA"),
			rfmDropMask.Check("The RFM on CelebA is much less accurate if the pixels of its mask are replaced by "+
				"those of one image: loss of accuracy.", study.AtLeast(.2)).On("CelebA"),
			maskOverVariance.Check("More of the RFM's mask on CelebA lies in the region of the spurious feature "+
				"than of as many pixels of the largest variance: difference of the parts.",
				study.AtLeast(.05)).On("CelebA"),
		},
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: spuriousHeads(12, SpuriousSpec{
				Train: 200, Test: 100, Net: setups.NetworkSpec{Bias: true, Width: 32, Rate: .1, Batch: 20, Epochs: 5},
			}),
			study.Small: spuriousHeads(16, SpuriousSpec{
				Train: 2500, Test: 1000,
				Net: setups.NetworkSpec{Bias: true, Width: 1024, Rate: .1, Batch: 128, Epochs: 100},
			}),
			study.PaperScale: spuriousHeads(96, SpuriousSpec{
				Train: 10000, Test: 2000,
				Net: setups.NetworkSpec{Bias: true, Width: 1024, Rate: .1, Batch: 128, Epochs: 500},
			}),
		},
	}
}

// spuriousHeads returns settings for heads with that many pixels on a side.
func spuriousHeads(size int, s SpuriousSpec) *SpuriousSpec {
	s.Data, s.Spurious, s.Object, s.Size = "heads:attribute=glasses,with=hat,test=aligned", "hat", "glasses", size
	s.Iterations, s.Ridge, s.Mask = 1, 1e-3, .1
	return &s
}

// StandIns implements [study.Substituter].
func (s *SpuriousSpec) StandIns() map[string]string { return standIns("CelebA", "celeba", s.Data) }

// attributeShares returns, for each coordinate, the share of some heads of the test split in which an attribute covers it,
// or would cover it if the head had the attribute.
func (s *SpuriousSpec) attributeShares(in study.Setting, shape data.Shape, attribute string) ([]float64, error) {
	const most = 500 // number of images: enough to estimate a share
	ds, err := data.Open(s.Data, data.Options{
		Dir: in.DataDir, Split: "test", Seed: in.Seed, Size: s.Size, Count: min(s.Test, most),
	})
	if err != nil {
		return nil, err
	}
	share := make([]float64, shape.Pixels())
	for i := range ds.Len() {
		mask, err := data.AttributeMask(ds, i, attribute)
		if err != nil {
			return nil, &input.Error{Err: err}
		}
		for k := range share {
			if mask[k/shape.Channels] {
				share[k] += 1 / float64(ds.Len())
			}
		}
	}
	return share, nil
}

// Run implements Spec.
func (s *SpuriousSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if !(s.Mask > 0 && s.Mask <= 1) {
		return nil, input.Errorf("mask %v: want a share of the coordinates, more than 0 and at most 1", s.Mask)
	}
	e, err := kernelmachine.OpenOwnExamples(ctx, in,
		examples.Spec{Data: s.Data, Size: s.Size, Train: s.Train, Test: s.Test})
	if err != nil {
		return nil, err
	}
	spurious, err := s.attributeShares(in, *e.Shape, s.Spurious)
	if err != nil {
		return nil, err
	}
	touched, err := s.attributeShares(in, *e.Shape, s.Object)
	if err != nil {
		return nil, err
	}
	m := rfm.Machine{Ridge: s.Ridge, Iterations: s.Iterations, Diagonal: true, Sample: s.Sample}
	c, err := trainClassifiers(ctx, in, m, s.Net, e)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	mask := largest(c.rfm.diagonal, int(math.Ceil(s.Mask*float64(len(c.rfm.diagonal)))))
	var region []int
	for k, share := range spurious {
		if share >= .5 {
			region = append(region, k)
		}
	}
	object := largest(touched, len(mask))
	o, err := c.outcome(in, s.Data, "spurious",
		"The share of the spurious feature's region in the feature matrix; test accuracies of the images as they are, "+
			"and with pixels of all taken from one of them: those of the RFM's mask, of the region, and as many as "+
			"the mask has of the object; mean over donors; in percent.", "region", region, donors,
		testImages{"accuracy", nil}, testImages{"one mask", mask}, testImages{"one region", region},
		testImages{"one object", object})
	if err != nil || in.Dry() {
		return nil, err
	}
	d := len(c.rfm.diagonal)
	maskPixels := rfm.Selection(d, mask).Diagonal()
	variable := rfm.Selection(d, largest(variances(e.Train), len(mask))).Diagonal()
	inRegion := shareIn(maskPixels, region)
	net, learner := c.network.accuracies, c.rfm.accuracies
	o.Set(maskInSpurious, inRegion)
	o.Set(maskOverVariance, inRegion-shareIn(variable, region))
	o.Set(netDropMask, net[0]-net[1])
	o.Set(netDropObject, net[0]-net[3])
	o.Set(rfmDropMask, learner[0]-learner[1])
	return o, c.addSpuriousFigure(o, maskPixels, withCoordinates(in, e.Test, mask, 0),
		withCoordinates(in, e.Test, object, 0))
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
	f.Caption = "Test images, with the pixels of the mask and of the object as they are in the first " +
		"of them; below, the feature matrices, from 0 (dark) to the largest element, and the mask."
	f.Alt = "Heads, and the same with pixels of one of them; feature matrices and the mask"
	o.Figures = append(o.Figures, f)
	return err
}
