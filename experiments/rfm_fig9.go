package experiments

import (
	"context"
	"image"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// SpuriousSpec is the test of rfm Fig. 9 on a feature that was planted: a patch
// in the upper left corner that goes with the label in training.
type SpuriousSpec struct {
	Data       string      `json:"data" toml:"data"` // spurious:SET,test=aligned
	Side       int         `json:"side" toml:"side"` // of the patch of that set
	Train      int         `json:"train" toml:"train"`
	Test       int         `json:"test" toml:"test"`
	Iterations int         `json:"iterations" toml:"iterations"`
	Ridge      float64     `json:"ridge" toml:"ridge"`
	Sample     int         `json:"sample" toml:"sample"`       // training images in the AGOP; 0 is all
	Threshold  float64     `json:"threshold" toml:"threshold"` // of the mask, see [rfm.Metric.Above]
	Net        NetworkSpec `json:"net" toml:"net"`
}

// rfmFig9 is spurious features.
func rfmFig9() *Experiment {
	return &Experiment{
		ID: "rfm/fig9", Paper: "rfm", Figure: "Fig. 9", Title: "Spurious features: the RFM's feature matrix tells what a network relies on",
		About: "In place of CelebA's eyes, which the paper finds to give lipstick and earrings away, a patch is planted in a corner that agrees with the label in 95 % of the images. " +
			"A recursive feature machine shows where to look: the mask is what of the diagonal of M lies above a threshold. " +
			"Then a network is tested on images in which the mask's pixels are those of one image, and, for comparison, on ones in which an equal area in the middle of the object is that of one image. " +
			"The patch of the test images agrees with the label as often as in training. At scale small its pixels vary more than all others, so that their variance alone would find it too, which the control shows. Every seed has other images; scale paper is larger, not the paper's.",
		Claims: []Claim{
			{"mask_in_patch", "The diagonal of the RFM's feature matrix shows the spurious feature: the part of the mask that lies in it.", "picture of the eyes", atLeast(.9)},
			{"mask_of_patch", "The mask covers the spurious feature: the part of it that it covers.", "picture of the eyes", atLeast(.5)},
			{"net_drop_mask", "The network is much worse where the masked pixels are those of one image.", "−35.3 and −23 points", atLeast(.2)},
			{"net_drop_object", "It is little worse where an equal area of the object is that of one image.", "−4.87 and −5 points", atMost(.1)},
			{"rfm_drop_mask", "So is the RFM.", "not asked by the paper", atLeast(.2)},
			{"mask_over_variance", "More of the mask lies in the spurious feature than of as many pixels of the largest variance.", "not asked by the paper", atLeast(.05)},
		},
		Controls: map[string]string{"mask_in_patch": "mask_over_variance"},
		Specs: map[Scale]Spec{
			Smoke:      &SpuriousSpec{"spurious:glyphs,test=aligned", 5, 200, 100, 1, 1e-3, 0, rfm.TicketThreshold, NetworkSpec{Bias: true, Width: 32, Rate: .1, Batch: 20, Epochs: 5}},
			Small:      &SpuriousSpec{"spurious:cifar10,test=aligned", 5, 2500, 1000, 2, 1e-3, 0, rfm.TicketThreshold, NetworkSpec{Bias: true, Width: 1024, Rate: .1, Batch: 128, Epochs: 30}},
			PaperScale: &SpuriousSpec{"spurious:cifar10,test=aligned", 5, 40000, 10000, 2, 1e-3, 20000, rfm.TicketThreshold, NetworkSpec{Bias: true, Width: 1024, Rate: .1, Batch: 128, Epochs: 500}},
		},
	}
}

// Run implements Spec.
func (s *SpuriousSpec) Run(ctx context.Context, in Setting) (*Outcome, error) {
	e, err := in.openOwn(ctx, ExamplesSpec{Data: s.Data, Train: s.Train, Test: s.Test})
	if err != nil {
		return nil, err
	}
	if s.Side < 1 || s.Side > min(e.shape.Height, e.shape.Width) {
		return nil, badInput("side %d: want 1 to the size of the images, %v", s.Side, e.shape)
	}
	m := rfm.Machine{Ridge: s.Ridge, Iterations: s.Iterations, Diagonal: true, Sample: s.Sample}
	all, close, err := in.classifiers(ctx, m, s.Net, e)
	if err != nil {
		return nil, err
	}
	defer close()
	square := image.Rect(0, 0, s.Side, s.Side)
	patch := coordinates(*e.shape, func(row, column int) bool { return image.Pt(column, row).In(square) })
	centre := square.Add(image.Pt((e.shape.Width-s.Side)/2, (e.shape.Height-s.Side)/2))
	object := coordinates(*e.shape, func(row, column int) bool { return image.Pt(column, row).In(centre) })
	mask := rfm.DiagonalMetric(all[rfmAt].diagonal).Above(s.Threshold)
	if len(mask) == 0 {
		return nil, badInput("threshold %v: nothing of M lies above it", s.Threshold)
	}
	t, accuracy, err := classifierTable(report.Table{
		Name: "spurious", Caption: "The share of the patch in the feature matrix; test accuracies of the images as they are, and with pixels of all taken from the first of them: those of the RFM's mask, of the patch, and of as large a square in the middle of the object; in percent.",
		Columns: numericColumns("machine", "share of the patch", "accuracy", "one mask", "one patch", "one object"),
	}, all, patch, e.test, replacedIn(e.test, mask, 0), replacedIn(e.test, patch, 0), replacedIn(e.test, object, 0))
	if err != nil {
		return nil, err
	}
	in01 := rfm.Selection(len(all[rfmAt].diagonal), mask).Diagonal()
	shared := shareIn(in01, patch) // the part of the mask that lies in the patch
	varied := rfm.Selection(len(all[rfmAt].diagonal), largest(variances(e.train), len(mask))).Diagonal()
	net, kernel := accuracy[networkAt], accuracy[rfmAt]
	o := &Outcome{Tables: []report.Table{t}, Values: map[string]float64{
		"mask_in_patch": shared, "mask_of_patch": shared * float64(len(mask)) / float64(len(patch)),
		"net_drop_mask": net[0] - net[1], "net_drop_object": net[0] - net[3], "rfm_drop_mask": kernel[0] - kernel[1],
		"mask_over_variance": shared - shareIn(varied, patch),
	}}
	o.Matrices = map[string]*mat.Dense{"diagonals": diagonals(all)}
	o.usedExamples(s.Data, e)
	return o, spuriousFigure(e, all, mask, object, o)
}

// spuriousFigure draws the mask, and what the images become by it.
func spuriousFigure(e *examples, all []classifier, mask, object []int, o *Outcome) error {
	s := *e.shape
	var rows [][]report.Image
	masked, other := replacedIn(e.test, mask, 0), replacedIn(e.test, object, 0)
	for i := range min(3, rowCount(e.test.X)) {
		rows = append(rows, []report.Image{
			rowImage(e.test.X.RawRowView(i), s, e.classes[classIndices(e.test.Y)[i]]), rowImage(masked.X.RawRowView(i), s, "one mask"), rowImage(other.X.RawRowView(i), s, "one object"),
		})
	}
	rows = append(rows, []report.Image{
		heatImage(all[rfmAt].diagonal, s, "RFM, diagonal of M"), heatImage(rfm.Selection(len(all[rfmAt].diagonal), mask).Diagonal(), s, "mask"), heatImage(all[networkAt].diagonal, s, "network, diagonal of W₁ᵀW₁"),
	})
	f, err := report.ImageGrid("spurious", nil, rows)
	f.Caption = "Test images, with the pixels of the mask and of the middle of the object as they are in the first of them; below, the feature matrices, from 0 (dark) to the largest element, and the mask."
	f.Alt = "The mask covers the patch in the corner"
	o.Figures = append(o.Figures, f)
	return err
}
